/** Compares two runs of a query: the rows that are new, gone or changed, as a result set. */
import { ParapetError } from '#shared/bridge/errors.ts';
import { COMPARISON_COLUMNS, type Comparison, type ResultColumn } from '#shared/bridge/operations.ts';
import type { Cell, Row } from '#shared/model/entities.ts';
import { isFormulaRisk } from '#shared/model/spreadsheet-safe.ts';
import type { Context } from '../kernel/context.ts';
import type { Statement } from '../store/database.ts';
import { columnOf } from './columns.ts';
import { decodeRow, RISK_BITS, selection } from './encode.ts';
import { cancellationProbe } from './local-query.ts';
import { isAtLeast, knownTotal, rowsWord } from './reason.ts';
import {
  append,
  createStatements,
  dropStatements,
  indexStatement,
  newRecord,
  type SetRecord,
  saveStatement,
} from './record.ts';
import { standingOf } from './state.ts';

const CHUNK = 500;
const { change: CHANGE, changed: CHANGED, before: BEFORE } = COMPARISON_COLUMNS;

const column = (id: string, label: string, type: string, multiValues = false): ResultColumn => ({
  id,
  label,
  type,
  multiValues,
});

/** After the columns of the later run, so that the column numbers in `risk` and `odd` stay valid. */
const OWN_COLUMNS: readonly ResultColumn[] = [
  column(CHANGE, 'Change', 'enum'),
  column(CHANGED, 'Changed columns', 'text', true),
  column(BEFORE, 'Before', 'object'),
];

/**
 * Numbers the rows of a set among those of the same id: where an email has a row per recipient, the first is compared
 * with the first. Rows without an id match nothing and are left out.
 */
const turns = ({ n, loaded, payload, state }: SetRecord): string => {
  const rows = (turn: string) =>
    `(SELECT *, ${turn} AS turn FROM rs_${n} WHERE entity_id IS NOT NULL AND +pos < ${loaded} AND ${cancellationProbe('pos')})`;
  const numbered = rows('row_number() OVER (PARTITION BY entity_id ORDER BY pos)');
  if (payload.include_copies) return numbered;
  // An unfinished run may contain a row twice.
  return state === 'complete' ? rows('1') : `(SELECT * FROM ${numbered} WHERE turn = 1)`;
};

interface Plan {
  base: SetRecord;
  other: SetRecord;
  columns: ResultColumn[];
  /** Ids of the columns compared. */
  compared: string[];
}

function planOf(base: SetRecord, other: SetRecord, columnIds: readonly string[] | undefined): Plan {
  if (base.origin !== null || other.origin !== null)
    throw new ParapetError('invalid-input', 'A comparison cannot be compared again. Choose two runs.');
  if (base.id === other.id)
    throw new ParapetError('invalid-input', 'These are the same run. Choose an earlier one.');
  if (base.connectionId !== other.connectionId || base.queryKey !== other.queryKey)
    throw new ParapetError('invalid-input', 'These are runs of different queries.');
  const both = other.columns.filter(({ id }) => base.columns.some((column) => column.id === id));
  const compared = columnIds?.map((id) => columnOf(both, id).id) ?? both.map(({ id }) => id);
  const columns = other.columns.map(({ id, label, type, multiValues, long }) => {
    const before = base.columns.find((column) => column.id === id)?.long;
    const kind = before === 'any' ? before : (long ?? before);
    return { ...column(id, label, type, multiValues), ...(kind && { long: kind }) };
  });
  return { base, other, columns: [...columns, ...OWN_COLUMNS], compared };
}

const differs = ({ base, other, compared }: Plan): string =>
  [
    ...compared.map(
      (id) => `b.${columnOf(base.columns, id).sql} IS NOT o.${columnOf(other.columns, id).sql}`,
    ),
    'b.odd IS NOT o.odd',
  ].join(' OR ');

/** Copies rows of one run, marked as new or gone. */
function copyStatement(
  plan: Plan,
  record: SetRecord,
  from: SetRecord,
  change: 'new' | 'gone',
  side: number,
): Statement {
  const against = from === plan.other ? plan.base : plan.other;
  const width = record.columns.length - OWN_COLUMNS.length;
  const same = from === plan.other || sameColumns(plan);
  const cells = plan.other.columns.map(({ id }) => {
    const column = from.columns.find((column) => column.id === id);
    return column === undefined ? 'NULL' : `x.${column.sql}`;
  });
  return {
    sql: `INSERT INTO rs_${record.n} (pos, entity_id, risk, odd, extra, ${record.columns
      .slice(0, width + 1)
      .map(({ sql }) => sql)
      .join(', ')})
      SELECT @at + row_number() OVER (ORDER BY x.pos) - 1, x.entity_id, ${same ? 'x.risk' : '0'}, ${same ? 'x.odd' : "coalesce(x.odd, '{}')"}, NULL, ${cells.join(', ')}, @change
      FROM ${turns(from)} x WHERE NOT EXISTS (SELECT 1 FROM ${turns(against)} y WHERE y.entity_id = x.entity_id AND y.turn = x.turn)`,
    params: { at: side, change },
  };
}

const sameColumns = ({ base, other }: Plan): boolean =>
  base.columns.length === other.columns.length &&
  base.columns.every(
    ({ id, storage }, index) => other.columns[index]?.id === id && other.columns[index]?.storage === storage,
  );

/**
 * Writes the comparison of two runs, leased at the same moment, as a new set and returns its record. New rows come
 * first, in the later run's order, then changed, then gone ones. Rejects `invalid-input` for runs that cannot be
 * compared, and `cancelled`, leaving nothing behind.
 */
