/** What every service of the core is given. Plain data and functions; createApp in app.ts builds it once. */
import type { AnswerOf, EndpointName, Request } from '#shared/api/catalogue.ts';
import type { AppEvent, Connection, Job } from '#shared/bridge/operations.ts';
import type { Database } from '../store/database.ts';
import type { ResultStore } from '../store/tasks.ts';
import type { Generations } from './generations.ts';
import type { ChosenPath, Ports } from './ports.ts';

/** Calls to the service of a connection. All reject with ParapetError. */
export interface Upstream {
  /** Straight to the service, nothing cached: paging, changes. Offline: rejects `offline` without a request. */
  send<N extends EndpointName>(
    connectionId: string,
    endpoint: N,
    request: Request<N>,
    options?: { signal?: AbortSignal; retry?: boolean },
  ): Promise<AnswerOf<N>>;
  /** A blob answer, at most `maxBytes`. `insist`: asked also when the service did not answer the last time. */
  blob(
    connectionId: string,
    endpoint: EndpointName,
    request: Request<EndpointName>,
    options?: { signal?: AbortSignal; maxBytes?: number; retry?: boolean; insist?: boolean },
  ): Promise<Uint8Array>;
  /** A multipart call with one form file. */
  upload<N extends EndpointName>(
    connectionId: string,
    endpoint: N,
    file: { name: string; bytes: Uint8Array },
    options?: { signal?: AbortSignal },
  ): Promise<AnswerOf<N>>;
  /** true: by choice or because the service does not answer. */
  isOffline(connectionId: string): boolean;
}

export interface Grants {
  /** Registers what a dialog chose; the id opens it once. */
  issue(chosen: ChosenPath): { grantId: string; name: string };
  /** Rejects `not-allowed` for an id that is unknown or used. */
  redeem(grantId: string): ChosenPath;
}

export interface JobSpec {
  kind: Job['kind'];
  title: string;
  connectionId: string | null;
  unit: Job['unit'];
  /** null or left out: not known yet. */
  total?: number | null;
  canPause?: boolean;
  /** Begins the same work again as a new job; absent: the job cannot be retried. */
  retry?: () => Promise<Job>;
  /** Kept with the job in the workspace: what a later Parapet needs to clean up after it or to begin it again. */
  memo?: Readonly<Record<string, string>>;
}

/** The worker's side of a job. It begins as `running`; after done, partial, fail or a cancel it is closed. */
export interface JobHandle {
  readonly id: string;
  /** Aborts when the analyst cancels and when Parapet stops. */
  readonly signal: AbortSignal;
  /** The job as the bridge shows it now. */
  current(): Job;
  /** Cheap to call for every item: events leave at most 10 times a second. */
  update(change: {
    done?: number;
    total?: number | null;
    note?: string | null;
    title?: string;
    /** What is known already of what will come of it. */
    outcome?: Job['outcome'];
  }): void;
  /** Resolves at once, or when a paused job goes on. Rejects `cancelled`. */
  ready(): Promise<void>;
  done(outcome?: Job['outcome'], note?: string | null): void;
  /** Ended with less than was asked for; `note` says why. */
  partial(note: string, outcome?: Job['outcome']): void;
  /** A ParapetError `cancelled` ends the job as cancelled, anything else as failed. */
  fail(error: unknown, outcome?: Job['outcome']): void;
}

export interface Jobs {
  create(spec: JobSpec): JobHandle;
  list(): Job[];
  /** Cancels what runs and keeps what ended; resolves when the last is closed. */
  stop(): Promise<void>;
}

/** What can be said of the rows that a connection's service gives now. */
export interface Coverage {
  /** Another number: what was said before holds no longer. 0: not evidence. -1: evidence that was not looked at yet. */
  version: number;
  /** Why they are not all that there is, with how much was read; null: they are. */
  lack: string | null;
}

export interface Context {
  ports: Ports;
  cache: ResultStore;
  workspace: Database;
  upstream: Upstream;
  grants: Grants;
  jobs: Jobs;
  generations: Generations;
  /** What entries of the journal that this run of Parapet wrote are known by. */
  run: string;
  connection(id: string): Connection;
  /** Why the data of a connection is incomplete, whatever its service answers: evidence that is not read to its end. */
  coverage(connectionId: string): Coverage;
  publish(event: AppEvent): void;
  /** The whole cache's limit and use changed by a service's own tables. */
  cacheChanged(): void;
  /** Called after the databases behind `cache` and `workspace` were replaced: unlocked, moved or rebuilt. */
  onStorage(listener: () => void): void;
}
