/**
 * Fetches the rows of one run page by page with the service's cursor, prefetching while a page is stored. When the
 * cursor has expired (it lives a minute, specification section 9), the scan starts again and rows are matched by entity
 * id.
 */
import { ParapetError } from '#shared/bridge/errors.ts';
import { SCROLL_LIFE_MS } from '#shared/model/constants.ts';
import type { Cursor } from '#shared/model/entities.ts';
import { parseExact } from '#shared/model/exact-numbers.ts';
import type { Context } from '../kernel/context.ts';
import type { Statement } from '../store/database.ts';
import type { Ingested, ResultStore } from '../store/tasks.ts';
import { askPage, checkEnds, guessCursor, isLapse, sameCursor, unreadablePage } from './page-request.ts';
import { beginScanStatements, countDuplicates, type Generations, MAX_SCANS, reconcile } from './reconcile.ts';
import { type SetChange, type SetRecord, saveStatement } from './record.ts';
import { MAX_TRIES, type RequestLimiter } from './request-limiter.ts';
import { change, isJudged, type Stop, standingOf } from './state.ts';

/** Rows of the second and later pages; the first is small for a fast first paint. */
const SECOND_PAGE = 500;
const PAGE = 1_000;
/** Pages requested beyond the one being stored. */
const AHEAD = 2;
/** Restarts per fetch before giving up on a service whose cursors expire faster than they can be used. */
const MAX_RESTARTS = 5;

export interface FetchHooks {
  /** A page was stored, or the state changed. */
  changed(record: SetRecord): void;
  generations: Generations;
  /** Rows wanted at this time, or null for all. */
  target(): number | null;
  /** Resolves when the fetch may continue; a paused job delays it. */
  ready(): Promise<void>;
}

/** What was stored of a page, and the cursor after it. */
type Stored = Omit<Ingested, 'cursor'> & { cursor: Cursor | null };

/**
 * Stores a page and the cursor after it in one transaction, in the writer thread; `before` is part of that transaction.
 * Throws for a response that is not a page.
 */
export async function storePage(
  { ports, cache }: Context,
  record: SetRecord,
  bytes: Uint8Array,
  db: ResultStore = cache,
  before: readonly Statement[] = [],
): Promise<Stored> {
  const now = ports.now();
  const { target } = record;
  const stored = await db.ingest({
    type: 'ingest',
    n: record.n,
    setId: record.id,
    columns: record.columns,
    bytes,
    before,
    loaded: record.loaded,
    target,
    pageScan: record.pageScan,
    byValues: record.payload.include_copies,
    now,
  });
  if (stored.outcome === 'gone')
    throw new ParapetError('not-cached', 'These results are no longer on this machine.', { retryable: true });
  if (stored.outcome === 'unreadable' || stored.outcome === 'too-deep')
    throw unreadablePage(bytes, stored.outcome);
  const cursor = stored.cursor === null ? null : (parseExact(stored.cursor) as Cursor);
  const total = stored.total ?? record.total;
  const shifted = record.firstTotal !== null && total !== record.total;
  Object.assign(record, {
    cursor,
    cursorAt: now,
    total,
    firstTotal: record.firstTotal ?? stored.total,
    shifts: record.shifts + Number(shifted),
    loaded: record.loaded + stored.added,
    withoutId: record.withoutId + stored.withoutId,
    bytes: record.bytes + stored.bytes,
    widest: Math.max(record.widest, stored.widest),
    appeared: record.appeared + stored.appeared,
    duplicates: record.duplicates + stored.duplicates,
    columns: stored.columns ?? record.columns,
  } satisfies SetChange);
  record.cursorTick = ports.ticks();
  if (record.pageScan !== null) record.pageScan = { ...record.pageScan, pending: stored.pending };
  return { ...stored, cursor };
}

