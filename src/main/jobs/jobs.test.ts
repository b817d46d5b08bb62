import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ParapetError } from '#shared/bridge/errors.ts';
import type { AppEvent, Job } from '#shared/bridge/operations.ts';
import type { Context } from '../kernel/context.ts';
import { JobsService } from './jobs.ts';
import { createRate } from './rate.ts';

beforeEach(() => void vi.useFakeTimers({ now: 1_000_000 }));
afterEach(() => void vi.useRealTimers());

/** A workspace with its job table as a map. */
function setUp(table = new Map<string, { data: string; rank: number }>()) {
  const events: AppEvent[] = [];
  const jobs = new JobsService({
    ports: { now: () => Date.now(), log: { info: () => {}, warn: () => {} } } as unknown as Context['ports'],
    publish: (event) => void events.push(event),
    workspace: {
      all: async () => [...table.values()],
      write: async (statements: readonly { sql: string; params?: unknown }[]) => {
        for (const { sql, params } of statements)
          if (sql.startsWith('INSERT')) {
            const [id, data, rank] = params as [string, string, number];
            table.set(id, { data, rank });
          } else if (sql === 'DELETE FROM jobs WHERE id = ?') table.delete((params as [string])[0]);
        return [];
      },
    } as unknown as Context['workspace'],
  });
  return { jobs, events, table };
}
const spec = { kind: 'export' as const, title: 'Export', connectionId: null, unit: 'rows' as const };

it('publishes progress at most ten times a second, and the end at once', async () => {
  const { jobs, events } = setUp();
  const handle = jobs.create({ ...spec, total: 100 });
  for (let done = 1; done <= 100; done++) {
    handle.update({ done });
    await vi.advanceTimersByTimeAsync(10);
  }
  expect(events.length).toBeLessThanOrEqual(12);
  expect(handle.current().rate).toBeCloseTo(100, -1);
  handle.done({ file: 'x' });
  expect(events.at(-1)).toMatchObject({
    type: 'job',
    job: { state: 'done', done: 100, outcome: { file: 'x' } },
  });
  handle.update({ done: 5 });
  handle.fail(new Error('late'));
  expect(handle.current()).toMatchObject({ state: 'done', done: 100 });
});

it('pauses at the next item, resumes, and rejects when cancelled while paused', async () => {
  const { jobs } = setUp();
  const handle = jobs.create({ ...spec, canPause: true });
  await jobs.control(handle.id, 'pause');
  let went = false;
  const waiting = handle.ready().then(() => {
    went = true;
  });
  await vi.advanceTimersByTimeAsync(0);
  expect(went).toBe(false);
  await jobs.control(handle.id, 'resume');
  await waiting;
  await jobs.control(handle.id, 'pause');
  const refused = expect(handle.ready()).rejects.toMatchObject({ code: 'cancelled' });
  const cancel = jobs.control(handle.id, 'cancel');
  await refused;
  expect(handle.signal.aborted).toBe(true);
  handle.fail(new ParapetError('cancelled', 'Cancelled.'));
  expect((await cancel).state).toBe('cancelled');
});

it('[limit 5 s] ends a cancelled job whose work does not stop, as on a disk that no longer answers; a later end counts', async () => {
  const { jobs, table } = setUp();
  const handle = jobs.create(spec);
  const cancel = jobs.control(handle.id, 'cancel');
  await vi.advanceTimersByTimeAsync(4_000);
  expect(handle.current().state).toBe('running');
  await vi.advanceTimersByTimeAsync(2_000);
  expect(await cancel).toMatchObject({
    state: 'cancelled',
    note: expect.stringContaining('has not stopped'),
  });
  expect(JSON.parse(table.get(handle.id)!.data).job.state).toBe('cancelled');
  handle.update({ done: 7 });
  expect(handle.current().done).toBe(0);
  await jobs.stop();
  handle.done({ file: 'x' });
  expect(handle.current()).toMatchObject({ state: 'done', outcome: { file: 'x' } });
  handle.fail(new Error('later still'));
  expect(handle.current().state).toBe('done');
});

