/** The dependencies of every service of the core. Plain data and functions; createApp builds it once. */
import type { AnswerOf, EndpointName, Request } from '#shared/api/catalogue.ts';
import type { AppEvent, Connection, Job } from '#shared/bridge/operations.ts';
import type { Branding } from '#shared/model/white-label.ts';
import type { Database } from '../store/database.ts';
import type { ResultStore } from '../store/tasks.ts';
import type { Generations } from './generations.ts';
import type { ChosenPath, Ports } from './ports.ts';

/** Calls to the service of a connection. All reject with ParapetError. */
export interface Upstream {
  /** Directly to the service, uncached: paging, changes. Rejects `offline` without a request when offline. */
  send<N extends EndpointName>(
    connectionId: string,
    endpoint: N,
    request: Request<N>,
    /** `recorded` is called with the journal entry of a change before it is sent. */
    options?: { signal?: AbortSignal; retry?: boolean; recorded?: ((journalId: number) => void) | undefined },
  ): Promise<AnswerOf<N>>;
  /** A binary response of at most `maxBytes`. With `insist` it is sent even if the service did not respond last time. */
  blob(
    connectionId: string,
    endpoint: EndpointName,
    request: Request<EndpointName>,
    options?: { signal?: AbortSignal; maxBytes?: number; retry?: boolean; insist?: boolean },
  ): Promise<Uint8Array>;
  /** A multipart call with one form file. */
  /** `contents` is recorded in the journal in place of the bytes. */
  upload<N extends EndpointName>(
    connectionId: string,
    endpoint: N,
    file: { name: string; bytes: Uint8Array; contents?: object },
    options?: { signal?: AbortSignal },
  ): Promise<AnswerOf<N>>;
  /** True by choice, or because the service does not respond. */
  isOffline(connectionId: string): boolean;
}

export interface Grants {
  /** Registers a chosen path; the id opens it once. */
  issue(chosen: ChosenPath): { grantId: string; name: string };
  /** Rejects `not-allowed` for an unknown or used id. */
  redeem(grantId: string): ChosenPath;
}

export interface JobSpec {
  kind: Job['kind'];
  title: string;
  connectionId: string | null;
  unit: Job['unit'];
  /** null or omitted: not known yet. */
  total?: number | null;
  canPause?: boolean;
  /** Starts the same work again as a new job; without it the job cannot be retried. */
  retry?: () => Promise<Job>;
  /** Stored with the job: what a later process needs to clean up after it or to start it again. */
  memo?: Readonly<Record<string, string>>;
}

/** The worker's side of a job. It starts as `running`; done, partial, fail or a cancel closes it. */
export interface JobHandle {
  readonly id: string;
  /** Aborts when the analyst cancels, and when Parapet stops. */
  readonly signal: AbortSignal;
  /** The job as the bridge shows it. */
  current(): Job;
  /** Cheap enough to call for every item: events are limited to 10 per second. */
  update(change: {
    done?: number;
    total?: number | null;
    note?: string | null;
    title?: string;
    /** The part of the outcome that is known already. */
    outcome?: Job['outcome'];
  }): void;
  /** Resolves at once, or when a paused job is resumed. Rejects `cancelled`. */
  ready(): Promise<void>;
  done(outcome?: Job['outcome'], note?: string | null): void;
  /** Ended with less than was requested; `note` says why. */
  partial(note: string, outcome?: Job['outcome']): void;
  /** A ParapetError `cancelled` ends the job as cancelled, anything else as failed. */
  fail(error: unknown, outcome?: Job['outcome']): void;
}

export interface Jobs {
  create(spec: JobSpec): JobHandle;
  list(): Job[];
  /** Cancels running jobs and keeps ended ones; resolves when the last is closed. */
  stop(): Promise<void>;
}

/** How complete the data of a connection's service currently is. */
export interface Coverage {
  /**
   * A different number means that earlier statements no longer hold. 0 if not evidence. -1 if evidence that was not
   * examined yet.
   */
  version: number;
  /** Why the data is incomplete, and how much was read, or null if it is complete. */
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
  /** Marks the journal entries written by this run of Parapet. */
  run: string;
  /** Throws while a change could not be kept in the journal; call before recording one. */
  requireJournal(): void;
  connection(id: string): Connection;
  /** What the tools of a connection are called. */
  branding(connectionId: string): Branding;
  /** Why a connection's data is incomplete whatever its service answers: evidence that is not fully read. */
  coverage(connectionId: string): Coverage;
  publish(event: AppEvent): void;
  /** A service changed its own tables, and with them the cache's use of disk. */
  cacheChanged(): void;
  /** Called after the databases behind `cache` and `workspace` were replaced: unlocked, moved or rebuilt. */
  onStorage(listener: () => void): void;
}
