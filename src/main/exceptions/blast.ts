/**
 * The blast radius of an exception: what it would match among the emails of cached results. One scan lists the first
 * matches and counts the others; a large result is scanned by both readers in parallel. The mailboxes of many matches
 * need a separate scan, which does not delay the result.
 */
import type { BlastRadius } from '#shared/bridge/operations.ts';
import { ruleQuery } from '#shared/exceptions/query.ts';
import { mailboxOf } from '#shared/query/text.ts';
import type { Context } from '../kernel/context.ts';
import { compareText } from '../results/columnar/vectors.ts';
import type { SetRecord } from '../results/record.ts';
import type { ResultSets } from '../results/sets.ts';
import { type BlastInput, columnOf, type Target, withTargets } from './blast-targets.ts';

const SAMPLE = 100;
/** Below this many rows one reader is as fast as two. */
const SPLIT_FROM = 100_000;
/** Matches listed per part; when there are fewer, one scan yields everything. */
const FIRST = 2_000;
/** Counted in one pass; other verdicts need a GROUP BY, which sorts them. */
const VERDICTS = ['clean', 'found', 'found-no-click', 'suspicious', 'spam', 'not-scanned'];

interface Group {
  verdict: string | null;
  n: number;
}
type Match = { n: number; pos: number; id: string | null; verdict: string | null; boxes: string | null };
/** A range of a result, and its first matches. */
interface Part {
  target: Target;
  from: number;
  to: number;
  matches: Match[];
}

/** The first matches of each part of the results. */
async function firstMatches(
  ctx: Context,
  targets: readonly Target[],
  signal: AbortSignal,
): Promise<readonly Part[]> {
  const parts = targets.flatMap((target) => partsOf(target.record).map((part) => ({ target, ...part })));
  return Promise.all(
    parts.map(async (part) => {
      const { record, where, params, verdict, boxes } = part.target;
      const matches = await ctx.cache.all<Match>(
        `SELECT ${record.n} AS n, r.pos AS pos, r.entity_id AS id, ${verdict} AS verdict, ${boxes} AS boxes
         FROM rs_${record.n} r WHERE r.pos >= @from AND r.pos < @to AND ${where} ORDER BY r.pos LIMIT ${FIRST}`,
        { ...params, from: part.from, to: part.to },
        { signal },
      );
      return { ...part, matches };
    }),
  );
}

/** Splits a result's row indexes into one range per reader. */
function partsOf({ loaded }: SetRecord): { from: number; to: number }[] {
  const parts = loaded >= SPLIT_FROM ? 2 : 1;
  const step = Math.ceil(loaded / parts);
  return Array.from({ length: parts }, (_, part) => ({
    from: part * step,
    to: Math.min((part + 1) * step, loaded),
  }));
}

const isCut = ({ matches }: Part): boolean => matches.length >= FIRST;

const keyOf = ({ id, n, pos }: Match): string => id ?? `${n}:${pos}`;

/** Deduplicates emails that several results contain. */
function unique(parts: readonly Part[]): Match[] {
  const matches = new Map<string, Match>();
  for (const match of parts.flatMap((part) => part.matches)) {
    const key = keyOf(match);
    if (!matches.has(key)) matches.set(key, match);
  }
  return [...matches.values()];
}

/** Counts the matches of a part beyond those listed, by verdict. */
async function countRest(ctx: Context, { target, to, matches }: Part, signal: AbortSignal): Promise<Group[]> {
  const { record, where, params, verdict } = target;
  const parameters = Object.fromEntries(VERDICTS.map((word, index) => [`v${index}`, word]));
  const bound = { ...params, ...parameters, from: (matches.at(-1)?.pos ?? -1) + 1, to };
  const rows = `FROM rs_${record.n} r WHERE r.pos >= @from AND r.pos < @to AND ${where}`;
  const each = VERDICTS.map((_, index) => `count(*) FILTER (WHERE ${verdict} = @v${index}) AS n${index}`);
  const [counts] = await ctx.cache.all<Record<string, number>>(
    `SELECT count(*) AS n, count(*) FILTER (WHERE ${verdict} IS NULL) AS unknown, ${each.join(', ')} ${rows}`,
    bound,
    { signal },
  );
  const groups: Group[] = [
    { verdict: null, n: counts?.['unknown'] ?? 0 },
    ...VERDICTS.map((word, index) => ({ verdict: word, n: counts?.[`n${index}`] ?? 0 })),
  ].filter(({ n }) => n > 0);
  const counted = groups.reduce((sum, { n }) => sum + n, 0);
  if (counted === (counts?.['n'] ?? 0)) return groups;
  const placeholders = VERDICTS.map((_, index) => `@v${index}`).join(', ');
  const others = await ctx.cache.all<Group>(
    `SELECT ${verdict} AS verdict, count(*) AS n ${rows} AND ${verdict} NOT IN (${placeholders}) GROUP BY 1`,
    bound,
    { signal },
  );
  return [...groups, ...others];
}

