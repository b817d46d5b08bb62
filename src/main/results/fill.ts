/**
 * Fetches the rows of one run: pages after the service's cursor, the next ones asked for while one is stored.
 * When the cursor has lapsed (it lives a minute, specification section 9) the run begins anew and matches by entity id.
 */
import { ParapetError } from '#shared/bridge/errors.ts';
import { SCROLL_LIFE_MS } from '#shared/model/constants.ts';
import type { Cursor } from '#shared/model/entities.ts';
import type { Context } from '../core/context.ts';
import type { Ingested } from '../store/tasks.ts';
import type { Lanes } from './lane.ts';
import { askPage, guessCursor, isLapse, sameCursor, unreadablePage } from './page-ask.ts';
import { type SetChange, type SetRecord, saveStatement } from './record.ts';
import { beginWalkStatements, endWalkStatements, type Generations, ofRows, settle } from './settle.ts';

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
  /** Resolves when the fill may go on; a paused job holds it. */
  ready(): Promise<void>;
}

export interface Filler {
  /** Resolves when the fill has stopped, whatever the reason; the record says how it stands. Never rejects. */
  readonly stopped: Promise<void>;
  /** Stops after the page under way and leaves the set in this state. */
  stop(state: 'paused' | 'partial', reason: string | null): Promise<void>;
}

/** Stores a page with the cursor behind it in one transaction, in the writer's thread. Throws for what is no page. */
export async function storePage(ctx: Context, record: SetRecord, bytes: Uint8Array): Promise<Ingested> {
  const now = ctx.ports.now();
  const stored = await ctx.cache.ingest({
    type: 'ingest',
    n: record.n,
    setId: record.id,
    columns: record.columns,
    bytes,
    loaded: record.loaded,
    walk: record.walk,
    byValues: record.payload.include_copies,
    now,
  });
  if (stored.outcome === 'gone')
    throw new ParapetError('not-cached', 'These results are no longer on this machine.', { retryable: true });
  if (stored.outcome === 'unreadable' || stored.outcome === 'too-deep')
    throw unreadablePage(bytes, stored.outcome);
  const change: SetChange = {
    cursor: stored.cursor,
    cursorAt: now,
    total: stored.total,
    loaded: record.loaded + stored.added,
    withoutId: record.withoutId + stored.withoutId,
    bytes: record.bytes + stored.bytes,
    widest: Math.max(record.widest, stored.widest),
    appeared: record.appeared + stored.appeared,
    duplicates: record.duplicates + stored.duplicates,
  };
  Object.assign(record, change);
  if (record.walk !== null) record.walk = { ...record.walk, pending: stored.pending };
  return stored;
}

interface Ask {
  cursor: Cursor | null;
  size: number;
  bytes: Promise<Uint8Array>;
  /** Where the page after this one probably begins; known when the bytes are here. */
  next: Cursor | null;
}

/** Starts filling a set up to its target. One filler at a time per set. */
export function startFill(ctx: Context, record: SetRecord, lanes: Lanes, events: FillEvents): Filler {
  const controller = new AbortController();
  let wanted: { state: 'paused' | 'partial'; reason: string | null } | null = null;
  const order = () => wanted;

  const leave = async (change: SetChange) => {
    Object.assign(record, change);
    await ctx.cache
      .write([saveStatement(record)])
      .catch((error: unknown) =>
        ctx.ports.log.warn('the state of a result set could not be stored', { reason: String(error) }),
      );
  };

  const restart = async () => {
    record.coverage = ctx.coverage(record.connectionId);
    const change: SetChange = { cursor: null, cursorAt: null, matching: true, resumed: record.resumed + 1 };
    await ctx.cache.write([...beginWalkStatements(record), saveStatement({ ...record, ...change })]);
    Object.assign(record, change, { walk: { base: record.loaded, pending: 0 } });
    events.changed(record);
  };

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

  const ask = (cursor: Cursor | null): Ask => {
    const size = record.pageSize ?? (planned() < SECOND_PAGE ? SECOND_PAGE : PAGE);
    const signal = AbortSignal.any([controller.signal, flight.signal]);
    const bytes = lanes.ask(
      record.connectionId,
      () => askPage(ctx, record, cursor, size, signal),
      signal,
      (until) => {
        record.waitingUntil = until;
        events.changed(record);
      },
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
    if (record.target !== null && planned() >= record.target) return;
    ahead.push(ask(from.next));
  };
  const enough = () => record.target !== null && record.loaded >= record.target;

  const run = async () => {
    let restarts = 0;
    let walked = 0;
    const lapsed = record.cursorAt === null || ctx.ports.now() - record.cursorAt > SCROLL_LIFE_MS;
    const lost = record.matching && record.walk === null;
    // Evidence may have been read further since the first rows were: only a walk of one state of it can be whole.
    const moved = ctx.coverage(record.connectionId).version !== (record.coverage?.version ?? 0);
    if (record.loaded > 0 && (lost || moved || (record.cursor === null ? !record.matching : lapsed)))
      await restart();
    try {
      for (;;) {
        await events.ready();
        const stop = order();
        if (stop !== null) return await leave(stop);
        if (enough()) return await leave({ state: 'paused', reason: null });
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
          if (++restarts > MAX_RESTARTS)
            return await leave({
              state: 'partial',
              reason: `The service forgot its place ${restarts} times before all rows were read: ${ofRows(record)}`,
            });
          await restart();
          continue;
        }
        const stored = await storePage(ctx, record, bytes);
        const end = stored.cursor === null || stored.received === 0;
        const stuck = stored.cursor !== null && sameCursor(stored.cursor, cursor);
        const [following] = ahead;
        if (end || stuck || (following !== undefined && !sameCursor(following.cursor, stored.cursor))) drop();
        current = null;
        const { version, lack } = ctx.coverage(record.connectionId);
        if (end && lack === null && version !== (record.coverage?.version ?? 0) && restarts < MAX_RESTARTS) {
          restarts++;
          await restart();
          continue;
        }
        if (end) return await settle(ctx, record, events.generations, controller.signal);
        if (stuck)
          return await leave({
            state: 'partial',
            reason: `The service repeats the same page: ${ofRows(record)}`,
          });
        walked += stored.received;
        // A service whose cursors go round in circles never ends by itself.
        if (walked > 2 * record.total + 10 * PAGE)
          return await settle(ctx, record, events.generations, controller.signal);
        events.changed(record);
      }
    } catch (error) {
      const stop = order();
      if (stop !== null) {
        // At the service's end, before the rows were counted: it can only go on from the beginning, by id.
        const ended = record.cursor === null && record.loaded > 0;
        if (ended) record.walk = null;
        return await leave(ended ? { ...stop, matching: true } : stop);
      }
      const why = error instanceof Error ? error.message : String(error);
      await leave({ state: 'partial', reason: `${ofRows(record)} ${why}` });
    } finally {
      drop();
    }
  };

  Object.assign(record, { state: 'filling', reason: null } satisfies SetChange);
  const stopped = run()
    .catch((error: unknown) => {
      Object.assign(record, { state: 'partial', reason: String(error) } satisfies SetChange);
    })
    .finally(() => {
      record.waitingUntil = null;
      events.changed(record);
    });
  return {
    stopped,
    stop(state, reason) {
      wanted ??= { state, reason };
      controller.abort();
      return stopped;
    },
  };
}

export { rowsWord } from './settle.ts';

/** Forgets what a walk that began anew kept in memory. */
export const forgetWalk = (record: SetRecord) => (record.walk === null ? [] : endWalkStatements(record));
