/** Labels of the activity screen. Pure. */

import { ACTIVITY, EVERYWHERE, hint } from '#renderer/commands/keys.ts';
import { OUTCOME_LABELS } from '#renderer/state/journal-words.ts';
import type { Connection, JournalEntry } from '#shared/bridge/operations.ts';
import { dictionary } from '#shared/dictionary.ts';
import { exact, visibleText } from '#shared/model/format.ts';
import type { JournalFilter } from './use-journal.ts';

const SCOPES: Readonly<Record<string, string>> = dictionary({
  selected: 'Selected rows',
  selection: 'Selected rows',
  loaded: 'All loaded rows',
  matching: 'All matching rows',
  pasted: 'Pasted values',
});
export const scopeLabel = (scope: string): string => SCOPES[scope] ?? scope;

/** The name of an entry's connection; internal errors belong to none. */
export const connectionName = (
  connections: readonly Pick<Connection, 'id' | 'name'>[],
  id: string,
): string =>
  id === ''
    ? 'No connection'
    : (connections.find((connection) => connection.id === id)?.name ?? 'Removed connection');

/** "140 of 151" when not all were done, else the number of targets. */
export function targetCount({ action }: Pick<JournalEntry, 'action'>): string {
  if (action === null) return '';
  const { targets, counts } = action;
  return counts.done === targets ? exact(targets) : `${exact(counts.done)} of ${exact(targets)}`;
}

/** The request body, indented; text that is not JSON is unchanged. Control characters are made visible. */
export function requestText(request: string): string {
  try {
    return visibleLines(JSON.stringify(JSON.parse(request), null, 2));
  } catch {
    return visibleLines(request);
  }
}

const visibleLines = (text: string) => text.split('\n').map(visibleText).join('\n');

export const HINTS = [
  { keys: 'J K', text: 'move' },
  hint('export', ACTIVITY.exportJournal),
  hint('verify', ACTIVITY.verify),
  hint('search', EVERYWHERE.search),
];

export const KIND_OPTIONS = [
  { value: 'all', label: 'All' },
  { value: 'action', label: 'Actions' },
  { value: 'change', label: 'Other' },
] as const;

export const OUTCOME_OPTIONS: { value: JournalFilter['outcome']; label: string }[] = [
  { value: '', label: 'Any outcome' },
  // A record of every outcome has these keys.
  ...(Object.keys(OUTCOME_LABELS) as JournalEntry['outcome'][]).map((value) => ({
    value,
    label: OUTCOME_LABELS[value],
  })),
];

/** The filter in words, for the name of an exported file: `Demo, actions, failed, matching “invoice”`. */
export function filterWords({ text, outcome, kind, everywhere }: JournalFilter, connection: string): string {
  const kinds = { all: '', action: ', actions', change: ', other changes' };
  return [
    everywhere ? 'all connections' : connection,
    kinds[kind],
    outcome === '' ? '' : `, ${outcome}`,
    text.trim() === '' ? '' : `, matching “${text.trim()}”`,
  ].join('');
}
