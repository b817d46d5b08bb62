/** The saved queries, reports, analytics and templates of the demo tenant, in every domain. */
import type { Column, NewQuery, ScheduledExport } from '#shared/model/entities.ts';
import type { ConditionGroup } from '#shared/query/tree.ts';
import { domainNamed } from '../query/config.ts';
import type { Domain } from '../query/definition.ts';
import { savedQueries } from '../store/queries.ts';
import type { Store } from '../store/store.ts';
import { DEPARTMENTS, HOME_DOMAIN } from './organisation.ts';
import { random } from './prng.ts';
import { and, FOUND, FROM_OUTSIDE, is, type Kind, type Line, last, M365 } from './query-line.ts';
import { LINES } from './query-lines.ts';
import { DOMAIN_LINES } from './query-lines-domains.ts';

const WRITTEN = [...LINES, ...DOMAIN_LINES];

// Numbers to generate per department; together with LINES: 61 queries, 34 reports, 22 analytics, 31 templates.
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
  domain: Domain | null,
  columns: readonly Column[],
  groups: readonly string[],
): Partial<NewQuery> {
  if (domain === null) return {};
  if (kind === 'report') return { reportColumns: columns.slice(0, 5).map((column) => ({ ...column })) };
  const fields = new Map(domain.fields.map(({ config }) => [config.id, config.label]));
  return groups.length === 0
    ? {}
    : { reportColumns: groups.map((id, order) => ({ id, label: fields.get(id) ?? id, order })) };
}

/** The default columns, renamed as the query says, and the query's additional columns. */
function labelled(columns: readonly Column[], labels: Readonly<Record<string, string>>): Column[] {
  const known = columns.map((column) => ({ ...column, label: labels[column.id] ?? column.label }));
  const others = Object.entries(labels).filter(([id]) => !columns.some((column) => column.id === id));
  return [...known, ...others.map(([id, label], at) => ({ id, label, order: columns.length + at }))];
}

function queryOf(line: Line): NewQuery {
  const [entity, kind, name, description, severity, saas, filter, more = {}] = line;
  const domain = domainNamed(entity, false);
  const columns = labelled(domain?.columns ?? [], more.labels ?? {});
  return {
    type: 'query',
    subType: kind === 'query' ? null : kind,
    description,
    domain: entity,
    entityType: entity,
    name,
    saas,
    severity,
    status: more.status ?? 'saved',
    filter,
    columns,
    sort: domain ? domain.sort.map((one) => ({ ...one })) : [],
    ...reportOf(kind, domain, columns, more.groups ?? []),
    ...(more.report ? { reportCondition: more.report } : {}),
    scheduledExport: more.schedule ? scheduleOf(more.schedule) : null,
    actionsList: [...(more.actions ?? [])],
  };
}

const OVER_TIME = { groups: ['received', 'verdict'] };

function moreLines(seed: number): Line[] {
  const rng = random(`${seed}/queries`);
  const out: Line[] = [];
  for (const kind of Object.keys(WANTED) as Kind[]) {
    const missing = WANTED[kind] - WRITTEN.filter((line) => line[1] === kind).length;
    for (let i = 0; i < missing; i += 1) {
      const [entity, words, filter] = IDEAS[(i + kind.length) % IDEAS.length] ?? IDEAS[0]!;
      const department = DEPARTMENTS[(i * 5 + kind.length) % DEPARTMENTS.length] ?? 'Finance';
      const prefix = PREFIXES[kind];
      const name = `${prefix}${department}: ${words}${i >= 24 ? `, ${i}` : ''}`;
      const schedule =
        kind === 'report' || (kind === 'analytics' && rng.chance(0.4))
          ? { schedule: rng.pick(SCHEDULES) }
          : {};
      const status = kind === 'template' ? 'saved' : rng.pick(STATUSES);
      out.push([
        entity,
        kind,
        name,
        '',
        rng.pick(SEVERITIES),
        entity === 'email' ? rng.pick(['all', M365, 'google_mail']) : 'all',
        filter(department),
        { status, ...schedule, ...(kind === 'analytics' && entity === 'email' ? OVER_TIME : {}) },
      ]);
    }
  }
  return out;
}

const HOUR = 3_600_000;

export function saveDemoQueries(store: Store, seed: number, anchor: number): void {
  const saved = savedQueries(store);
  const rng = random(`${seed}/saved`);
  const authors = ['m.okafor', 'l.brandt', 'h.tanaka', 'o.kowalczyk'];
  store.db.transaction(() => {
    for (const [index, line] of [...WRITTEN, ...moreLines(seed)].entries()) {
      const time = new Date(anchor - rng.int(1, 24 * 200) * HOUR).toISOString();
      saved.add(queryOf(line), {
        time,
        by: `${rng.pick(authors)}@${HOME_DOMAIN}`,
        id: `q-${String(index + 1).padStart(4, '0')}`,
      });
    }
  })();
}
