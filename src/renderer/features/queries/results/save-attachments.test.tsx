// @vitest-environment happy-dom
import { afterEach, expect, it } from 'vitest';
import { BridgeProvider } from '#renderer/bridge/bridge-context.tsx';
import { setWindowBridge } from '#renderer/state/window-bridge.ts';
import { mount } from '#tests/support/mount.tsx';
import { fakeBridge } from '#tests/support/reads.ts';
import { SaveDialog } from './save-attachments.tsx';

let mounted: Awaited<ReturnType<typeof mount>> | null = null;
afterEach(async () => {
  await mounted?.unmount();
  mounted = null;
});

const emails = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ saas: 'evidence', entityId: `e${index}`, subject: 'x' }));

async function shown(count: number, leftOut: { noId: number; gone: number; beyond: number }) {
  const bridge = fakeBridge({ call: async () => null });
  setWindowBridge(bridge);
  mounted = await mount(
    <BridgeProvider bridge={bridge}>
      <SaveDialog
        connectionId="c"
        chosen={{ emails: emails(count), left: leftOut }}
        onClose={() => undefined}
      />
    </BridgeProvider>,
  );
  const save = [...document.querySelectorAll('button')].find((element) =>
    element.textContent?.startsWith('Save as zip…'),
  );
  return { text: document.body.textContent ?? '', save };
}

it('emails that the zip will not include are listed before saving', async () => {
  const { text, save } = await shown(2, { noId: 3, gone: 1, beyond: 4 });
  expect(text).toContain('Only 2 of the 10 chosen emails are included');
  for (const part of ['3 have no ID', '1 are no longer in the results', '4 left out: a zip can hold'])
    expect(text).toContain(part);
  expect(save?.disabled).toBe(false);
});

it('the button shows the key that saves, as in other dialogs', async () => {
  const { save } = await shown(1, { noId: 0, gone: 0, beyond: 0 });
  expect(save?.querySelector('kbd')?.textContent).toBe('Ctrl ↵');
  expect(save?.getAttribute('aria-keyshortcuts')).toBe('Control+Enter');
});

it('a complete selection shows no note, and an unreadable one cannot be saved', async () => {
  expect((await shown(2, { noId: 0, gone: 0, beyond: 0 })).text).not.toContain('chosen');
  await mounted?.unmount();
  expect((await shown(0, { noId: 2, gone: 0, beyond: 0 })).save?.disabled).toBe(true);
});
