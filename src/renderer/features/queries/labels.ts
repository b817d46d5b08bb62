/** Texts that several of the queries screens share, and those of lists. Pure. */

import { hint, LIBRARY, RESULTS, ROWS } from '#renderer/commands/keys.ts';
import type { OutputOf, PlannedQuery, ResultSet } from '#shared/bridge/operations.ts';
import { dictionary } from '#shared/dictionary.ts';
import type { CopyFormat } from '#shared/model/copy-as.ts';
import { exact, form, plural } from '#shared/model/format.ts';
import type { FacetName } from './library/library-facets.ts';

export const NEW_QUERY = 'New query';
export const NAME_NEEDED = 'Enter a name.';
export const NOT_SAVED = 'Query not saved';
/** A form that was edited while it was being saved. */
export const SAVED_BEFORE_EDIT = 'Saved. Changes made since then are not saved yet.';
export const COPY_FAILED = 'Copy failed';

const KIND_LABELS: Readonly<Record<string, string>> = dictionary({
  query: 'Query',
  report: 'Report',
  analytics: 'Analytics',
  template: 'Template',
});
/** A kind as the title of a list. */
const KIND_PLURALS: Readonly<Record<string, string>> = dictionary({
  query: 'Queries',
  report: 'Reports',
  analytics: 'Analytics',
  template: 'Templates',
});

/** A kind that is not known is shown as the service sent it. */
export const kindLabel = (kind: string): string => KIND_LABELS[kind] ?? kind;
export const kindPlural = (kind: string): string => KIND_PLURALS[kind] ?? kind;

/** What the service could not list beside the other queries, or null if there is nothing. */
export function unlistedWords(unlisted: unknown): string | null {
  if (!Array.isArray(unlisted) || unlisted.length === 0) return null;
  const kinds = new Intl.ListFormat('en').format(
    unlisted.map((kind) => kindPlural(String(kind)).toLowerCase()),
  );
  return `The service could not list its ${kinds}: they are missing here.`;
}

const rows = (count: number): string => plural(count, 'row');

type Counts = Pick<ResultSet, 'loaded' | 'total' | 'atLeast'>;

/** Total rows as far as known: a service may count only up to a limit, or not at all. */
export const totalText = ({ total, atLeast }: Omit<Counts, 'loaded'>): string =>
  `${atLeast ? 'at least ' : ''}${exact(total)}`;

export const progressText = ({ loaded, total, atLeast }: Counts): string =>
  `${exact(loaded)} of ${atLeast ? 'at least ' : ''}${rows(total)}`;

export const isMissingRows = ({ loaded, total, atLeast }: Counts): boolean => atLeast || loaded < total;

type Incidents = Pick<ResultSet, 'resumed' | 'appeared' | 'vanished' | 'duplicates' | 'scans' | 'reason'>;

/** Incidents of a fetch, one note each. */
export function fetchNotes({ resumed, appeared, vanished, duplicates, scans, reason }: Incidents): string[] {
  return [
    ...(resumed > 0
      ? [
          `The service lost its cursor ${resumed === 1 ? 'once' : `${exact(resumed)} times`}: the fetch restarted there and matched rows by ID`,
        ]
      : []),
    // The reason, if any, already covers this.
    ...(scans > 0 && reason === null
      ? [`Results changed during the fetch, so they were read ${exact(scans + 1)} times`]
      : []),
    ...(duplicates > 0 ? [`${rows(duplicates)} received more than once, kept once`] : []),
    ...(appeared > 0 ? [`${rows(appeared)} added on the service meanwhile`] : []),
    ...(vanished > 0 ? [`${rows(vanished)} removed from the service meanwhile`] : []),
  ];
}

