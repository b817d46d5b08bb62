/** The chosen rows as emails whose attachments can be saved, and the rows for which that is impossible. */
import type { Bridge } from '#shared/bridge/bridge.ts';
import { type InputOf, MAX_EMAILS_AT_ONCE } from '#shared/bridge/operations.ts';
import { EVERY_APP } from '../query-run.ts';
import { namedRows } from './selection.ts';
import type { Browse } from './use-browse.ts';

export type ChosenEmails = Pick<InputOf<'matched-file.save-of'>, 'emails' | 'left'>;

/** The first emails of the selection, or of the row that has the cursor, in the selection's order. */
export async function chosenEmails(
  bridge: Pick<Bridge, 'call'>,
  { result, filtering, rows, chosen }: Browse,
): Promise<ChosenEmails> {
  const what = chosen();
  const { selectionId, count } = await bridge.call('results.matching', {
    resultId: result.id,
    ...(what.mode === 'all' && filtering ? { filter: rows.filter } : {}),
    ...namedRows(what),
  });
  try {
    const page = await bridge.call('results.selection', { selectionId, start: 0, end: MAX_EMAILS_AT_ONCE });
    const named = page.entityIds.filter((id) => id !== null);
    const entityIds = [...new Set(named)];
    const answer = await bridge.call('results.rows', { resultId: result.id, entityIds });
    const found = new Map(answer.rows.map((row) => [String(row['entity_id']), row]));
    return {
      emails: [...found].map(([entityId, row]) => ({
        saas: String(row['saas'] ?? EVERY_APP),
        entityId,
        subject: String(row['subject'] ?? '').slice(0, 1_000),
      })),
      left: {
        noId: page.entityIds.length - named.length,
        gone: Math.max(0, what.mode === 'some' ? what.ids.size - count : 0) + entityIds.length - found.size,
        beyond: count - page.entityIds.length,
      },
    };
  } finally {
    void bridge.call('results.release', { selectionId }).catch(() => undefined);
  }
}
