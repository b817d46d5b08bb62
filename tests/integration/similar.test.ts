/** Similar emails: the number beside each mode equals the query that it opens. */
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { similarCount } from '#service/query/similar.ts';
import type { EmailRow } from '#service/store/emails.ts';
import { SIMILAR_MODES } from '#shared/api/profile-pages.ts';
import { likeValues } from '#shared/model/similar.ts';
import { Served } from '#tests/support/served.ts';

const LONG = process.env['PARAPET_LONG'] === '1';
const ANCHOR = Date.UTC(2026, 10, 19, 8, 47);

let demo: Served;
beforeAll(async () => {
  demo = await Served.demo(ANCHOR, 1_500);
});
afterAll(() => demo.close());

it('counts what its query opens, in every mode', { timeout: 600_000 }, async () => {
  const idsOf = (sql: string) => demo.store.db.prepare(sql).pluck().all() as string[];
  const all = idsOf('SELECT entity_id FROM emails ORDER BY id');
  // An email whose copy has the same link host, and one with more link hosts than a query accepts.
  const [linked = 0, many = 0] = demo.store.db
    .prepare('SELECT DISTINCT email_id FROM links WHERE host IS NOT NULL LIMIT 2')
    .pluck()
    .all() as number[];
  demo.store.db.exec(
    `INSERT INTO recipients (email_id, position, kind, email)
      SELECT email_id, 900 + id, 'cc', 'copy@' || host FROM links WHERE email_id = ${linked};
    INSERT INTO links (email_id, url, host) SELECT ${many}, 'https://' || host, host
      FROM (SELECT DISTINCT host FROM links WHERE host IS NOT NULL LIMIT 60)`,
  );
  const special = idsOf(
    `SELECT entity_id FROM emails WHERE id IN (${linked}, ${many}) OR id IN
      (SELECT min(email_id) FROM attachments WHERE is_inline = 0 GROUP BY sha256 HAVING count(*) > 1 LIMIT 8)`,
  );
  const ids = LONG ? all : [...new Set([...special, ...all.filter((_, index) => index % 60 === 0)])];
  const wrong: string[] = [];
  const counts = new Map<string, number>();
  for (const id of ids) {
    const request = { params: { saas: 'all' }, query: { entity_id: id } };
    const profile = await demo.call('email.profile', request);
    const { rows: attachments } = await demo.call('email.attachments', request);
    const values = likeValues({
      subject: profile.subject,
      from: profile.from?.email ?? null,
      recipients: [profile.to, profile.cc, profile.bcc].flatMap((list) =>
        (list ?? []).map(({ email }) => email),
      ),
      clientIp: profile.client_ip ?? null,
      hosts: (profile.links ?? []).map(({ host }) => host),
      attachments,
    });
    for (const mode of SIMILAR_MODES) {
      const { count } = await demo.call('email.similar-count', {
        params: { type: 'email', id },
        query: { mode },
      });
      const conditions = values[mode].map(({ field, value }) => ({ field, operator: 'is', values: [value] }));
      const total =
        conditions.length === 0
          ? 0
          : (
              await demo.call('query.execute', {
                body: {
                  query_domain: 'email',
                  query_entity_type: 'email',
                  saas_id: 'all',
                  include_copies: false,
                  condition: { operator: 'or', conditions },
                  columns: [],
                  sort_by: [],
                  search_after: null,
                  size: 0,
                  count_only: true,
                },
              })
            ).total_rows;
      if (count !== total) wrong.push(`${mode} of ${id}: counts ${count}, opens ${total}`);
      counts.set(mode, (counts.get(mode) ?? 0) + count);
    }
  }
  expect(wrong).toEqual([]);
  for (const mode of SIMILAR_MODES) expect([mode, counts.get(mode)]).not.toEqual([mode, 0]);
});

/** The index that each mode is counted by, without reading the table. */
const INDEXES: Record<(typeof SIMILAR_MODES)[number], string> = {
  subject: 'emails_subject',
  sender: 'emails_from',
  sender_domain: 'emails_from_domain',
  attachment: 'attachments_by_sha256',
  link: 'links_by_host',
  client_ip: 'emails_client_ip',
};

it.each(SIMILAR_MODES)('counts emails with the same %s by an index alone', async (mode) => {
  const { store } = demo;
  const id = store.db
    .prepare<unknown[], number>(
      `SELECT e.id FROM emails e WHERE e.client_ip IS NOT NULL
       AND EXISTS (SELECT 1 FROM attachments a WHERE a.email_id = e.id AND a.is_inline = 0 AND a.sha256 IS NOT NULL)
       AND EXISTS (SELECT 1 FROM links l WHERE l.email_id = e.id AND l.host IS NOT NULL)`,
    )
    .pluck()
    .get();
  const row = store.db.prepare<unknown[], EmailRow>('SELECT * FROM emails WHERE id = ?').get(id);
  if (row === undefined) throw new Error('no email has all of them');
  const prepare = vi.spyOn(store.db, 'prepare');
  await similarCount(store, row, mode, ANCHOR);
  const statements = prepare.mock.calls.map(([sql]) => sql);
  prepare.mockRestore();
  const plans = statements.map((sql) => {
    const marks = [...sql].filter((sign) => sign === '?').length;
    return store.db
      .prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
      .all(...Array.from({ length: marks }, () => '1'))
      .map(({ detail }) => detail);
  });
  // The values of the email itself are read by its id.
  const counted = plans.filter((plan) => plan.some((line) => line.includes(INDEXES[mode])));
  expect(counted.length).toBeGreaterThan(0);
  for (const plan of counted)
    expect(plan.filter((line) => !line.includes('json_each') && !/SUBQUERY|BLOOM/.test(line))).toEqual([
      expect.stringMatching(new RegExp(`^SEARCH . USING (?:COVERING )?INDEX ${INDEXES[mode]} `)),
    ]);
});
