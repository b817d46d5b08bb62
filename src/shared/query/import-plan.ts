/** What importing a query would do, shown before anything is sent (product.md, section 3.8). */
import { dictionary } from '../dictionary.ts';
import { canonicalJson } from '../model/canonical-json.ts';
import type { NewQuery, Query, QueryConfig, ScheduledExport } from '../model/entities.ts';
import {
  hasPassword,
  type PolicyState,
  parseQueryStatus,
  QUERY_STATUS_LABELS,
} from '../model/query-status.ts';
import { parseSeverity, severityLabel } from '../model/severity.ts';
import { describeCondition, plainWords } from './describe.ts';
import { depthOf, MAX_DEPTH } from './tree.ts';

export interface PlannedChange {
  /** The specification's name of the field. */
  field: string;
  before: string;
  after: string;
}

export interface PlannedImport {
  state: 'new' | 'changed' | 'same';
  /** The saved query it is compared with. */
  match: { id: string; name: string } | null;
  changes: PlannedChange[];
}

/** Fields of a query by their names in the specification. */
const FIELD_LABELS: Readonly<Record<string, string>> = dictionary({
  name: 'Name',
  description: 'Description',
  entityType: 'Entity type',
  saas: 'App',
  subType: 'Kind',
  severity: 'Severity',
  filter: 'Conditions',
  columns: 'Columns',
  sort: 'Sort',
  reportColumns: 'Report columns',
  reportCondition: 'Report condition',
  scheduledExport: 'Schedule',
  actionsList: 'Actions',
  status: 'Status',
});
/** "Schedule" for `scheduledExport.time`; a field that is not known keeps its own name. */
export const queryFieldLabel = (path: string): string => {
  const [field = ''] = path.split(/[.[]/);
  return FIELD_LABELS[field] ?? field;
};

/** The service's own stamps, which differ on every service and are not content. */
const STAMPS: readonly string[] = ['id', 'createdBy', 'createTime', 'updateTime', 'status'];
/** Parts of a schedule that are secret or maintained by the service. */
const NOT_COMPARED: readonly string[] = ['password', 'has_password', 'last_sent', 'next_run'];
const LONGEST = 400;

/** Equal text for equal content: stamps, passwords and empty fields are omitted. */
const canonical = (value: unknown): string =>
  canonicalJson(value, (key, part) => {
    const isEmpty = part === null || part === '' || (Array.isArray(part) && part.length === 0);
    return NOT_COMPARED.includes(key) || isEmpty ? undefined : part;
  });

/** The content of a field: a tree without conditions and a missing one are the same. */
function content(query: NewQuery, field: string): string {
  if (field === 'filter' || field === 'reportCondition')
    return query[field]?.conditions.length ? canonical(query[field]) : '';
  if (field === 'columns' || field === 'reportColumns')
    return canonical(
      [...(query[field] ?? [])].sort((a, b) => a.order - b.order).map(({ order: _, ...rest }) => rest),
    );
  if (field === 'severity') return String(parseSeverity(query.severity) ?? canonical(query.severity));
  return canonical(query[field]);
}

function scheduleText({ frequency, week, day, time, format, emails }: ScheduledExport): string {
  const when = [frequency, week == null ? null : `week ${week}`, day == null ? null : `day ${day}`, time];
  return `${when.filter((part) => part !== null).join(' ')}, ${format} to ${emails.join(', ')}`;
}

function words(query: NewQuery, field: string, config: QueryConfig | null): string {
  const value = query[field];
  const cut = (text: string) => (text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);
  if (content(query, field) === '') return 'none';
  if (field === 'filter' || field === 'reportCondition') {
    const tree = query[field];
    if (tree && depthOf(tree) <= MAX_DEPTH) {
      const words = plainWords(
        describeCondition(tree, config ?? { fields: [], operators: [] }, { exact: true }),
      );
      return words === '' ? 'all switched off' : cut(words);
    }
  }
  if (field === 'columns' || field === 'reportColumns')
    return cut(
      (query[field] ?? [])
        .map(({ id, label, width }) => `${label || id}${width ? ` ${width}` : ''}`)
        .join(', '),
    );
  if (field === 'sort')
    return cut((query.sort ?? []).map(({ dbId, direction }) => `${dbId} ${direction}`).join(', '));
  if (field === 'severity') return severityLabel(query.severity);
  if (field === 'scheduledExport' && query.scheduledExport) return cut(scheduleText(query.scheduledExport));
  return cut(typeof value === 'object' ? canonical(value) : String(value));
}

/** The fields whose content differs between two queries, in the order of the saved one. */
export const changedFields = (before: NewQuery, after: NewQuery): string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (field) => !STAMPS.includes(field) && content(before, field) !== content(after, field),
  );

