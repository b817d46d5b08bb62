/**
 * kill -9 while a run is fetched and exported: no row lost or duplicated, no torn file. PARAPET_LONG=1: a hundred
 * times.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseCsv } from '../support/csv.ts';
import { openData } from '../support/data-services.ts';
import { makeRows, type RowsService, startRowsService } from '../support/rows-service.ts';

const LONG = process.env['PARAPET_LONG'] === '1';
const ROWS = LONG ? 40_000 : 15_000;
const KILLS = LONG ? 100 : 4;
/** The time in which a run of so many rows is fetched and exported. */
const SPAN_MS = LONG ? 1_500 : 600;
const CHILD = fileURLToPath(new URL('../support/data-child.ts', import.meta.url));

let folder: string;
let service: RowsService;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'parapet-kill-'));
  service = await startRowsService(makeRows(ROWS));
});
afterAll(async () => {
  await service.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs the child and kills it `after` ms from the moment it has a set, so that start-up time does not matter. */
const killed = (profile: string, file: string, after: number) =>
  new Promise<string>((resolve, reject) => {
    const child = spawn(process.execPath, [CHILD, profile, service.url, file], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let id = '';
    let output = '';
    let complaint = '';
    child.stderr.on('data', (data: Buffer) => {
      complaint += data.toString();
    });
    child.stdout.on('data', (data: Buffer) => {
      output += data.toString();
      const setId = /^set (\S+)\n/m.exec(output)?.[1];
      if (setId === undefined || id !== '') return;
      id = setId;
      setTimeout(() => child.kill('SIGKILL'), after);
    });
    child.once('exit', (_, signal) => {
      if (signal === 'SIGKILL') resolve(id);
      else reject(new Error(`the child ended unexpectedly: ${complaint}`));
    });
  });

it(`survives ${KILLS} kills`, { timeout: 60_000 * KILLS }, async () => {
  for (let turn = 0; turn < KILLS; turn++) {
    const out = join(folder, `out-${turn}`);
    const profile = join(folder, `profile-${turn}`);
    const file = join(out, 'all.csv');
    mkdirSync(out);
    // Spread over the fetch, the transition, and the export.
    const id = await killed(profile, file, Math.round((turn / KILLS + Math.random() / 8) * SPAN_MS));

    if (existsSync(file)) expect(parseCsv(readFileSync(file, 'utf8'))).toHaveLength(ROWS + 1);
    if (existsSync(`${file}.manifest.json`))
      expect(JSON.parse(readFileSync(`${file}.manifest.json`, 'utf8')).sha256).toBe(
        createHash('sha256').update(readFileSync(file)).digest('hex'),
      );

    const before = process.cpuUsage();
    const data = await openData(profile, service.url);
    const set = await data.sets.get(id);
    // Measured by progress, not time: other tests share the machine.
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1_000).toBeLessThan(5_000);
    // The interrupted work may have resumed automatically.
    expect(set?.loaded).toBeLessThanOrEqual(ROWS);
    expect(readdirSync(out).filter((name) => name.endsWith('.part'))).toEqual([]);
    const whole = await data.sets.fetchAll(id, new AbortController().signal, () => undefined);
    expect(whole).toMatchObject({ state: 'complete', loaded: ROWS });
    const counted = await data.ctx.cache.get(
      `SELECT count(*) AS rows, count(DISTINCT entity_id) AS ids, max(pos) AS last FROM rs_${whole.n}`,
    );
    expect(counted).toEqual({ rows: ROWS, ids: ROWS, last: ROWS - 1 });
    const { rows } = await data.handlers['results.page'](
      { resultId: id, start: 0, end: ROWS },
      { signal: new AbortController().signal },
    );
    expect(rows.every((row, index) => row[0] === `e-${index}`)).toBe(true);
    await data.close();
  }
});
