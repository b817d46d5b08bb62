/** Pivots from rows to other rows: emails similar to the focused one, and who clicked in the selected ones. */
import { MenuDivider, MenuItem } from '@blueprintjs/core';
import type { JSX } from 'react';
import { findSimilar } from '#renderer/entity/similar.ts';
import { type Hotkey, useHotkeys } from '#renderer/state/hotkeys.ts';
import { openWhoClicked } from '#renderer/state/who-clicked.ts';
import { windowBridge } from '#renderer/state/window-bridge.ts';
import { Kbd } from '#renderer/ui/kbd.tsx';
import { showToast } from '#renderer/ui/toaster.ts';
import { SIMILAR_MODES } from '#shared/api/profile-pages.ts';
import { toBridgeError } from '#shared/bridge/errors.ts';
import { exact } from '#shared/model/format.ts';
import { MAX_VALUES } from '#shared/query/validate.ts';
import { PIVOT_LABELS } from '../labels.ts';
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

async function whoClicked(browse: Browse): Promise<void> {
  try {
    const entityIds = await chosenIds(browse);
    if (entityIds.length === 0) return;
    if (browse.selected > MAX_VALUES)
      showToast({ intent: 'caution', title: `Only the first ${exact(MAX_VALUES)} emails are included` });
    await openWhoClicked({ kind: 'emails', entityIds });
  } catch (error) {
    showToast({ intent: 'error', title: 'Rows could not be read', detail: toBridgeError(error).message });
  }
}

/** The pivots of email rows as keys and menu items; other entities have none. */
interface Pivot extends Omit<Hotkey, 'run'> {
  isAbout: 'row' | 'rows';
  /** false: no row to start from. */
  run: () => unknown;
}

function pivotsOf(browse: Browse): Pivot[] {
  if (!browse.isEmail) return [];
  const { grid, columns } = browse;
  const cell = (row: { cells: readonly unknown[] }, id: string) => row.cells[columns.index.get(id) ?? -1];
  return [
    ...SIMILAR_MODES.map((mode, index) => ({
      keys: [String(index + 1)],
      text: PIVOT_LABELS[mode],
      group: 'Pivots',
      isAbout: 'row' as const,
      isCommand: true,
      run: () => {
        const row = grid.current?.focusedRow();
        if (!row) return false;
        const saas = cell(row, 'saas');
        void findSimilar(typeof saas === 'string' ? saas : EVERY_APP, row.id, mode);
        return true;
      },
    })),
    {
      keys: ['W'],
      text: 'Who clicked in these emails',
      group: 'Pivots',
      isAbout: 'rows' as const,
      isCommand: true,
      run: () => browse.whenChosen((now) => void whoClicked(now)),
    },
  ];
}

export function usePivotKeys(browse: Browse): void {
  useHotkeys(pivotsOf(browse));
}

/** The same as menu items. */
export function PivotItems({ browse }: { browse: Browse }): JSX.Element | null {
  const pivots = pivotsOf(browse);
  const hasRow = browse.grid.current?.focusedRow() !== undefined;
  if (pivots.length === 0) return null;
  return (
    <>
      <MenuDivider />
      {pivots.map(({ keys, text, isAbout, run }) => (
        <MenuItem
          key={text}
          text={text}
          disabled={!hasRow && (isAbout === 'row' || browse.selected === 0)}
          labelElement={<Kbd keys={keys[0] ?? ''} />}
          onClick={() => void run()}
        />
      ))}
    </>
  );
}
