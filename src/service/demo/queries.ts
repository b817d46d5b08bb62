/** The saved queries, reports, analytics and templates of the demo tenant, in every domain. */
import { z } from 'zod';
import type { Column, NewQuery, ScheduledExport } from '#shared/model/entities.ts';
import {
  type Condition,
  type ConditionGroup,
  type ConditionValue,
  conditionGroup,
} from '#shared/query/tree.ts';
import queries from '../../../resources/demo/queries.json' with { type: 'json' };
import type { DomainShape } from '../store/rows.ts';
import type { Store } from '../store/store.ts';
import { DEPARTMENTS, HOME_DOMAIN } from './organisation.ts';
import { random } from './prng.ts';

const texts = z.record(z.string(), z.string());
const written = z.strictObject({
  domain: z.string(),
  kind: z.enum(['query', 'report', 'analytics', 'template']),
  name: z.string(),
  description: z.string(),
  severity: z.string(),
  saas: z.string(),
  filter: conditionGroup,
  status: z.string().optional(),
  schedule: z.string().optional(),
  actions: z.array(z.string()).optional(),
  /** Renamed columns, including one for a field that no longer exists, as in old queries. */
  labels: texts.optional(),
  /** Added to the filter, only in the report. */
  report: conditionGroup.optional(),
  /** Analytics: the columns to group by. */
  groups: z.array(z.string()).optional(),
});
type Written = z.infer<typeof written>;
type Kind = Written['kind'];

/** Queries written by hand: one for each typical question of an analyst, and one for each domain and operator. */
const WRITTEN = z.array(written).parse(queries);

const is = (field: string, operator: string, ...values: ConditionValue[]): Condition => ({
  field,
  operator,
  values,
});
const and = (...conditions: Condition[]): ConditionGroup => ({ operator: 'and', conditions });
const last = (count: number, unit: string, field = 'received') => is(field, 'in_the_last', count, unit);
const FOUND = is('verdict', 'is', 'found');
const FROM_OUTSIDE = is('from_domain', 'is_not', HOME_DOMAIN);

// Numbers to generate per department; together with WRITTEN: 61 queries, 34 reports, 22 analytics, 31 templates.
const WANTED: Readonly<Record<Kind, number>> = { query: 61, report: 34, analytics: 22, template: 31 };
const PREFIXES: Readonly<Record<Kind, string>> = {
  query: '',
  report: 'Report, ',
  analytics: 'Trend, ',
  template: 'Template: ',
};
const SEVERITIES = ['verylow', 'low', 'medium', 'high', 'veryhigh'];
const STATUSES = ['saved', 'saved', 'running', 'running', 'stopped'];
const SCHEDULES = ['daily 06:00', 'weekly 1 07:00', 'monthly 2 2 08:30', 'weekly 4 18:00'];

type Idea = readonly [entity: string, name: string, filter: (department: string) => ConditionGroup];
const IDEAS: readonly Idea[] = [
  ['email', 'phishing mail', (d) => and(last(30, 'days'), FOUND, is('department', 'is', d))],
  [
    'email',
    'spam that reached people',
    (d) => and(last(14, 'days'), is('verdict', 'is', 'spam'), is('department', 'is', d)),
  ],
  [
    'file',
    'files shared outside',
    (d) => and(is('is_shared_externally', 'is_true'), is('department', 'is', d)),
  ],
  ['user', 'accounts', (d) => and(is('department', 'is', d))],
  [
    'email',
    'mail with links from outside',
    (d) =>
      and(last(7, 'days'), is('links_count', 'greater_than', 0), is('department', 'is', d), FROM_OUTSIDE),
  ],
  [
    'email',
    'large attachments',
    (d) => and(last(30, 'days'), is('size', 'greater_than', 5_242_880), is('department', 'is', d)),
  ],
  ['click', 'clicks', () => and(last(30, 'days', 'click_time'))],
  [
    'email',
    'quarantined mail',
    (d) => and(last(30, 'days'), is('quarantined', 'is_true'), is('department', 'is', d)),
  ],
];

function scheduleOf(words: string): ScheduledExport {
  const [frequency = 'daily', ...rest] = words.split(' ');
  const time = rest.at(-1) ?? '06:00';
  const day = frequency === 'daily' ? null : Number(rest.at(-2));
  const week = frequency === 'monthly' ? Number(rest[0]) : null;
  return { emails: [`soc@${HOME_DOMAIN}`], format: 'csv', frequency, week, day, time };
}

