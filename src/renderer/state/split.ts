/** Split view: two tabs beside each other, if the window is wide enough. */
import { showToast } from '#renderer/ui/toaster.ts';
import { exact } from '#shared/model/format.ts';
import { toggleSplit, useTabs } from './tabs.ts';

/** Minimum width of a screen. */
export const LEAST_PANE = 560;

/** `room` is the width that the window leaves for screens, in pixels. */
export const tooNarrow = (room: number): string =>
  `Two tabs side by side need a window ${exact(window.innerWidth - room + 2 * LEAST_PANE)} pixels wide; this one has ${exact(window.innerWidth)}. Widen it or zoom out.`;

/** Toggles split view with the previously active tab; a toast explains if that is not possible. */
export function splitTabs(): void {
  const room = document.querySelector('#screens')?.clientWidth ?? 0;
  if (useTabs.getState().split === null && room < 2 * LEAST_PANE)
    showToast({ intent: 'caution', title: 'Too narrow for two tabs', detail: tooNarrow(room) });
  else if (!toggleSplit())
    showToast({
      intent: 'caution',
      title: 'Only one tab is open',
      detail: 'Open another tab to see two side by side.',
    });
}
