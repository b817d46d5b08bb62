// @vitest-environment happy-dom
import type { JSX } from 'react';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { reloadConnections } from '#renderer/state/connection.ts';
import type { ResponseTarget } from '#renderer/state/respond.ts';
import { setWindowBridge } from '#renderer/state/window-bridge.ts';
import { readToasts } from '#renderer/ui/toaster.ts';
import { type ErrorCode, ParapetError } from '#shared/bridge/errors.ts';
import type { ResponseOrder } from '#shared/model/responses.ts';
import { doing, mount } from '#tests/support/mount.tsx';
import { fakeBridge } from '#tests/support/reads.ts';
import { type Sending, useSending } from './use-sending.ts';

const FAVOUR: ResponseTarget = { type: 'email', entityId: 'e1', name: 'Quick favour' };
const OTHER: ResponseTarget = { type: 'email', entityId: 'e2', name: 'Invoice' };
const NOW: ResponseOrder = { reason: 'Phishing', at: null, tools: [], report: 'phishing', identifier: '' };

interface Sent {
  input: { endpoint: string; body: unknown; about?: string };
  answer: (data: object) => void;
  fail: (code: ErrorCode) => void;
}
let sent: Sent[] = [];

/** Returns the list of connections; responses that are sent wait for an answer from the test. */
const bridge = fakeBridge({
  call: (operation: string, input: Sent['input']) =>
    operation === 'connections.list'
      ? Promise.resolve({
          connections: [{ id: 'c' }],
          state: { connectionId: 'c', phase: 'online', since: 1, latencyMs: null, error: null },
        })
      : new Promise((resolve, reject) => {
          sent.push({
            input,
            answer: (data) => resolve({ data }),
            fail: (code) => reject(new ParapetError(code, 'The service does not answer.')),
          });
        }),
});

/** One profile, whose dialog can be reached from the test. */
function profile() {
  const hook: { sending: Sending | null } = { sending: null };
  function Profile({ target }: { target: ResponseTarget }): JSX.Element | null {
    hook.sending = useSending(target);
    return null;
  }
  return {
    Profile,
    sending(): Sending {
      if (hook.sending === null) throw new Error('not drawn');
      return hook.sending;
    },
  };
}

const titles = () => readToasts().map(({ title }) => title);

beforeEach(async () => {
  sent = [];
  setWindowBridge(bridge);
  await reloadConnections();
});
let unmounts: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const unmount of unmounts) await unmount();
  unmounts = [];
});

async function show(target = FAVOUR) {
  const { Profile, sending } = profile();
  const mounted = await mount(<Profile target={target} />);
  unmounts.push(mounted.unmount);
  return { sending, to: (next: ResponseTarget) => mounted.draw(<Profile target={next} />), ...mounted };
}

describe('a response to one entity', () => {
  it('keeps its dialog open while it is sent, and closes it once the service accepts it', async () => {
    const { sending } = await show();
    await doing(() => sending().start('quarantine'));
    expect(sending()).toMatchObject({ open: 'quarantine', pending: false, error: null });
    await doing(() => void sending().send(NOW));
    expect(sending()).toMatchObject({ open: 'quarantine', pending: true });
    expect(sending().underway('quarantine')).not.toBeNull();
    expect(sending().underway('delete')).toBeNull();
    expect(sent).toHaveLength(1);
    expect(sent[0]?.input).toMatchObject({ endpoint: 'manual-actions.create', about: 'Quick favour' });
    await doing(() => sent[0]?.answer({ success: true }));
    expect(sending()).toMatchObject({ open: null, pending: false });
    expect(sending().underway('quarantine')).toBeNull();
    expect(titles()).toEqual(['Quarantined']);
  });

  it('is sent once, however often it is confirmed, also from another tab of the same entity', async () => {
    const [first, second] = [await show(), await show()];
    await doing(() => first.sending().start('delete'));
    await doing(() => second.sending().start('delete'));
    await doing(() => void first.sending().send(NOW));
    await doing(() => void first.sending().send(NOW));
    expect(second.sending().pending).toBe(true);
    await doing(() => void second.sending().send(NOW));
    expect(sent).toHaveLength(1);
    await doing(() => sent[0]?.answer({ success: true }));
    expect(second.sending()).toMatchObject({ open: 'delete', pending: false });
  });

  it('reports a failure in its dialog, not in a toast', async () => {
    const { sending } = await show();
    await doing(() => sending().start('restore'));
    await doing(() => void sending().send(NOW));
    await doing(() => sent[0]?.fail('forbidden'));
    expect(sending()).toMatchObject({ open: 'restore', pending: false, error: { code: 'forbidden' } });
    expect(titles()).toEqual([]);
    // Sending again from the same dialog clears the earlier failure.
    await doing(() => void sending().send(NOW));
    expect(sending()).toMatchObject({ pending: true, error: null });
    await doing(() => sent[1]?.answer({ success: true }));
  });

  it('that the service answers with “not done” is a failure', async () => {
    const { sending } = await show();
    await doing(() => sending().start('quarantine'));
    await doing(() => void sending().send(NOW));
    await doing(() =>
      sent[0]?.answer({ success: true, outcomes: [{ success: false, error: 'Held by another' }] }),
    );
    expect(sending()).toMatchObject({ open: 'quarantine', error: { message: 'Held by another' } });
  });

  it.each([
    ['forbidden', 'Not done: quarantine'],
    ['timeout', 'Quarantine: unknown, may have arrived'],
    ['unreachable', 'Quarantine: unknown, may have arrived'],
  ] as const)(
    'fails with %s after its dialog was closed: the toast names the entity',
    async (code, title) => {
      const { sending } = await show();
      await doing(() => sending().start('quarantine'));
      await doing(() => void sending().send(NOW));
      await doing(() => sending().close());
      await doing(() => sent[0]?.fail(code));
      expect(readToasts()).toMatchObject([{ intent: 'error', title, stays: true }]);
      expect(readToasts()[0]?.detail).toContain('Quick favour');
    },
  );

  it('belongs to the entity it was started for: another one in the same tab has no dialog', async () => {
    const { sending, to } = await show();
    await doing(() => sending().start('quarantine'));
    await doing(() => void sending().send(NOW));
    await to(OTHER);
    expect(sending()).toMatchObject({ open: null, pending: false, error: null });
    await doing(() => sent[0]?.fail('forbidden'));
    expect(sending().error).toBeNull();
    expect(readToasts()[0]?.detail).toContain('Quick favour');
  });

  it('of a closed profile is reported in a toast', async () => {
    const { sending, unmount } = await show();
    await doing(() => sending().start('quarantine'));
    await doing(() => void sending().send(NOW));
    await unmount();
    unmounts = [];
    await doing(() => sent[0]?.fail('forbidden'));
    expect(titles()).toEqual(['Not done: quarantine']);
  });

  it('for a later date is reported as scheduled, not done', async () => {
    const { sending } = await show();
    await doing(() => sending().start('delete'));
    await doing(() => void sending().send({ ...NOW, at: '2099-12-31T00:00:00.000Z' }));
    await doing(() => sent[0]?.answer({ success: true }));
    expect(titles()).toEqual(['Scheduled: delete']);
  });
});