type Mailboxes = Pick<BlastRadius, 'mailboxes' | 'mailboxesAtLeast'>;
const UNKNOWN_MAILBOXES: Mailboxes = { mailboxes: null, mailboxesAtLeast: false };

/** The mailboxes of matches that are all listed, combining what several results say of an email. */
function mailboxesOf(parts: readonly Part[]): Mailboxes {
  const boxes = new Set<string>();
  const whole = new Map<string, boolean>();
  for (const { target, matches } of parts)
    for (const match of matches) {
      const key = keyOf(match);
      whole.set(key, whole.get(key) === true || (target.allBoxes && match.boxes !== null));
      const listed: unknown[] = JSON.parse(match.boxes ?? '[]');
      for (const box of listed) if (typeof box === 'string' && box !== '') boxes.add(mailboxOf(box));
    }
  if (whole.size > 0 && boxes.size === 0) return UNKNOWN_MAILBOXES;
  return { mailboxes: boxes.size, mailboxesAtLeast: [...whole.values()].includes(false) };
}

/** Counts when there are too many matches to list: in one result the rest, in several all of them, each email once. */
async function count(
  ctx: Context,
  targets: readonly Target[],
  parts: readonly Part[],
  signal: AbortSignal,
): Promise<Group[]> {
  if (targets.length === 1) {
    const rest = parts.filter(isCut).map((part) => countRest(ctx, part, signal));
    const listed = parts.flatMap(({ matches }) => matches.map(({ verdict }) => ({ verdict, n: 1 })));
    return [...listed, ...(await Promise.all(rest)).flat()];
  }
  const params = Object.assign({}, ...targets.map((target) => target.params));
  return ctx.cache.all<Group>(
    `SELECT verdict, count(*) AS n FROM (
       SELECT max(verdict) AS verdict FROM (${unionOf(targets, ({ verdict }) => `${verdict} AS verdict`)}) GROUP BY id
     ) GROUP BY 1`,
    params,
    { signal },
  );
}

const unionOf = (targets: readonly Target[], column: (target: Target) => string): string =>
  targets
    .map((target) => {
      const { n, loaded } = target.record;
      return `SELECT coalesce(r.entity_id, '${n}:' || r.pos) AS id, ${column(target)} FROM rs_${n} r WHERE r.pos < ${loaded} AND ${target.where}`;
    })
    .join(' UNION ALL ');

/** The last count of each store, which holds until a result gains rows or goes: rules change while they are typed. */
const counted = new WeakMap<ResultSets, { of: string; emails: Promise<number> }>();

