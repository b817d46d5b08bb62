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
  const { container, unmount } = await mount(
    <TabsStrip label="Sections" tabs={tabs} selected="overview" onSelect={(id) => selected.push(id)} />,
  );
  const [overview, links] = container.querySelectorAll('[role="tab"]');
  const mouse = (on: Element | undefined, type: string, init: MouseEventInit = {}) =>
    on?.dispatchEvent(new MouseEvent(type, { bubbles: true, ...init }));
  return { selected, overview, links, mouse, unmount };
}

it('selects a tab as the button is pressed, as a count can move it away before the release', async () => {
  const { selected, overview, links, mouse, unmount } = await strip();
  mouse(links, 'mousedown');
  mouse(overview, 'mouseup');
  expect(selected).toEqual(['links']);
  await unmount();
});

it('selects nothing with the right button, or Control and a click, which open a menu', async () => {
  const { selected, links, mouse, unmount } = await strip();
  mouse(links, 'mousedown', { button: 2 });
  mouse(links, 'mousedown', { ctrlKey: true });
  expect(selected).toEqual([]);
  await unmount();
});

it('writes a count as the panel below it does', async () => {
  const { links, unmount } = await strip();
  expect(links?.textContent).toBe('Links20,000');
  await unmount();
});
