/** The cached results an exception rule can be compared with, and the conditions that none of them can evaluate. */
import type { BlastRadius } from '#shared/bridge/operations.ts';
import type { ExceptionRule } from '#shared/exceptions/rule.ts';
import { exceptionField } from '#shared/exceptions/types.ts';
import type { Context } from '../kernel/context.ts';
import type { StoredColumn } from '../results/columns.ts';
import type { SetRecord } from '../results/record.ts';
import type { ResultSets } from '../results/sets.ts';
import type { SqlValue } from '../store/database.ts';
import { candidates, conditionSql, isCheckable } from './rule-sql.ts';

export interface BlastInput {
  connectionId: string;
  rule: ExceptionRule;
  /** Epoch milliseconds. */
  since: number | null;
}

export interface Target {
  record: SetRecord;
  /** WHERE clause over r. */
  where: string;
  params: Record<string, SqlValue>;
  verdict: string;
  /** The mailboxes of an email as a JSON list, over r, or null if the result has no such column. */
  boxes: string | null;
  /** False if the result names only the first recipient. */
  allBoxes: boolean;
}

/** All recipients of an email where the result has that column, else the first. */
function boxesOf(columns: readonly StoredColumn[]): Pick<Target, 'boxes' | 'allBoxes'> {
  const all = columns.find(({ id, storage }) => id === 'recipients' && storage === 'json');
  if (all !== undefined) return { boxes: `r.${all.sql}`, allBoxes: true };
  const first = columnOf(columns, ['to']);
  return {
    boxes: first === 'NULL' ? null : `iif(${first} IS NULL, NULL, json_array(${first}))`,
    allBoxes: false,
  };
}

/** The first of these columns that the result has, over r; NULL: none. */
export const columnOf = (columns: readonly StoredColumn[], ids: readonly string[]): string =>
  ids
    .flatMap((id) => columns.find((column) => column.id === id && column.storage !== 'json') ?? [])
    .map(({ sql }) => `r.${sql}`)[0] ?? 'NULL';

/** Collects each reason once, with the number of rows it concerns. */
class Unchecked {
  private readonly rows = new Map<string, number>();
  add(reason: string, rows: number): void {
    this.rows.set(reason, (this.rows.get(reason) ?? 0) + rows);
  }
  list(): BlastRadius['unchecked'] {
    return [...this.rows].map(([reason, rows]) => ({ reason, rows }));
  }
}

/**
 * The columns that the rule and its figures read, without those that hold no value at all: a service may answer without
 * a column that it was asked for, and its rows then say nothing of that field.
 */
async function columnsWithValues(
  ctx: Context,
  { n, loaded, columns }: SetRecord,
  rule: ExceptionRule,
  signal: AbortSignal,
): Promise<StoredColumn[]> {
  const ids = new Set([
    'received',
    'verdict',
    'recipients',
    'to',
    ...rule.conditions.flatMap((c) => candidates(c) ?? []),
  ]);
  const read = columns.filter(({ id }) => ids.has(id));
  if (read.length === 0) return [];
  const parts = read.map(
    ({ sql }) => `EXISTS (SELECT 1 FROM rs_${n} r WHERE r.pos < @loaded AND r.${sql} IS NOT NULL) AS ${sql}`,
  );
  const [filled] = await ctx.cache.all<Record<string, number>>(
    `SELECT ${parts.join(', ')}`,
    { loaded },
    { signal },
  );
  return read.filter(({ sql }) => filled?.[sql] === 1);
}

function targetOf(
  record: SetRecord,
  columns: readonly StoredColumn[],
  rule: ExceptionRule,
  since: number | null,
  unchecked: Unchecked,
): Target | null {
  const params: Record<string, SqlValue> = {};
  const bind = (value: SqlValue): string => {
    const name = `s${record.n}_${Object.keys(params).length}`;
    params[name] = value;
    return `@${name}`;
  };
  const parts: string[] = [];
  for (const condition of rule.conditions) {
    const part = conditionSql(condition, columns, bind);
    if (part === null) {
      const label = exceptionField(condition.field)?.label ?? condition.field;
      unchecked.add(`Results without values for: ${label}`, record.loaded);
      return null;
    }
    for (const note of part.notes) unchecked.add(note, record.loaded);
    parts.push(part.sql);
  }
  const received = columnOf(columns, ['received']);
  if (since !== null && received === 'NULL')
    unchecked.add('Results without a date: their emails count whatever their age', record.loaded);
  else if (since !== null)
    parts.push(`(${received} >= ${bind(new Date(since).toISOString())} OR ${received} IS NULL)`);
  const verdict = columnOf(columns, ['verdict']);
  if (verdict === 'NULL') unchecked.add('Results without values for: Verdict', record.loaded);
  return {
    record,
    where: parts.join(' AND '),
    params,
    verdict,
    ...boxesOf(columns),
  };
}

/**
 * Runs `work` on the connection's results that hold emails, each leased meanwhile. Superseded runs, comparisons and
 * results with delivered copies are left out.
 */
export async function withTargets<T>(
  ctx: Context,
  sets: ResultSets,
  { connectionId, rule, since }: BlastInput,
  signal: AbortSignal,
  work: (targets: readonly Target[], unchecked: Unchecked) => Promise<T>,
): Promise<T> {
  const unchecked = new Unchecked();
  const records = (await sets.list()).filter(
    (record) =>
      record.connectionId === connectionId &&
      record.payload.query_domain === 'email' &&
      record.supersededAt === null &&
      record.origin === null,
  );
  const copies = records.filter(({ payload }) => payload.include_copies);
  for (const { loaded } of copies) unchecked.add('Results of delivered copies are left out', loaded);
  for (const { total, loaded } of records)
    if (total > loaded) unchecked.add('Emails of these results that are not on this machine', total - loaded);
  const blind = rule.conditions.filter((condition) => !isCheckable(condition));
  const rows = records.reduce((sum, { loaded }) => sum + loaded, 0);
  for (const { field } of blind)
    unchecked.add(`Not kept on this machine: ${exceptionField(field)?.label ?? field}`, rows);

  const compared = blind.length > 0 ? [] : records.filter((r) => !r.payload.include_copies && r.loaded > 0);
  const uses = await Promise.allSettled(compared.map(({ id }) => sets.acquire(id)));
  const held = uses.flatMap((use) => (use.status === 'fulfilled' ? [use.value] : []));
  // Leased together, so that the figures of one answer are consistent.
  const leases = held.map((use) => use.lease());
  try {
    const columns = await Promise.all(
      leases.map(({ record }) => columnsWithValues(ctx, record, rule, signal)),
    );
    const targets = leases.flatMap(
      ({ record }, index) => targetOf(record, columns[index] ?? [], rule, since, unchecked) ?? [],
    );
    return await work(targets, unchecked);
  } finally {
    for (const lease of [...leases, ...held]) lease.release();
  }
}
