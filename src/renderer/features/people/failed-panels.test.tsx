// @vitest-environment happy-dom
/** If its parts fail to load, the profile of a user never claims that there is no data. */
import { deflate } from 'pako';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { setActiveConnectionId } from '#renderer/bridge/active-connection.ts';
import { BridgeProvider } from '#renderer/bridge/bridge-context.tsx';
import { dropReads } from '#renderer/bridge/read-store.ts';
import { setWindowBridge } from '#renderer/state/window-bridge.ts';
import { ParapetError } from '#shared/bridge/errors.ts';
import { doing, mount } from '#tests/support/mount.tsx';
import { fakeBridge } from '#tests/support/reads.ts';
import { LoginEngine } from '../login-map/engine.ts';
import type { Question } from '../login-map/login-client.ts';
import PersonScreen from './person-screen.tsx';
import { SignInsPanel } from './sign-ins-panel.tsx';

/** The worker, run synchronously in this thread. */
class WorkerHere extends EventTarget {
  private readonly engine = new LoginEngine();
  postMessage({ id, name, input }: Question): void {
    const engine = this.engine as unknown as Record<string, (input: unknown) => unknown>;
    const value = name === 'summary' ? this.engine.summary(input.filter) : engine[name]?.(input);
    queueMicrotask(() => this.dispatchEvent(new MessageEvent('message', { data: { id, value } })));
  }
  terminate(): void {}
}
/** A worker that cannot be started. */
class WorkerGone extends EventTarget {
  postMessage(): void {
    queueMicrotask(() => this.dispatchEvent(new ErrorEvent('error', { message: 'no worker' })));
  }
  terminate(): void {}
}

/** The map's worker, without any rows. */
class EmptyWorker extends EventTarget {
  isDamaged = false;
  postMessage({ id, name }: { id: number; name: string }): void {
    const layers = this.isDamaged
      ? [{ module: 'mail', failed: true, points: 0, error: 'The answer is damaged.' }]
      : [];
    const loaded = { layers, rows: 0, dropped: {}, doubts: {}, unplaced: 0, span: null };
    const value = name === 'load' ? loaded : { rows: 0, logins: 0, placeCount: 0 };
    queueMicrotask(() => this.dispatchEvent(new MessageEvent('message', { data: { id, value } })));
  }
  terminate(): void {}
}

class DamagedWorker extends EmptyWorker {
  override isDamaged = true;
}

const USER = { entity_id: 'u1', saas: 'mail', email: 'ann@corp.example', name: 'Ann' };
const NO_ROWS = btoa(String.fromCharCode(...deflate('[]')));
type Ask = { endpoint: string; query?: { fail?: boolean | string } };
/** Responses by endpoint; other endpoints never respond, and an error makes the call fail. */
type Answers = Partial<Record<string, (ask: Ask) => object | ParapetError>>;
const LOGINS: Answers = {
  'apps.list': () => ({ rows: [{ name: 'mail', label: 'Mail', is_saas: true }] }),
  'entity.get': () => USER,
  'logins.heat-map': () => ({ data: NO_ROWS, total_rows: 0, unknown_rows: 0, next: null }),
};
const forbidden = () => new ParapetError('forbidden', 'Your role may not read this.');
const unavailable = () => new ParapetError('server-error', 'The service failed.', { data: { status: 500 } });

