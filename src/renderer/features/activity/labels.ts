/** Labels of the activity screen. Pure. */

import { OUTCOME_LABELS } from '#renderer/state/journal-words.ts';
import type { JournalEntry } from '#shared/bridge/operations.ts';
import { dictionary } from '#shared/dictionary.ts';
import { exact, visibleText } from '#shared/model/format.ts';

const SCOPES: Readonly<Record<string, string>> = dictionary({
  selected: 'Selected rows',
  selection: 'Selected rows',
  loaded: 'All loaded rows',
  matching: 'All matching rows',
  pasted: 'Pasted values',
});
export const scopeLabel = (scope: string): string => SCOPES[scope] ?? scope;

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

export const KIND_OPTIONS = [
  { value: 'all', label: 'All' },
  { value: 'action', label: 'Actions' },
  { value: 'change', label: 'Other' },
] as const;

export const OUTCOME_OPTIONS = [
  { value: '', label: 'Any outcome' },
  ...Object.entries(OUTCOME_LABELS).map(([value, label]) => ({ value, label })),
];
