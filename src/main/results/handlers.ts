import type { Cell, Row } from '#shared/model/entities.ts';
import { asShown, parseExact } from '#shared/model/exact-numbers.ts';
import type { HandlersIn } from '../kernel/handlers.ts';
import { decodeRow, selection } from './encode.ts';
import { facetsOf } from './facets.ts';
import { groupsOf } from './groups.ts';
import type { Rows } from './leases.ts';
import { activeFilter } from './local-query.ts';
import { indexStatement } from './record.ts';
import type { ResultSets } from './sets.ts';

/** Whole rows including fields without a column, in the order of the ids; unknown ids are skipped. */
async function rowsById({ record, db }: Rows, ids: readonly string[], signal: AbortSignal): Promise<Row[]> {
  if (record.state !== 'filling') await db.write([indexStatement(record)]);
  const raw = await db.rows(
    `SELECT ${selection(record.columns, 'r')}, r.extra FROM json_each(?) j CROSS JOIN rs_${record.n} r
      ON r.entity_id = j.value WHERE +r.pos < ${record.loaded} ORDER BY j.key`,
    [JSON.stringify(ids)],
    { signal },
  );
  return raw.map((cells) => {
    const [id = null, ...values] = asShown(decodeRow(record.columns, cells));
    const extra = cells[record.columns.length + 2];
    const named: [string, Cell][] = record.columns.map((column, index) => [column.id, values[index] ?? null]);
    return Object.fromEntries([
      ['entity_id', id],
      ...(typeof extra === 'string' ? Object.entries(asShown(parseExact(extra)) as Row) : []),
      ...named,
    ]);
  });
}

export const createResultsHandlers = (now: () => number, sets: ResultSets): HandlersIn<'results'> => ({
  'results.open': (input, { signal }) => sets.open(input, signal),
  'results.get': ({ resultId }) => sets.get(resultId),
  'results.page': ({ resultId, start, end, sort, filter }, { signal }) =>
    sets.page(resultId, start, end, sort ?? [], filter, signal),
  'results.facets': ({ resultId, columns, filter }, { signal }) =>
    sets.read(resultId, async (rows) => ({
      facets: await facetsOf(rows, now, columns, activeFilter(filter), signal),
    })),
  'results.groups': ({ resultId, filter, ...question }, { signal }) =>
    sets.read(resultId, (rows) =>
      groupsOf(rows, { ...question, filter: activeFilter(filter), now: now(), signal }),
    ),
  'results.fill': ({ resultId, action, pageSize }) => sets.fill(resultId, action, pageSize),
  'results.history': async ({ connectionId, queryKey }) => ({
    runs: await sets.history(connectionId, queryKey),
  }),
  'results.compare': ({ baseId, otherId, columns }, { signal }) =>
    sets.compare(baseId, otherId, columns, signal),
  async 'results.matching'({ resultId, filter, sort, entityIds, except }, { signal }) {
    const ids = entityIds ?? except;
    const chosen = ids === undefined ? undefined : { ids, others: entityIds === undefined };
    const { id, count } = await sets.selections.freeze(resultId, filter, sort ?? [], chosen, signal);
    return { selectionId: id, count };
  },
  async 'results.selection'({ selectionId, start, end }, { signal }) {
    const { count, release } = sets.selections.lease(selectionId);
    try {
      return { entityIds: await sets.selections.ids(selectionId, start, end, signal), count };
    } finally {
      release();
    }
  },
  async 'results.release'({ selectionId }) {
    sets.selections.release(selectionId);
    return {};
  },
  'results.rows': ({ resultId, entityIds }, { signal }) =>
    sets.read(resultId, async (rows) => ({ rows: await rowsById(rows, entityIds, signal) })),
});