let leave = async () => {};
beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('Worker', WorkerHere);
  setActiveConnectionId('c');
});
afterEach(async () => {
  await leave();
  dropReads('c');
  setActiveConnectionId(null);
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

/** Waits for frames and the worker's messages. */
const settle = () => doing(() => vi.advanceTimersByTimeAsync(1_000));

async function person(answers: Answers) {
  const bridge = fakeBridge({
    call: () => new Promise(() => {}),
    stream: async (_: string, ask: Ask, onSnapshot: (snapshot: object) => void) => {
      const answer = answers[ask.endpoint]?.(ask);
      if (answer === undefined) return new Promise(() => {});
      if (answer instanceof ParapetError) throw answer;
      onSnapshot({
        data: answer,
        freshness: { source: 'network', fetchedAt: 1, offline: false },
        error: null,
        revalidating: false,
      });
    },
  });
  setWindowBridge(bridge);
  const { container, unmount } = await mount(
    <BridgeProvider bridge={bridge}>
      <PersonScreen route={{ screen: 'person', saas: 'mail', entityId: 'u1' }} tabId="t" />
    </BridgeProvider>,
  );
  leave = unmount;
  await settle();
  const panel = (title: string) =>
    container.querySelector(`[data-panel="${title}"]`)?.textContent ?? `no panel ${title}`;
  return { container, panel };
}

it('an empty list of logins is shown as none', async () => {
  const { panel } = await person(LOGINS);
  expect(panel('Logins')).toContain('No logins');
});

it.each([
  ['a failed profile', unavailable, 'The service failed.'],
  ['a profile that is forbidden', forbidden, 'Your role may not read this.'],
  [
    'an answer that is no user',
    () => ({ entity_id: 'u1', email: 5, risk: 'high' }),
    'not a user that Parapet can read',
  ],
])('[bad input] %s leaves the logins and lists unknown', async (_, entity, words) => {
  const { panel } = await person({ ...LOGINS, 'entity.get': entity });
  expect(panel('Logins')).toContain(words);
  expect(panel('Facts')).toContain(words);
  expect(panel('Clicks')).toContain(words);
  for (const title of ['Logins', 'Clicks', 'Facts']) expect(panel(title)).not.toMatch(/No (logins|clicks)/);
});

it('while the profile is loading, its logins are not shown as none', async () => {
  const { container, panel } = await person({ 'apps.list': LOGINS['apps.list'] });
  expect(container.textContent).not.toContain('No logins');
  expect(panel('Logins')).not.toContain('app this account belongs to');
});

it('the logins of an account without an app are unknown', async () => {
  const { panel } = await person({ ...LOGINS, 'entity.get': () => ({ ...USER, saas: null }) });
  // The route names the app.
  expect(panel('Logins')).toContain('No logins');
  await leave();
  dropReads('c');
  const { panel: other } = await person({ ...LOGINS, 'entity.get': () => ({ ...USER, email: null }) });
  expect(other('Logins')).toContain('The address is unknown.');
  expect(other('Logins')).not.toContain('No logins');
});

it.each([
  ['all', () => unavailable(), 'The service failed.'],
  [
    'the failed ones alone',
    ({ query }: Ask) =>
      query?.fail === true ? unavailable() : LOGINS['logins.heat-map']?.({ endpoint: '' }),
    'The service failed.',
  ],
  ['pages that are damaged', () => ({ data: 'AAAA', total_rows: 3, next: null }), 'could not be'],
])('[bad input] logins that cannot be read are unknown: %s', async (_, logins, words) => {
  const { panel } = await person({
    ...LOGINS,
    'logins.heat-map': (ask) => logins(ask) ?? unavailable(),
  });
  expect(panel('Logins')).toContain(words);
  expect(panel('Logins')).not.toContain('No logins');
  expect(panel('Logins')).toContain('Whether there are any is unknown.');
});

it('a map whose worker cannot start shows an error instead of loading forever', async () => {
  vi.stubGlobal('Worker', WorkerGone);
  const { panel } = await person(LOGINS);
  expect(panel('Logins')).toContain('no worker');
  expect(panel('Logins')).not.toContain('No logins');
});

/** The panel over a service without a login; `refused`: the outcomes whose logins it refuses. */
async function signIns(refused: readonly boolean[], worker = EmptyWorker) {
  vi.stubGlobal('Worker', worker);
  const bridge = fakeBridge({
    async stream(_: string, { query }: { query: { fail: boolean } }, onAnswer: (answer: object) => void) {
      if (refused.includes(query.fail)) throw new ParapetError('forbidden', 'Not for your role.');
      const freshness = { source: 'network', fetchedAt: 1, offline: false };
      onAnswer({ data: { data: 'W10=', total_rows: 0 }, freshness, error: null, revalidating: false });
    },
  });
  const { container, unmount } = await mount(
    <BridgeProvider bridge={bridge}>
      <SignInsPanel email="ann@corp.example" saas="mail" appName="Mail" last={null} />
    </BridgeProvider>,
  );
  leave = unmount;
  await settle();
  expect(container.querySelector('[aria-busy]')).toBeNull();
  return container.textContent;
}

it('a response without logins is shown as none', async () => {
  expect(await signIns([])).toContain('The service reports none of this user');
});

it.each([[[true]], [[true, false]]])(
  'logins that failed to load are not shown as none; refused: %j',
  async (refused) => {
    const text = await signIns(refused);
    expect(text).toContain('Not for your role.');
    expect(text).not.toContain('reports none');
    expect(text).not.toContain('0 from');
  },
);

it('a response that cannot be decoded is not shown as none', async () => {
  const text = await signIns([], DamagedWorker);
  expect(text).toContain('The answer is damaged.');
  expect(text).not.toContain('reports none');
});
