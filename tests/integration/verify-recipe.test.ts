/** The commands of docs/verify.md, run exactly as written, with independent tools. */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, type TestContext } from 'vitest';
import type { ExportFormat } from '#shared/bridge/operations/exports.ts';
import { CONNECTION, type DataHarness, openData } from '../support/data-services.ts';
import { makeRows, type RowsService, rowColumns, startRowsService } from '../support/rows-service.ts';

const root = join(import.meta.dirname, '../..');
const blocks = [...readFileSync(join(root, 'docs/verify.md'), 'utf8').matchAll(/```sh\n(.*?)```/gs)].map(
  ([, block = '']) => block,
);

let folder: string;
let service: RowsService;
let data: DataHarness;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'parapet-recipe-'));
  service = await startRowsService(makeRows(1_500));
  data = await openData(join(folder, 'profile'), service.url);
});
afterEach(async () => {
  await data.close();
  await service.close();
  rmSync(folder, { recursive: true, force: true });
});

async function exported(name: string, format: ExportFormat): Promise<string> {
  const context = { signal: new AbortController().signal };
  const payload = {
    query_domain: 'email',
    saas_id: 'mail',
    query_entity_type: 'email',
    condition: { operator: 'and' as const, conditions: [] },
    columns: rowColumns.map(({ id }) => id),
    sort_by: [],
    include_copies: false,
  };
  const set = await data.handlers['results.open'](
    { connectionId: CONNECTION, payload, columns: rowColumns, refresh: false },
    context,
  );
  const { id } = await data.export(set.id, join(folder, name), {
    format,
    columns: [
      { id: 'entity_id', label: 'Id' },
      ...rowColumns.map(({ id: column, label }) => ({ id: column, label })),
    ],
    bom: true,
  });
  await expect
    .poll(() => data.jobs.list().find((job) => job.id === id)?.state, { timeout: 30_000 })
    .not.toBe('running');
  return String(data.jobs.list().find((job) => job.id === id)?.outcome?.['file']);
}
const sh = (block: string, from: string, file: string) =>
  spawnSync('sh', ['-c', block.replaceAll(from, file)], {
    cwd: folder,
    encoding: 'utf8',
    // Bash warns about a locale that is not installed, as on a machine reached through SSH.
    env: { ...process.env, LC_ALL: 'C.UTF-8' },
  });
const needs = (test: TestContext, ...programs: string[]) => {
  for (const program of programs)
    if (spawnSync('sh', ['-c', `command -v ${program}`]).status !== 0)
      test.skip(`${program} is not installed here`);
};

describe('the recipe for a recipient', () => {
  it.for([
    ['csv', 'x.csv', '"x.csv"'],
    ['ndjson', 'x.ndjson', 'x.ndjson'],
    ['json', 'x.json', 'x.ndjson'],
    ['xlsx', 'x.xlsx', 'x.xlsx'],
  ] as const)(
    'succeeds for %s, complete and PARTIAL, and fails for a changed one',
    async ([format, name, from], test: TestContext) => {
      needs(test, 'python3', 'sha256sum');
      const block = blocks.find((code) => code.includes(`python3 - ${from.replaceAll('"', '')} <<`));
      expect(block).toBeDefined();
      for (const offline of [false, true]) {
        if (offline) service.rows = makeRows(1_600);
        service.fault = offline
          ? ({ at }) => (at > 500 ? { status: 500, body: {} } : undefined)
          : () => undefined;
        if (offline) {
          await data.close();
          data = await openData(join(folder, 'profile-2'), service.url);
        }
        const file = await exported(name, format);
        expect(file.includes('PARTIAL')).toBe(offline);
        const quoted = `'${file}'`;
        const run = sh(block!, from.replaceAll('"', ''), quoted);
        expect(run.stderr).toBe('');
        expect(run.stdout).toContain('holds:');
        const bytes = readFileSync(join(folder, file));
        const [size, hash] = [String(bytes.length), createHash('sha256').update(bytes).digest('hex')];
        const first = execFileSync(
          'sh',
          [
            '-c',
            blocks[0]!
              .replaceAll('"x.csv.manifest.json"', `"${file}.manifest.json"`)
              .replaceAll('x.csv\n', `'${file}'\n`),
          ],
          { cwd: folder, encoding: 'utf8' },
        );
        expect(first.split(/\s+/).filter((word) => word === size || word === hash)).toEqual([
          size,
          hash,
          size,
          hash,
        ]);
        expect(JSON.parse(readFileSync(join(folder, `${file}.manifest.json`), 'utf8'))['completeness']).toBe(
          offline ? 'PARTIAL' : 'complete',
        );
        // With one row removed, the recipe must report a mismatch.
        if (format !== 'xlsx') {
          const lines = bytes.toString('utf8').split('\n');
          writeFileSync(join(folder, file), [...lines.slice(0, 3), ...lines.slice(4)].join('\n'));
          expect(sh(block!, from.replaceAll('"', ''), quoted).status).not.toBe(0);
        }
      }
    },
  );

  it('agrees with npm run verify', async () => {
    const file = await exported('x.csv', 'csv');
    const verify = (name = file) =>
      spawnSync(process.execPath, ['scripts/run.mjs', 'scripts/verify.ts', name], {
        // npm runs it in the root, whatever the folder in which it was typed.
        cwd: root,
        env: { ...process.env, INIT_CWD: folder },
        encoding: 'utf8',
      });
    expect(verify()).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('is what its manifest says'),
    });
    writeFileSync(join(folder, file), readFileSync(join(folder, file), 'utf8').replace('e-7', 'e-8'));
    expect(verify()).toMatchObject({ status: 1, stdout: expect.stringContaining('DOES NOT HOLD SHA-256') });
    expect(verify('y.csv')).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/^There is no .*y\.csv\./),
    });
    expect(verify('--help')).toMatchObject({ status: 0, stdout: expect.stringMatching(/^Usage: /) });
    expect(verify('--wrong')).toMatchObject({ status: 2, stderr: expect.stringContaining('Usage: ') });
  });
});
