/**
 * Everything that reads by row index, concurrently and in random order: fetching, closing gaps, sorting, filtering,
 * selecting, exporting, pausing, refreshing, removing. Every file and every page is compared with rows in an array.
 * PARAPET_LONG=1 runs many more rounds over more rows.
 */
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { SetRecord } from '#main/results/record.ts';
import type { Job, LocalFilter, ParsedInputOf } from '#shared/bridge/operations.ts';
import type { Row, Sort } from '#shared/model/entities.ts';
import { asking, type RowsFixture, startRowsFixture } from '../support/rows-fixture.ts';
import { rowColumns } from '../support/rows-service.ts';
import { soon } from '../support/soon.ts';

const isLong = process.env['PARAPET_LONG'] === '1';
/**
 * Around the size from which sort indexes are used, and, in the long form, the size from which rows are partitioned.
 */
const SIZES = isLong ? [4_900, 9_000, 26_000] : [5_200, 9_000];
const PAGE = 500;
const FIRST = 25;

const FILTERS: (LocalFilter | undefined)[] = [
  undefined,
  { text: '', facets: { verdict: ['spam', 'found', 'clean'] } },
  { text: '', facets: { is_read: [true] } },
];
const SORTS: Sort[][] = [[], [{ dbId: 'size', direction: 'desc' }], [{ dbId: 'verdict', direction: 'asc' }]];

const fits = (filter: LocalFilter | undefined) => (row: Row) =>
  Object.entries(filter?.facets ?? {}).every(([id, values]) => (values as unknown[]).includes(row[id]));

/** Rows with equal keys keep their order. */
function ordered(rows: readonly Row[], filter: LocalFilter | undefined, sort: readonly Sort[]): Row[] {
  const matching = rows.filter(fits(filter));
  for (const { dbId, direction } of sort.toReversed())
    matching.sort((a, b) => {
      const [x, y] = [a[dbId]!, b[dbId]!];
      return (x < y ? -1 : x > y ? 1 : 0) * (direction === 'desc' ? -1 : 1);
    });
  return matching;
}

type Step =
  | { type: 'allow'; pages: number }
  | { type: 'page'; filter: number; sort: number; start: number }
  | { type: 'freeze'; filter: number; sort: number }
  | { type: 'release'; which: number }
  | { type: 'export'; which: number }
  | { type: 'export-all'; filter: number; sort: number }
  | { type: 'pause' | 'resume'; which: number }
  | { type: 'finish' | 'refresh' | 'remove' | 'stop-fetch' };

const index = fc.nat({ max: 5 });
const shape = { filter: fc.nat({ max: FILTERS.length - 1 }), sort: fc.nat({ max: SORTS.length - 1 }) };
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ type: fc.constant('allow'), pages: fc.integer({ min: 1, max: 8 }) }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('page'), ...shape, start: fc.nat({ max: 9_000 }) }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('freeze'), ...shape }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('release'), which: index }) },
  { weight: 4, arbitrary: fc.record({ type: fc.constant('export'), which: index }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('export-all'), ...shape }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('pause'), which: index }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('resume'), which: index }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('finish') }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constantFrom('refresh', 'remove', 'stop-fetch') }) },
) as fc.Arbitrary<Step>;

class World {
  readonly #fixture: RowsFixture;
  #set = '';
  #allowed = 2;
  #gate = Promise.withResolvers<void>();
  /** The rows of a run in order of arrival: some repeat earlier ones. */
  readonly #rows: Row[] = [];
  readonly #selections: { id: string; rows: Row[] }[] = [];
  readonly #exports: { job: string; name: string; check(rows: Row[], manifest: Manifest): void }[] = [];

