/** Profiles kept for offline: a job fetches and pins them part by part, and continues after the window closes. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { endpointOf } from '#shared/api/catalogue.ts';
import { type ProfileRef, profilePages } from '#shared/api/profile-pages.ts';
import type { AppEvent, Job } from '#shared/bridge/operations.ts';
import {
  addTenant,
  type Core,
  memoryKeychain,
  readAll,
  startCore,
  temporaryProfile,
} from '#tests/support/core.ts';
import { type ScriptedService, sendJson, startScripted } from '#tests/support/scripted-service.ts';
import { soon } from '#tests/support/soon.ts';

const PARTS = 7;
const file = (index: number): ProfileRef => ({ kind: 'file', saas: 'drive', entityId: `file-${index}` });
const files = (count: number) => Array.from({ length: count }, (_, index) => file(index));

let profile: ReturnType<typeof temporaryProfile>;
let service: ScriptedService;
let core: Core;
let connectionId: string;
/** Requests that are answered with this status. */
let refused: Map<RegExp, number>;
/** While set, responses are held back. */
let gate: Promise<void>;
const keychain = memoryKeychain();

const start = async (answersBudget?: number) => {
  core = await startCore({
    profile: profile.path,
    keychain,
    tuning: { limits: { retries: 0 }, ...(answersBudget === undefined ? {} : { answersBudget }) },
  });
};
beforeEach(async () => {
  profile = temporaryProfile();
  refused = new Map();
  gate = Promise.resolve();
  service = await startScripted();
  service.answer = async (_, response, { url }) => {
    await gate;
    for (const [pattern, status] of refused) if (pattern.test(url)) return sendJson(response, {}, status);
    const id = new URL(url, service.base).searchParams.get('entity_id');
    if (url.includes('/sql_queries/drive/entity/file?'))
      return sendJson(response, { entity_id: id, saas: 'drive', title: `${id}.pdf` });
    if (/entity\/props/.test(url)) return sendJson(response, {});
    return sendJson(response, { rows: [] });
  };
  await start();
  ({ id: connectionId } = await addTenant(core.bridge, service.base));
  await core.bridge.call('connections.activate', { id: connectionId });
});
afterEach(async () => {
  await core.stop();
  await service.stop();
  profile.remove();
});

const jobs = async (): Promise<Job[]> =>
  (await core.bridge.call('jobs.list', {})).jobs.filter(({ kind }) => kind === 'keep');
const ended = (id: string): Promise<Job> =>
  soon(async () => {
    const job = (await jobs()).find((job) => job.id === id);
    if (job === undefined || job.endedAt === null) throw new Error(`The job is ${job?.state}.`);
    return job;
  });
const keep = async (profiles: ProfileRef[]) =>
  (await core.bridge.call('offline.keep', { connectionId, label: 'Shared files', profiles })).jobId;
const kept = (of: ProfileRef | null = null) =>
  core.bridge.call('offline.kept', { connectionId, profile: of });
const requestsOf = (id: string) => service.seen.filter(({ url }) => url.includes(id)).length;

