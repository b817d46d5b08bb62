// @vitest-environment happy-dom
import { expect, test, vi } from 'vitest';
import { doing, mount } from '#tests/support/mount.tsx';
import { Dialog } from './dialog.tsx';

const press = (target: Element, key: string, ctrlKey = false) =>
  doing(() =>
    target.dispatchEvent(new KeyboardEvent('keydown', { key, ctrlKey, bubbles: true, cancelable: true })),
  );

test('keys reach the dialog when a busy button has lost the focus to the page', async () => {
  const onClose = vi.fn();
  const onConfirm = vi.fn();
  const shown = await mount(
    <Dialog isOpen title="Export" onClose={onClose} onConfirm={onConfirm}>
      <input aria-label="Name" />
    </Dialog>,
  );
  await vi.waitFor(() => expect(document.querySelector('.pp-dialog')).not.toBeNull());
  await press(document.body, 'Escape');
  expect(onClose).toHaveBeenCalledTimes(1);
  await press(document.body, 'Enter', true);
  expect(onConfirm).toHaveBeenCalledTimes(1);
  // Inside it is the overlay that hears it, once.
  await press(document.querySelector('.pp-dialog input')!, 'Escape');
  expect(onClose.mock.calls.length).toBeLessThanOrEqual(2);
  await shown.unmount();
});

test('what is only read has the focus on what closes it, or scrolls it', async () => {
  const inFocus = () =>
    document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.className;
  const height = vi.spyOn(HTMLElement.prototype, 'scrollHeight', 'get');
  for (const [high, focused] of [
    [0, 'Close'],
    [900, 'pp-dialog-body'],
  ] as const) {
    height.mockReturnValue(high);
    const shown = await mount(
      <Dialog isOpen title="Keyboard shortcuts" onClose={() => undefined}>
        <dl />
      </Dialog>,
    );
    await vi.waitFor(() => expect(inFocus()).toBe(focused));
    await shown.unmount();
  }
  height.mockRestore();
});
