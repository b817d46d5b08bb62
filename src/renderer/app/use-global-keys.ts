import { openGuide } from '#renderer/state/guide.ts';
import { type Hotkey, useHotkeys } from '#renderer/state/hotkeys.ts';
import { openQuery } from '#renderer/state/navigation.ts';
import { openPalette, showKeys } from '#renderer/state/overlays.ts';
import { splitTabs } from '#renderer/state/split.ts';
import { forwardToTab } from '#renderer/state/tab-history.ts';
import { closeOtherTabs, closeTab, reopenTab, stepTab, useTabs } from '#renderer/state/tabs.ts';
import { isTyping } from '#renderer/ui/chord.ts';
import { focusInside, focusWork, screenInFront } from '#renderer/ui/focus.ts';
import { printFront } from '#renderer/ui/printing.ts';
import { focusNewestToast } from '#renderer/ui/toasts.tsx';
import type { Section } from './rail.tsx';

const visible = (node: HTMLElement) => node.offsetParent !== null;

/** Focuses the search box of the screen in front; the palette where there is none. */
function search(): void {
  const boxes = screenInFront()?.querySelectorAll<HTMLElement>('[data-search]') ?? [];
  const box = [...boxes].find(visible);
  if (!box) {
    openPalette();
    return;
  }
  const input = box.matches('input') ? box : box.querySelector('input');
  input?.focus();
  if (input instanceof HTMLInputElement) input.select();
}

const REGIONS = '.pp-panel, .pp-side-panel, .pp-page-header, .pp-tabs-strip, .pp-grid';
const SHELL_REGIONS = '.pp-title-bar, .pp-tab-bar, .pp-rail, .pp-banners';

/** The visible screens from left to right. */
const shownScreens = (): Element[] =>
  [...document.querySelectorAll('.pp-screen:not([hidden])')].sort(
    (a, b) => a.getBoundingClientRect().left - b.getBoundingClientRect().left,
  );

/** F6 goes to the newest toast, then from region to region, focusing the first control of each. */
function nextRegion(by: 1 | -1): void {
  if (!document.activeElement?.closest('[data-toasts]') && focusNewestToast()) return;
  const inside = shownScreens().flatMap((screen) => [...screen.querySelectorAll<HTMLElement>(REGIONS)]);
  const shell = document.querySelectorAll<HTMLElement>(SHELL_REGIONS);
  const regions = [...shell, ...inside].filter(visible);
  const at = regions.findLastIndex((region) => region.contains(document.activeElement));
  for (let step = 1; step <= regions.length; step += 1) {
    const region = regions.at((Math.max(at, by === 1 ? -1 : 0) + step * by) % regions.length);
    if (region !== regions[at] && region && focusInside(region)) return;
  }
}

/** Keys that work in the whole window. */
export function useGlobalKeys(sections: readonly Section[]): void {
  const sectionKeys = sections.map(
    ({ digit, label, go }): Hotkey => ({
      keys: [`Alt+${digit}`],
      text: label,
      group: 'Sections',
      inInputs: true,
      run: go,
    }),
  );
  const group = 'Everywhere';
  useHotkeys([
    { keys: ['Ctrl+K'], text: 'Search or paste a Message-ID', group, run: () => openPalette() },
    { keys: ['/'], text: 'Search on this screen', group, run: search },
    { keys: ['?'], text: 'Keyboard shortcuts', group, run: () => showKeys(true) },
    { keys: ['F1'], text: 'Guide', group, inInputs: true, run: () => openGuide() },
    { keys: ['Ctrl+P'], text: 'Print', group, isCommand: true, inInputs: true, run: () => void printFront() },
    { keys: ['Alt+N'], text: 'New query', group, inInputs: true, run: () => openQuery() },
    { keys: ['Ctrl+Tab', 'Alt+PageDown'], text: 'Next tab', group, inInputs: true, run: () => stepTab(1) },
    {
      keys: ['Ctrl+Shift+Tab', 'Alt+PageUp'],
      text: 'Previous tab',
      group,
      inInputs: true,
      run: () => stepTab(-1),
    },
    { keys: ['Alt+ArrowRight'], text: 'Forward', group, inInputs: true, run: forwardToTab },
    {
      keys: ['Ctrl+W', 'Alt+W'],
      text: 'Close tab',
      group,
      inInputs: true,
      run: () => closeTab(useTabs.getState().active ?? ''),
    },
    {
      keys: ['F6'],
      text: 'Next panel or newest notification',
      group,
      inInputs: true,
      run: () => nextRegion(1),
    },
    { keys: ['Shift+F6'], text: 'Previous panel', group, inInputs: true, run: () => nextRegion(-1) },
    {
      keys: ['Ctrl+Shift+T', 'Alt+Shift+T'],
      text: 'Reopen closed tab',
      group,
      isCommand: true,
      inInputs: true,
      run: () => reopenTab(),
    },
    {
      keys: ['Alt+Shift+W'],
      text: 'Close other tabs',
      group,
      isCommand: true,
      inInputs: true,
      run: () => closeOtherTabs(),
    },
    {
      // Many keyboards type \ only with AltGr, which chords cannot contain.
      keys: ['Alt+S', 'Ctrl+\\'],
      text: 'Split view on or off',
      group,
      inInputs: true,
      run: () => splitTabs(),
    },
    // Grids select their rows and fields their text; selecting all text of the window would be useless.
    { keys: ['Ctrl+A'], text: '', inInputs: true, run: ({ target }) => !isTyping(target) },
    {
      keys: ['Escape'],
      text: 'Close or leave field',
      group,
      inInputs: true,
      run: () => focusWork(),
    },
    ...sectionKeys,
  ]);
}