/** Whether a query still runs and sends as it was shown; what a list left out is not compared. */
export const isSamePolicy = (shown: PolicyState, now: PolicyState): boolean =>
  (shown.status == null || parseQueryStatus(shown.status) === parseQueryStatus(now.status)) &&
  (shown.scheduledExport === undefined ||
    (canonical(shown.scheduledExport) === canonical(now.scheduledExport) &&
      hasPassword(shown.scheduledExport) === hasPassword(now.scheduledExport)));

/** The same in words. */
export function changesBetween(
  before: NewQuery,
  after: NewQuery,
  config: QueryConfig | null,
): PlannedChange[] {
  return changedFields(before, after).map((field) => {
    const change = { field, before: words(before, field, config), after: words(after, field, config) };
    // The words omit disabled parts and unknown details; a difference there is shown as JSON.
    return change.before === change.after
      ? {
          field,
          before: content(before, field).slice(0, LONGEST),
          after: content(after, field).slice(0, LONGEST),
        }
      : change;
  });
}

/**
 * A file that has a schedule and no status leaves to the service whether the query runs, so it is imported stopped: over
 * a running query its schedule would send at once.
 */
export const arrivesStopped = ({ status, scheduledExport }: NewQuery): boolean =>
  parseQueryStatus(status) === 'running' || (status == null && scheduledExport != null);

/** What an import would change: also whether the query runs, which is no content but acts by itself. */
export function importChanges(
  before: NewQuery,
  after: NewQuery,
  config: QueryConfig | null,
): PlannedChange[] {
  const status = after.status ?? (arrivesStopped(after) ? 'stopped' : null);
  const [was, is] = [parseQueryStatus(before.status), parseQueryStatus(status)];
  const changes = changesBetween(before, after, config);
  return status === null || was === is
    ? changes
    : [...changes, { field: 'status', before: QUERY_STATUS_LABELS[was], after: QUERY_STATUS_LABELS[is] }];
}

/** What a query does by itself, in words, or null if there is nothing. */
export function actsByItself(query: NewQuery): { running: boolean; words: string } | null {
  const status = parseQueryStatus(query.status);
  const running = status === 'running';
  const { scheduledExport } = query;
  if (!running && !scheduledExport) return null;
  const schedule = scheduledExport ? `. Schedule: ${scheduleText(scheduledExport)}` : '';
  const runs = query.status == null ? 'No status, so it arrives stopped' : QUERY_STATUS_LABELS[status];
  return { running, words: `In the file: ${runs}${schedule}`.slice(0, LONGEST) };
}

/**
 * Matches the queries of a file with the saved ones: by id if a saved query of the same domain has it, else by name
 * and domain. Each saved query matches at most one of the file.
 */
export function importPlanner(
  saved: readonly Query[],
): (query: NewQuery, config?: QueryConfig | null) => PlannedImport {
  const keyOf = (kind: 'id' | 'name', domain: string, text: string) => JSON.stringify([kind, domain, text]);
  const index = new Map<string, Query[]>();
  for (const query of saved)
    for (const key of [keyOf('id', query.domain, query.id), keyOf('name', query.domain, query.name.trim())]) {
      const list = index.get(key);
      if (list) list.push(query);
      else index.set(key, [query]);
    }
  const usedIds = new Set<string>();
  const free = (key: string): Query | undefined => {
    const list = index.get(key) ?? [];
    // Matched queries are removed from the lists, so the comparison stays linear.
    while (list[0] !== undefined && usedIds.has(list[0].id)) list.shift();
    return list[0];
  };
  return (query, config = null) => {
    const match =
      (query.id == null ? undefined : free(keyOf('id', query.domain, query.id))) ??
      free(keyOf('name', query.domain, query.name.trim()));
    if (match === undefined) return { state: 'new', match: null, changes: [] };
    usedIds.add(match.id);
    const changes = importChanges(match, query, config);
    return {
      state: changes.length === 0 ? 'same' : 'changed',
      match: { id: match.id, name: match.name },
      changes,
    };
  };
}
