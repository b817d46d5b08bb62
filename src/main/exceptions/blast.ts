/**
 * The blast radius of an exception: what it would match among the emails of cached results. One scan of the
 * rows tells everything of a rule with few matches, and ends early for one with many, which are then counted; a
 * large result is scanned by both readers at once.
 */
import type { BlastRadius } from '#shared/bridge/operations.ts';
import { ruleQuery } from '#shared/exceptions/query.ts';
import type { ExceptionRule } from '#shared/exceptions/rule.ts';
import { exceptionField } from '#shared/exceptions/types.ts';
import type { Context } from '../core/context.ts';
import type { SetRecord } from '../results/record.ts';
import type { ResultSets } from '../results/types.ts';
import type { SqlValue } from '../store/database.ts';
import { conditionSql, isCheckable } from './rule-sql.ts';

const SAMPLE = 100;
/** Below this many rows one reader is as fast as two. */
const SPLIT_FROM = 100_000;
/** Matches of a part that are listed: where there are fewer, one scan has told everything. */
const FIRST = 2_000;

interface Target {
  record: SetRecord;
  /** WHERE, over r. */
  where: string;
  params: Record<string, SqlValue>;
  verdict: string;
  box: string;
}

type Group = { verdict: string | null; box: string | null; n: number };

const columnOf = (record: SetRecord, ids: readonly string[]): string =>
  ids
    .flatMap((id) => record.columns.find((column) => column.id === id && column.storage !== 'json') ?? [])
    .map(({ sql }) => `r.${sql}`)[0] ?? 'NULL';

/** Collects reasons, each once, with the rows that it concerns. */
class Unchecked {
  private readonly rows = new Map<string, number>();
  add(reason: string, rows: number): void {
    this.rows.set(reason, (this.rows.get(reason) ?? 0) + rows);
  }
  list(): BlastRadius['unchecked'] {
    return [...this.rows].map(([reason, rows]) => ({ reason, rows }));
  }
}

function targetOf(
  record: SetRecord,
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
    const part = conditionSql(condition, record.columns, bind);
    if (part === null) {
      const label = exceptionField(condition.field)?.label ?? condition.field;
      unchecked.add(`Results without a column for: ${label}`, record.loaded);
      return null;
    }
    if (part.note !== undefined) unchecked.add(part.note, record.loaded);
    parts.push(part.sql);
  }
  const received = columnOf(record, ['received']);
  if (since !== null && received === 'NULL')
    unchecked.add('Results without a date: their emails count whatever their age', record.loaded);
  else if (since !== null) parts.push(`${received} >= ${bind(new Date(since).toISOString())}`);
  return {
    record,
    where: parts.join(' AND '),
    params,
    verdict: columnOf(record, ['verdict']),
    box: columnOf(record, ['to']),
  };
}

type Match = { n: number; pos: number; id: string | null; verdict: string | null; box: string | null };

/** The first matches of each part of the results; `all`: there are no others. */
async function firstMatches(
  ctx: Context,
  targets: readonly Target[],
  signal: AbortSignal,
): Promise<{ matches: Match[]; all: boolean }> {
  const scans = targets.flatMap(({ record, where, params, verdict, box }) =>
    partsOf(record).map(({ from, to }) =>
      ctx.cache.all<Match>(
        `SELECT ${record.n} AS n, r.pos AS pos, r.entity_id AS id, ${verdict} AS verdict, lower(${box}) AS box
         FROM rs_${record.n} r WHERE r.pos >= @from AND r.pos < @to AND ${where} ORDER BY r.pos LIMIT ${FIRST}`,
        { ...params, from, to },
        { signal },
      ),
    ),
  );
  const found = await Promise.all(scans);
  const matches = new Map<string, Match>();
  for (const match of found.flat()) {
    const key = match.id ?? `${match.n}:${match.pos}`;
    if (!matches.has(key)) matches.set(key, match);
  }
  return { matches: [...matches.values()], all: found.every((part) => part.length < FIRST) };
}

/** Places of a result, in as many parts as there are readers to scan them. */
function partsOf({ loaded }: SetRecord): { from: number; to: number }[] {
  const parts = loaded >= SPLIT_FROM ? 2 : 1;
  const step = Math.ceil(loaded / parts);
  return Array.from({ length: parts }, (_, part) => ({
    from: part * step,
    to: Math.min((part + 1) * step, loaded),
  }));
}

/** Counts where matches are too many to be listed. Several results may hold the same email: it is joined by its id. */
async function count(ctx: Context, targets: readonly Target[], signal: AbortSignal): Promise<Group[]> {
  const [only, ...others] = targets;
  if (only !== undefined && others.length === 0) {
    const { record, where, params, verdict, box } = only;
    const scans = partsOf(record).map(({ from, to }) =>
      ctx.cache.all<Group>(
        `SELECT ${verdict} AS verdict, lower(${box}) AS box, count(*) AS n FROM rs_${record.n} r
         WHERE r.pos >= @from AND r.pos < @to AND ${where} GROUP BY ${verdict}, ${box}`,
        { ...params, from, to },
        { signal },
      ),
    );
    return (await Promise.all(scans)).flat();
  }
  const params = Object.assign({}, ...targets.map((target) => target.params)) as Record<string, SqlValue>;
  const each = targets.map(
    ({ record: { n, loaded }, where, verdict, box }) =>
      `SELECT coalesce(r.entity_id, '${n}:' || r.pos) AS id, ${verdict} AS verdict, lower(${box}) AS box
       FROM rs_${n} r WHERE r.pos < ${loaded} AND ${where}`,
  );
  return ctx.cache.all<Group>(
    `SELECT verdict, box, count(*) AS n FROM (
       SELECT max(verdict) AS verdict, max(box) AS box FROM (${each.join(' UNION ALL ')}) GROUP BY id
     ) GROUP BY 1, 2`,
    params,
    { signal },
  );
}

