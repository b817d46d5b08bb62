// @vitest-environment happy-dom
import { expect, it } from 'vitest';
import { mount } from '#tests/support/mount.tsx';
import { TabsStrip } from './tabs-strip.tsx';

async function strip() {
  const selected: string[] = [];
  const tabs = [
    { id: 'overview', label: 'Overview' },
    { id: 'links', label: 'Links', count: 20_000 },
  ];
  const shown = (id: string) => (
    <TabsStrip label="Sections" tabs={tabs} selected={id} onSelect={(chosen) => selected.push(chosen)} />
  );
  const { container, draw, unmount } = await mount(shown('overview'));
  const [overview, links] = container.querySelectorAll('[role="tab"]');
  const mouse = (on: Element | undefined, type: string, init: MouseEventInit = {}) =>
    on?.dispatchEvent(new MouseEvent(type, { bubbles: true, ...init }));
  return { selected, overview, links, mouse, draw: (id: string) => draw(shown(id)), unmount };
}

it('selects a tab on mousedown, because a count can move it away before the release', async () => {
  const { selected, overview, links, mouse, unmount } = await strip();
  mouse(links, 'mousedown');
  mouse(overview, 'mouseup');
  expect(selected).toEqual(['links']);
  await unmount();
});

it('the right button and Control with a click select nothing, as they open a menu', async () => {
  const { selected, links, mouse, unmount } = await strip();
  mouse(links, 'mousedown', { button: 2 });
  mouse(links, 'mousedown', { ctrlKey: true });
  expect(selected).toEqual([]);
  await unmount();
});

it('formats a count like the panel below it', async () => {
  const { links, unmount } = await strip();
  expect(links?.textContent).toBe('Links20,000');
  await unmount();
});

it('the focus follows a tab selected by a hotkey, unless the focus is outside of the strip', async () => {
  const { overview, links, draw, unmount } = await strip();
  (overview as HTMLElement).focus();
  await draw('links');
  expect(document.activeElement).toBe(links);
  (links as HTMLElement).blur();
  await draw('overview');
  expect(document.activeElement).toBe(document.body);
  await unmount();
});
