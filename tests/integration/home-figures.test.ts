/** Home: each figure is the number of rows that its query opens, and a change compares the same apps. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FigureRequest, figureQuery } from '#renderer/features/home/figure-query.ts';
import { tiles, uncounted } from '#renderer/features/home/figures.ts';
import type { QueryConfig } from '#shared/model/entities.ts';
import { Served } from '#tests/support/served.ts';

const ANCHOR = Date.UTC(2026, 10, 19, 8, 47);
const DOMAINS = ['email', 'file', 'message'] as const;
const BEHIND: Readonly<Record<string, FigureRequest['what']>> = {
  found: { verdict: 'found' },
  'no-click': { verdict: 'found-no-click' },
  suspicious: { verdict: 'suspicious' },
  quarantined: { is: 'quarantined' },
  reports: { is: 'reported' },
  restores: { is: 'restore-waiting' },
};

let demo: Served;
beforeAll(() => {
  demo = Served.demo(ANCHOR, 3_000);
  // Reported by several, restored without a request, and declined: all within the window.
  const ids = demo.store.db
    .prepare('SELECT id FROM emails WHERE received_at <= ? ORDER BY received_at DESC LIMIT 6')
    .pluck()
    .all(demo.now) as number[];
  const set = (column: string, value: string | number, id: number | undefined) =>
    demo.store.db.prepare(`UPDATE emails SET ${column} = ? WHERE id = ?`).run(value, id);
  set('user_reported', 9, ids[0]);
  set('restore_state', 'restored', ids[1]);
  set('restore_state', 'declined', ids[2]);
  set('restore_state', 'requested', ids[3]);
  demo.store.db
    .prepare("UPDATE emails SET verdict = 'found-no-click' WHERE id IN (?, ?)")
    .run(ids[4] ?? 0, ids[5] ?? 0);
});
afterAll(() => demo.close());

async function opened(
  what: FigureRequest['what'],
  domain: FigureRequest['domain'],
  since: string,
  without: string[],
): Promise<number> {
  const config = (await demo.call('query.config', {
    query: { saas_id: 'all', query_domain: domain },
  })) as QueryConfig;
  const query = figureQuery(config, { domain, name: 'x', since, what, without });
  if (query === null) throw new Error(`No query behind ${JSON.stringify(what)}`);
  const { total_rows } = await demo.call('query.execute', {
    body: {
      query_domain: domain,
      saas_id: 'all',
      query_entity_type: domain,
      include_copies: false,
      condition: query.filter,
      columns: [],
      sort_by: [],
      search_after: null,
      size: 0,
      count_only: true,
    },
  });
  return total_rows;
}

describe('figures of Home', () => {
  it.each(['24h', '7d', '30d'])('open as many rows as they show: %s', async (window) => {
    const statistics = await demo.call('apps.statistics', { query: { window } });
    const figures = tiles(statistics);
    expect(figures.map(({ id }) => id)).toEqual(Object.keys(BEHIND));
    for (const { id, value } of figures) {
      const what = BEHIND[id];
      if (what === undefined) throw new Error(id);
      const domains = 'verdict' in what ? DOMAINS : (['email'] as const);
      let rows = 0;
      for (const domain of domains)
        rows += await opened(
          what,
          domain,
          statistics.from ?? '',
          'verdict' in what ? uncounted(statistics) : [],
        );
      expect([id, value]).toEqual([id, rows]);
      expect([id, rows]).not.toEqual([id, 0]);
    }
  });

  it('compare the same apps: a disabled one counts in neither window', async () => {
    const before = await demo.call('apps.statistics', { query: { window: '7d' } });
    expect(before.previous?.found).toBeGreaterThan(0);
    demo.store.db.exec(
      "UPDATE apps SET body = json_set(body, '$.state', 'disabled') WHERE json_extract(body, '$.is_saas')",
    );
    const after = await demo.call('apps.statistics', { query: { window: '7d' } });
    // All counted apps are disabled: the figure is unknown, not zero.
    expect([after.apps.every(({ error }) => error), tiles(after)[0]?.value]).toEqual([true, null]);
    expect(after.previous).toMatchObject({ found: 0, found_no_click: 0, suspicious: 0, spam: 0 });
  });
});
