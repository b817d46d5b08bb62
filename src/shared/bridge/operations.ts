/**
 * Every operation that the renderer can call. Names are `noun.verb`. Inputs and events are validated by these schemas
 * on the receiving side; a renderer never passes a path (see `grant`).
 */
import type { z } from 'zod';
import { actionsOperations } from './operations/actions.ts';
import { appOperations } from './operations/app.ts';
import { connectionsOperations } from './operations/connections.ts';
import { exceptionsOperations } from './operations/exceptions.ts';
import { exportsOperations } from './operations/exports.ts';
import { filesOperations } from './operations/files.ts';
import { indicatorsOperations } from './operations/indicators.ts';
import { jobsOperations } from './operations/jobs.ts';
import { matchedFileOperations } from './operations/matched-file.ts';
import { offlineOperations } from './operations/offline.ts';
import { arrivalsOperations } from './operations/open-requests.ts';
import { queriesOperations } from './operations/queries.ts';
import { resultsOperations } from './operations/results.ts';
import { rulesOperations } from './operations/rules.ts';
import { serviceOperations } from './operations/service.ts';
import { updatesOperations } from './operations/updates.ts';
import { workspaceOperations } from './operations/workspace.ts';

export * from './operations/actions.ts';
export * from './operations/app.ts';
export * from './operations/connections.ts';
export * from './operations/exceptions.ts';
export * from './operations/exports.ts';
export * from './operations/files.ts';
export * from './operations/indicators.ts';
export * from './operations/jobs.ts';
export * from './operations/matched-file.ts';
export * from './operations/offline.ts';
export * from './operations/open-requests.ts';
export * from './operations/queries.ts';
export * from './operations/results.ts';
export * from './operations/rules.ts';
export * from './operations/service.ts';
export * from './operations/updates.ts';
export * from './operations/workspace.ts';

export const operations = {
  ...appOperations,
  ...arrivalsOperations,
  ...connectionsOperations,
  ...serviceOperations,
  ...resultsOperations,
  ...exceptionsOperations,
  ...exportsOperations,
  ...indicatorsOperations,
  ...filesOperations,
  ...jobsOperations,
  ...matchedFileOperations,
  ...actionsOperations,
  ...offlineOperations,
  ...queriesOperations,
  ...rulesOperations,
  ...updatesOperations,
  ...workspaceOperations,
} as const;

type Operations = typeof operations;
export type OperationName = keyof Operations;
export type InputOf<N extends OperationName> = z.input<Operations[N]['input']>;
export type ParsedInputOf<N extends OperationName> = z.output<Operations[N]['input']>;
export type OutputOf<N extends OperationName> = Operations[N] extends { output: infer O extends z.ZodType }
  ? z.infer<O>
  : never;
export type EventOf<N extends OperationName> = Operations[N] extends { event: infer E extends z.ZodType }
  ? z.infer<E>
  : never;
export type StreamName = {
  [N in OperationName]: Operations[N]['kind'] extends 'stream' ? N : never;
}[OperationName];
export type CallName = Exclude<OperationName, StreamName>;
export const isOperationName = (name: string): name is OperationName => Object.hasOwn(operations, name);
