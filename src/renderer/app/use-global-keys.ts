import { useCommands } from '#renderer/commands/command.tsx';
import { EVERYWHERE, sectionKey } from '#renderer/commands/keys.ts';
import { WINDOW } from '#renderer/commands/window-commands.ts';
import { openPalette } from '#renderer/state/overlays.ts';
import { forwardToTab } from '#renderer/state/tab-history.ts';
import { isTyping } from '#renderer/ui/chord.ts';
import { focusInside, focusWork, screenInFront } from '#renderer/ui/focus.ts';
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
  const index = regions.findLastIndex((region) => region.contains(document.activeElement));
  for (let step = 1; step <= regions.length; step += 1) {
    const region = regions.at((Math.max(index, by === 1 ? -1 : 0) + step * by) % regions.length);
    if (region !== regions[index] && region && focusInside(region)) return;
  }
}

export function useGlobalKeys(sections: readonly Section[]): void {
  useCommands([
    WINDOW.palette,
    { ...EVERYWHERE.search, run: search },
    WINDOW.shortcuts,
    WINDOW.guide,
    WINDOW.print,
    WINDOW.newQuery,
    WINDOW.nextTab,
    WINDOW.previousTab,
    { ...EVERYWHERE.forward, run: forwardToTab },
    WINDOW.closeTab,
    { ...EVERYWHERE.nextPanel, run: () => nextRegion(1) },
    { ...EVERYWHERE.previousPanel, run: () => nextRegion(-1) },
    WINDOW.reopenTab,
    WINDOW.closeOthers,
    WINDOW.split,
    { ...EVERYWHERE.selectAll, run: (event) => !isTyping(event?.target ?? null) },
    { ...EVERYWHERE.leave, run: () => focusWork() },
    ...sections.map(({ digit, label, go }) => ({ ...sectionKey(digit, label), run: go })),
  ]);
}
