/** The input of a call's handler, and its possible answers. */
import type { AnswerOf, BodyOf, EndpointName, ParamsOf, SearchOf } from '#shared/api/catalogue.ts';
import type { RoleName } from '../roles.ts';
import type { Store } from '../store/store.ts';

export interface ServiceContext {
  store: Store;
  /** Milliseconds since the epoch. */
  now(): number;
  /** The caller, for createdBy. */
  caller: string | null;
  role: RoleName;
  /** Feature flags by name; they decide which exceptions are accepted. */
  flags: Readonly<Record<string, boolean>>;
}

interface Input<N extends EndpointName> {
  params: ParamsOf<N>;
  query: SearchOf<N>;
  body: BodyOf<N>;
  /** The form file of a multipart call. */
  file: { name: string; text: string } | null;
}

/** A file as the response. */
export interface FileAnswer {
  file: { name: string; type: string; bytes: Uint8Array | string };
}

export type Handler<N extends EndpointName> = (
  input: Input<N>,
  context: ServiceContext,
) => AnswerOf<N> | FileAnswer | Promise<AnswerOf<N> | FileAnswer>;

export type Handlers = { [N in EndpointName]?: Handler<N> };

export const isFileAnswer = (answer: unknown): answer is FileAnswer =>
  typeof answer === 'object' && answer !== null && 'file' in answer && !('rows' in answer);
