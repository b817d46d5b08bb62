/** Filters of the query library and their counts. Pure. */
import type { Query, ScheduledExport } from '#shared/model/entities.ts';
import { DOMAINS, QUERY_STATUSES, SUB_TYPES } from '#shared/model/enums.ts';
import { parseQueryStatus, QUERY_STATUS_LABELS } from '#shared/model/query-status.ts';
import { type ConditionGroup, depthOf, isGroup, MAX_DEPTH, walkConditions } from '#shared/query/tree.ts';
import { domainLabel } from '../use-config.ts';

export interface LibraryFilter {
  text: string;
  /** 'query' or a subType; null: all. 'favourite': marked by the analyst. */
  kind: string | null;
  entity: readonly string[];
  status: readonly string[];
  scheduled: boolean;
}
export const NO_FILTER: LibraryFilter = { text: '', kind: null, entity: [], status: [], scheduled: false };

export interface LibraryFacet {
  value: string;
  label: string;
  count: number;
}
export interface LibraryFacets {
  kinds: LibraryFacet[];
  entities: LibraryFacet[];
  statuses: LibraryFacet[];
  scheduled: number;
}

const KIND_LABELS: Readonly<Record<string, string>> = {
  query: 'Query',
  report: 'Report',
  analytics: 'Analytics',
  template: 'Template',
};
const KIND_PLURALS: Readonly<Record<string, string>> = {
  query: 'Queries',
  report: 'Reports',
  analytics: 'Analytics',
  template: 'Templates',
};

export const kindOf = (query: Query): string => query.subType || 'query';
/** The word for a kind; one that is not known is shown as the service sent it. */
export const kindLabel = (kind: string): string => KIND_LABELS[kind] ?? kind;
export const isScheduled = (query: Query): boolean => Boolean(query.scheduledExport);

function fieldsAndValues(tree: ConditionGroup | null | undefined): string {
  if (!tree || !isGroup(tree) || depthOf(tree) > MAX_DEPTH) return '';
  return [...walkConditions(tree)].map(({ field, values }) => `${field} ${values.join(' ')}`).join(' ');
}

/** What the search looks through: names, descriptions, fields and values. */
export const searchText = (query: Query): string =>
  [
    query.name,
    query.description,
    kindLabel(kindOf(query)),
    query.createdBy,
    domainLabel(query.domain),
    fieldsAndValues(query.filter),
  ]
    .filter(Boolean)
    .join(' ')
    .toLowerCase();

type Part = 'text' | 'kind' | 'entity' | 'status' | 'scheduled';

function passes(
  query: Query,
  text: string,
  filter: LibraryFilter,
  favourites: ReadonlySet<string>,
  ignoring: Part | null,
): boolean {
  const words = filter.text.toLowerCase().split(/\s+/).filter(Boolean);
  if (!words.every((word) => text.includes(word))) return false;
  if (ignoring !== 'kind' && filter.kind !== null) {
    if (filter.kind === 'favourite' ? !favourites.has(query.id) : kindOf(query) !== filter.kind) return false;
  }
  if (ignoring !== 'entity' && filter.entity.length > 0 && !filter.entity.includes(query.domain))
    return false;
  const status = parseQueryStatus(query.status);
  if (ignoring !== 'status' && filter.status.length > 0 && !filter.status.includes(status)) return false;
  return ignoring === 'scheduled' || !filter.scheduled || isScheduled(query);
}

export interface Library {
  shown: Query[];
  facets: LibraryFacets;
}

/** Queries that pass, and counts per choice: each group counts what the other groups let through. */
export function readLibrary(
  queries: readonly Query[],
  filter: LibraryFilter,
  favourites: ReadonlySet<string>,
): Library {
  const texts = new Map(queries.map((query) => [query.id, searchText(query)]));
  const without = (part: Part | null) =>
    queries.filter((query) => passes(query, texts.get(query.id) ?? '', filter, favourites, part));
  const count = (
    list: readonly Query[],
    of: (query: Query) => string,
    known: readonly string[],
    label: (word: string) => string,
  ) => {
    const counts = new Map<string, number>();
    for (const query of list) counts.set(of(query), (counts.get(of(query)) ?? 0) + 1);
    const words = [...known, ...[...counts.keys()].filter((word) => !known.includes(word)).sort()];
    return words.map((value) => ({ value, label: label(value), count: counts.get(value) ?? 0 }));
  };
  const byKind = without('kind');
  const kinds = count(byKind, kindOf, ['query', ...SUB_TYPES], (kind) => KIND_PLURALS[kind] ?? kind);
  const statuses = count(
    without('status'),
    ({ status }) => parseQueryStatus(status),
    ['running', 'saved', 'stopped', 'paused', 'unknown'].filter((word) =>
      QUERY_STATUSES.some((known) => known === word),
    ),
    (word) => QUERY_STATUS_LABELS[parseQueryStatus(word)],
  );
  return {
    shown: without(null),
    facets: {
      kinds: [
        { value: '', label: 'All', count: byKind.length },
        ...kinds,
        {
          value: 'favourite',
          label: 'Favourites',
          count: byKind.filter(({ id }) => favourites.has(id)).length,
        },
      ],
      entities: count(
        without('entity'),
        ({ domain }) => domain,
        ['email', 'file', 'user', 'click', 'group', 'message'].filter((word) =>
          DOMAINS.some((known) => known === word),
        ),
        domainLabel,
      ),
      statuses,
      scheduled: without('scheduled').filter(isScheduled).length,
    },
  };
}

const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const NTH = ['1st', '2nd', '3rd', '4th'];

/** "Weekly Mon 07:30", "Monthly 1st Mon 05:00"; words that are not known stay as they are. */
export function scheduleWords(schedule: ScheduledExport | null | undefined): string | null {
  if (!schedule) return null;
  const day = schedule.day == null ? null : (DAYS[schedule.day] ?? null);
  const word = schedule.frequency.charAt(0).toUpperCase() + schedule.frequency.slice(1);
  if (schedule.frequency === 'weekly') return [word, day, schedule.time].filter(Boolean).join(' ');
  if (schedule.frequency === 'monthly')
    return [word, schedule.week == null ? null : NTH[schedule.week - 1], day, schedule.time]
      .filter(Boolean)
      .join(' ');
  return `${word} ${schedule.time}`;
}
