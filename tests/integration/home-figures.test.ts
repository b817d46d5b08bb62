/** Home: each figure is the number of rows that its query opens, and a change compares the same apps. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { domainOf, type FigureRequest, figureQuery } from '#renderer/features/home/figure-query.ts';
import { barsOf, tiles, uncounted } from '#renderer/features/home/figures.ts';
import { profileTime } from '#shared/model/clock.ts';
import type { NewQuery, QueryConfig, Statistics } from '#shared/model/entities.ts';
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
beforeAll(async () => {
  demo = await Served.demo(ANCHOR, 3_000);
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

async function rowsOf(query: Pick<NewQuery, 'domain' | 'saas' | 'filter'>): Promise<number> {
  const { total_rows } = await demo.call('query.execute', {
    body: {
      query_domain: query.domain,
      saas_id: query.saas ?? 'all',
      query_entity_type: query.domain,
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

async function opened(
  what: FigureRequest['what'],
  domain: FigureRequest['domain'],
  counted: Statistics,
  more: Pick<FigureRequest, 'without' | 'saas'>,
): Promise<number> {
  const config = (await demo.call('query.config', {
    query: { saas_id: more.saas ?? 'all', query_domain: domain },
  })) as QueryConfig;
  const query = figureQuery(config, { domain, name: 'x', counted, what, ...more });
  if (query === null) throw new Error(`No query behind ${JSON.stringify(what)}`);
  return rowsOf(query);
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
          statistics,
          'verdict' in what ? { without: uncounted(statistics) } : {},
        );
      expect([id, value]).toEqual([id, rows]);
      expect([id, rows]).not.toEqual([id, 0]);
    }
  });

  it('open the rows that were counted, although more have arrived since', async () => {
    const statistics = await demo.call('apps.statistics', { query: { window: '24h' } });
    demo.store.db
      .prepare(
        `UPDATE emails SET received_at = ?, quarantined = 1, restore_state = 'requested'
          WHERE id IN (SELECT id FROM emails WHERE received_at < ? LIMIT 5)`,
      )
      .run(demo.now + 60_000, demo.now - 31 * 86_400_000);
    demo.now += 120_000;
    const open = (is: 'quarantined' | 'restore-waiting') => opened({ is }, 'email', statistics, {});
    expect(await open('quarantined')).toBe(statistics.quarantined);
    expect(await open('restore-waiting')).toBe(statistics.restore_requests);
  });

  it.each(['utc', { tenant: 'Europe/Berlin' }, { tenant: 'Australia/Lord_Howe' }] as const)(
    'over days are named on the clock %j by the days that their bars count',
    async (clock) => {
      const statistics = await demo.call('apps.statistics', { query: { window: '30d' } });
      const bars = barsOf(statistics, '30d', clock);
      expect(bars).toHaveLength(30);
      for (const [index, { label }] of bars.entries()) {
        const begin = Date.parse(statistics.to!) - (30 - index) * 86_400_000;
        const [first, last] = [begin, begin + 86_400_000 - 1].map((time) =>
          profileTime(time, clock).slice(5, 10),
        );
        expect(label).toBe(first === last ? first : `${first!.slice(3)}–${last!.slice(3)}`);
      }
    },
  );

  it('of each app open the rows of that app', async () => {
    const statistics = await demo.call('apps.statistics', { query: { window: '7d' } });
    const { rows: apps } = await demo.call('apps.list');
    const figures = {
      scanned: { is: 'scanned' },
      found: { verdict: 'found' },
      suspicious: { verdict: 'suspicious' },
      spam: { verdict: 'spam' },
      not_scanned: { verdict: 'not-scanned' },
    } as const;
    const wrong: string[] = [];
    let all = 0;
    for (const counts of statistics.apps.filter(({ error }) => !error)) {
      const app = apps.find(({ name }) => name === counts.name);
      if (app === undefined) throw new Error(counts.name);
      for (const [id, what] of Object.entries(figures)) {
        const count = counts[id as keyof typeof figures] ?? 0;
        const rows = await opened(what, domainOf(app), statistics, { saas: app.name });
        if (rows !== count) wrong.push(`${id} of ${app.name}: ${count}, opens ${rows}`);
        all += rows;
      }
    }
    expect(wrong).toEqual([]);
    expect(all).toBeGreaterThan(100);
  });

  it('of findings, and of emails with an attachment, are the numbers of their rows', async () => {
    const { rows: widgets } = await demo.call('findings.widgets');
    for (const { id, count } of widgets) {
      const { rows } = await demo.call('findings.list', { query: { widget: id } });
      expect([id, rows.length]).toEqual([id, count]);
    }
    expect(widgets.some(({ count }) => (count ?? 0) > 1)).toBe(true);
    const shared = demo.one(
      `SELECT entity_id FROM emails WHERE id IN (SELECT min(email_id) FROM attachments
        WHERE sha256 IS NOT NULL GROUP BY sha256 HAVING count(DISTINCT email_id) > 1)`,
    );
    const { rows } = await demo.call('email.attachments', {
      params: { saas: 'all' },
      query: { entity_id: String(shared) },
    });
    for (const { seen_in, sha256 } of rows)
      expect(
        await rowsOf({
          domain: 'email',
          filter: {
            operator: 'and',
            conditions: [{ field: 'attachment_sha256', operator: 'is', values: [sha256 ?? ''] }],
          },
        }),
      ).toBe(seen_in);
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
