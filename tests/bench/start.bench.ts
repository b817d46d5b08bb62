/** From start to the ready line, against Node itself opening an empty encrypted database. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startHost } from '../e2e/host.ts';
import { type BenchSuite, peakRss } from './support.ts';

const OPEN = `
  import Database from 'better-sqlite3';
  const db = new Database(process.argv[1]);
  db.pragma("key = \\"x'${'a1'.repeat(32)}'\\"");
  db.exec('CREATE TABLE IF NOT EXISTS t (a)');
  db.close();`;

export const suite: BenchSuite = {
  names: ['start'],
  async run(bench) {
    const folder = mkdtempSync(path.join(tmpdir(), 'parapet-bench-'));
    const start = (profile: string, connect: string) => async () => {
      const began = performance.now();
      const host = await startHost({ connect, profile: path.join(folder, profile) });
      const ms = performance.now() - began;
      const peak = host.process.pid === undefined ? null : peakRss(host.process.pid);
      await host.stop();
      return { ms, peak };
    };
    let turn = 0;
    const peers = [
      {
        name: 'node, an empty encrypted database',
        run: async () => {
          execFileSync(process.execPath, [
            '--input-type=module',
            '-e',
            OPEN,
            path.join(folder, `p${turn++}.sqlite`),
          ]);
        },
      },
    ];
    const first = () => start(`new-${turn++}`, 'none')();
    await bench.compare({ name: 'start', variant: 'ready line, new profile', rows: null, own: first, peers });
    await start('known', 'demo')();
    await bench.compare({
      name: 'start',
      variant: 'ready line, demo tenant generated earlier',
      rows: null,
      own: start('known', 'demo'),
      peers,
    });
    rmSync(folder, { recursive: true, force: true });
  },
};
