/** Exports against the sqlite3 shell, hucre and libxlsxwriter writing the same rows and columns; and how they grow. */
import { type ChildProcess, execFileSync, fork, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { ExportFormat } from '#shared/bridge/operations/exports.ts';
import { bundled } from './bundle.ts';
import type { ExportDone, ExportOrder } from './export-child.ts';
import { type Bench, type BenchSuite, benchColumns, measured, median } from './support.ts';

const here = import.meta.dirname;
const LARGE = 1_000_000;
/** A different order for every run, since the sqlite3 shell sorts again each time. */
const TIES = ['from_email', 'subject', 'message_id', 'received', 'to', 'client_ip', 'department'] as const;

type Store = 'encrypted' | 'plain';
type Peers = { name: string; run: () => Promise<ExportDone> }[];

const runs = (program: string, ...words: string[]): boolean => spawnSync(program, words).status === 0;

/** The product's side: one process that exports on command. */
class Exporter {
  readonly folder: string;
  readonly #child: ChildProcess;
  readonly #ready: Promise<ExportDone>;
  constructor(bundle: string, folder: string, store: Store) {
    this.folder = folder;
    this.#child = fork(bundle, [path.join(folder, store), store], { execArgv: ['--expose-gc'] });
    this.#ready = this.#answer();
  }
  #answer(): Promise<ExportDone> {
    return new Promise((resolve, reject) => {
      const lost = (code: number | null) => reject(new Error(`the exporting process ended with ${code}`));
      this.#child.once('exit', lost);
      this.#child.once('message', (message) => {
        this.#child.off('exit', lost);
        resolve(message as ExportDone);
      });
    });
  }
  async run(format: ExportFormat, sort: readonly string[], known = false): Promise<ExportDone> {
    await this.#ready;
    const answer = this.#answer();
    this.#child.send({
      file: path.join(this.folder, `own.${format}`),
      format,
      sort,
      known,
    } satisfies ExportOrder);
    const outcome = await answer;
    if (outcome.error !== null) throw new Error(outcome.error);
    return outcome;
  }
  close(): Promise<void> {
    const gone = new Promise<void>((resolve) => this.#child.once('exit', () => resolve()));
    this.#child.disconnect();
    return gone;
  }
}

const make = (folder: string, rows: number, store: Store, peer: boolean): void => {
  const script = path.join(here, 'export-store.ts');
  execFileSync(process.execPath, [script, folder, String(rows), store, peer ? 'peer' : ''], {
    stdio: 'inherit',
  });
};

const places = (type: string): string =>
  benchColumns.flatMap((column, index) => (column.type === type ? [index] : [])).join(',');

function workbookPeers(bench: Bench, folder: string, database: string): Peers {
  const file = path.join(folder, 'peer.xlsx');
  const nothing = path.join(folder, 'peer.out');
  const peers: Peers = [
    {
      name: "hucre's stream",
      run: () => measured(process.execPath, [path.join(here, 'hucre-peer.ts'), database, file], nothing),
    },
  ];
  const program = path.join(folder, 'xlsxwriter-peer');
  const source = path.join(here, 'xlsxwriter-peer.c');
  if (runs('cc', '-O2', '-o', program, source, '-lxlsxwriter', '-lsqlite3'))
    peers.push({
      name: 'libxlsxwriter',
      run: () => measured(program, [database, file, places('date'), places('boolean')], nothing),
    });
  else
    bench.notice(
      'libxlsxwriter could not be built: left out (apt-get install gcc libxlsxwriter-dev libsqlite3-dev).',
    );
  return peers;
}

interface Item {
  name: string;
  format: ExportFormat;
  sorted: boolean;
}
const ITEMS: readonly Item[] = [
  { name: 'csv', format: 'csv', sorted: false },
  { name: 'ndjson', format: 'ndjson', sorted: false },
  { name: 'csv-sorted', format: 'csv', sorted: true },
  { name: 'ndjson-sorted', format: 'ndjson', sorted: true },
  { name: 'xlsx', format: 'xlsx', sorted: false },
];

