/** The chosen rows as emails whose attachments can be saved, and the rows for which that is impossible. */
import type { Bridge } from '#shared/bridge/bridge.ts';
import { type InputOf, MAX_EMAILS_AT_ONCE } from '#shared/bridge/operations.ts';
import { EVERY_APP } from '../query-run.ts';
import { named, whileFrozen } from './frozen-rows.ts';
import { namedRows } from './selection.ts';
import type { Browse } from './use-browse.ts';

export type ChosenEmails = Pick<InputOf<'matched-file.save-of'>, 'emails' | 'left'>;

/** The first emails of the selection, or of the row that has the cursor, in the selection's order. */
export async function chosenEmails(
  bridge: Pick<Bridge, 'call'>,
  { result, filtering, rows, chosen }: Browse,
): Promise<ChosenEmails> {
  const what = chosen();
  const which = {
    resultId: result.id,
    ...(what.mode === 'all' && filtering ? { filter: rows.filter } : {}),
    ...namedRows(what),
  };
  return whileFrozen(bridge, which, async ({ count, page }) => {
    const ids = await page(0, MAX_EMAILS_AT_ONCE);
    const entityIds = [...new Set(named(ids))];
    const answer = await bridge.call('results.rows', { resultId: result.id, entityIds });
    const rowsById = new Map(answer.rows.map((row) => [String(row['entity_id']), row]));
    return {
      emails: [...rowsById].map(([entityId, row]) => ({
        saas: String(row['saas'] ?? EVERY_APP),
        entityId,
        subject: String(row['subject'] ?? '').slice(0, 1_000),
      })),
      left: {
        noId: ids.filter((id) => id === null).length,
        gone:
          Math.max(0, what.mode === 'some' ? what.ids.size - count : 0) + entityIds.length - rowsById.size,
        beyond: count - ids.length,
      },
    };
  });
}
