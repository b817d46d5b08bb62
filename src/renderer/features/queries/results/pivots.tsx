/** Pivots from rows to other rows: emails similar to the focused one, and who clicked in the selected ones. */

import { type Command, useCommands } from '#renderer/commands/command.tsx';
import { PIVOTS, SIMILAR } from '#renderer/commands/keys.ts';
import { findCampaign } from '#renderer/entity/campaign.ts';
import { findSimilar } from '#renderer/entity/similar.ts';
import { attempt } from '#renderer/state/show-failure.ts';
import { openWhoClicked } from '#renderer/state/who-clicked.ts';
import { windowBridge } from '#renderer/state/window-bridge.ts';
import { showToast } from '#renderer/ui/toaster.ts';
import { SIMILAR_MODES } from '#shared/api/profile-pages.ts';
import { exact } from '#shared/model/format.ts';
import { MAX_VALUES } from '#shared/query/validate.ts';
import { EVERY_APP } from '../query-run.ts';
import { named, whileFrozen } from './frozen-rows.ts';
import { namedRows } from './selection.ts';
import type { Browse } from './use-browse.ts';

/** Entity ids of the chosen rows, up to the limit of one condition. */
async function chosenIds({ result, rows, filtering, chosen }: Browse): Promise<string[]> {
  const selection = chosen();
  if (selection.mode === 'some') return [...selection.ids].slice(0, MAX_VALUES);
  return whileFrozen(
    windowBridge(),
    { resultId: result.id, ...(filtering ? { filter: rows.filter } : {}), ...namedRows(selection) },
    async ({ page }) => named(await page(0, MAX_VALUES)),
  );
}

const whoClicked = (browse: Browse): Promise<unknown> =>
  attempt('Rows could not be read', async () => {
    const entityIds = await chosenIds(browse);
    if (entityIds.length === 0) return;
    if (browse.selected > MAX_VALUES)
      showToast({ intent: 'caution', title: `Only the first ${exact(MAX_VALUES)} emails are included` });
    await openWhoClicked({ kind: 'emails', entityIds });
  });

function similarTo({ grid, columns, config }: Browse): Command[] {
  const ofRow = (run: (saas: string, entityId: string) => void) => () => {
    const row = grid.current?.focusedRow();
    if (!row) return false;
    const saas = row.cells[columns.index.get('saas') ?? -1];
    run(typeof saas === 'string' ? saas : EVERY_APP, row.id);
    return true;
  };
  return [
    ...SIMILAR_MODES.map((mode) => ({
      ...SIMILAR[mode],
      run: ofRow((saas, entityId) => void findSimilar(saas, entityId, mode)),
    })),
    ...(config.fields.some(({ id }) => id === 'campaign')
      ? [{ ...PIVOTS.campaign, run: ofRow((saas, entityId) => void findCampaign(saas, entityId)) }]
      : []),
  ];
}

const clicksOn = (browse: Browse): Command => ({
  ...PIVOTS.clicked,
  run: () => browse.whenChosen((now) => void whoClicked(now)),
});

/** The pivots of email rows; other entities have none. */
export function usePivotKeys(browse: Browse): void {
  useCommands(browse.isEmail ? [...similarTo(browse), clicksOn(browse)] : []);
}

/** The same as items of a menu. */
export function pivotItems(browse: Browse): Command[] {
  if (!browse.isEmail) return [];
  const isOff = browse.grid.current?.focusedRow() === undefined;
  return [
    ...similarTo(browse).map((command) => ({ ...command, isOff })),
    { ...clicksOn(browse), isOff: isOff && browse.selected === 0 },
  ];
}
