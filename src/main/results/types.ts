/** What result sets offer to the rest of main. */
import type {
  Job,
  LocalFilter,
  OutputOf,
  ParsedInputOf,
  ResultColumn,
  ResultSet,
} from '#shared/bridge/operations.ts';
import type { Sort } from '#shared/model/entities.ts';
import type { RowLease, Rows } from './leases.ts';
import type { RunPayload, SetRecord } from './record.ts';
import type { Selections } from './selections.ts';
import type { Slice, Views } from './views.ts';

export interface OpenInput {
  connectionId: string;
  payload: RunPayload;
  columns: ResultColumn[];
  refresh: boolean;
  label?: string | undefined;
}

export interface SetUse {
  /** The set as it goes on. What is read by row index is read through a lease. */
  record: SetRecord;
  views: Views;
  /** Its rows as they lie now, for as long as the lease is kept; of several sets at one moment. */
  lease(): RowLease;
  release(): void;
}

export interface ResultSets {
  open(input: OpenInput, signal: AbortSignal): Promise<ResultSet>;
  /** The service's rows changed: what was fetched before is asked for again when it is next opened. */
  outdate(connectionId: string): void;
  /** The evidence of a connection is read to its end: sets that ended before it go on. */
  recheck(connectionId: string): void;
  get(id: string): Promise<ResultSet | null>;
  page(
    id: string,
    start: number,
    end: number,
    sort: readonly Sort[],
    filter: LocalFilter | undefined,
    signal: AbortSignal,
  ): Promise<Slice>;
  /** The record of a set as it goes on; rejects `not-cached` when it is gone. */
  record(id: string): Promise<SetRecord>;
  fill(
    id: string,
    action: ParsedInputOf<'results.fill'>['action'],
    pageSize?: number | null,
  ): Promise<ResultSet>;
  history(connectionId: string, queryKey: string): Promise<OutputOf<'results.history'>['runs']>;
  compare(
    baseId: string,
    otherId: string,
    columns: readonly string[] | undefined,
    signal: AbortSignal,
  ): Promise<ResultSet>;
  readonly selections: Selections;
  pin(id: string, pinned: boolean): Promise<void>;
  /** Is something reading or writing the set? */
  busy(id: string): boolean;
  /** Does an export, a selection, a comparison or an action read a set of the connection? */
  inUse(connectionId: string): boolean;
  /** Fetches every row; resolves with the set complete, or stopped short with its reason. */
  fetchAll(id: string, signal: AbortSignal, progress: (record: SetRecord) => void): Promise<SetRecord>;
  /** Begins a job that fetches every row. */
  fetchJob(id: string): Promise<Job>;
  /** Keeps a set from being removed until released. */
  use(id: string): Promise<SetUse>;
  /** Reads rows of a set as they lie now. A set that is removed meanwhile goes when the reading is over. */
  read<T>(id: string, work: (rows: Rows) => Promise<T>): Promise<T>;
  /**
   * The service of a connection is there again; null: Parapet has started, or every one may be. What was being
   * fetched whole and was interrupted goes on.
   */
  wake(connectionId: string | null): void;
  /** Removes every table of the cache that none of the sets has, whoever left it. */
  sweep(): Promise<void>;
  /** All sets, newest last. */
  list(): Promise<SetRecord[]>;
  /** Removes sets and their rows; what is in use is left. Answers how many went. */
  remove(which: (record: SetRecord) => boolean): Promise<number>;
  /** Stops all fills; they can be resumed after the next start. */
  stop(): Promise<void>;
}
