/**
 * Fetches the rows of one run: pages after the service's cursor, the next one asked for while the last is stored.
 * When the cursor has lapsed (it lives a minute, specification section 9) the run begins anew and matches by entity id.
 */
import { ParapetError } from '#shared/bridge/errors.ts';
import { SCROLL_LIFE_MS } from '#shared/model/constants.ts';
import type { Cursor, QueryResult, Row } from '#shared/model/entities.ts';
import type { Context } from '../core/context.ts';
import type { SqlValue } from '../store/database.ts';
import { decodeRow, idOf, selection } from './encode.ts';
import {
  append,
  countDoubles,
  indexStatement,
  removeDoublesStatements,
  type SetChange,
  type SetRecord,
  saveStatement,
} from './record.ts';

/** Rows of the second page and of the later ones; the first is small for a fast first paint. */
const SECOND_PAGE = 500;
const PAGE = 1_000;
/** Times that one fill begins anew before it gives up: the service forgets faster than it can be read. */
const MAX_RESTARTS = 5;

export interface FillEvents {
  /** A page was stored, or the state changed. */
  changed(record: SetRecord): void;
}

export interface Filler {
  /** Resolves when the fill has stopped, whatever the reason; the record says how it stands. Never rejects. */
  readonly stopped: Promise<void>;
  /** Stops after the page under way and leaves the set in this state. */
  stop(state: 'paused' | 'partial', reason: string | null): Promise<void>;
}

/** The first page of a run, or the page after a cursor. */
export const askPage = (
  ctx: Context,
  record: Pick<SetRecord, 'connectionId' | 'payload'>,
  cursor: Cursor | null,
  size: number,
  signal?: AbortSignal,
): Promise<QueryResult> =>
  ctx.upstream.send(
    record.connectionId,
    'query.execute',
    { body: { ...record.payload, search_after: cursor, size, count_only: false } },
    signal === undefined ? {} : { signal },
  );

/** Was this page refused because its cursor is no longer known? Such answers are 400, 404 or 410 to a cursor. */
export function isLapse(error: unknown, cursor: Cursor | null): boolean {
  if (cursor === null || !(error instanceof ParapetError)) return false;
  const status = error.data?.['status'];
  return status === 400 || status === 404 || status === 410;
}

const exact = (count: number): string => count.toLocaleString('en-GB').replaceAll(',', ' ');
export const rowsWord = (count: number): string => `${exact(count)} ${count === 1 ? 'row' : 'rows'}`;

/**
 * Rows of a page that the set does not have, each once. They match by entity id; where an id can have several rows
 * (copies), or a row has none, by all it says.
 */
