// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { mount } from '#tests/support/mount.tsx';
import { IconButton } from './icon-button.tsx';
import { showTips } from './tips.ts';

let stop: () => void;
beforeEach(() => {
  vi.useFakeTimers();
  stop = showTips();
});
afterEach(() => {
  stop();
  vi.useRealTimers();
});

const tooltip = () => document.querySelector('.pp-tip')?.textContent ?? null;
const point = (node: Element | null) => {
  node?.dispatchEvent(new PointerEvent('pointerover', { bubbles: true, pointerType: 'mouse' }));
  vi.advanceTimersByTime(1000);
};

it('a tooltip shows name and shortcut while the pointer rests on the button, until it moves away or presses', async () => {
  const { container, unmount } = await mount(
    <>
      <IconButton icon={<i />} label="Search" shortcut="Ctrl K" />
      <IconButton icon={<i />} label="Close" />
      <IconButton icon={<i />} label="Delete" disabled />
    </>,
  );
  const [search, close, remove] = container.querySelectorAll('button');
  point(search?.querySelector('i') ?? null);
  expect(tooltip()).toBe('Search (Ctrl K)');
  expect(search?.getAttribute('aria-keyshortcuts')).toBe('Control+K');
  point(close ?? null);
  expect(tooltip()).toBe('Close');
  close?.dispatchEvent(new PointerEvent('pointerdown', { bubbles: true }));
  expect(tooltip()).toBeNull();
  point(close ?? null);
  expect(tooltip()).toBeNull();
  point(remove ?? null);
  expect(tooltip()).toBeNull();
  point(search ?? null);
  document.documentElement.dispatchEvent(new PointerEvent('pointerout', { bubbles: true }));
  expect(tooltip()).toBeNull();
  await unmount();
});

it('Escape closes the tooltip and still reaches the screen', async () => {
  const { container, unmount } = await mount(<IconButton icon={<i />} label="Edit as JSON" />);
  const heard = vi.fn();
  window.addEventListener('keydown', heard);
  point(container.querySelector('button'));
  expect(tooltip()).toBe('Edit as JSON');
  const pressed = new KeyboardEvent('keydown', { key: 'Escape', bubbles: true, cancelable: true });
  document.body.dispatchEvent(pressed);
  expect(tooltip()).toBeNull();
  expect(heard).toHaveBeenCalledOnce();
  expect(pressed.defaultPrevented).toBe(false);
  window.removeEventListener('keydown', heard);
  await unmount();
});
