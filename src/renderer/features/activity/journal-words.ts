/** Entries of the journal in words. Pure. */
import type { JournalEntry } from '#shared/bridge/operations.ts';
import { exact, visibleText } from '#shared/model/format.ts';

export const OUTCOME_WORDS: Readonly<Record<JournalEntry['outcome'], string>> = {
  running: 'Running',
  done: 'Done',
  partial: 'In part',
  failed: 'Failed',
  unknown: 'Not known whether it arrived',
};
export const OUTCOME_LOOKS: Readonly<Record<JournalEntry['outcome'], string>> = {
  running: 'pp-t2',
  done: 'pp-v-clean',
  partial: 'pp-caution',
  failed: 'pp-danger',
  unknown: 'pp-caution',
};

const SCOPES: Readonly<Record<string, string>> = {
  selected: 'Selected rows',
  selection: 'Selected rows',
  loaded: 'All loaded rows',
  matching: 'All that matched',
  pasted: 'Pasted values',
};
export const scopeWords = (scope: string): string =>
  (Object.hasOwn(SCOPES, scope) ? SCOPES[scope] : undefined) ?? scope;

/** "140 of 151" when not all were done, else the number of targets. */
export function targetWords({ action }: Pick<JournalEntry, 'action'>): string {
  if (action === null) return '';
  const { targets, counts } = action;
  return counts.done === targets ? exact(targets) : `${exact(counts.done)} of ${exact(targets)}`;
}

/** What was sent, indented; text that is no JSON as it is. Control characters are made visible. */
export function requestText(request: string): string {
  try {
    return visibleLines(JSON.stringify(JSON.parse(request), null, 2));
  } catch {
    return visibleLines(request);
  }
}

const visibleLines = (text: string) => text.split('\n').map(visibleText).join('\n');