const SAMPLE_COLUMNS = {
  received: ['received'],
  verdict: ['verdict'],
  subject: ['subject'],
  from: ['from_email', 'sender_email', 'from'],
  to: ['to'],
  saas: ['saas'],
} as const;

async function sampleOf(
  ctx: Context,
  targets: readonly Target[],
  matches: readonly Match[],
  size: number,
  signal: AbortSignal,
): Promise<BlastRadius['sample']> {
  const places = matches
    .map(({ n, pos }) => [n, pos] as const)
    .sort((a, b) => b[0] - a[0] || a[1] - b[1])
    .slice(0, size);
  const rows = await Promise.all(
    targets.map(async ({ record }) => {
      const own = places.filter(([n]) => n === record.n).map(([, pos]) => pos);
      if (own.length === 0) return [];
      const columns = Object.entries(SAMPLE_COLUMNS).map(
        ([name, ids]) => `${columnOf(record, ids)} AS "${name}"`,
      );
      return ctx.cache.all<BlastRadius['sample'][number]>(
        `SELECT coalesce(r.entity_id, '') AS "entityId", ${columns.join(', ')}
         FROM json_each(@places) p CROSS JOIN rs_${record.n} r ON r.pos = p.value ORDER BY p.key`,
        { places: JSON.stringify(own) },
        { signal },
      );
    }),
  );
  return rows
    .flat()
    .map((row) => ({ ...row, saas: row.saas ?? null }))
    .sort((a, b) => (b.received ?? '').localeCompare(a.received ?? ''));
}

export interface BlastInput {
  connectionId: string;
  rule: ExceptionRule;
  /** Epoch milliseconds. */
  since: number | null;
  sample?: number | undefined;
}

/** Rejects `cancelled`. A rule that nothing on this machine can be compared with answers 0 matches of 0 rows, and why. */
export async function blastRadius(
  ctx: Context,
  sets: ResultSets,
  { connectionId, rule, since, sample = SAMPLE }: BlastInput,
  signal: AbortSignal,
): Promise<BlastRadius> {
  const began = performance.now();
  const unchecked = new Unchecked();
  const records = (await sets.list()).filter(
    (record) =>
      record.connectionId === connectionId &&
      record.payload.query_domain === 'email' &&
      record.supersededAt === null &&
      record.origin === null &&
      record.loaded > 0,
  );
  const copies = records.filter(({ payload }) => payload.include_copies);
  for (const { loaded } of copies) unchecked.add('Results of delivered copies are left out', loaded);
  for (const { total, loaded } of records)
    if (total > loaded) unchecked.add('Emails of these results that are not on this machine', total - loaded);
  const blind = rule.conditions.filter((condition) => !isCheckable(condition));
  const rows = records.reduce((sum, { loaded }) => sum + loaded, 0);
  for (const { field } of blind)
    unchecked.add(`Not kept on this machine: ${exceptionField(field)?.label ?? field}`, rows);

  const uses = await Promise.allSettled(
    blind.length > 0 ? [] : records.filter((r) => !r.payload.include_copies).map(({ id }) => sets.use(id)),
  );
  const held = uses.flatMap((use) => (use.status === 'fulfilled' ? [use.value] : []));
  try {
    const targets = held.flatMap(({ record }) => targetOf(record, rule, since, unchecked) ?? []);
    const first = await firstMatches(ctx, targets, signal);
    const groups = first.all
      ? first.matches.map(({ verdict, box }) => ({ verdict, box, n: 1 }))
      : await count(ctx, targets, signal);
    const verdicts = new Map<string | null, number>();
    const boxes = new Set<string>();
    for (const { verdict, box, n } of groups) {
      verdicts.set(verdict, (verdicts.get(verdict) ?? 0) + n);
      if (box !== null) boxes.add(box);
    }
    const matches = groups.reduce((sum, { n }) => sum + n, 0);
    return {
      matches,
      mailboxes: matches > 0 && boxes.size === 0 ? null : boxes.size,
      verdicts: [...verdicts]
        .map(([verdict, count]) => ({ verdict, count }))
        .sort((a, b) => b.count - a.count),
      checked: {
        rows: targets.reduce((sum, { record }) => sum + record.loaded, 0),
        results: targets.length,
      },
      unchecked: unchecked.list(),
      sample: await sampleOf(ctx, targets, first.matches, sample, signal),
      query: ruleQuery(rule.conditions),
      since,
      fetchedAt: targets.length === 0 ? null : Math.max(...targets.map(({ record }) => record.fetchedAt)),
      ms: Math.round(performance.now() - began),
    };
  } finally {
    for (const use of held) use.release();
  }
}
