/**
 * Fetches the rows of one run: pages after the service's cursor, the next ones asked for while one is stored.
 * When the cursor has lapsed (it lives a minute, specification section 9) the run begins anew and matches by entity id.
 */
import { ParapetError } from '#shared/bridge/errors.ts';
import { SCROLL_LIFE_MS } from '#shared/model/constants.ts';
import type { Cursor } from '#shared/model/entities.ts';
import { parseExact } from '#shared/model/exact-numbers.ts';
import type { Context } from '../kernel/context.ts';
import type { Statement } from '../store/database.ts';
import type { Ingested, ResultStore } from '../store/tasks.ts';
import { askPage, checkEnds, guessCursor, isLapse, sameCursor, unreadablePage } from './page-request.ts';
import {
  beginWalkStatements,
  countDoubles,
  endWalkStatements,
  type Generations,
  MOST_SCANS,
  settle,
} from './reconcile.ts';
import { type SetChange, type SetRecord, saveStatement } from './record.ts';
import { type Lanes, TRIES } from './request-limiter.ts';
import { change, isJudged, type Stop, standingOf } from './state.ts';

/** Rows of the second page and of the later ones; the first is small for a fast first paint. */
const SECOND_PAGE = 500;
const PAGE = 1_000;
/** Pages asked for or waiting beyond the one that is being stored. */
const AHEAD = 2;
/** Times that one fill begins anew before it gives up: the service forgets faster than it can be read. */
const MAX_RESTARTS = 5;

export interface FillEvents {
  /** A page was stored, or the state changed. */
  changed(record: SetRecord): void;
  generations: Generations;
  /** Rows that somebody wants by now; null: all. */
  target(): number | null;
  /** Resolves when the fill may go on; a paused job holds it. */
  ready(): Promise<void>;
}

export interface Filler {
  /** Resolves when it is stored that the set is being fetched, and for how many rows. */
  readonly begun: Promise<void>;
  /** Resolves when the fill has stopped, whatever the reason; the record says how it stands. Never rejects. */
  readonly stopped: Promise<void>;
  /** Stops after the page under way and leaves the set in this state. */
  stop(why: Stop): Promise<void>;
}

/** What was stored of a page, and where the next one begins. */
type Stored = Omit<Ingested, 'cursor'> & { cursor: Cursor | null };

/**
 * Stores a page with the cursor behind it in one transaction, in the writer's thread; `before` goes into the same
 * one. Throws for what is no page.
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
    walk: record.walk,
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
  } satisfies SetChange);
  record.cursorTick = ports.ticks();
  if (record.walk !== null) record.walk = { ...record.walk, pending: stored.pending };
  return { ...stored, cursor };
}

/** An answer that was spoilt on its way; one of another shape would be so again. */
const BROKEN: ReadonlySet<string> = new Set(['not-json', 'truncated']);
const OF_THE_DISK: ReadonlySet<string> = new Set(['disk-full', 'read-only-profile', 'damaged', 'internal']);

/** What a failure means for the set, and what is told of it. */
function stopOf(error: unknown): { why: Stop; detail: string } {
  const code = error instanceof ParapetError ? error.code : 'internal';
  const detail = error instanceof Error ? error.message : String(error);
  if (code === 'offline') return { why: 'offline', detail };
  if (code === 'unreachable' || code === 'timeout') return { why: 'unreachable', detail };
  return { why: OF_THE_DISK.has(code) ? 'storage' : 'failed', detail };
}

interface Ask {
  cursor: Cursor | null;
  size: number;
  bytes: Promise<Uint8Array>;
  /** Where the page after this one probably begins; known when the bytes are here. */
  next: Cursor | null;
}

/**
 * Starts filling a set up to its target. One filler at a time per set, in the database that was there when it began:
 * where another takes its place, it ends.
 */