/** Emails of the results, each once: several hold the same. */
function emailsOf(ctx: Context, sets: ResultSets, targets: readonly Target[]): Promise<number> {
  const [first] = targets;
  if (first === undefined || targets.length === 1) return Promise.resolve(first?.record.loaded ?? 0);
  const of = JSON.stringify(targets.map(({ record }) => [record.n, record.loaded]));
  const count = counted.get(sets);
  if (count?.of === of) return count.emails;
  const ids = targets.map(
    ({ record: { n, loaded } }) =>
      `SELECT coalesce(r.entity_id, '${n}:' || r.pos) AS id FROM rs_${n} r WHERE r.pos < ${loaded}`,
  );
  const emails = ctx.cache
    .all<{ n: number }>(`SELECT count(*) AS n FROM (${ids.join(' UNION ')})`, {})
    .then(([row]) => row?.n ?? 0);
  counted.set(sets, { of, emails });
  emails.catch(() => counted.delete(sets));
  return emails;
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
  const matchedRows = matches
    .map(({ n, pos }) => [n, pos] as const)
    .sort((a, b) => b[0] - a[0] || a[1] - b[1])
    .slice(0, size);
  const rows = await Promise.all(
    targets.map(async ({ record }) => {
      const positions = matchedRows.filter(([n]) => n === record.n).map(([, pos]) => pos);
      if (positions.length === 0) return [];
      const columns = Object.entries(SAMPLE_COLUMNS).map(
        ([name, ids]) => `${columnOf(record.columns, ids)} AS "${name}"`,
      );
      return ctx.cache.all<BlastRadius['sample'][number]>(
        `SELECT coalesce(r.entity_id, '') AS "entityId", ${columns.join(', ')}
         FROM json_each(@places) p CROSS JOIN rs_${record.n} r ON r.pos = p.value ORDER BY p.key`,
        { places: JSON.stringify(positions) },
        { signal },
      );
    }),
  );
  return rows
    .flat()
    .map((row) => ({ ...row, saas: row.saas ?? null }))
    .sort((a, b) => compareText(b.received ?? '', a.received ?? ''));
}

/**
 * Rejects `cancelled`. When nothing on this machine can be compared with the rule, the answer is 0 matches of 0 emails,
 * with the reason.
 */
export function blastRadius(
  ctx: Context,
  sets: ResultSets,
  { sample = SAMPLE, ...input }: BlastInput & { sample?: number | undefined },
  signal: AbortSignal,
): Promise<BlastRadius> {
  const began = performance.now();
  const { rule, since } = input;
  return withTargets(ctx, sets, input, signal, async (targets, unchecked) => {
    const emails = emailsOf(ctx, sets, targets);
    emails.catch(() => {});
    const parts = await firstMatches(ctx, targets, signal);
    const first = unique(parts);
    const isAll = !parts.some(isCut);
    const groups = isAll
      ? first.map(({ verdict }) => ({ verdict, n: 1 }))
      : await count(ctx, targets, parts, signal);
    const verdicts = new Map<string | null, number>();
    for (const { verdict, n } of groups) verdicts.set(verdict, (verdicts.get(verdict) ?? 0) + n);
    const matches = groups.reduce((sum, { n }) => sum + n, 0);
    return {
      matches,
      ...(isAll ? mailboxesOf(parts) : UNKNOWN_MAILBOXES),
      verdicts: [...verdicts]
        .map(([verdict, count]) => ({ verdict, count }))
        .sort((a, b) => b.count - a.count),
      checked: {
        emails: await emails,
        results: targets.length,
      },
      unchecked: unchecked.list(),
      sample: await sampleOf(ctx, targets, first, sample, signal),
      query: ruleQuery(rule.conditions),
      since,
      fetchedAt: targets.length === 0 ? null : Math.max(...targets.map(({ record }) => record.fetchedAt)),
      ms: Math.round(performance.now() - began),
    };
  });
}

/** Mailboxes of the matches, or null if no result with matches names them. Rejects `cancelled`. */
export function blastMailboxes(
  ctx: Context,
  sets: ResultSets,
  input: BlastInput,
  signal: AbortSignal,
): Promise<Mailboxes> {
  return withTargets(ctx, sets, input, signal, async (targets) => {
    const params = Object.assign({}, ...targets.map((target) => target.params));
    if (targets.every(({ boxes }) => boxes === null)) return UNKNOWN_MAILBOXES;
    const rows = unionOf(
      targets,
      ({ boxes, allBoxes }) => `${boxes} AS boxes, ${allBoxes ? `${boxes} IS NOT NULL` : '0'} AS whole`,
    );
    const [row] = await ctx.cache.all<{ n: number; partial: number }>(
      `WITH found AS MATERIALIZED (${rows})
       SELECT (SELECT count(DISTINCT pp_mailbox(j.value)) FROM found, json_each(coalesce(boxes, '[]')) j WHERE j.value <> '') AS n,
         EXISTS (SELECT 1 FROM found GROUP BY id HAVING max(whole) = 0) AS partial`,
      params,
      { signal, urgency: 'later' },
    );
    if (row === undefined || row.n === 0) return UNKNOWN_MAILBOXES;
    return { mailboxes: row.n, mailboxesAtLeast: row.partial === 1 };
  });
}
