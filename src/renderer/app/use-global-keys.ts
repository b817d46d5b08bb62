import { type Hotkey, useHotkeys } from '#renderer/state/hotkeys.ts';
import { openQuery, openScreen } from '#renderer/state/navigation.ts';
import { openPalette, showKeys } from '#renderer/state/overlays.ts';
import { closeTab, stepTab, useTabs } from '#renderer/state/tabs.ts';
import { focusNewestToast } from '#renderer/ui/toasts.tsx';
import type { Section } from './rail.tsx';

const visible = (node: HTMLElement) => node.offsetParent !== null;

/** Focuses the search box of the screen in front; the palette where there is none. */
function search(): void {
  const boxes = document.querySelectorAll<HTMLElement>('.pp-screen:not([hidden]) [data-search]');
  const box = [...boxes].find(visible);
  if (!box) {
    openPalette();
    return;
  }
  const input = box.matches('input') ? box : box.querySelector('input');
  input?.focus();
  if (input instanceof HTMLInputElement) input.select();
}

/** F6: the newest toast, then from region to region, each by its first control. */
function nextRegion(): void {
  if (!document.activeElement?.closest('[data-toasts]') && focusNewestToast()) return;
  const regions = [
    ...document.querySelectorAll<HTMLElement>(
      '.pp-title-bar, .pp-tab-bar, .pp-rail, .pp-screen:not([hidden]) :is(.pp-panel, .pp-side-panel, .pp-page-header, [data-region])',
    ),
  ].filter(visible);
  const at = regions.findLastIndex((region) => region.contains(document.activeElement));
  for (let step = 1; step <= regions.length; step += 1) {
    const region = regions[(at + step) % regions.length];
    const control = region?.querySelector<HTMLElement>(
      'button:not([tabindex="-1"]):not(:disabled), input, select, [tabindex="0"]',
    );
    if (!control) continue;
    control.focus();
    return;
  }
}

/** The keys of the whole window. */
export function useGlobalKeys(sections: readonly Section[]): void {
  const goTo = (index: number) => {
    const section = sections[index];
    if (section) section.go();
    else if (index === sections.length) openScreen('settings');
    else return false;
    return true;
  };
  const sectionKeys: Hotkey[] = Array.from({ length: 9 }, (_, index) => ({
    keys: [`Alt+${index + 1}`],
    text: sections[index]?.label ?? (index === sections.length ? 'Settings' : ''),
    group: 'Sections',
    inInputs: true,
    run: () => goTo(index),
  }));
  const group = 'Everywhere';
  useHotkeys([
    { keys: ['Ctrl+K'], text: 'Search or paste a Message-ID', group, run: () => openPalette() },
    { keys: ['/'], text: 'Search on this screen', group, run: search },
    { keys: ['?'], text: 'Keyboard shortcuts', group, run: () => showKeys(true) },
    { keys: ['Alt+N'], text: 'New query', group, inInputs: true, run: () => openQuery() },
    { keys: ['Ctrl+Tab', 'Alt+PageDown'], text: 'Next tab', group, inInputs: true, run: () => stepTab(1) },
    {
      keys: ['Ctrl+Shift+Tab', 'Alt+PageUp'],
      text: 'Previous tab',
      group,
      inInputs: true,
      run: () => stepTab(-1),
    },
    {
      keys: ['Ctrl+W', 'Alt+W'],
      text: 'Close tab',
      group,
      inInputs: true,
      run: () => closeTab(useTabs.getState().active ?? ''),
    },
    { keys: ['F6'], text: 'Next panel or newest notification', group, inInputs: true, run: nextRegion },
    {
      keys: ['Escape'],
      text: 'Close or leave field',
      group,
      inInputs: true,
      run: () => (document.activeElement as HTMLElement | null)?.blur(),
    },
    ...sectionKeys,
  ]);
}