export const SEND_WORDS = {
  title: 'Send results now',
  note: 'Sent once. The schedule stays as it is. Logged in Activity.',
  rows: 'rows',
  columns: 'columns',
  format: 'file',
  password: 'password',
  to: 'To',
  first: 'First',
  empty: 'Nothing matches now: the file will have its header only.',
  unseen: 'The rows cannot be shown here. The service makes the file by itself when it sends.',
  changed: 'Nothing was sent: somebody changed the query meanwhile. This is how it is now.',
  accept: 'Send it as it is now',
  unscheduled: 'It is not scheduled on the service, so it has no recipients.',
} as const;
/** "Quarantined 6 emails: 4 rows brought up to date, 2 no longer match." */
export function afterWords({
  change,
  rows,
  state,
  left,
}: {
  change: { words: string };
  rows: number;
  state: 'renewing' | 'renewed' | 'outdated';
  left: number;
}): string {
  if (state === 'renewing') return `${change.words}. Updating ${plural(rows, 'row')}…`;
  if (state === 'outdated')
    return `${change.words}. ${plural(rows, 'row')} here ${form(rows, 'is', 'are')} from before; run again to update.`;
  const stayed = rows - left;
  const parts = [
    ...(stayed > 0 ? [`${plural(stayed, 'row')} brought up to date`] : []),
    ...(left > 0 ? [`${exact(left)} no longer ${form(left, 'matches', 'match')}`] : []),
  ];
  return `${change.words}. ${parts.join(', ')}.`;
}

/** The status bar of the library: "1 of 148 queries · 3 selected". */
export function libraryWords(all: number, listed: number, selected: number): string {
  const of = listed === all ? '' : `${exact(listed)} of `;
  return `${of}${plural(all, 'query', 'queries')}${selected > 0 ? ` · ${exact(selected)} selected` : ''}`;
}

export const LIBRARY_HINTS = [
  hint('move', LIBRARY.next, LIBRARY.previous),
  hint('open', LIBRARY.open),
  hint('select', LIBRARY.select),
  hint('search', LIBRARY.search),
  hint('new query', LIBRARY.create),
];

const MOVE = hint('move', ROWS.next, ROWS.previous);
const PREVIEW = hint('preview', ROWS.preview);
const COPY_IOCS = hint('copy IOCs', ROWS.copy);
export const RESULT_HINTS = [
  MOVE,
  PREVIEW,
  hint('select', ROWS.select),
  hint('act', RESULTS.act),
  hint('filter for', ROWS.filterFor),
  COPY_IOCS,
];
export const COMPARISON_HINTS = [MOVE, PREVIEW, COPY_IOCS];

export type ImportChoice = 'skip' | 'new' | 'replace';
export const IMPORT_LABELS: Readonly<Record<ImportChoice, string>> = {
  skip: 'Skip',
  new: 'Import as new',
  replace: 'Replace existing',
};

export const PLANNED_LABELS: Readonly<Record<PlannedQuery['state'], string>> = {
  new: 'New',
  changed: 'Changed',
  same: 'Unchanged',
  invalid: 'Invalid',
};

export const FACET_LABELS: Readonly<Record<FacetName, string>> = {
  entity: 'Entity type',
  saas: 'App',
  status: 'Status',
  severity: 'Severity',
  createdBy: 'Created by',
};

export const COPIED_AS: Readonly<Record<CopyFormat, string>> = {
  tsv: 'for a spreadsheet',
  csv: 'as CSV',
  json: 'as JSON',
  markdown: 'as a Markdown table',
};

export const COPY_OPTIONS: readonly { format: CopyFormat; text: string; label?: string }[] = [
  { format: 'tsv', text: 'Rows for a spreadsheet', label: 'TSV' },
  { format: 'csv', text: 'Rows as CSV' },
  { format: 'json', text: 'Rows as JSON' },
  { format: 'markdown', text: 'Rows as a Markdown table' },
];

export const RUN_LABELS: Readonly<Record<OutputOf<'results.history'>['runs'][number]['state'], string>> = {
  complete: 'complete',
  partial: 'PARTIAL',
  paused: 'incomplete',
  filling: 'fetching',
};

/** Of the focused row. */
export const SHOWN_OPTIONS = [
  { value: 'query', label: 'Query' },
  { value: 'report', label: 'Report' },
] as const;

export const SHAPE_PARTS = [
  { value: 'columns', label: 'Columns and sort' },
  { value: 'report', label: 'Report' },
] as const;

export const QUERY_ROWS = {
  shownInstead: 'Showing an older list.',
  notKnown: 'Whether there are any is unknown.',
  open: 'Open as query',
} as const;