/** The response was damaged in transit and is requested again; one of the wrong shape would be so again. */
const BROKEN: ReadonlySet<string> = new Set(['not-json', 'truncated']);
const DISK_ERRORS: ReadonlySet<string> = new Set(['disk-full', 'read-only-profile', 'damaged', 'internal']);

/** The set's stop reason for an error, and its message. */
function stopOf(error: unknown): { why: Stop; detail: string } {
  const code = error instanceof ParapetError ? error.code : 'internal';
  const detail = error instanceof Error ? error.message : String(error);
  if (code === 'offline') return { why: 'offline', detail };
  if (code === 'unreachable' || code === 'timeout') return { why: 'unreachable', detail };
  return { why: DISK_ERRORS.has(code) ? 'storage' : 'failed', detail };
}

interface PageRequest {
  cursor: Cursor | null;
  size: number;
  bytes: Promise<Uint8Array>;
  /** The probable cursor of the next page, known once the bytes are here. */
  next: Cursor | null;
}

/** State of the current scan, to detect a service that returns the same pages again and again. */
interface ScanProgress {
  received: number;
  repeated: number;
  /** Number of received rows at which duplicates are counted next; 0 if not determined yet. */
  checkAt: number;
  cursors: Set<string>;
}

const newProgress = (): ScanProgress => ({ received: 0, repeated: 0, checkAt: 0, cursors: new Set() });

/**
 * Fetches a set up to its target, beginning when it is created. One fetcher per set at a time, bound to the current database: when that is
 * replaced, it ends.
 */
export class Fetcher {
  /** Resolves when the database records that the set is being fetched, and up to which row. */
  readonly begun: Promise<void>;
  /** Resolves when the fetch has stopped for any reason; the record has the state. Never rejects. */
  readonly stopped: Promise<void>;
  readonly #ctx: Context;
  readonly #record: SetRecord;
  readonly #limiter: RequestLimiter;
  readonly #hooks: FetchHooks;
  readonly #db: ResultStore;
  readonly #controller = new AbortController();
  #stopReason: Stop | null = null;
  #progress = newProgress();
  /** Requested pages, in order, and what aborts them. */
  #ahead: PageRequest[] = [];
  #inFlight = new AbortController();
  /** The page being awaited or stored. */
  #current: PageRequest | null = null;

  constructor(ctx: Context, record: SetRecord, limiter: RequestLimiter, hooks: FetchHooks) {
    this.#ctx = ctx;
    this.#record = record;
    this.#limiter = limiter;
    this.#hooks = hooks;
    this.#db = ctx.cache.bound();
    const judged = isJudged(record);
    const filling = standingOf(record, 'filling');
    Object.assign(record, filling);
    this.begun = this.#db
      .write([saveStatement(record, { ...filling, target: record.target })])
      .then(() => undefined);
    this.stopped = this.begun
      .then(
        () => this.#run(judged),
        (error: unknown) => this.#leave('storage', stopOf(error).detail),
      )
      .catch((error: unknown) => {
        Object.assign(record, standingOf(record, 'failed', String(error)));
      })
      .finally(() => {
        record.waitingUntil = null;
        record.waitingFor = null;
        hooks.changed(record);
      });
  }

  /** Stops after the current page and leaves the set in this state. */
  stop(why: Stop): Promise<void> {
    this.#stopReason ??= why;
    this.#controller.abort();
    return this.stopped;
  }