export async function compareRuns(
  ctx: Context,
  n: number,
  base: SetRecord,
  other: SetRecord,
  columnIds: readonly string[] | undefined,
  signal: AbortSignal,
): Promise<SetRecord> {
  const plan = planOf(base, other, columnIds);
  await ctx.cache.write([indexStatement(base), indexStatement(other)], { signal });
  const pairs = `FROM ${turns(other)} o JOIN ${turns(base)} b ON b.entity_id = o.entity_id AND b.turn = o.turn`;
  const totals = await ctx.cache.get<{ both: number; own: number; earlier: number }>(
    `SELECT (SELECT count(*) ${pairs}) AS "both", (SELECT count(*) FROM ${turns(other)}) AS own,
      (SELECT count(*) FROM ${turns(base)}) AS earlier`,
    {},
    { signal },
  );
  const foundRows = await ctx.cache.rows(
    `SELECT o.pos, b.pos ${pairs} WHERE ${differs(plan)} ORDER BY o.pos`,
    {},
    { signal },
  );
  const both = totals?.both ?? 0;
  const now = ctx.ports.now();
  const counts = { new: (totals?.own ?? 0) - both, gone: (totals?.earlier ?? 0) - both };
  const draft = (changed: number): SetRecord => {
    const origin: Comparison = {
      baseId: base.id,
      otherId: other.id,
      baseAt: base.startedAt,
      otherAt: other.startedAt,
      columns: plan.compared,
      ...counts,
      changed,
      same: both - changed,
    };
    const { connectionId, payload, label } = other;
    const key = `compare:${base.id}:${other.id}:${plan.compared.join('\n')}`;
    return newRecord({ n, key, connectionId, payload, columns: plan.columns, now, label, origin });
  };
  // Exact counts are known only once the rows are written; the tables are created with preliminary ones.
  const building = draft(0);
  try {
    const copy = (from: SetRecord, change: 'new' | 'gone', position: number) =>
      copyStatement(plan, building, from, change, position);
    await ctx.cache.write([...createStatements(building), copy(other, 'new', 0)], { signal });
    building.loaded = counts.new;
    let changed = 0;
    for (let position = 0; position < foundRows.length; position += CHUNK) {
      const rows = await changedRows(ctx, plan, foundRows.slice(position, position + CHUNK), signal);
      changed += rows.length;
      const { statements, change } = append(building, rows);
      await ctx.cache.write(statements, { signal });
      Object.assign(building, change);
    }
    const whole = draft(changed);
    const risky = plan.compared.some((id) => isFormulaRisk(id));
    const short = shortOf(base, other);
    const record: SetRecord = {
      ...building,
      origin: whole.origin,
      loaded: building.loaded + counts.gone,
      total: building.loaded + counts.gone,
      bytes:
        building.bytes + Math.round((other.bytes / Math.max(1, other.loaded)) * (counts.new + counts.gone)),
      widest: Math.max(building.widest, base.widest, other.widest) + 20,
      ...standingOf(building, short === null ? 'complete' : 'sources', short),
    };
    await ctx.cache.write(
      [
        copy(base, 'gone', building.loaded),
        // Column ids that look like formulas: exports render such rows in JavaScript.
        ...(risky || record.columns.length > RISK_BITS
          ? [{ sql: `UPDATE rs_${n} SET odd = coalesce(odd, '{}')` }]
          : []),
        {
          sql: 'UPDATE result_sets SET origin = ? WHERE n = ?',
          params: [JSON.stringify(record.origin), n],
        },
        saveStatement(record),
      ],
      { signal },
    );
    return record;
  } catch (error) {
    await ctx.cache.write(dropStatements([building], [])).catch(() => undefined);
    throw error;
  }
}

/** How much of each incomplete run was compared, or null if both are complete. */
function shortOf(base: SetRecord, other: SetRecord): string | null {
  const short = [
    { name: 'the earlier run', run: base },
    { name: 'the later run', run: other },
  ].filter(({ run }) => run.state !== 'complete');
  if (short.length === 0) return null;
  return short
    .map(({ name, run }) => {
      const total = `${isAtLeast(run) ? 'at least ' : ''}${rowsWord(knownTotal(run))}`;
      return `${rowsWord(run.loaded)} of ${total} of ${name} were on this machine`;
    })
    .join(', and ');
}

async function changedRows(
  ctx: Context,
  { base, other, compared }: Plan,
  pairs: readonly (readonly unknown[])[],
  signal: AbortSignal,
): Promise<Row[]> {
  const read = async (record: SetRecord, side: number) => {
    const raw = await ctx.cache.rows(
      `SELECT ${selection(record.columns, 'r')} FROM json_each(?) j CROSS JOIN rs_${record.n} r ON r.pos = j.value ORDER BY j.key`,
      [JSON.stringify(pairs.map((pair) => pair[side]))],
      { signal },
    );
    return raw.map((cells) => {
      const [id = null, ...values] = decodeRow(record.columns, cells);
      return {
        id,
        values: new Map(record.columns.map((column, index) => [column.id, values[index] ?? null])),
      };
    });
  };
  const [after, before] = await Promise.all([read(other, 0), read(base, 1)]);
  return after.flatMap(({ id, values }, index): Row[] => {
    const was = before[index]?.values ?? new Map<string, Cell>();
    const changed = compared.filter(
      (id) => JSON.stringify(values.get(id) ?? null) !== JSON.stringify(was.get(id) ?? null),
    );
    if (changed.length === 0) return [];
    return [
      {
        ...Object.fromEntries(values),
        entity_id: id,
        [CHANGE]: 'changed',
        [CHANGED]: changed,
        [BEFORE]: Object.fromEntries(changed.map((id) => [id, was.get(id) ?? null])),
      },
    ];
  });
}