  constructor(fixture: RowsFixture) {
    this.#fixture = fixture;
    const { rows } = fixture.service;
    const pageAt = (start: number, size: number): Row[] => {
      const again = start > 0 && ((start - FIRST) / PAGE) % 3 === 1 ? rows.slice(start - 40, start - 10) : [];
      return [...again, ...rows.slice(start, start + size)];
    };
    this.#rows.push(...pageAt(0, FIRST));
    for (let offset = FIRST; offset < rows.length; offset += PAGE) this.#rows.push(...pageAt(offset, PAGE));
    fixture.service.fault = async ({ at, size }, page) => {
      while (at > 0 && this.#allowed <= 0) await this.#gate.promise;
      if (at > 0) this.#allowed--;
      return { status: 200, body: { ...page, rows: pageAt(at, size) } };
    };
  }

  get #handlers() {
    return this.#fixture.data.handlers;
  }

  #allow(pages: number) {
    this.#allowed += pages;
    this.#gate.resolve();
    this.#gate = Promise.withResolvers();
  }

  /** The rows that a set had in this state. */
  #rowsOf({ loaded, duplicates }: Pick<SetRecord, 'loaded' | 'duplicates'>): Row[] {
    return (duplicates > 0 ? this.#fixture.service.rows : this.#rows).slice(0, loaded);
  }

  async open() {
    const { id } = await this.#fixture.open();
    this.#set = id;
    await this.#handlers['results.fill']({ resultId: id, action: 'all', pageSize: PAGE }, asking());
  }

  async #export(name: string, more: Partial<ParsedInputOf<'exports.start'>>): Promise<Job> {
    mkdirSync(join(this.#fixture.profile, 'out'), { recursive: true });
    return this.#fixture.data.export(this.#set, join(this.#fixture.profile, 'out', name), {
      format: 'ndjson',
      columns: ['entity_id', ...rowColumns.map(({ id }) => id)].map((id) => ({ id, label: id })),
      ...more,
    });
  }

  async #control(which: number, action: 'pause' | 'resume') {
    const chosen = this.#exports[which % Math.max(1, this.#exports.length)];
    if (chosen === undefined) return;
    const state = this.#stateOf(chosen.job);
    if (state === (action === 'pause' ? 'running' : 'paused'))
      await this.#handlers['jobs.control']({ id: chosen.job, action }, asking()).catch(() => undefined);
  }

  #stateOf(job: string): Job['state'] {
    return this.#fixture.data.jobs.list().find(({ id }) => id === job)!.state;
  }

  async #page(filter: LocalFilter | undefined, sort: Sort[], start: number) {
    // Beyond the fetched rows, the grid waits for the fetch.
    const { loaded: here } = (await this.#fixture.data.sets.get(this.#set))!;
    const from = Math.min(start, Math.max(0, here - 60));
    const { rows, loaded } = await this.#handlers['results.page'](
      {
        resultId: this.#set,
        start: from,
        end: Math.min(from + 50, here),
        sort,
        ...(filter ? { filter } : {}),
      },
      asking(),
    );
    const ids = JSON.stringify(rows.map(([id]) => id));
    const could = [this.#rows, this.#fixture.service.rows].map((all) =>
      JSON.stringify(
        ordered(all.slice(0, loaded), filter, sort)
          .slice(from, from + Math.max(rows.length, 1))
          .slice(0, rows.length)
          .map((row) => row['entity_id']),
      ),
    );
    expect(could).toContain(ids);
  }

  async #freeze(filter: LocalFilter | undefined, sort: Sort[]) {
    const { data } = this.#fixture;
    const { selectionId, count } = await this.#handlers['results.matching'](
      { resultId: this.#set, sort, ...(filter ? { filter } : {}) },
      asking(),
    );
    const held = data.sets.selections.lease(selectionId);
    const rows = ordered(this.#rowsOf(held.rows.record), filter, sort);
    held.release();
    expect(count).toBe(rows.length);
    this.#selections.push({ id: selectionId, rows });
  }

  async run(next: Step) {
    switch (next.type) {
      case 'allow':
        return this.#allow(next.pages);
      case 'finish':
        this.#allow(1_000);
        return;
      case 'page':
        return this.#page(FILTERS[next.filter], SORTS[next.sort]!, next.start);
      case 'freeze':
        return this.#freeze(FILTERS[next.filter], SORTS[next.sort]!);
      case 'release': {
        const [gone] = this.#selections.splice(next.which % Math.max(1, this.#selections.length), 1);
        if (gone !== undefined) await this.#handlers['results.release']({ selectionId: gone.id }, asking());
        return;
      }
      case 'export': {
        const chosen = this.#selections[next.which % Math.max(1, this.#selections.length)];
        if (chosen === undefined) return;
        const name = `${this.#exports.length}.ndjson`;
        const job = await this.#export(name, { selectionId: chosen.id }).catch(() => null);
        // A selection that later ones evicted, or of a superseded run: refused, and nothing is written.
        if (job !== null)
          this.#exports.push({ job: job.id, name, check: (rows) => expect(rows).toEqual(chosen.rows) });
        return;
      }
      case 'export-all': {
        const name = `${this.#exports.length}.ndjson`;
        const [filter, sort] = [FILTERS[next.filter], SORTS[next.sort]!];
        const job = await this.#export(name, { sort, ...(filter ? { filter } : {}) });
        const check = (rows: Row[], { completeness, rows_fetched }: Manifest) => {
          const all = this.#fixture.service.rows;
          const of = completeness === 'complete' ? [all] : [this.#rows, all];
          const could = of.map((rows) => JSON.stringify(ordered(rows.slice(0, rows_fetched), filter, sort)));
          expect(could).toContain(JSON.stringify(rows));
          if (completeness === 'complete') expect(rows_fetched).toBe(all.length);
        };
        this.#exports.push({ job: job.id, name, check });
        return;
      }
      case 'pause':
      case 'resume':
        return this.#control(next.which, next.type);
      case 'stop-fetch':
        // Waits for the page in flight.
        this.#allow(1);
        await this.#handlers['results.fill']({ resultId: this.#set, action: 'pause' }, asking());
        await this.#handlers['results.fill']({ resultId: this.#set, action: 'all' }, asking());
        return;
      case 'refresh':
        this.#selections.length = 0;
        return this.open();
      case 'remove': {
        const removed = await this.#fixture.data.sets.remove(({ id }) => id === this.#set);
        this.#selections.length = 0;
        if (removed > 0) await this.open();
        return;
      }
    }
  }

  async end() {
    this.#allow(100_000);
    for (const number of this.#exports.keys()) await this.#control(number, 'resume');
    for (const { job, name, check } of this.#exports) {
      await soon(() => expect(['done', 'partial', 'failed', 'cancelled']).toContain(this.#stateOf(job)));
      const ended = this.#fixture.data.jobs.list().find(({ id }) => id === job)!;
      expect(ended.error, `export ${name}`).toBeNull();
      const path = join(this.#fixture.profile, 'out', String(ended.outcome?.['file'] ?? name));
      const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
      // The last line of an incomplete file says so.
      const rows = ended.state === 'partial' ? lines.slice(0, -1) : lines;
      check(
        rows.map((line) => JSON.parse(line) as Row),
        JSON.parse(readFileSync(`${path}.manifest.json`, 'utf8')) as Manifest,
      );
    }
    // No leased table is left behind.
    for (const { id } of this.#selections)
      await this.#handlers['results.release']({ selectionId: id }, asking());
    await soon(async () => {
      const [tables, sets] = await Promise.all([
        this.#fixture.data.ctx.cache.all(
          "SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB 'rs_[0-9]*'",
        ),
        this.#fixture.data.sets.list(),
      ]);
      expect(tables).toHaveLength(sets.length);
    });
  }
}

interface Manifest {
  completeness: 'complete' | 'PARTIAL';
  rows_fetched: number;
}

it(
  'whatever happens concurrently, every file and page has the intended rows',
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...SIZES),
        fc.array(step, { minLength: 8, maxLength: 30 }),
        async (size, steps) => {
          const fixture = await startRowsFixture(size);
          try {
            const world = new World(fixture);
            await world.open();
            for (const next of steps) await world.run(next);
            await world.end();
          } finally {
            await fixture.close();
          }
        },
      ),
      { numRuns: isLong ? 60 : 4, endOnFailure: true, ...(isLong ? {} : { seed: 20 }) },
    );
  },
  isLong ? 3_600_000 : 120_000,
);
