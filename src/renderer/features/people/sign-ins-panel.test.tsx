// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { setActiveConnectionId } from '#renderer/bridge/active-connection.ts';
import { BridgeProvider } from '#renderer/bridge/bridge-context.tsx';
import { dropReads } from '#renderer/bridge/read-store.ts';
import type { Bridge } from '#shared/bridge/bridge.ts';
import { ParapetError } from '#shared/bridge/errors.ts';
import { mount } from '#tests/support/mount.tsx';
import { SignInsPanel } from './sign-ins-panel.tsx';

/** The map's worker, which is given no rows here. */
class EmptyWorker extends EventTarget {
  postMessage({ id, name }: { id: number; name: string }): void {
    const layers = isDamaged
      ? [{ module: 'mail', failed: true, points: 0, error: 'The answer is damaged.' }]
      : [];
    const loaded = { layers, rows: 0, dropped: {}, doubts: {}, unplaced: 0, span: null };
    const value = name === 'load' ? loaded : { rows: 0, logins: 0, placeCount: 0 };
    queueMicrotask(() => this.dispatchEvent(new MessageEvent('message', { data: { id, value } })));
  }
  terminate(): void {}
}

let isDamaged = false;
let leave = async () => {};
beforeEach(() => {
  vi.stubGlobal('Worker', EmptyWorker);
  setActiveConnectionId('c');
});
afterEach(async () => {
  await leave();
  dropReads('c');
  setActiveConnectionId(null);
  vi.unstubAllGlobals();
  isDamaged = false;
});

/** The panel over a service without a login; `refused`: the outcomes whose logins it refuses. */
async function panel(refused: readonly boolean[]) {
  const bridge = {
    async stream(_: string, { query }: { query: { fail: boolean } }, told: (answer: object) => void) {
      if (refused.includes(query.fail)) throw new ParapetError('forbidden', 'Not for your role.');
      const freshness = { source: 'network', fetchedAt: 1, offline: false };
      told({ data: { data: 'W10=', total_rows: 0 }, freshness, error: null, revalidating: false });
    },
  } as unknown as Bridge;
  const { container, unmount } = await mount(
    <BridgeProvider bridge={bridge}>
      <SignInsPanel email="ann@corp.example" saas="mail" appName="Mail" last={null} />
    </BridgeProvider>,
  );
  leave = unmount;
  await expect.poll(() => container.querySelector('[aria-busy]')).toBeNull();
  return container.textContent;
}

it('an answer without logins is told as none', async () => {
  expect(await panel([])).toContain('The service reports none of this user');
});

it.each([[[true]], [[true, false]]])(
  'where logins could not be read, none are claimed; refused: %j',
  async (refused) => {
    const text = await panel(refused);
    expect(text).toContain('Not for your role.');
    expect(text).not.toContain('reports none');
    expect(text).not.toContain('0 from');
  },
);

it('an answer that cannot be decoded is no answer without logins', async () => {
  isDamaged = true;
  const text = await panel([]);
  expect(text).toContain('The answer is damaged.');
  expect(text).not.toContain('reports none');
});
