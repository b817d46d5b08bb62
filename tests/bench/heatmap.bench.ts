/** Login-map pages decoded and binned, against bare node zlib and JSON.parse; then a brush over all of them. */
import { inflateSync } from 'node:zlib';
import { decodeRows } from '#renderer/features/login-map/decode.ts';
import { type LayerInput, LoginEngine } from '#renderer/features/login-map/engine.ts';
import { HEAT_MAP_PAGE_MAX } from '#shared/model/constants.ts';
import { HOUR, NOW, PAGES, pageOf } from './login-pages.ts';
import type { BenchSuite } from './support.ts';

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
        engine.begin(NOW);
        for (const input of inputs) engine.page(input);
        engine.load({ clock: 'utc', isWhole: true, users: null });
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
