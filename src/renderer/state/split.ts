/** Two tabs beside each other, where the window has room for them. */
import { showToast } from '#renderer/ui/toaster.ts';
import { exact } from '#shared/model/format.ts';
import { toggleSplit, useTabs } from './tabs.ts';

/** Narrower than this a screen has no room for what it shows. */
export const LEAST_PANE = 560;

export const tooNarrow = (room: number): string =>
  `One tab is shown: two beside each other need ${exact(2 * LEAST_PANE)} pixels, and there are ${exact(room)}.`;

/** Puts the tab in front beside the one seen before it, or ends that; says why it cannot. */
export function splitTabs(): void {
  const room = document.querySelector('#screens')?.clientWidth ?? 0;
  if (useTabs.getState().split === null && room < 2 * LEAST_PANE)
    showToast({ intent: 'caution', title: 'Too narrow for two tabs', detail: tooNarrow(room) });
  else if (!toggleSplit())
    showToast({
      intent: 'caution',
      title: 'There is only one tab',
      detail: 'Open another to see two beside each other.',
    });
}
