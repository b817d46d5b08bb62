/** The lists in a user's profile contain what the service has about them. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { LISTS, type ListKind, listQuery } from '#renderer/features/people/lists.ts';
import type { ConditionGroup } from '#shared/query/tree.ts';
import { Served } from '../support/served.ts';

let served: Served;
beforeAll(async () => {
  served = await Served.demo(Date.UTC(2026, 10, 19, 8), 1_500);
});
afterAll(() => served.close());

const COUNTS: Readonly<Record<ListKind, string>> = {
  received: 'SELECT count(DISTINCT email_id) FROM recipients WHERE email = ?',
  sent: 'SELECT count(*) FROM emails WHERE from_email = ?',
  clicks: 'SELECT count(*) FROM clicks WHERE user = ?',
  files: 'SELECT count(*) FROM files WHERE owner = ? AND (is_shared_externally OR is_shared_publicly)',
};
const MOST: Readonly<Record<ListKind, string>> = {
  received: 'SELECT email FROM recipients GROUP BY email ORDER BY count(*) DESC LIMIT 1',
  sent: "SELECT from_email FROM emails WHERE from_email LIKE '%aldermoor%' GROUP BY 1 ORDER BY count(*) DESC LIMIT 1",
  clicks: 'SELECT user FROM clicks GROUP BY 1 ORDER BY count(*) DESC LIMIT 1',
  files:
    'SELECT owner FROM files WHERE is_shared_externally OR is_shared_publicly GROUP BY 1 ORDER BY count(*) DESC LIMIT 1',
};

it.each(Object.keys(LISTS) as ListKind[])(
  '[spec 3] %s: the query behind the list counts the same',
  async (kind) => {
    const email = served.one(MOST[kind]);
    const { domain } = LISTS[kind];
    const config = await served.call('query.config', { query: { saas_id: 'all', query_domain: domain } });
    const query = listQuery(kind, email, config);
    expect(query?.name).toContain(email);
    const { total_rows } = await served.call('query.execute', {
      body: {
        query_domain: domain,
        condition: query?.filter as ConditionGroup,
        sort_by: query?.sort,
        size: 5,
      },
    });
    expect(total_rows).toBe(Number(served.one(COUNTS[kind], email)));
    expect(total_rows).toBeGreaterThan(0);
    expect(listQuery(kind, email, { ...config, fields: [] })).toBeNull();
  },
);
