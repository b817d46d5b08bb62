/** Login-map pages decoded and binned, against bare node zlib and JSON.parse; then a brush over all of them. */
import { deflateSync, inflateSync } from 'node:zlib';
import { decodeRows } from '#renderer/features/login-map/decode.ts';
import { type LayerInput, LoginEngine } from '#renderer/features/login-map/engine.ts';
import { HEAT_MAP_PAGE_MAX } from '#shared/model/constants.ts';
import type { BenchSuite } from './support.ts';

const PAGES = 40;
const NOW = Date.parse('2026-11-20T12:00:00Z');
const HOUR = 3_600_000;
const COUNTRIES = ['GB', 'DE', 'FR', 'US', 'JP', 'NG', 'IN', 'BR'];

/** A page as the service sends it: some 2 000 users, 30 000 places. */
function pageOf(page: number): string {
  const rows = Array.from({ length: HEAT_MAP_PAGE_MAX }, (_, at) => {
    const number = page * HEAT_MAP_PAGE_MAX + at;
    const place = (number * 7919) % 30_000;
    return [
      ((place * 37) % 12_000) / 100 - 50,
      ((place * 101) % 36_000) / 100 - 180,
      1 + (number % 9),
      COUNTRIES[place % COUNTRIES.length],
      `203.0.113.${place % 256}`,
      `user${number % 2000}@corp.example`,
      new Date(NOW - ((number * 13) % (720 * 60)) * (HOUR / 60)).toISOString(),
      `Town ${place % 900}`,
    ];
  });
  return deflateSync(JSON.stringify(rows)).toString('base64');
}

export const suite: BenchSuite = {
  names: ['heatmap'],
  async run(bench) {
    const pages = Array.from({ length: PAGES }, (_, page) => pageOf(page));
    const rows = PAGES * HEAT_MAP_PAGE_MAX;
    await bench.compare({
      name: 'heatmap',
      variant: `${PAGES} pages decoded`,
      rows,
      own: async () => {
        for (const page of pages) decodeRows(page);
      },
      peers: [
        {
          name: 'node zlib + JSON.parse',
          run: async () => {
            for (const page of pages) JSON.parse(inflateSync(Buffer.from(page, 'base64')).toString('utf8'));
          },
        },
      ],
    });
    const engine = new LoginEngine();
    const inputs: LayerInput[] = pages.map((data) => ({ module: 'office365_emails', failed: false, data }));
    await bench.compare({
      name: 'heatmap',
      variant: `${PAGES} pages decoded, checked and indexed`,
      rows,
      own: async () => {
        engine.load(inputs, 'utc', NOW);
      },
    });
    await bench.compare({
      name: 'heatmap',
      variant: 'all linked views after a brush',
      rows,
      own: async () => {
        engine.summary({ time: { from: NOW - 400 * HOUR, to: NOW - 100 * HOUR } });
      },
    });
  },
};