export function startFill(ctx: Context, record: SetRecord, lanes: Lanes, events: FillEvents): Filler {
  const { ports } = ctx;
  const db = ctx.cache.bound();
  const controller = new AbortController();
  let wanted: Stop | null = null;
  const order = () => wanted;

  const leave = async (why: Stop, detail: string | null = null, more: SetChange = {}) => {
    const what = { ...more, ...standingOf(record, why, detail) };
    await change(db, record, what).catch((error: unknown) => {
      // What is stored says that it is being fetched: the next start takes it up from there.
      Object.assign(record, what);
      ports.log.warn('the state of a result set could not be stored', { reason: String(error) });
    });
  };

  const scan = { walked: 0, repeated: 0, bound: 0, cursors: new Set<string>() };
  /** Begins anew and matches by id. */
  const restart = async (what: Pick<SetChange, 'resumed' | 'scans'>) => {
    record.coverage = ctx.coverage(record.connectionId);
    const whole = what.scans !== undefined || record.scans > 0;
    await change(
      db,
      record,
      { cursor: null, cursorAt: null, matching: true, firstTotal: null, shifts: 0, ...what },
      beginWalkStatements(record),
    );
    record.walk = { base: record.loaded, pending: 0, whole };
    Object.assign(scan, { walked: 0, repeated: 0, bound: 0, cursors: new Set() });
    events.changed(record);
  };
  const forgotten = () => restart({ resumed: record.resumed + 1 });

  /** A scan that is to prove something goes to its end, however many rows are wanted. */
  const target = () => (record.matching && record.walk?.whole === true ? null : events.target());

  /** Pages on their way, in order. */
  let ahead: Ask[] = [];
  let flight = new AbortController();
  const drop = () => {
    flight.abort();
    flight = new AbortController();
    ahead = [];
  };

  /** The page that is awaited or stored. */
  let current: Ask | null = null;
  const planned = () => ahead.reduce((sum, { size }) => sum + size, record.loaded + (current?.size ?? 0));
  const waiting = (until: number | null) => {
    record.waitingUntil = until;
    events.changed(record);
  };

  const ask = (cursor: Cursor | null): Ask => {
    const size = record.pageSize ?? (planned() < SECOND_PAGE ? SECOND_PAGE : PAGE);
    const signal = AbortSignal.any([controller.signal, flight.signal]);
    const bytes = lanes.ask(
      record.connectionId,
      async () => checkEnds(await askPage(ctx, record, cursor, size, signal)),
      signal,
      waiting,
    );
    const made: Ask = { cursor, size, bytes, next: null };
    bytes.then(
      (got) => {
        made.next = guessCursor(got);
        extend(made);
      },
      // Awaited in its turn; until then a failure must not count as unhandled.
      () => undefined,
    );
    return made;
  };

  /** Asks for the page after the last one that is here, while there is room and more is wanted. */
  const extend = (from: Ask) => {
    const tail = ahead.at(-1) ?? current;
    if (tail !== from || from.next === null || sameCursor(from.next, from.cursor)) return;
    if (ahead.length >= AHEAD || order() !== null) return;
    const most = target();
    if (most !== null && planned() >= most) return;
    ahead.push(ask(from.next));
  };
  const enough = () => {
    const most = target();
    return most !== null && record.loaded >= most;
  };

  /** Does the service go round in circles? Its cursor was seen before in this scan, or most rows were. */
  const isCircling = async ({ cursor, received, duplicates }: Stored): Promise<boolean> => {
    const key = JSON.stringify(cursor);
    if (scan.cursors.has(key)) return true;
    scan.cursors.add(key);
    scan.walked += received;
    scan.repeated += duplicates;
    if (scan.bound === 0) scan.bound = 2 * record.total + 10 * PAGE;
    if (scan.walked <= scan.bound) return false;
    scan.bound *= 2;
    return 2 * (scan.repeated + (await countDoubles(db, record, {}))) > scan.walked;
  };

  /** Judges what came to its end; true: it is scanned once more. */
  const judge = async (): Promise<boolean> => {
    if ((await settle(ctx, db, record, events.generations, controller.signal)) === 'ended') return false;
    await restart({ scans: record.scans + 1 });
    return true;
  };

  /** Takes up what the fill before left. */
  const takeUp = async (judged: boolean) => {
    if (record.loaded === 0) return;
    const age =
      record.cursorTick === null
        ? ports.now() - (record.cursorAt ?? Number.NEGATIVE_INFINITY)
        : ports.ticks() - record.cursorTick;
    // Evidence may have been read further since the first rows were: only a scan of one state of it can be whole.
    const moved = ctx.coverage(record.connectionId).version !== (record.coverage?.version ?? 0);
    if (moved || (record.matching && record.walk === null)) return await forgotten();
    if (record.cursor !== null) return age < 0 || age > SCROLL_LIFE_MS ? await forgotten() : undefined;
    // At the service's end, and not judged, or told to look once more.
    if (!record.matching) await restart({ scans: judged ? 0 : Math.min(record.scans + 1, MOST_SCANS - 1) });
  };

  const run = async (judged: boolean) => {
    let restarts = 0;
    let unusable = 0;
    try {
      await takeUp(judged);
      for (;;) {
        await events.ready();
        const stop = order();
        if (stop !== null) return await leave(stop);
        if (enough()) return await leave('enough');
        const { cursor } = record;
        current = ahead.shift() ?? ask(cursor);
        extend(ahead.at(-1) ?? current);
        let bytes: Uint8Array;
        try {
          bytes = await current.bytes;
        } catch (error) {
          drop();
          current = null;
          if (!isLapse(error, cursor)) throw error;
          if (++restarts > MAX_RESTARTS) return await leave('forgot');
          await forgotten();
          continue;
        }
        let stored: Stored;
        try {
          stored = await storePage(ctx, record, bytes, db);
          unusable = 0;
        } catch (error) {
          drop();
          current = null;
          const isBroken = error instanceof ParapetError && BROKEN.has(error.code);
          if (!isBroken || ++unusable >= TRIES) throw error;
          await lanes.rest(record.connectionId, unusable, controller.signal, waiting);
          continue;
        }
        const end = stored.cursor === null || stored.received === 0;
        const stuck = stored.cursor !== null && sameCursor(stored.cursor, cursor);
        const [following] = ahead;
        if (end || stuck || (following !== undefined && !sameCursor(following.cursor, stored.cursor))) drop();
        current = null;
        const { version, lack } = ctx.coverage(record.connectionId);
        if (end && lack === null && version !== (record.coverage?.version ?? 0) && restarts < MAX_RESTARTS) {
          restarts++;
          await forgotten();
          continue;
        }
        if (stuck && !end) return await leave('stuck');
        if (end || (await isCircling(stored))) {
          drop();
          if (!(await judge())) return;
        }
        events.changed(record);
      }
    } catch (error) {
      const stop = order();
      // At the service's end, before the rows were judged: what was seen of the scan is not trusted.
      if (record.cursor === null && record.loaded > 0) record.walk = null;
      if (stop !== null) return await leave(stop);
      const { why, detail } = stopOf(error);
      // What was seen of the scan lay in the writer's memory and may have ended with it.
      if (why === 'storage') record.walk = null;
      await leave(why, detail);
    } finally {
      drop();
    }
  };

  const judged = isJudged(record);
  const filling = standingOf(record, 'filling');
  Object.assign(record, filling);
  const begun = db
    .write([saveStatement(record, { ...filling, target: record.target })])
    .then(() => undefined);
  const stopped = begun
    .then(
      () => run(judged),
      (error: unknown) => leave('storage', stopOf(error).detail),
    )
    .catch((error: unknown) => {
      Object.assign(record, standingOf(record, 'failed', String(error)));
    })
    .finally(() => {
      record.waitingUntil = null;
      events.changed(record);
    });
  return {
    begun,
    stopped,
    stop(why) {
      wanted ??= why;
      controller.abort();
      return stopped;
    },
  };
}

export { rowsWord } from './reason.ts';

/** Forgets what a walk that began anew kept in memory. */
export const forgetWalk = (record: SetRecord) => (record.walk === null ? [] : endWalkStatements(record));
