/** A fetch in the complete core, with its real limits and storage, while the network or the disk fails. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ResultSet } from '#shared/bridge/operations.ts';
import { addTenant, type Core, startCore, temporaryProfile } from '../support/core.ts';
import { makeRows, ROWS_PAYLOAD, rowColumns } from '../support/rows-service.ts';
import { type ScriptedService, sendJson, startScripted } from '../support/scripted-service.ts';
import { soon } from '../support/soon.ts';

const rows = makeRows(2_500);

let profile: ReturnType<typeof temporaryProfile>;
let service: ScriptedService;
let core: Core;
/** Offsets of the requested pages, in order. */
let offsets: number[];
/** Accepts the request and never answers. */
let silent: (row: number) => boolean;
/** Answers in place of the service. */
let instead: ((row: number, response: ServerResponse) => boolean) | null;
beforeEach(async () => {
  profile = temporaryProfile();
  service = await startScripted();
  offsets = [];
  silent = () => false;
  instead = null;
  service.answer = (_, response, { body, url }) => {
    if (!url.includes('query/execute')) return sendJson(response, {}, 404);
    const { search_after, size } = JSON.parse(body) as { search_after: string[] | null; size: number };
    const row = Number(search_after?.[0] ?? 0);
    offsets.push(row);
    if (silent(row) || instead?.(row, response)) return;
    const end = Math.min(row + size, rows.length);
    sendJson(response, {
      rows: rows.slice(row, end),
      search_after: end < rows.length ? [String(end)] : null,
      total_rows: rows.length,
    });
  };
  core = await startCore({ profile: profile.path, tuning: { limits: { headersMs: 150, retries: 0 } } });
});
afterEach(async () => {
  await core.stop();
  await service.stop();
  profile.remove();
});

const open = async (): Promise<ResultSet> => {
  const { connections } = await core.bridge.call('connections.list', {});
  const [first] = connections;
  const { id } = first ?? (await addTenant(core.bridge, service.base));
  return core.bridge.call('results.open', {
    connectionId: id,
    payload: ROWS_PAYLOAD,
    columns: rowColumns,
    refresh: true,
  });
};
const fill = (resultId: string, action: 'all' | 'resume') =>
  core.bridge.call('results.fill', { resultId, action });
const get = (resultId: string) => core.bridge.call('results.get', { resultId });
const ended = (resultId: string) =>
  soon(async () => {
    const set = await get(resultId);
    expect(set?.state).not.toBe('filling');
    return set;
  });
const idsOf = async (resultId: string) =>
  (await core.bridge.call('results.page', { resultId, start: 0, end: rows.length })).rows.map(([id]) => id);
const all = rows.map((row) => row['entity_id']);

it('a service that accepts and then falls silent: the fetch waits, reports it, and resumes where it stopped', async () => {
  silent = (row) => row >= 525;
  const set = await open();
  await fill(set.id, 'all');
  // It backs off between attempts, and says until when.
  await soon(async () => expect((await get(set.id))?.waitingUntil).toBeGreaterThan(0));
  const record = await ended(set.id);
  expect(record).toMatchObject({ state: 'partial', loaded: 525, waitingUntil: null });
  expect(record?.reason).toMatch(/^525 of 2,500 rows are here\. .*(answer|time)/);
  expect(offsets.filter((row) => row === 525)).toHaveLength(4);
  await soon(async () => {
    const { jobs } = await core.bridge.call('jobs.list', {});
    expect(jobs.find(({ kind }) => kind === 'fetch')).toMatchObject({ state: 'partial', canRetry: true });
  });
  silent = () => false;
  await fill(set.id, 'all');
  expect(await ended(set.id)).toMatchObject({ state: 'complete', loaded: 2_500 });
  expect(await idsOf(set.id)).toEqual(all);
});

it('a service that falls silent for a while costs only the wait', async () => {
  let times = 0;
  silent = (row) => row === 1_525 && times++ < 2;
  const set = await open();
  await fill(set.id, 'all');
  expect(await ended(set.id)).toMatchObject({ state: 'complete', loaded: 2_500, resumed: 0 });
  expect(await idsOf(set.id)).toEqual(all);
});

const page = (response: ServerResponse) => {
  response.writeHead(200, { 'content-type': 'text/html' });
  response.end('<!doctype html><title>Sign in</title>');
};
const cut = (response: ServerResponse) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '50000' });
  response.write('{"rows":[', () => response.socket?.destroy());
};

it.each([
  ['a reset', (response: ServerResponse) => void response.socket?.resetAndDestroy()],
  ['a cut', cut],
  ['a web page', page],
  ['an answer that is broken inside', (response: ServerResponse) => void response.end('{"rows":[}}')],
])(
  '[limit 4 tries] %s in the middle of a fetch of all rows is retried, and costs only the wait',
  async (_, spoil) => {
    let times = 0;
    instead = (row, response) => {
      if (row !== 525 || times++ >= 2) return false;
      spoil(response);
      return true;
    };
    const set = await open();
    await fill(set.id, 'all');
    expect(await ended(set.id)).toMatchObject({ state: 'complete', loaded: 2_500, resumed: 0 });
    expect(await idsOf(set.id)).toEqual(all);
    expect(times).toBeGreaterThan(2);
  },
);

it('a service that resets every connection ends the fetch after a few attempts; it resumes automatically when the service responds', async () => {
  let broken = true;
  instead = (row, response) => {
    if (row < 525 || !broken) return false;
    response.socket?.resetAndDestroy();
    return true;
  };
  const set = await open();
  await fill(set.id, 'all');
  const record = await ended(set.id);
  expect(record).toMatchObject({ state: 'partial', stop: 'unreachable', loaded: 525 });
  expect(record?.reason).toMatch(
    /^525 of 2,500 rows are here\. The service closed the connection without an answer/,
  );
  broken = false;
  await core.bridge.call('connections.activate', { id: set.connectionId });
  await soon(async () => expect(await get(set.id)).toMatchObject({ state: 'complete', loaded: 2_500 }));
  expect(await idsOf(set.id)).toEqual(all);
});

it('database pages damaged during a fetch: reported, set aside, and the query runs again completely', async () => {
  silent = (row) => row >= 1_525;
  const set = await open();
  await fill(set.id, 'all');
  await soon(async () => expect((await get(set.id))?.loaded).toBe(1_525));
  for (const name of ['cache.sqlite', 'cache.sqlite-wal']) {
    const path = join(profile.path, name);
    const bytes = readFileSync(path);
    writeFileSync(path, bytes.fill(7, Math.min(bytes.length, 4_096)));
  }
  silent = () => false;
  // The damage is reported whether the reader or the writer meets it first.
  await soon(async () => {
    await core.bridge.call('results.page', { resultId: set.id, start: 0, end: 2_500 }).catch(() => undefined);
    const { notices } = await core.bridge.call('app.info', {});
    expect(notices).toMatchObject([{ id: 'set-aside-cache', level: 'warning' }]);
  });
  expect(readdirSync(profile.path).some((name) => name.startsWith('cache.sqlite.damaged-'))).toBe(true);
  await soon(async () => expect(await get(set.id)).toBeNull());
  const again = await soon(open);
  await fill(again.id, 'all');
  expect(await ended(again.id)).toMatchObject({ state: 'complete', loaded: 2_500 });
  expect(await idsOf(again.id)).toEqual(all);
  const { jobs } = await core.bridge.call('jobs.list', {});
  expect(jobs.filter(({ state }) => state === 'running' || state === 'queued')).toEqual([]);
});