async function against(bench: Bench, bundle: string, items: readonly Item[], folder: string): Promise<void> {
  const hasShell = runs('sqlite3', '--version');
  if (!hasShell) bench.notice('The sqlite3 shell is not installed: left out (apt-get install sqlite3).');
  const database = path.join(folder, 'peer.sqlite');
  const output = path.join(folder, 'peer.out');
  const shell = (mode: '-csv' | '-json', order: () => string): Peers =>
    hasShell
      ? [
          {
            name: `sqlite3 ${mode}`,
            run: () => measured('sqlite3', [mode, database, `SELECT * FROM t${order()}`], output),
          },
        ]
      : [];
  const repeat = bench.rows >= LARGE ? { runs: 3 } : {};
  for (const store of ['encrypted', 'plain'] as const) {
    make(folder, bench.rows, store, store === 'encrypted');
    const exporter = new Exporter(bundle, folder, store);
    for (const { name, format, sorted } of items) {
      const mode = format === 'csv' ? '-csv' : '-json';
      if (!sorted) {
        const peers =
          format === 'xlsx' ? () => workbookPeers(bench, folder, database) : () => shell(mode, () => '');
        await bench.compare({
          name,
          variant: `${store} store`,
          own: () => exporter.run(format, []),
          // The peers are timed once, together with the encrypted store.
          peers: store === 'encrypted' ? peers() : [],
          ...repeat,
        });
        continue;
      }
      let ours = 0;
      let theirs = 0;
      await bench.compare({
        name,
        variant: `${store} store, an order not used before`,
        own: () => exporter.run(format, ['size', TIES[ours++ % TIES.length]!]),
        peers:
          store === 'encrypted'
            ? shell(mode, () => ` ORDER BY "size", "${TIES[theirs++ % TIES.length]}"`)
            : [],
        ...repeat,
      });
      // Browsing loads columns into memory, which must not count for the following exports.
      const looking = new Exporter(bundle, folder, store);
      await bench.compare({
        name,
        variant: `${store} store, the order of the grid`,
        own: () => looking.run(format, ['folder'], true),
        peers: store === 'encrypted' ? shell(mode, () => ' ORDER BY "folder"') : [],
        ...repeat,
      });
      await looking.close();
    }
    await exporter.close();
  }
}

/** Growth with ten and fifty times the rows, each in a process of its own. */
async function growth(bench: Bench, bundle: string): Promise<void> {
  for (const rows of [bench.rows / 10, bench.rows, bench.rows * 5].map(Math.ceil)) {
    const folder = mkdtempSync(path.join(tmpdir(), 'parapet-bench-'));
    try {
      make(folder, rows, 'encrypted', false);
      for (const { name, format, sorted } of ITEMS) {
        const exporter = new Exporter(bundle, folder, 'encrypted');
        const times: number[] = [];
        const cpu: number[] = [];
        let peak: number | null = null;
        for (let run = 0; run < (rows >= LARGE ? 1 : 3); run++) {
          const outcome = await exporter.run(format, sorted ? ['size'] : []);
          times.push(outcome.ms);
          if (outcome.cpu !== null) cpu.push(outcome.cpu);
          if (outcome.peak !== null) peak = Math.max(peak ?? 0, outcome.peak);
        }
        await exporter.close();
        bench.record({
          name: 'growth',
          variant: `export ${name}`,
          rows,
          median_ms: median(times),
          cpu_ms: median(cpu),
          peak_rss_mb: peak,
        });
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
}

export const suite: BenchSuite = {
  names: [...ITEMS.map(({ name }) => name), 'growth'],
  async run(bench) {
    const bundle = await bundled('export-child.ts');
    const items = ITEMS.filter(({ name }) => bench.wants(name));
    const folder = mkdtempSync(path.join(tmpdir(), 'parapet-bench-'));
    try {
      if (items.length > 0) await against(bench, bundle, items, folder);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
    if (bench.wants('growth')) await growth(bench, bundle);
  },
};
