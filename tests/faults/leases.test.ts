/**
 * Readers by row index keep the rows that they started with, whatever the fetch, the grid or the analyst does
 * meanwhile.
 */
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Job, LocalFilter, ParsedInputOf } from '#shared/bridge/operations.ts';
import type { Row, Sort } from '#shared/model/entities.ts';
import { asking, type RowsFixture, startRowsFixture } from '../support/rows-fixture.ts';
import { rowColumns } from '../support/rows-service.ts';
import { soon } from '../support/soon.ts';

const ROWS = 24_000;
/** Rows that the service repeats in a later page: closing the gaps shifts all rows after them. */
const REPEATED = 50;
const REPEATED_AT = 2_525;
/** The page at which the fetch is held. */
const LAST_AT = 23_525;
const SPAM: LocalFilter = { text: '', facets: { verdict: ['spam', 'found', 'clean'] } };

let fixture: RowsFixture;
let release: () => void;

beforeEach(async () => {
  fixture = await startRowsFixture(ROWS);
  const gate = Promise.withResolvers<void>();
  release = () => gate.resolve();
  fixture.service.fault = async ({ at }, page) => {
    if (at === LAST_AT) await gate.promise;
    const again = at === REPEATED_AT ? fixture.service.rows.slice(100, 100 + REPEATED) : [];
    return { status: 200, body: { ...page, rows: [...again, ...page.rows] } };
  };
});
afterEach(async () => {
  release();
  await fixture.close();
});

/** A set that waits for its last page; all others were fetched. */
async function waiting(): Promise<{ id: string; given: Row[] }> {
  const set = await fixture.open();
  await fixture.data.handlers['results.fill']({ resultId: set.id, action: 'all' }, asking());
  const { rows } = fixture.service;
  const answers = [
    ...rows.slice(0, REPEATED_AT),
    ...rows.slice(100, 100 + REPEATED),
    ...rows.slice(REPEATED_AT, LAST_AT),
  ];
  await soon(async () => expect((await fixture.data.sets.get(set.id))?.loaded).toBe(answers.length));
  return { id: set.id, given: answers };
}

const ended = async (id: string) => {
  await fixture.fetchAll(id);
  const set = (await fixture.data.sets.get(id))!;
  expect(set).toMatchObject({ state: 'complete', loaded: ROWS, duplicates: REPEATED });
};

const jobOf = (id: string): Job => fixture.data.jobs.list().find((job) => job.id === id)!;
const over = (id: string) =>
  soon(() => {
    expect(['done', 'partial', 'failed', 'cancelled']).toContain(jobOf(id).state);
    return jobOf(id);
  });
const out = (name: string) => {
  mkdirSync(join(fixture.profile, 'out'), { recursive: true });
  return join(fixture.profile, 'out', name);
};
const start = (resultId: string, name: string, more: Partial<ParsedInputOf<'exports.start'>> = {}) =>
  fixture.data.export(resultId, out(name), {
    format: 'ndjson',
    columns: ['entity_id', ...rowColumns.map(({ id }) => id)].map((id) => ({ id, label: id })),
    ...more,
  });
const freeze = (resultId: string, filter?: LocalFilter, sort: Sort[] = []) =>
  fixture.data.handlers['results.matching']({ resultId, filter, sort }, asking());
const written = (name: string): Row[] =>
  readFileSync(out(name), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Row);
const manifest = (name: string) =>
  JSON.parse(readFileSync(out(`${name}.manifest.json`), 'utf8')) as Record<string, unknown>;
const isChosen = (row: Row) => (SPAM.facets['verdict'] as unknown[]).includes(row['verdict']);