it('retries what can be retried, and dismisses what has ended', async () => {
  const { jobs } = setUp();
  const again = {} as Job;
  let isRefused = true;
  const handle = jobs.create({
    ...spec,
    retry: async () => {
      if (isRefused) throw new ParapetError('offline', 'No connection.');
      return again;
    },
  });
  await expect(jobs.control(handle.id, 'retry')).rejects.toMatchObject({ code: 'not-allowed' });
  await expect(jobs.control(handle.id, 'dismiss')).rejects.toMatchObject({ code: 'not-allowed' });
  handle.fail(new ParapetError('disk-full', 'No room.'));
  expect(handle.current()).toMatchObject({ state: 'failed', canRetry: true, error: { code: 'disk-full' } });
  await expect(jobs.control(handle.id, 'retry')).rejects.toMatchObject({ code: 'offline' });
  expect(handle.current().canRetry).toBe(true);
  isRefused = false;
  // Pressed twice, it starts one new job; after that the new job is the one to retry.
  const [first, second] = await Promise.allSettled([
    jobs.control(handle.id, 'retry'),
    jobs.control(handle.id, 'retry'),
  ]);
  expect(first).toEqual({ status: 'fulfilled', value: again });
  expect(second).toMatchObject({ status: 'rejected', reason: { code: 'not-allowed' } });
  expect(handle.current().canRetry).toBe(false);
  await jobs.control(handle.id, 'dismiss');
  await expect(jobs.control(handle.id, 'retry')).rejects.toMatchObject({ code: 'not-found' });
});

it('a job that is dismissed while it is retried does not come back', async () => {
  const { jobs, table } = setUp();
  const started = Promise.withResolvers<Job>();
  const handle = jobs.create({ ...spec, memo: { resultId: 'r' }, retry: () => started.promise });
  handle.fail(new ParapetError('offline', 'No connection.'));
  const retried = jobs.control(handle.id, 'retry');
  // Until the new job is there, a crash leaves the offer of this one.
  expect(handle.current().canRetry).toBe(true);
  await jobs.control(handle.id, 'dismiss');
  started.resolve({} as Job);
  await retried;
  expect(jobs.list()).toEqual([]);
  const later = setUp(table).jobs;
  await later.restore();
  expect(later.list()).toEqual([]);
});

it('shows jobs that were running when Parapet died as failed, cleaned up, with a retry if possible', async () => {
  const { jobs, table } = setUp();
  jobs.create({ ...spec, memo: { part: '/x.part' } });
  jobs.create({ ...spec, kind: 'fetch', memo: { resultId: 'r' } });
  const later = setUp(table).jobs;
  const lost: unknown[] = [];
  later.revive('export', { lost: async (memo) => void lost.push(memo) });
  later.revive('fetch', { retry: async () => ({}) as Job });
  await later.restore();
  expect(lost).toEqual([{ part: '/x.part' }]);
  const list = later.list();
  expect(list.map(({ state, note, kind, canRetry }) => ({ state, note, kind, canRetry }))).toEqual([
    { state: 'failed', note: 'Parapet closed while it ran.', kind: 'export', canRetry: false },
    { state: 'failed', note: 'Parapet closed while it ran.', kind: 'fetch', canRetry: true },
  ]);
});

it('keeps the newest hundred ended jobs, also after the clock was set back', async () => {
  const { jobs, table } = setUp();
  vi.setSystemTime(Date.UTC(2050, 0, 1));
  for (let n = 0; n < 100; n++) jobs.create({ ...spec, title: `ahead ${n}` }).done();
  const later = setUp(table).jobs;
  await later.restore();
  vi.setSystemTime(Date.UTC(2026, 0, 1));
  later.create({ ...spec, title: 'today' }).done();
  expect(later.list().map(({ title }) => title)).toContain('today');
  expect(later.list()).toHaveLength(100);
  // The table is cut in the same order.
  const last = [...table.values()].toSorted((a, b) => b.rank - a.rank)[0];
  expect(last?.data).toContain('today');
});

it('stops everything and waits for it', async () => {
  const { jobs } = setUp();
  const handle = jobs.create(spec);
  handle.signal.addEventListener('abort', () => handle.fail(new ParapetError('cancelled', 'Cancelled.')));
  await jobs.stop();
  expect(handle.current().state).toBe('cancelled');
});

it('measures the rate over the last five seconds', () => {
  const rate = createRate();
  expect(rate.add(0, 0)).toBeNull();
  expect(rate.add(1_000, 500)).toBe(500);
  for (let index = 2_000; index <= 10_000; index += 1_000) rate.add(index, 500);
  expect(rate.add(11_000, 500)).toBe(0);
  // The clock is set back by an hour.
  expect(rate.add(-3_600_000, 600)).toBeNull();
  expect(rate.add(-3_599_000, 700)).toBe(100);
});