  /** Judged if an earlier fetch reached the service's end and its rows were reconciled. */
  async #run(judged: boolean): Promise<void> {
    const record = this.#record;
    let restarts = 0;
    let unusable = 0;
    try {
      await this.#takeUp(judged);
      for (;;) {
        await this.#hooks.ready();
        if (this.#stopReason !== null) return await this.#leave(this.#stopReason);
        if (this.#hasEnough()) return await this.#leave('enough');
        const { cursor } = record;
        const page = this.#ahead.shift() ?? this.#request(cursor);
        this.#current = page;
        this.#extend(this.#ahead.at(-1) ?? page);
        let bytes: Uint8Array;
        try {
          bytes = await page.bytes;
        } catch (error) {
          this.#drop();
          if (!isLapse(error, cursor)) throw error;
          if (++restarts > MAX_RESTARTS) return await this.#leave('forgot');
          await this.#resume();
          continue;
        }
        let stored: Stored;
        try {
          stored = await storePage(this.#ctx, record, bytes, this.#db);
          unusable = 0;
        } catch (error) {
          this.#drop();
          const isBroken = error instanceof ParapetError && BROKEN.has(error.code);
          if (!isBroken || ++unusable >= MAX_TRIES) throw error;
          await this.#limiter.wait(record.connectionId, unusable, this.#controller.signal, this.#onWait);
          continue;
        }
        const atEnd = stored.cursor === null || stored.received === 0;
        const isStuck = stored.cursor !== null && sameCursor(stored.cursor, cursor);
        const [next] = this.#ahead;
        const isMisguessed = next !== undefined && !sameCursor(next.cursor, stored.cursor);
        if (atEnd || isStuck || isMisguessed) this.#drop();
        this.#current = null;
        if (atEnd && restarts < MAX_RESTARTS && this.#hasEvidenceMoved()) {
          restarts++;
          await this.#resume();
          continue;
        }
        if (isStuck && !atEnd) return await this.#leave('stuck');
        if (atEnd || (await this.#isCircling(stored))) {
          this.#drop();
          if (!(await this.#judge())) return;
        }
        this.#hooks.changed(record);
      }
    } catch (error) {
      await this.#fail(error);
    } finally {
      this.#drop();
    }
  }

  async #fail(error: unknown): Promise<void> {
    const record = this.#record;
    // At the service's end but not reconciled yet: the state of the scan is not trusted.
    if (record.cursor === null && record.loaded > 0) record.pageScan = null;
    if (this.#stopReason !== null) return this.#leave(this.#stopReason);
    const { why, detail } = stopOf(error);
    // The set of seen rows was in the writer's memory and may be lost.
    if (why === 'storage') record.pageScan = null;
    await this.#leave(why, detail);
  }

  async #leave(why: Stop, detail: string | null = null): Promise<void> {
    const what = standingOf(this.#record, why, detail);
    await change(this.#db, this.#record, what).catch((error: unknown) => {
      // The database still says that it is being fetched, so the next start resumes it.
      Object.assign(this.#record, what);
      this.#ctx.ports.log.warn('the state of a result set could not be stored', { reason: String(error) });
    });
  }

  /** Continues where the previous fetch stopped. */
  async #takeUp(judged: boolean): Promise<void> {
    const record = this.#record;
    const { ports } = this.#ctx;
    if (record.loaded === 0) return;
    const age =
      record.cursorTick === null
        ? ports.now() - (record.cursorAt ?? Number.NEGATIVE_INFINITY)
        : ports.ticks() - record.cursorTick;
    // More evidence may have been read since the first rows: only a scan of a single state of it can be complete.
    const moved = this.#ctx.coverage(record.connectionId).version !== (record.coverage?.version ?? 0);
    if (moved || (record.matching && record.pageScan === null)) return this.#resume();
    if (record.cursor !== null) return age < 0 || age > SCROLL_LIFE_MS ? this.#resume() : undefined;
    // At the service's end: not reconciled yet, or told to scan again.
    if (!record.matching)
      await this.#restart({ scans: judged ? 0 : Math.min(record.scans + 1, MAX_SCANS - 1) });
  }

  /** Starts a new scan, whose rows are matched with the existing ones. */
  async #restart(what: Pick<SetChange, 'resumed' | 'scans'>): Promise<void> {
    const record = this.#record;
    record.coverage = this.#ctx.coverage(record.connectionId);
    const whole = what.scans !== undefined || record.scans > 0;
    await change(
      this.#db,
      record,
      { cursor: null, cursorAt: null, matching: true, firstTotal: null, shifts: 0, ...what },
      beginScanStatements(record),
    );
    record.pageScan = { base: record.loaded, pending: 0, whole };
    this.#progress = newProgress();
    this.#hooks.changed(record);
  }

  /** The service no longer knows the cursor, or its rows have changed. */
  #resume(): Promise<void> {
    return this.#restart({ resumed: this.#record.resumed + 1 });
  }

  /** Reconciles a scan that reached the end; true if it has to be repeated. */
  async #judge(): Promise<boolean> {
    const { generations } = this.#hooks;
    const { signal } = this.#controller;
    if ((await reconcile(this.#ctx, this.#db, this.#record, generations, signal)) === 'ended') return false;
    await this.#restart({ scans: this.#record.scans + 1 });
    return true;
  }

  /** Whether the service is going in circles: this scan has seen its cursor before, or most of its rows. */
  async #isCircling({ cursor, received, duplicates }: Stored): Promise<boolean> {
    const progress = this.#progress;
    const key = JSON.stringify(cursor);
    if (progress.cursors.has(key)) return true;
    progress.cursors.add(key);
    progress.received += received;
    progress.repeated += duplicates;
    if (progress.checkAt === 0) progress.checkAt = 2 * this.#record.total + 10 * PAGE;
    if (progress.received <= progress.checkAt) return false;
    progress.checkAt *= 2;
    const repeated = progress.repeated + (await countDuplicates(this.#db, this.#record, {}));
    return 2 * repeated > progress.received;
  }

  /** The evidence was read to its end during the scan. */
  #hasEvidenceMoved(): boolean {
    const { version, lack } = this.#ctx.coverage(this.#record.connectionId);
    return lack === null && version !== (this.#record.coverage?.version ?? 0);
  }

  /** Rows wanted, or null for all. A scan that is to prove completeness goes to the end, however many are wanted. */
  #target(): number | null {
    const { matching, pageScan } = this.#record;
    return matching && pageScan?.whole === true ? null : this.#hooks.target();
  }

  #hasEnough(): boolean {
    const target = this.#target();
    return target !== null && this.#record.loaded >= target;
  }

  /** Rows after all requested pages are stored. */
  #planned(): number {
    const { loaded } = this.#record;
    return this.#ahead.reduce((sum, { size }) => sum + size, loaded + (this.#current?.size ?? 0));
  }

  readonly #onWait = (until: number | null, cause: string | null) => {
    this.#record.waitingUntil = until;
    this.#record.waitingFor = cause;
    this.#hooks.changed(this.#record);
  };

  #request(cursor: Cursor | null): PageRequest {
    const record = this.#record;
    const size = record.pageSize ?? (this.#planned() < SECOND_PAGE ? SECOND_PAGE : PAGE);
    const signal = AbortSignal.any([this.#controller.signal, this.#inFlight.signal]);
    const bytes = this.#limiter.run(
      record.connectionId,
      async () => checkEnds(await askPage(this.#ctx, record, cursor, size, signal)),
      signal,
      this.#onWait,
    );
    const request: PageRequest = { cursor, size, bytes, next: null };
    bytes.then(
      (bytes) => {
        request.next = guessCursor(bytes);
        this.#extend(request);
      },
      // Awaited in order below; until then a failure must not count as an unhandled rejection.
      () => undefined,
    );
    return request;
  }

  /** Requests the page after the last one received, if there is room and more is wanted. */
  #extend(from: PageRequest): void {
    const tail = this.#ahead.at(-1) ?? this.#current;
    if (tail !== from || from.next === null || sameCursor(from.next, from.cursor)) return;
    if (this.#ahead.length >= AHEAD || this.#stopReason !== null) return;
    const target = this.#target();
    if (target !== null && this.#planned() >= target) return;
    this.#ahead.push(this.#request(from.next));
  }

  /** Aborts the requested pages. */
  #drop(): void {
    this.#inFlight.abort();
    this.#inFlight = new AbortController();
    this.#ahead = [];
    this.#current = null;
  }
}