describe('an export of a selection', () => {
  it('writes the selected rows even if the fetch ends and gaps are closed meanwhile', async () => {
    const { id, given } = await waiting();
    const { selectionId, count } = await freeze(id, SPAM);
    expect(count).toBe(given.filter(isChosen).length);
    const job = await start(id, 'a.ndjson', { selectionId });
    release();
    await ended(id);
    expect((await over(job.id)).state).toBe('done');
    expect(written('a.ndjson')).toEqual(given.filter(isChosen));
    expect(manifest('a.ndjson')).toMatchObject({ scope: 'selection', rows: count });
  });

  it('does so when it is paused half-way, and the fetch ends without waiting for it', async () => {
    const { id, given } = await waiting();
    const { selectionId } = await freeze(id, SPAM, [{ dbId: 'size', direction: 'desc' }]);
    const job = await start(id, 'b.ndjson', { selectionId });
    await fixture.data.handlers['jobs.control']({ id: job.id, action: 'pause' }, asking());
    release();
    await ended(id);
    // The grid continues with the rows in their new positions.
    const page = await fixture.data.handlers['results.page'](
      { resultId: id, start: 2_500, end: 2_600, sort: [], filter: SPAM },
      asking(),
    );
    const rows = fixture.service.rows.filter(isChosen);
    expect(page.rows.map(([entity]) => entity)).toEqual(
      rows.slice(2_500, 2_600).map((row) => row['entity_id']),
    );
    await fixture.data.handlers['jobs.control']({ id: job.id, action: 'resume' }, asking());
    expect((await over(job.id)).state).toBe('done');
    const order = given
      .filter(isChosen)
      .map((row, index) => ({ row, at: index }))
      .sort((a, b) => Number(b.row['size']) - Number(a.row['size']) || a.at - b.at)
      .map(({ row }) => row);
    expect(written('b.ndjson')).toEqual(order);
  });
});

it('a selection still names the selected rows after gaps were closed', async () => {
  const { id, given } = await waiting();
  const { selectionId, count } = await freeze(id, SPAM);
  release();
  await ended(id);
  const { entityIds } = await fixture.data.handlers['results.selection'](
    { selectionId, start: 0, end: count },
    asking(),
  );
  expect(entityIds).toEqual(given.filter(isChosen).map((row) => row['entity_id']));
});

it('rows without a lease are removed', async () => {
  const { id } = await waiting();
  const { selectionId } = await freeze(id, SPAM);
  release();
  await ended(id);
  const tables = async () =>
    (
      await fixture.data.ctx.cache.all<{ name: string }>(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND (name GLOB 'rs_*' OR name GLOB 'rv_*')",
      )
    ).length;
  expect(await tables()).toBeGreaterThanOrEqual(3);
  await fixture.data.handlers['results.release']({ selectionId }, asking());
  await soon(async () => expect(await tables()).toBe(1));
  expect(await fixture.idsOf(id)).toEqual(fixture.service.rows.map((row) => row['entity_id']));
});

it('[limit 8 selections] the ninth selection evicts the first, but not for an export that is reading it', async () => {
  const { id, given } = await waiting();
  const first = await freeze(id, SPAM);
  const job = await start(id, 'c.ndjson', { selectionId: first.selectionId });
  await fixture.data.handlers['jobs.control']({ id: job.id, action: 'pause' }, asking());
  const firstId = () =>
    fixture.data.handlers['results.selection'](
      { selectionId: first.selectionId, start: 0, end: 1 },
      asking(),
    );
  for (let more = 0; more < 7; more++) await freeze(id, SPAM);
  expect((await firstId()).count).toBe(first.count);
  await freeze(id, SPAM);
  await expect(firstId()).rejects.toMatchObject({ code: 'not-cached' });
  release();
  await ended(id);
  await fixture.data.handlers['jobs.control']({ id: job.id, action: 'resume' }, asking());
  expect((await over(job.id)).state).toBe('done');
  expect(written('c.ndjson')).toEqual(given.filter(isChosen));
});

it('a selection in use keeps superseded rows, even when later selections evict it', async () => {
  const { id, given } = await waiting();
  const { selectionId } = await freeze(id, SPAM);
  release();
  await ended(id);
  const held = fixture.data.sets.selections.lease(selectionId);
  const { db, record } = held.rows;
  const count = async () =>
    (await db.rows(`SELECT count(*) FROM rs_${record.n} WHERE pos < ${record.loaded}`))[0]?.[0];
  for (let more = 0; more < 8; more++) await freeze(id, SPAM);
  expect(() => fixture.data.sets.selections.lease(selectionId)).toThrow(/has expired/);
  // After whatever the eviction has begun to remove.
  await fixture.data.ctx.cache.write([]);
  expect(await count()).toBe(given.length);
  held.release();
  await soon(() => expect(count()).rejects.toThrow());
});
