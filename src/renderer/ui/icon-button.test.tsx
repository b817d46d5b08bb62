// @vitest-environment happy-dom
import { afterEach, expect, it, vi } from 'vitest';
import { doing, mount } from '#tests/support/mount.tsx';
import { IconButton } from './icon-button.tsx';

afterEach(() => vi.useRealTimers());

it('Escape closes the tooltip that the pointer rests on, and goes on to the screen', async () => {
  vi.useFakeTimers();
  const { container, unmount } = await mount(<IconButton icon={<i />} label="Edit as JSON" />);
  const tooltip = () => document.querySelector('.bp6-tooltip');
  const heard = vi.fn();
  window.addEventListener('keydown', heard);
  await doing(() => {
    container
      .querySelector('.bp6-popover-target')
      ?.dispatchEvent(new MouseEvent('mouseover', { bubbles: true }));
    vi.advanceTimersByTime(1000);
  });
  await doing(() => vi.advanceTimersByTime(1000));
  expect(tooltip()?.textContent).toBe('Edit as JSON');
  const pressed = new KeyboardEvent('keydown', { key: 'Escape', bubbles: true, cancelable: true });
  await doing(() => document.body.dispatchEvent(pressed));
  await doing(() => vi.advanceTimersByTime(1000));
  expect(tooltip()).toBeNull();
  expect(heard).toHaveBeenCalledOnce();
  expect(pressed.defaultPrevented).toBe(false);
  window.removeEventListener('keydown', heard);
  await unmount();
});
