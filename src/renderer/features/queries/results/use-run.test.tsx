// @vitest-environment happy-dom

import type { JSX } from 'react';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { BridgeProvider } from '#renderer/bridge/bridge-context.tsx';
import { reloadConnections } from '#renderer/state/connection.ts';
import { createDraft, currentDraft, updateDraft, useDraft } from '#renderer/state/drafts.ts';
import { currentRecent, recordRecent, startRecent } from '#renderer/state/recent.ts';
import { putResultSet } from '#renderer/state/results.ts';
import { setWindowBridge } from '#renderer/state/window-bridge.ts';
import type { RunPayload } from '#shared/api/catalogue/queries.ts';
import { cancelled, type ErrorCode, ParapetError } from '#shared/bridge/errors.ts';
import type { InputOf, ResultSet } from '#shared/bridge/operations.ts';
import type { Draft } from '#shared/bridge/workspace.ts';
import type { Query, QueryConfig } from '#shared/model/entities.ts';
import { doing, mount } from '#tests/support/mount.tsx';
import { fakeBridge } from '#tests/support/reads.ts';
import { questionOf } from '../query-run.ts';
import { type Run, useRun } from './use-run.ts';

const SAVED: Query = {
  id: 'q1',
  type: 'query',
  domain: 'email',
  entityType: 'email',
  name: 'Reported by users',
  columns: [],
  filter: { operator: 'and', conditions: [{ field: 'subject', operator: 'is', values: ['x'] }] },
};
const CONFIG = {
  operators: [],
  fields: [{ id: 'entity_id', dbId: 'entity_id', label: 'Id', type: 'text', operators: [] }],
  columns: [],
  conditions: [],
  actions: [],
  entityField: 'entity_id',
} as unknown as QueryConfig;

const setOf = (id: string, total = 3, fetchedAt = 1_000): ResultSet =>
  ({
    id,
    total,
    loaded: 0,
    state: 'complete',
    freshness: { fetchedAt, source: 'network', offline: false },
  }) as ResultSet;

interface Opened {
  input: InputOf<'results.open'>;
  answer: (set: ResultSet) => void;
  fail: (code: ErrorCode) => void;
}
/** Started runs, answered by hand; a cancelled one rejects at once, as the client’s calls do. */
let opened: Opened[];
/** Results of earlier windows that are still on this machine. */
let sets: Record<string, ResultSet>;
let firstRows: () => Promise<unknown>;

const bridge = fakeBridge({
  call(operation: string, input: never, { signal }: { signal?: AbortSignal } = {}) {
    if (operation === 'connections.list')
      return Promise.resolve({
        connections: [{ id: 'c' }],
        state: { connectionId: 'c', phase: 'online', since: 1, latencyMs: null, error: null },
      });
    if (operation === 'results.get')
      return Promise.resolve(sets[(input as InputOf<'results.get'>).resultId] ?? null);
    if (operation === 'results.page') return firstRows();
    if (operation !== 'results.open') return Promise.resolve({ value: null });
    return new Promise((resolve, reject) => {
      signal?.addEventListener('abort', () => reject(cancelled()));
      opened.push({
        input,
        answer: resolve,
        fail: (code) => reject(new ParapetError(code, 'The service says no.')),
      });
    });
  },
});

let unmounts: (() => Promise<void>)[] = [];
async function show(first: Draft) {
  const hook: { run: Run | null } = { run: null };
  function Results(): JSX.Element | null {
    const { draft } = useDraft(first.id);
    hook.run = useRun(draft ?? first, CONFIG, null);
    return null;
  }
  const { unmount } = await mount(
    <BridgeProvider bridge={bridge}>
      <Results />
    </BridgeProvider>,
  );
  unmounts.push(unmount);
  const run = (): Run => {
    if (hook.run === null) throw new Error('not drawn');
    return hook.run;
  };
  return { run, start: () => doing(() => void run().run()) };
}
const answer = (index: number, set: ResultSet) => doing(() => opened[index]?.answer(set));

beforeAll(async () => {
  opened = [];
  sets = {};
  firstRows = () => Promise.resolve({ value: null });
  setWindowBridge(bridge);
  await reloadConnections();
  startRecent();
});
beforeEach(() => {
  opened = [];
  sets = {};
  firstRows = () => Promise.resolve({ value: null });
});
afterEach(async () => {
  for (const unmount of unmounts) await unmount();
  unmounts = [];
});

