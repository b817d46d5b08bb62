// @vitest-environment happy-dom
import { expect, test, vi } from 'vitest';
import { doing, mount } from '#tests/support/mount.tsx';
import { soon } from '#tests/support/soon.ts';
import { Dialog } from './dialog.tsx';
import { keepFocus } from './focus.ts';

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
  await soon(() => expect(document.querySelector('.pp-dialog')).not.toBeNull());
  await press(document.body, 'Escape');
  expect(onClose).toHaveBeenCalledTimes(1);
  await press(document.body, 'Enter', true);
  expect(onConfirm).toHaveBeenCalledTimes(1);
  // Inside the dialog, the overlay handles Escape once.
  await press(document.querySelector('.pp-dialog input')!, 'Escape');
  expect(onClose.mock.calls.length).toBeLessThanOrEqual(2);
  await shown.unmount();
});

test('[promise] a dialog without controls focuses its close button, or its body if it must be scrolled', async () => {
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
    await soon(() => expect(inFocus()).toBe(focused));
    await shown.unmount();
  }
  height.mockRestore();
});

test('[promise] Tab cycles through the controls of a dialog, with no extra stop between last and first', async () => {
  const unlisten = keepFocus();
  const shown = await mount(
    <Dialog isOpen title="Export" actions={<button type="button">Cancel</button>} onClose={() => undefined}>
      <input aria-label="Name" />
    </Dialog>,
  );
  const name = () =>
    document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent;
  await soon(() => expect(name()).toBe('Name'));
  const to = (selector: string) => doing(() => document.querySelector<HTMLElement>(selector)?.focus());
  await to('.pp-dialog-footer button');
  await to('.bp6-overlay-end-focus-trap');
  expect(name()).toBe('Close');
  expect(document.querySelector('.bp6-dialog-container')?.getAttribute('tabindex')).toBe('-1');
  await shown.unmount();
  unlisten();
});

test('[promise] a dialog announces only changes in its own live regions', async () => {
  const shown = await mount(
    <Dialog isOpen title="Paste" actions={<button type="button">Send 2</button>} onClose={() => undefined}>
      <p id="rows">a, ab, abc</p>
      <p id="count" role="status">
        2 of 3 ready
      </p>
    </Dialog>,
  );
  await soon(() => expect(document.querySelector('#rows')).not.toBeNull());
  const live = (selector: string) =>
    document.querySelector(selector)?.closest('[aria-live], [role="status"]')?.getAttribute('aria-live');
  expect([live('#rows'), live('.pp-dialog-footer button'), live('#count')]).toEqual(['off', 'off', null]);
  await shown.unmount();
});
