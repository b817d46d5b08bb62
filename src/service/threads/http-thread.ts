/**
 * The thread that answers HTTP. It has no database; calls go to threads that have one: a writer, and readers that are
 * started when there is more than one call and end after 15 s without any.
 */
import { randomBytes } from 'node:crypto';
import { ParapetError } from '#shared/bridge/errors.ts';
import type { EmbeddedMessage, EmbeddedSpec } from '#shared/embedded.ts';
import { NotStarted } from '#workers/restarts.ts';
import { WorkerPool } from '#workers/worker-pool.ts';
import {
  admissionBy,
  type Call,
  type Reply,
  readCall,
  refusal,
  responseOf,
  unauthorised,
} from '../http/body.ts';
import { ServiceError } from '../http/errors.ts';
import type { ServiceApp } from '../server.ts';
import {
  type Ask,
  type CallTarget,
  DUE,
  type EvidenceCommand,
  type Opened,
  type ThreadData,
} from './protocol.ts';

/** Two for long calls, one for all others. */
const READERS = 3;
const READERS_IDLE_MS = 15_000;

export interface FrontOptions extends Pick<ThreadData, 'as' | 'prints'> {
  /** The entry module of a database thread. */
  entry: URL;
  spec: EmbeddedSpec;
  /** Feature flags, read at every call. */
  flags(): EmbeddedSpec['flags'];
  /** Receives the writer's messages: progress and outcome of an import, reports. */
  onEvent(event: EmbeddedMessage): void;
  /** The writer ended unexpectedly, so no call can be answered any more. */
  onLost(error: Error): void;
}

export interface Front extends ServiceApp {
  /** Opens the database. Rejects with ParapetError. */
  open(): Promise<void>;
  isOpen(): boolean;
  tell(command: Extract<Ask, { type: EvidenceCommand }>): void;
  /** Ends an import, and resolves when the database is closed. */
  close(): Promise<void>;
}

type Pool = WorkerPool<Ask, Opened, EmbeddedMessage>;

export function createFront({ entry, spec, flags, onEvent, onLost, ...more }: FrontOptions): Front {
  const linkKey = randomBytes(32);
  const isAdmitted = admissionBy(spec.token);
  let opened: Opened | null = null;
  let isImporting = false;
  const closing = new AbortController();
  const pool = (role: 'writer' | 'reader', size: number, idle: number | null, resourceLimits = {}): Pool =>
    new WorkerPool({
      entry,
      name: `embedded-${role}`,
      label: 'The database of the embedded service',
      data: { ...more, role, spec, linkKey } satisfies ThreadData,
      size,
      concurrency: 1,
      idle,
      resourceLimits,
      onEvent: (event) => {
        if (event.type === 'reading') isImporting = true;
        if (event.type === 'imported' || event.type === 'failed') isImporting = false;
        onEvent(event);
      },
      ...(role === 'writer' ? { onLost } : {}),
    });
  const writer = pool('writer', 1, null, { maxYoungGenerationSizeMb: 24 });
  const readers = pool('reader', READERS, READERS_IDLE_MS, { maxYoungGenerationSizeMb: 8 });

  /**
   * Starting a reader takes longer than most calls, so an idle writer answers until there is one. Long calls never go to
   * the writer, since changes would wait for them; hence any first call starts a reader.
   */
  function poolFor(target: CallTarget): Pool {
    if (target === 'writer') return writer;
    readers.warm();
    return target === 'normal' && !readers.hasIdle && writer.isFree && !isImporting ? writer : readers;
  }

  async function answer(call: Call, signal: AbortSignal): Promise<Reply> {
    const ask: Ask = { type: 'call', call, flags: flags() };
    const target = opened === null ? 'normal' : targetOf(opened, call.method, new URL(call.url).pathname);
    // A change is not cancelled when its caller or connection goes away.
    if (target === 'writer') return writer.run<Reply>(ask, { urgency: 'now' });
    const options = { signal: AbortSignal.any([signal, closing.signal]), urgency: target };
    const reply = await poolFor(target)
      .run<Reply | typeof DUE>(ask, options)
      .catch((error: unknown) => {
        // Without a reader, as when too many files are open, changes wait for long calls.
        if (error instanceof NotStarted) return writer.run<Reply>(ask, options);
        throw error;
      });
    return reply === DUE ? writer.run<Reply>(ask) : reply;
  }

  return {
    async open() {
      opened = await writer.open();
    },
    isOpen: () => opened !== null,
    tell(command) {
      if (command.type === 'import') isImporting = true;
      writer.broadcast(command);
    },
    async fetch(request) {
      if (!isAdmitted(request.headers.get('authorization'))) return unauthorised();
      try {
        return responseOf(await answer(await readCall(request), request.signal));
      } catch (error) {
        if (error instanceof ServiceError) return refusal(error.status, error.toJSON());
        const words = error instanceof ParapetError ? error.message : 'The service failed';
        return refusal(error instanceof ParapetError ? 503 : 500, { error: words });
      }
    },
    async close() {
      closing.abort();
      await readers.close();
      await writer.close();
    },
  };
}

/** An unknown call is refused by any free thread. */
export function targetOf({ base, rules }: Opened, method: string, path: string): CallTarget {
  if (!path.startsWith(`${base}/`)) return 'normal';
  const below = path.slice(base.length);
  return rules.find((rule) => rule.method === method && rule.pattern.test(below))?.target ?? 'normal';
}