describe('kept for offline', () => {
  it('every part of each profile is counted, and available without the service', async () => {
    const job = await ended(await keep(files(3)));
    expect(job).toMatchObject({
      title: 'Save 3 files of “Shared files” for offline use',
      state: 'done',
      done: 3,
      total: 3,
      outcome: { kept: 3, incomplete: 0 },
    });
    expect(await kept(file(1))).toMatchObject({ profiles: 3, since: expect.any(Number) });
    expect(await kept(file(9))).toMatchObject({ profiles: 3, since: null });
    await core.bridge.call('connections.offline', { offline: true });
    const { snapshots, error } = await readAll(core.bridge, {
      connectionId,
      endpoint: 'file.profile',
      params: { saas: 'drive' },
      query: { entity_id: 'file-2' },
    });
    expect([snapshots.at(-1)?.data, error]).toMatchObject([{ title: 'file-2.pdf' }, null]);
    await expect(keep(files(1))).rejects.toMatchObject({ code: 'offline' });
  });

  it('reports incomplete profiles and retries only these; parts hidden by the role do not count as missing', async () => {
    refused.set(/scan_details.*file-1/, 400).set(/permission.*file-2/, 403);
    const first = await ended(await keep(files(3)));
    expect(first).toMatchObject({ state: 'partial', canRetry: true, outcome: { kept: 3, incomplete: 1 } });
    expect(first.note).toContain('1 of 3 are incomplete');
    refused.clear();
    const before = requestsOf('file-0');
    const { id } = await core.bridge.call('jobs.control', { id: first.id, action: 'retry' });
    expect(await ended(id)).toMatchObject({ state: 'done', outcome: { kept: 3, incomplete: 0 } });
    // Parts fetched recently are not requested again.
    expect([before, requestsOf('file-0')]).toEqual([PARTS, PARTS]);
  });

  it('counts a profile that the role may not read as incomplete', async () => {
    refused.set(/file-[12]/, 403);
    const first = await ended(await keep(files(3)));
    expect(first).toMatchObject({ state: 'partial', canRetry: true, outcome: { kept: 3, incomplete: 2 } });
    expect(await kept()).toMatchObject({ profiles: 1 });
    refused.clear();
    const { id } = await core.bridge.call('jobs.control', { id: first.id, action: 'retry' });
    expect(await ended(id)).toMatchObject({ state: 'done', outcome: { kept: 3, incomplete: 0 } });
    expect(await kept()).toMatchObject({ profiles: 3 });
  });

  it('stops at a refused credential, and continues when it is accepted again', async () => {
    refused.set(/file-[1-9]/, 401);
    const first = await ended(await keep(files(9)));
    expect(first).toMatchObject({
      state: 'failed',
      canRetry: true,
      note: expect.stringContaining('credential'),
    });
    // One request of each of the two profiles that were being fetched.
    expect(service.seen.filter(({ url }) => /file-[1-9]/.test(url)).length).toBeLessThanOrEqual(2);
    refused.clear();
    const { id } = await core.bridge.call('jobs.control', { id: first.id, action: 'retry' });
    expect(await ended(id)).toMatchObject({ state: 'done', outcome: { kept: 9, incomplete: 0 } });
  });

  it('[promise] survives its window and a restart, and resumes where it stopped', async () => {
    await ended(await keep(files(1)));
    let open = () => {};
    gate = new Promise((resolve) => {
      open = resolve;
    });
    const id = await keep(files(4));
    await soon(async () => expect((await jobs()).find((job) => job.id === id)?.done).toBe(1));
    // Another window on the same core finds it.
    const second = core.attach();
    expect((await second.bridge.call('jobs.list', {})).jobs.map((job) => job.id)).toContain(id);
    second.close();
    await core.stop();
    open();
    await start();
    await core.bridge.call('connections.activate', { id: connectionId });
    const [again] = await soon(async () => {
      const listed = await jobs();
      expect(listed.filter((job) => job.total === 4)).toHaveLength(1);
      expect(listed.some((job) => job.id === id)).toBe(false);
      return listed;
    });
    expect(await ended(again?.id ?? '')).toMatchObject({ connectionId, state: 'done', done: 4 });
    expect(await kept(file(0))).toMatchObject({ profiles: 4, since: expect.any(Number) });
    expect(requestsOf('file-0')).toBe(PARTS);
    // A finished job does not start a third time.
    await core.stop();
    await start();
    await core.bridge.call('connections.activate', { id: connectionId });
    await kept();
    expect((await jobs()).filter(({ endedAt }) => endedAt === null)).toEqual([]);
  });

  it('ended while Parapet closes, it is not fetched and listed once more', async () => {
    let open = () => {};
    gate = new Promise((resolve) => {
      open = resolve;
    });
    await keep(files(2));
    await soon(() => expect(requestsOf('file-')).toBeGreaterThan(0));
    const stopping = core.stop();
    // The answers may come before or after the stop reaches the job.
    open();
    await stopping;
    await start();
    await core.bridge.call('connections.activate', { id: connectionId });
    await soon(async () =>
      expect((await jobs()).map(({ state, done }) => [state, done])).toEqual([['done', 2]]),
    );
  });

  it('resumes in a profile sealed with a passphrase, once it is unlocked', async () => {
    const passphrase = 'correct horse battery';
    const choose = () => core.bridge.call('secrets.choose', { mode: 'passphrase', passphrase });
    await choose();
    let open = () => {};
    gate = new Promise((resolve) => {
      open = resolve;
    });
    await keep(files(3));
    await soon(async () => expect(requestsOf('file-0')).toBeGreaterThan(0));
    const stopping = core.stop();
    open();
    await stopping;
    await start();
    expect(await jobs()).toEqual([]);
    await choose();
    const again = await soon(async () => {
      const job = (await jobs()).find((job) => job.total === 3);
      if (job === undefined) throw new Error('It did not resume.');
      return job;
    });
    expect(await ended(again.id)).toMatchObject({ connectionId, state: 'done', done: 3 });
    expect(await kept(file(0))).toMatchObject({ profiles: 3 });
  });

  it('is cancelled at once, and what it kept stays', async () => {
    await ended(await keep(files(1)));
    gate = new Promise(() => {});
    const id = await keep(files(5));
    await soon(async () => expect((await jobs()).find((job) => job.id === id)?.done).toBe(1));
    await core.bridge.call('jobs.control', { id, action: 'cancel' });
    expect(await ended(id)).toMatchObject({ state: 'cancelled', done: 1 });
    expect(await kept()).toMatchObject({ profiles: 1 });
  });

  it('stops with the reason if the disk has no room, and nothing counts as kept', async () => {
    await core.stop();
    core = await startCore({
      profile: profile.path,
      keychain,
      tuning: { storage: { headroom: Number.MAX_SAFE_INTEGER } },
    });
    await core.bridge.call('connections.activate', { id: connectionId });
    expect(await ended(await keep(files(3)))).toMatchObject({
      state: 'failed',
      error: { code: 'disk-full', message: expect.stringContaining('nothing more is saved') },
    });
    expect(await kept()).toMatchObject({ profiles: 0, bytes: 0 });
  });

  it('is complete however much is kept already', async () => {
    await core.stop();
    await start(100);
    await core.bridge.call('connections.activate', { id: connectionId });
    expect(await ended(await keep(files(20)))).toMatchObject({ state: 'done', outcome: { incomplete: 0 } });
    await core.bridge.call('connections.offline', { offline: true });
    for (const file of files(20))
      for (const { endpoint, request } of profilePages(file, 'guard')) {
        if (endpointOf(endpoint).cache.mode !== 'fresh') continue;
        const { snapshots } = await readAll(core.bridge, { ...request, connectionId, endpoint });
        expect(snapshots[0]?.freshness.source, `${endpoint} of ${file.entityId}`).toBe('cache');
      }
  });

  it('is never evicted for other answers until it is unpinned', async () => {
    await core.stop();
    await start(2_000);
    await core.bridge.call('connections.activate', { id: connectionId });
    await ended(await keep(files(2)));
    const read = (index: number) =>
      readAll(core.bridge, {
        connectionId,
        endpoint: 'file.profile',
        params: { saas: 'drive' },
        query: { entity_id: `other-${index}` },
      });
    const crowd = async (from: number) => {
      for (let index = from; index < from + 100; index += 1) await read(index);
    };
    await crowd(0);
    expect(await kept(file(0))).toMatchObject({ profiles: 2, since: expect.any(Number) });
    const events: AppEvent[] = [];
    const other = core.attach().bridge.stream('app.events', {}, (event) => events.push(event));
    other.catch(() => {});
    expect(await core.bridge.call('offline.release', { connectionId })).toEqual({ profiles: 2 });
    expect(await kept()).toEqual({ profiles: 0, bytes: 0, since: null });
    await expect.poll(() => events).toContainEqual({ type: 'pins' });
    await crowd(200);
    await core.bridge.call('connections.offline', { offline: true });
    const { error } = await readAll(core.bridge, {
      connectionId,
      endpoint: 'file.profile',
      params: { saas: 'drive' },
      query: { entity_id: 'file-0' },
    });
    expect(error).toMatchObject({ code: 'not-cached' });
  });
});