describe('a run', () => {
  it('shows its rows once the service has answered, and remembers their conditions', async () => {
    const { run, start } = await show(createDraft(SAVED));
    expect(run()).toMatchObject({ result: null, running: false, idle: true, asked: null });
    await start();
    expect(run()).toMatchObject({ running: true });
    expect(opened[0]?.input).toMatchObject({ connectionId: 'c', refresh: false, label: SAVED.name });
    await answer(0, setOf('r1'));
    expect(run()).toMatchObject({ result: { id: 'r1' }, running: false, error: null, idle: false });
    expect(run().asked).toBe(questionOf(opened[0]?.input.payload as RunPayload));
  });

  it('is not sent for a report with a “not” that the service may ignore', async () => {
    const reportCondition = {
      operator: 'or' as const,
      negate: true,
      conditions: SAVED.filter?.conditions ?? [],
    };
    const { run, start } = await show(
      createDraft({ ...SAVED, id: 'not', subType: 'report', reportColumns: [], reportCondition }),
    );
    await start();
    expect(opened).toEqual([]);
    expect(run()).toMatchObject({ running: false, error: { code: 'invalid-input' } });
  });

  it('applies updates that arrive while its first rows are loading', async () => {
    const page = Promise.withResolvers<void>();
    firstRows = () => page.promise;
    const { run, start } = await show(createDraft({ ...SAVED, id: 'told' }));
    await start();
    await answer(opened.length - 1, { ...setOf('told', 71), loaded: 25, state: 'filling' });
    await doing(() => putResultSet({ ...setOf('told', 71), loaded: 71 }));
    expect(run().result).toBeNull();
    await doing(() => page.resolve());
    expect(run().result).toMatchObject({ loaded: 71, state: 'complete' });
  });

  it('is replaced by a newer one, and its late response is ignored', async () => {
    const { run, start } = await show(createDraft(SAVED));
    await start();
    await start();
    await answer(0, setOf('late'));
    expect(run()).toMatchObject({ result: null, running: true, error: null });
    await answer(1, setOf('newer'));
    await answer(0, setOf('later still'));
    expect(run()).toMatchObject({ result: { id: 'newer' }, running: false, error: null });
  });

  it('can be stopped while the service does not answer, or its first rows do not arrive', async () => {
    const { run, start } = await show(createDraft(SAVED));
    await start();
    await doing(() => run().stop());
    expect(run()).toMatchObject({ result: null, running: false, error: null, idle: true });
    await answer(0, setOf('late'));
    expect(run().result).toBeNull();
    firstRows = () => new Promise(() => undefined);
    await start();
    await answer(1, { ...setOf('stopped', 71), loaded: 25, state: 'filling' });
    expect(run().running).toBe(true);
    await doing(() => run().stop());
    expect(run()).toMatchObject({ running: false, error: null });
  });

  it('that is refused shows the error and keeps the previous rows', async () => {
    const { run, start } = await show(createDraft(SAVED));
    await start();
    await answer(0, setOf('r1'));
    await start();
    await doing(() => opened[1]?.fail('bad-request'));
    expect(run()).toMatchObject({ result: { id: 'r1' }, running: false, error: { code: 'bad-request' } });
    await start();
    expect(run().error).toBeNull();
  });
});

describe('without a service', () => {
  const earlier = () =>
    recordRecent({
      queryId: 'q1',
      name: SAVED.name,
      domain: 'email',
      total: 7,
      ranAt: 1,
      resultId: 'earlier',
      runs: [{ ranAt: 1, total: 7 }],
    });

  it('a saved query shows the rows of its last run on this machine', async () => {
    earlier();
    sets = { earlier: setOf('earlier', 7) };
    const { run, start } = await show(createDraft(SAVED));
    await start();
    await doing(() => opened[0]?.fail('not-cached'));
    expect(run()).toMatchObject({ result: { id: 'earlier' }, error: null });
  });

  it('an edited query does not, because its conditions differ', async () => {
    earlier();
    sets = { earlier: setOf('earlier', 7) };
    const draft = createDraft(SAVED);
    updateDraft(draft.id, (now) => ({
      ...now,
      query: { ...now.query, filter: { operator: 'and', conditions: [] } },
    }));
    const { run, start } = await show(draft);
    await start();
    await doing(() => opened[0]?.fail('offline'));
    expect(run()).toMatchObject({ result: null, error: { code: 'offline' } });
  });

  it('an error of the service is shown instead of an earlier run', async () => {
    earlier();
    sets = { earlier: setOf('earlier', 7) };
    const { run, start } = await show(createDraft(SAVED));
    await start();
    await doing(() => opened[0]?.fail('server-error'));
    expect(run()).toMatchObject({ result: null, error: { code: 'server-error' } });
  });
});

describe('a result of an earlier window', () => {
  it('is shown if it is still on this machine', async () => {
    sets = { before: setOf('before') };
    const draft = createDraft(SAVED);
    updateDraft(draft.id, { resultId: 'before' });
    const { run } = await show(draft);
    expect(run()).toMatchObject({ result: { id: 'before' }, idle: false, asked: null });
  });

  it('still says what its rows were asked for, so that other conditions are told from it', async () => {
    const draft = createDraft(SAVED);
    const first = await show(draft);
    await first.start();
    await answer(0, setOf('asked'));
    const { asked } = first.run();
    await unmounts.pop()?.();
    const { run } = await show(currentDraft(draft.id) ?? draft);
    expect(run()).toMatchObject({ result: { id: 'asked' }, asked });
    expect(asked).toEqual(expect.any(Number));
  });

  it('that no longer exists counts as never run', async () => {
    const draft = createDraft(SAVED);
    updateDraft(draft.id, { resultId: 'gone' });
    const { run } = await show(draft);
    expect(run()).toMatchObject({ result: null, idle: true, error: null });
  });
});

describe('the list of recent queries', () => {
  it('lists each run once, newest first; a cached response counts as its original run', async () => {
    const { start } = await show(createDraft({ ...SAVED, id: 'q2' }));
    for (const [index, ranAt] of [1_000, 2_000, 2_000].entries()) {
      await start();
      await answer(index, setOf('r', index, ranAt));
    }
    expect(currentRecent().find(({ queryId }) => queryId === 'q2')).toMatchObject({
      total: 2,
      runs: [
        { ranAt: 2_000, total: 2 },
        { ranAt: 1_000, total: 0 },
      ],
    });
    for (let index = 3; index < 15; index++) {
      await start();
      await answer(index, setOf('r', index, index * 1_000));
    }
    const { runs } = currentRecent().find(({ queryId }) => queryId === 'q2') ?? {};
    expect(runs).toHaveLength(8);
    expect(runs?.[0]?.ranAt).toBe(14_000);
  });
});
