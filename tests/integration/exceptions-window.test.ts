/** The default window of exceptions, at the ends of months. */
import { expect, it } from 'vitest';
import { Served } from '#tests/support/served.ts';

it.each([
  ['2026-08-31T10:00:00Z', '2026-02-28T10:00:00Z'],
  ['2024-08-31T10:00:00Z', '2024-02-29T10:00:00Z'],
  ['2026-12-31T00:00:00Z', '2026-06-30T00:00:00Z'],
  ['2026-05-19T10:00:00Z', '2025-11-19T10:00:00Z'],
])('at %s contains what was added since %s', async (now, first) => {
  const served = new Served(Date.parse(now) - 60_000);
  const insert = served.store.db.prepare(
    `INSERT INTO exceptions (exception_id, tool, list, type, string, string_folded, is_exclusive, created_at)
      VALUES (?, 'ap_guard', 'block', 'blacklist', ?, ?, 0, ?)`,
  );
  for (const [id, time] of [
    ['before', Date.parse(first) - 1],
    ['at', Date.parse(first)],
    ['after', Date.parse(first) + 1],
    ['day after', Date.parse(first) + 86_400_000],
  ] as const)
    insert.run(id, id, id, time);
  try {
    const { rows } = await served.call('exceptions.search2', {
      params: { product: 'guard' },
      body: { page: 0 },
    });
    expect(rows.map(({ id }) => id)).toEqual(['day after', 'after', 'at']);
  } finally {
    await served.close();
  }
});
