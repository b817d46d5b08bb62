/** Exports against the sqlite3 shell and hucre writing the same rows and columns. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { ExportFormat } from '#shared/bridge/operations/exports.ts';
import { BUILT, type DataHarness, openData } from '../support/data-services.ts';
import { type Bench, type BenchSuite, benchColumns, type Comparison } from './support.ts';

/** Nothing is fetched here. */
const NO_SERVICE = 'http://127.0.0.1:9';
const MANY = 500_000;

const version = (program: string, argument: string): string | null => {
  const ran = spawnSync(program, [argument], { encoding: 'utf8' });
  return ran.status === 0 ? (ran.stdout.trim().split(' ')[0] ?? '') : null;
};

async function suiteOf(bench: Bench, folder: string): Promise<void> {
  const here = import.meta.dirname;
  const make = (store: string) =>
    execFileSync(process.execPath, [path.join(here, 'export-store.ts'), folder, String(bench.rows), store], {
      stdio: 'inherit',
    });
  const runs = bench.rows >= MANY ? 3 : 5;
  const shell = version('sqlite3', '--version');
  if (shell === null) bench.notice('No sqlite3 shell: its figures are left out (apt-get install sqlite3).');
  if (!existsSync('/usr/include/xlsxwriter.h'))
    bench.notice('No libxlsxwriter: its figures are left out (apt-get install libxlsxwriter-dev).');
  const peerFile = path.join(folder, 'peer.out');
  const database = path.join(folder, 'peer.sqlite');
  const shellPeer = (mode: '-csv' | '-json', order: string): NonNullable<Comparison['peers']> =>
    shell === null
      ? []
      : [
          {
            name: `sqlite3 ${mode}`,
            run: async () =>
              execFileSync('sh', [
                '-c',
                `sqlite3 ${mode} "${database}" 'SELECT * FROM t${order}' > "${peerFile}"`,
              ]),
          },
        ];
  const hucre: NonNullable<Comparison['peers']> = [
    {
      name: "hucre's stream",
      run: async () => execFileSync(process.execPath, [path.join(here, 'hucre-peer.ts'), database, peerFile]),
    },
  ];
  const items: { name: string; format: ExportFormat; sort: string | null; peers: Comparison['peers'] }[] = [
    { name: 'csv', format: 'csv', sort: null, peers: shellPeer('-csv', '') },
    { name: 'ndjson', format: 'ndjson', sort: null, peers: shellPeer('-json', '') },
    { name: 'csv-sorted', format: 'csv', sort: 'size', peers: shellPeer('-csv', ' ORDER BY "size"') },
    { name: 'ndjson-sorted', format: 'ndjson', sort: 'size', peers: shellPeer('-json', ' ORDER BY "size"') },
    { name: 'xlsx', format: 'xlsx', sort: null, peers: hucre },
  ];
  const wanted = items.filter(({ name }) => bench.wants(name));
  for (const store of ['encrypted', 'plain'] as const) {
    make(store);
    const data = await openData(
      path.join(folder, store),
      NO_SERVICE,
      store === 'plain' ? null : undefined,
      null,
      BUILT,
    );
    const [record] = await data.sets.list();
    if (record === undefined) throw new Error('the store of the bench has no result set');
    for (const { name, format, sort, peers } of wanted) {
      globalThis.gc?.();
      // The peers are timed once, beside the product's own store.
      await bench.compare({
        name,
        variant: `${store} store`,
        own: () => exportOnce(data, record.id, path.join(folder, `own.${format}`), format, sort),
        peers: store === 'encrypted' ? (peers ?? []) : [],
        runs,
      });
    }
    await data.close();
  }
}

async function exportOnce(
  data: DataHarness,
  resultId: string,
  file: string,
  format: ExportFormat,
  sort: string | null,
): Promise<number> {
  const began = performance.now();
  const { id } = await data.handlers['exports.start'](
    {
      resultId,
      grantId: data.grant(file),
      format,
      columns: [...benchColumns],
      raw: false,
      bom: false,
      zone: 'UTC',
      ...(sort === null ? {} : { sort: [{ dbId: sort, direction: 'asc' as const }] }),
    },
    { signal: new AbortController().signal },
  );
  await new Promise<void>((resolve, reject) => {
    const poll = setInterval(() => {
      const job = data.jobs.list().find((one) => one.id === id);
      if (job?.state === 'running') return;
      clearInterval(poll);
      if (job?.state === 'done') resolve();
      else reject(new Error(`the export ended ${job?.state}: ${job?.error?.message ?? job?.note}`));
    }, 2);
  });
  const took = performance.now() - began;
  rmSync(file);
  rmSync(`${file}.manifest.json`);
  return took;
}

export const suite: BenchSuite = {
  names: ['csv', 'ndjson', 'csv-sorted', 'ndjson-sorted', 'xlsx'],
  async run(bench) {
    const folder = mkdtempSync(path.join(tmpdir(), 'parapet-bench-'));
    try {
      await suiteOf(bench, folder);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};
