/** Filters of the query library and their counts. Pure. */

import { domainLabel } from '#shared/model/domains.ts';
import type { Query, ScheduledExport } from '#shared/model/entities.ts';
import { DOMAINS, QUERY_STATUSES, SUB_TYPES } from '#shared/model/enums.ts';
import { parseQueryStatus, QUERY_STATUS_LABELS } from '#shared/model/query-status.ts';
import { parseSeverity, severityLabel } from '#shared/model/severity.ts';
import { type ConditionGroup, depthOf, isGroup, MAX_DEPTH, walkConditions } from '#shared/query/tree.ts';
import { kindLabel, kindPlural } from '../labels.ts';
import { EVERY_APP } from '../query-run.ts';

/** Groups of checkboxes; a query passes a group when it has one of the checked values. */
export const FACETS = ['entity', 'saas', 'status', 'severity', 'createdBy'] as const;
export type FacetName = (typeof FACETS)[number];

export interface LibraryFilter extends Readonly<Record<FacetName, readonly string[]>> {
  text: string;
  /** 'query' or a subType, or null for all. 'favourite': marked by the analyst. 'recent': run on this machine. */
  kind: string | null;
  scheduled: boolean;
}
export const NO_FILTER: LibraryFilter = {
  text: '',
  kind: null,
  entity: [],
  saas: [],
  status: [],
  severity: [],
  createdBy: [],
  scheduled: false,
};

export interface LibraryFacet {
  value: string;
  label: string;
  count: number;
}
export interface LibraryFacets extends Readonly<Record<FacetName, LibraryFacet[]>> {
  kinds: LibraryFacet[];
  scheduled: number;
}

export interface LibraryMarks {
  favourites: ReadonlySet<string>;
  /** Ids of queries run here. */
  recent: ReadonlySet<string>;
  /** Label of a SaaS by its id; 'all' is every app. */
  appLabel: (saas: string) => string;
}

export const kindOf = (query: Query): string => query.subType || 'query';
const isScheduled = (query: Query): boolean => Boolean(query.scheduledExport);

function fieldsAndValues(tree: ConditionGroup | null | undefined): string {
  if (!tree || !isGroup(tree) || depthOf(tree) > MAX_DEPTH) return '';
  return [...walkConditions(tree)].map(({ field, values }) => `${field} ${values.join(' ')}`).join(' ');
}

/** The text that the search matches: names, descriptions, fields and values. */
const searchText = (query: Query): string =>
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

/** The value of a query in each facet group; '' for none. */
const WORD_OF: Readonly<Record<FacetName, (query: Query) => string>> = {
  entity: ({ domain }) => domain,
  saas: ({ saas }) => saas || EVERY_APP,
  status: ({ status }) => parseQueryStatus(status),
  severity: ({ severity }) => String(parseSeverity(severity) ?? ''),
  createdBy: ({ createdBy }) => createdBy ?? '',
};

type Part = FacetName | 'kind' | 'scheduled';

function passes(
  query: Query,
  text: string,
  filter: LibraryFilter,
  marks: LibraryMarks,
  ignoring: Part | null,
): boolean {
  const words = filter.text.toLowerCase().split(/\s+/).filter(Boolean);
  if (!words.every((word) => text.includes(word))) return false;
  if (ignoring !== 'kind' && filter.kind !== null && !isOfKind(query, filter.kind, marks)) return false;
  const outside = FACETS.some(
    (name) => ignoring !== name && filter[name].length > 0 && !filter[name].includes(WORD_OF[name](query)),
  );
  return !outside && (ignoring === 'scheduled' || !filter.scheduled || isScheduled(query));
}

function isOfKind(query: Query, kind: string, { favourites, recent }: LibraryMarks): boolean {
  if (kind === 'favourite') return favourites.has(query.id);
  if (kind === 'recent') return recent.has(query.id);
  return kindOf(query) === kind;
}

export interface Library {
  shown: Query[];
  facets: LibraryFacets;
}

/** The known values of a facet in order, listed even with a count of 0 (the panel hides those). */
const KNOWN: Readonly<Record<FacetName, readonly string[]>> = {
  entity: ['email', 'file', 'user', 'click', 'group', 'message'].filter((word) =>
    DOMAINS.some((domain) => domain === word),
  ),
  saas: [EVERY_APP],
  status: ['running', 'saved', 'stopped', 'paused', 'unknown'].filter((word) =>
    QUERY_STATUSES.some((status) => status === word),
  ),
  severity: ['5', '4', '3', '2', '1'],
  createdBy: [],
};

function labelOf(name: FacetName, word: string, marks: LibraryMarks): string {
  switch (name) {
    case 'entity':
      return domainLabel(word);
    case 'saas':
      return marks.appLabel(word);
    case 'status':
      return QUERY_STATUS_LABELS[parseQueryStatus(word)];
    case 'severity':
      return word === '' ? 'Not set' : severityLabel(word);
    case 'createdBy':
      return word === '' ? 'Unknown' : word;
  }
}

function countBy(
  list: readonly Query[],
  of: (query: Query) => string,
  names: readonly string[],
  label: (word: string) => string,
): LibraryFacet[] {
  const counts = new Map<string, number>();
  for (const query of list) counts.set(of(query), (counts.get(of(query)) ?? 0) + 1);
  const words = [...names, ...[...counts.keys()].filter((word) => !names.includes(word)).sort()];
  return words.map((value) => ({ value, label: label(value), count: counts.get(value) ?? 0 }));
}

/** Queries that pass, and counts per choice: each group counts what the other groups' filters let through. */
export function readLibrary(queries: readonly Query[], filter: LibraryFilter, marks: LibraryMarks): Library {
  const texts = new Map(queries.map((query) => [query.id, searchText(query)]));
  const without = (part: Part | null) =>
    queries.filter((query) => passes(query, texts.get(query.id) ?? '', filter, marks, part));
  const byKind = without('kind');
  const marked = (value: string, label: string) => ({
    value,
    label,
    count: byKind.filter((query) => isOfKind(query, value, marks)).length,
  });
  const facet = (name: FacetName) =>
    countBy(without(name), WORD_OF[name], KNOWN[name], (word) => labelOf(name, word, marks));
  return {
    shown: without(null),
    facets: {
      kinds: [
        { value: '', label: 'All', count: byKind.length },
        ...countBy(byKind, kindOf, ['query', ...SUB_TYPES], kindPlural),
        marked('favourite', 'Favourites'),
        marked('recent', 'Recently run'),
      ],
      entity: facet('entity'),
      saas: facet('saas'),
      status: facet('status'),
      severity: facet('severity'),
      createdBy: facet('createdBy'),
      scheduled: without('scheduled').filter(isScheduled).length,
    },
  };
}

const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const NTH = ['1st', '2nd', '3rd', '4th'];

/** "Weekly Mon 07:30", "Monthly 1st Mon 05:00"; unknown words are unchanged. */
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