async function unknownRows(ctx: Context, record: SetRecord, rows: readonly Row[]): Promise<Row[]> {
  const byValues = record.payload.include_copies;
  const ids = rows.map(idOf).filter((id) => id !== null);
  const found = await ctx.cache.rows(
    `SELECT ${byValues ? selection(record.columns, 'r') : 'r.entity_id'} FROM rs_${record.n} r
      WHERE r.entity_id IN (SELECT value FROM json_each(?))`,
    [JSON.stringify(ids)],
  );
  const nameless =
    ids.length === rows.length
      ? []
      : await ctx.cache.rows(
          `SELECT ${selection(record.columns, 'r')} FROM rs_${record.n} r WHERE r.entity_id IS NULL`,
        );
  const keyOfStored = (cells: SqlValue[]) => JSON.stringify(decodeRow(record.columns, cells));
  const seen = new Set([
    ...found.map((cells) => (byValues ? keyOfStored(cells) : String(cells[0]))),
    ...nameless.map(keyOfStored),
  ]);
  return rows.filter((row) => {
    const id = idOf(row);
    const key =
      id !== null && !byValues
        ? id
        : JSON.stringify([id, ...record.columns.map((column) => row[column.id] ?? null)]);
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

/** Stores a page with the cursor behind it in one transaction. */
export async function storePage(ctx: Context, record: SetRecord, page: QueryResult, more: SetChange = {}) {
  const rows = record.matching ? await unknownRows(ctx, record, page.rows) : page.rows;
  const { statements, change } = append(record, rows);
  const now = ctx.ports.now();
  const all: SetChange = {
    ...change,
    cursor: page.search_after ?? null,
    cursorAt: now,
    total: page.total_rows,
    ...more,
  };
  await ctx.cache.write([...statements, saveStatement({ ...record, ...all })]);
  Object.assign(record, all);
}

/** The end of the service's answer: rows that came twice go, and what is here is counted against what was announced. */
export async function settle(ctx: Context, record: SetRecord): Promise<void> {
  await ctx.cache.write([indexStatement(record)]);
  const doubles = await countDoubles(ctx.cache, record);
  const loaded = record.loaded - doubles;
  const whole = loaded === record.total;
  const change: SetChange = {
    loaded,
    cursor: null,
    cursorAt: null,
    matching: false,
    state: whole ? 'complete' : 'partial',
    reason: whole
      ? withoutId(record)
      : `The service announced ${rowsWord(record.total)} and gave ${exact(loaded)} different ones up to its end.`,
  };
  await ctx.cache.write([
    ...(doubles > 0 ? removeDoublesStatements(record) : []),
    saveStatement({ ...record, ...change }),
  ]);
  Object.assign(record, change);
}

const withoutId = (record: SetRecord): string | null =>
  record.withoutId === 0
    ? null
    : `${rowsWord(record.withoutId)} came without an id: they can be read and exported, not opened.`;

/** Starts filling a set up to its target. One filler at a time per set. */
export function startFill(ctx: Context, record: SetRecord, events: FillEvents): Filler {
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
    const change: SetChange = { cursor: null, cursorAt: null, matching: true, resumed: record.resumed + 1 };
    await ctx.cache.write([indexStatement(record), saveStatement({ ...record, ...change })]);
    Object.assign(record, change);
    events.changed(record);
  };

  const sizeOf = () => record.pageSize ?? (record.loaded < SECOND_PAGE ? SECOND_PAGE : PAGE);
  const enough = (loaded: number) => record.target !== null && loaded >= record.target;

  const run = async () => {
    let restarts = 0;
    let walked = 0;
    const stale = record.cursorAt === null || ctx.ports.now() - record.cursorAt > SCROLL_LIFE_MS;
    if (
      record.loaded > 0 &&
      !(record.matching && record.cursor === null) &&
      (record.cursor === null || stale)
    )
      await restart();
    let ahead: Promise<QueryResult> | null = null;
    try {
      for (;;) {
        const stop = order();
        if (stop !== null) return await leave(stop);
        if (enough(record.loaded)) return await leave({ state: 'paused', reason: null });
        const cursor = record.cursor;
        let page: QueryResult;
        try {
          page = await (ahead ?? askPage(ctx, record, cursor, sizeOf(), controller.signal));
          ahead = null;
        } catch (error) {
          ahead = null;
          if (!isLapse(error, cursor)) throw error;
          if (++restarts > MAX_RESTARTS)
            return await leave({
              state: 'partial',
              reason: `The service forgot its place ${restarts} times before all rows were read: ${exact(record.loaded)} of ${rowsWord(record.total)} are here.`,
            });
          await restart();
          continue;
        }
        const next = page.search_after ?? null;
        const end = next === null || page.rows.length === 0;
        const stuck = next !== null && JSON.stringify(next) === JSON.stringify(cursor);
        if (!end && !stuck && order() === null && !enough(record.loaded + page.rows.length)) {
          ahead = askPage(ctx, record, next, record.pageSize ?? PAGE, controller.signal);
          // Awaited in the next turn; until then a failure must not count as unhandled.
          ahead.catch(() => undefined);
        }
        await storePage(ctx, record, page);
        if (end) return await settle(ctx, record);
        if (stuck)
          return await leave({
            state: 'partial',
            reason: `The service repeats the same page: ${exact(record.loaded)} of ${rowsWord(record.total)} are here.`,
          });
        walked += page.rows.length;
        // A service whose cursors go round in circles never ends by itself.
        if (walked > 2 * record.total + 10 * PAGE) return await settle(ctx, record);
        events.changed(record);
      }
    } catch (error) {
      const stop = order();
      if (stop !== null) return await leave(stop);
      const why = error instanceof Error ? error.message : String(error);
      await leave({
        state: 'partial',
        reason: `${exact(record.loaded)} of ${rowsWord(record.total)} are here. ${why}`,
      });
    }
  };

  Object.assign(record, { state: 'filling', reason: null } satisfies SetChange);
  const stopped = run()
    .catch((error: unknown) => {
      Object.assign(record, { state: 'partial', reason: String(error) } satisfies SetChange);
    })
    .finally(() => events.changed(record));
  return {
    stopped,
    stop(state, reason) {
      wanted ??= { state, reason };
      controller.abort();
      return stopped;
    },
  };
}