/** A report has fewer columns than the screen, under names of its own. Analytics are grouped by theirs. */
function reportOf(
  kind: Kind,
  domain: DomainShape | null,
  columns: readonly Column[],
  groups: readonly string[],
): Partial<NewQuery> {
  if (domain === null) return {};
  if (kind === 'report') return { reportColumns: columns.slice(0, 5).map((column) => ({ ...column })) };
  const fields = new Map(domain.fields.map(({ id, label }) => [id, label]));
  return groups.length === 0
    ? {}
    : { reportColumns: groups.map((id, order) => ({ id, label: fields.get(id) ?? id, order })) };
}

/** The default columns, renamed as the query says, and the query's additional columns. */
function labelled(columns: readonly Column[], labels: Readonly<Record<string, string>>): Column[] {
  const labelled = columns.map((column) => ({ ...column, label: labels[column.id] ?? column.label }));
  const others = Object.entries(labels).filter(([id]) => !columns.some((column) => column.id === id));
  return [...labelled, ...others.map(([id, label], index) => ({ id, label, order: columns.length + index }))];
}

function queryOf(query: Written, { rows }: Store): NewQuery {
  const { domain: entity, kind, name, description, severity, saas, filter } = query;
  const domain = rows.shape(entity, false);
  const columns = labelled(domain?.columns ?? [], query.labels ?? {});
  return {
    type: 'query',
    subType: kind === 'query' ? null : kind,
    description,
    domain: entity,
    entityType: entity,
    name,
    saas,
    severity,
    status: query.status ?? 'saved',
    filter,
    columns,
    sort: domain ? domain.sort.map((order) => ({ ...order })) : [],
    ...reportOf(kind, domain, columns, query.groups ?? []),
    ...(query.report ? { reportCondition: query.report } : {}),
    scheduledExport: query.schedule ? scheduleOf(query.schedule) : null,
    actionsList: query.actions ?? [],
  };
}

const OVER_TIME = { groups: ['received', 'verdict'] };

function moreQueries(seed: number): Written[] {
  const rng = random(`${seed}/queries`);
  const out: Written[] = [];
  for (const kind of Object.keys(WANTED) as Kind[]) {
    const missing = WANTED[kind] - WRITTEN.filter((query) => query.kind === kind).length;
    for (let i = 0; i < missing; i += 1) {
      const [domain, words, filter] = IDEAS[(i + kind.length) % IDEAS.length] ?? IDEAS[0]!;
      const department = DEPARTMENTS[(i * 5 + kind.length) % DEPARTMENTS.length] ?? 'Finance';
      const schedule =
        kind === 'report' || (kind === 'analytics' && rng.chance(0.4))
          ? { schedule: rng.pick(SCHEDULES) }
          : {};
      out.push({
        domain,
        kind,
        name: `${PREFIXES[kind]}${department}: ${words}${i >= 24 ? `, ${i}` : ''}`,
        description: '',
        status: kind === 'template' ? 'saved' : rng.pick(STATUSES),
        severity: rng.pick(SEVERITIES),
        saas: domain === 'email' ? rng.pick(['all', 'office365_emails', 'google_mail']) : 'all',
        filter: filter(department),
        ...schedule,
        ...(kind === 'analytics' && domain === 'email' ? OVER_TIME : {}),
      });
    }
  }
  return out;
}

const HOUR = 3_600_000;

export async function saveDemoQueries(store: Store, seed: number, anchor: number): Promise<void> {
  const rng = random(`${seed}/saved`);
  const authors = ['m.okafor', 'l.brandt', 'h.tanaka', 'o.kowalczyk'];
  const saved = [...WRITTEN, ...moreQueries(seed)].map((query, index) => {
    const time = new Date(anchor - rng.int(1, 24 * 200) * HOUR).toISOString();
    const by = `${rng.pick(authors)}@${HOME_DOMAIN}`;
    return {
      query: queryOf(query, store),
      stamp: { time, by, id: `q-${String(index + 1).padStart(4, '0')}` },
    };
  });
  await store.queries.add(saved, anchor);
}
