import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { canonicalJson } from '#shared/model/canonical-json.ts';
import { THREADS } from '#tests/support/threads.ts';
import { createPool, type Pool } from '../store/pool.ts';
import { answerKey, ResponseCache } from './store.ts';

let directory: string;
let cache: Pool;
let answers: ResponseCache;
let clock = 1_000;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'parapet-answers-'));
  cache = await createPool({
    entry: THREADS.store,
    kind: 'cache',
    path: join(directory, 'cache.sqlite'),
    key: null,
    now: 0,
  });
  answers = new ResponseCache(cache, () => clock, { budget: 10_000 });
});
afterEach(async () => {
  await answers.flush();
  await cache.close();
  rmSync(directory, { recursive: true });
});

const keep = (key: string, size = 10, connectionId = 'c') =>
  answers.store({
    connectionId,
    key,
    endpoint: 'apps.list',
    data: { rows: [], filler: 'x'.repeat(size) },
    fetchedAt: clock,
    isStale: () => false,
    mayKeep: () => true,
  });
const has = async (key: string, connectionId = 'c') =>
  (await cache.get('SELECT 1 FROM answers WHERE connection_id = ? AND key = ?', [connectionId, key])) !==
  undefined;

describe('keys', () => {
  it('have the same key for the same request, however it is written', () => {
    expect(canonicalJson({ b: [1, { d: 2, c: undefined }], a: null })).toBe('{"a":null,"b":[1,{"d":2}]}');
    expect(answerKey('apps.list', { query: { x: 1, y: 2 } })).toBe(
      answerKey('apps.list', { query: { y: 2, x: 1 } }),
    );
    expect(answerKey('apps.list', {})).not.toBe(answerKey('apps.statistics', {}));
    expect(answerKey('apps.list', { query: { x: [1, 2] } })).not.toBe(
      answerKey('apps.list', { query: { x: [2, 1] } }),
    );
  });
});

describe('answers', () => {
  it('belong to one connection', async () => {
    await keep('k');
    expect(await answers.find('c', 'k', 'apps.list')).toMatchObject({ fetchedAt: clock, stale: false });
    expect(await answers.find('d', 'k', 'apps.list')).toBeNull();
  });

  it('that a change made stale while the disk was looked at are stored as stale', async () => {
    let isStale = false;
    const room = async () => {
      isStale = true;
    };
    await new ResponseCache(cache, () => clock, { budget: 10_000, room }).store({
      connectionId: 'c',
      key: 'k',
      endpoint: 'apps.list',
      data: { rows: [] },
      fetchedAt: clock,
      isStale: () => isStale,
      mayKeep: () => true,
    });
    expect(await answers.find('c', 'k', 'apps.list')).toMatchObject({ stale: true });
  });

  it('are not stored if the cache was cleared while the disk was looked at', async () => {
    let mayKeep = true;
    const room = async () => {
      mayKeep = false;
    };
    await new ResponseCache(cache, () => clock, { budget: 10_000, room }).store({
      connectionId: 'c',
      key: 'k',
      endpoint: 'apps.list',
      data: { rows: [] },
      fetchedAt: clock,
      isStale: () => false,
      mayKeep: () => mayKeep,
    });
    expect(await has('k')).toBe(false);
  });

  it('of another shape are dropped, never misread', async () => {
    await keep('k');
    await cache.write([{ sql: "UPDATE answers SET shape = 'of an older Parapet'" }]);
    expect(await answers.find('c', 'k', 'apps.list')).toBeNull();
    expect(await has('k')).toBe(false);
  });

  it('of another shape stay if they are pinned, and are shown as stale if they can still be read', async () => {
    await keep('k');
    await cache.write([{ sql: "UPDATE answers SET pinned = 1, shape = 'of an older Parapet'" }]);
    expect(await answers.find('c', 'k', 'apps.list')).toMatchObject({ data: { rows: [] }, stale: true });
    await cache.write([{ sql: "UPDATE answers SET data = '{}'" }]);
    expect(await answers.find('c', 'k', 'apps.list')).toBeNull();
    expect(await has('k')).toBe(true);
    // A new response makes it fresh; it stays pinned.
    await keep('k');
    expect(await answers.find('c', 'k', 'apps.list')).toMatchObject({ stale: false });
    expect(await answers.pinned('c', ['apps.list'])).toMatchObject({ count: 1 });
  });

  it('become stale by their tags, within their connection', async () => {
    await keep('k');
    await keep('k', 10, 'd');
    await answers.invalidate('c', ['queries']);
    expect(await answers.find('c', 'k', 'apps.list')).toMatchObject({ stale: false });
    await answers.invalidate('c', ['queries', 'apps']);
    expect(await answers.find('c', 'k', 'apps.list')).toMatchObject({ stale: true });
    expect(await answers.find('d', 'k', 'apps.list')).toMatchObject({ stale: false });
    await keep('k');
    expect(await answers.find('c', 'k', 'apps.list')).toMatchObject({ stale: false });
  });

  it('are evicted least recently used first, pinned ones never', async () => {
    for (const key of ['pinned', 'old', 'older', 'used', 'new']) {
      clock += 1;
      await keep(key, 3_000);
    }
    await cache.write([{ sql: "UPDATE answers SET pinned = 1 WHERE key = 'pinned'" }]);
    clock += 1;
    await answers.find('c', 'used', 'apps.list');
    await answers.evict();
    const keys = ['pinned', 'old', 'older', 'used', 'new'].map(async (key) =>
      (await has(key)) ? key : null,
    );
    expect((await Promise.all(keys)).filter((key) => key !== null)).toEqual(['pinned', 'used']);
  });

  it('stay if they were used last, also after the clock was set back', async () => {
    clock = Date.UTC(2050, 0, 1);
    await keep('ahead', 4_000);
    await keep('found', 4_000);
    clock = Date.UTC(2026, 0, 1);
    await keep('today', 4_000);
    await answers.find('c', 'found', 'apps.list');
    await answers.evict();
    expect([await has('ahead'), await has('today'), await has('found')]).toEqual([false, true, true]);
  });
});
