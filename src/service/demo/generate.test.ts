import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { parseHeaders } from '#shared/mail/headers.ts';
import { SECURITY_TOOLS } from '#shared/model/enums.ts';
import type { ScanRecord } from '../store/records.ts';
import { appsOf } from '../store-sqlite/apps.ts';
import { findEmail } from '../store-sqlite/emails.ts';
import { savedQueries } from '../store-sqlite/queries.ts';
import { domainNamed } from '../store-sqlite/query/domains.ts';
import { openStore, type SqliteStore } from '../store-sqlite/sqlite-store.ts';
import { generate } from './generate.ts';
import { catchUp } from './open-demo.ts';
import { scansFor } from './scans.ts';
import { demoSource } from './source.ts';

const ANCHOR = Date.UTC(2026, 10, 19, 8);
const TABLES = [
  'emails',
  'recipients',
  'attachments',
  'links',
  'clicks',
  'users',
  'groups',
  'files',
  'messages',
  'queries',
  'apps',
  'logins',
  'exceptions',
];

async function tenant(seed: number, emails = 1_500): Promise<SqliteStore> {
  const store = openStore({ path: ':memory:' }, demoSource);
  await generate(store, { emails, seed, anchor: ANCHOR });
  return store;
}

function dump(store: SqliteStore): string {
  const hash = createHash('sha256');
  for (const table of TABLES)
    for (const row of store.db.prepare(`SELECT * FROM ${table} ORDER BY 1`).raw().iterate())
      hash.update(JSON.stringify(row));
  return hash.digest('hex');
}

describe('the demo tenant', async () => {
  const store = await tenant(7);
  const single = (sql: string): unknown => store.db.prepare(sql).pluck().get();

  it('is the same for the same seed, and different for another seed', async () => {
    const first = dump(store);
    expect(dump(await tenant(7))).toBe(first);
    expect(dump(await tenant(8))).not.toBe(first);
  });

  it('has the requested number of emails, none in the future', () => {
    expect(single('SELECT count(*) FROM emails')).toBe(1_500);
    expect(single('SELECT count(DISTINCT entity_id) FROM emails')).toBe(1_500);
    expect(single('SELECT max(received_at) FROM emails')).toBeLessThanOrEqual(ANCHOR);
    expect(single('SELECT max(clicked_at) FROM clicks')).toBeLessThanOrEqual(ANCHOR);
    // Clicks on the newest emails do not pile up at the end.
    expect(single(`SELECT count(*) FROM clicks WHERE clicked_at = ${ANCHOR}`)).toBe(0);
    expect(
      single(
        'SELECT count(*) FROM clicks c JOIN emails e ON e.id = c.email_id WHERE clicked_at < received_at',
      ),
    ).toBe(0);
  });

  it('contains every verdict, threads, and a campaign with one hash', () => {
    const verdicts = store.db.prepare('SELECT DISTINCT verdict FROM emails').pluck().all();
    expect(verdicts).toEqual(
      expect.arrayContaining(['clean', 'found', 'suspicious', 'spam', 'found-no-click']),
    );
    expect(
      single(
        'SELECT max(n) FROM (SELECT count(*) n FROM emails GROUP BY thread_id HAVING thread_id IS NOT NULL)',
      ),
    ).toBeGreaterThan(2);
    const hashes = store.db.prepare(
      "SELECT DISTINCT sha256 FROM attachments WHERE name = 'INV-20931.pdf.html'",
    );
    expect(hashes.pluck().all()).toHaveLength(1);
    const query = savedQueries(store)
      .list({})
      .find(({ name }) => name === 'Invoice overdue: same attachment hash');
    expect(JSON.stringify(query?.filter)).toContain(hashes.pluck().get());
    expect(
      single(
        "SELECT count(*) FROM emails WHERE subject LIKE '=HYPERLINK%' OR subject LIKE '<script%' OR subject = ''",
      ),
    ).toBeGreaterThan(0);
  });

  it('[spec 3] contains every tool of the specification, and queries of every domain and kind', () => {
    const apps = appsOf(store);
    expect(apps.filter((app) => !app.is_saas)).toHaveLength(SECURITY_TOOLS.length);
    const queries = savedQueries(store).list({});
    expect(queries).toHaveLength(148);
    expect(new Set(queries.map(({ entityType }) => entityType)).size).toBe(6);
    expect(new Set(queries.map(({ subType }) => subType ?? null)).size).toBe(4);
    // Every optional part of a query occurs in one.
    const reports = queries.filter(({ reportCondition }) => (reportCondition?.conditions.length ?? 0) > 0);
    expect(reports.length).toBeGreaterThan(1);
    for (const { reportColumns, actionsList, entityType } of reports) {
      const domain = domainNamed(entityType, false);
      expect(
        reportColumns?.some(({ id, label }) =>
          domain?.fields.some(({ config }) => config.id === id && config.label !== label),
        ),
      ).toBe(true);
      expect(actionsList?.length).toBeGreaterThan(0);
      for (const id of actionsList ?? []) expect(domain?.actions.map((action) => action.id)).toContain(id);
    }
    const past = queries.find(({ name }) => name === 'Mail with a formula in the subject');
    expect(past?.columns.at(-1)).toMatchObject({ id: 'spreadsheet_risk', label: 'Spreadsheet risk' });
    expect(queries.some(({ status }) => status === 'pause')).toBe(true);
    expect(new Set(queries.map(({ name }) => name)).size).toBe(148);
  });

  it.each(['phishing', 'malware', 'fraud'] as const)('finds clicked links of %s at the click', (scenario) => {
    const shape = { scenario, files: true, malware: true, links: 2, clicks: 2, internal: false };
    const mails = Array.from({ length: 12 }, (_, variant) =>
      scansFor(shape, variant).find(({ tool }) => tool === 'clicktime_protection'),
    );
    expect(mails.map((scan) => (scan?.matches ?? 0) > 0)).not.toContain(false);
  });

  it('tells one story of a mail: its attachments, links and tools agree', () => {
    const mails = store.db
      .prepare(
        `SELECT scans, links_count, (SELECT count(*) FROM attachments WHERE email_id = e.id AND verdict_code = 'malw') AS malware
          FROM emails e WHERE attachments_count > 0 OR links_count > 0`,
      )
      .all() as { scans: string; links_count: number; malware: number }[];
    const isFileTool = /_te$|_av/;
    const wrong = mails.filter(({ scans, links_count, malware }) => {
      const results = JSON.parse(scans) as ScanRecord[];
      const detected = results.some(({ tool, code }) => isFileTool.test(tool) && code === 'malw');
      const ofLinks = results.filter(({ tool }) => /url|clicktime/.test(tool));
      return detected !== malware > 0 || ofLinks.some(({ matches }) => (matches ?? 0) > links_count);
    });
    expect(wrong).toEqual([]);
    expect(mails.filter(({ malware }) => malware > 0).length).toBeGreaterThan(10);
  });

  it('generates headers that parse back to the mail', async () => {
    const rows = store.db.prepare('SELECT entity_id, subject FROM emails ORDER BY id LIMIT 300').all() as {
      entity_id: string;
      subject: string;
    }[];
    for (const { entity_id, subject } of rows) {
      const row = findEmail(store, entity_id);
      const raw = row ? await store.source.headers(store, row) : '';
      const { headers, stray } = parseHeaders(raw, (bytes, charset) =>
        new TextDecoder(charset).decode(bytes),
      );
      expect(stray).toEqual([]);
      expect(headers.find(({ name }) => name === 'Subject')?.decoded.trim()).toBe(subject.trim());
      expect(raw.split('\r\n').every((line) => Buffer.byteLength(line) <= 998)).toBe(true);
    }
  });

  it('shifts by whole days when it is opened later', async () => {
    const later = await tenant(9, 200);
    const newest = () => Number(later.db.prepare('SELECT max(received_at) FROM emails').pluck().get());
    const before = newest();
    await catchUp(later, ANCHOR + 3 * 86_400_000 + 5_000);
    expect(newest() - before).toBe(3 * 86_400_000);
    await catchUp(later, ANCHOR + 3 * 86_400_000 + 6_000);
    expect(newest() - before).toBe(3 * 86_400_000);
    expect(
      later.db
        .prepare(
          "SELECT count(*) FROM emails WHERE detail LIKE '%null%' AND json_type(detail, '$.quarantine.at') = 'null'",
        )
        .pluck()
        .get(),
    ).toBe(0);
  });

  it('shifts back if it was generated while the clock was years ahead, but not if the clock is an hour behind', async () => {
    const ahead = await tenant(9, 200);
    const newest = () => Number(ahead.db.prepare('SELECT max(received_at) FROM emails').pluck().get());
    const before = newest();
    await catchUp(ahead, ANCHOR - 3_600_000);
    expect(newest()).toBe(before);
    const now = ANCHOR - 9_000 * 86_400_000;
    await catchUp(ahead, now);
    expect(newest()).toBeLessThanOrEqual(now);
    expect(newest()).toBeGreaterThan(now - 2 * 86_400_000);
    expect(Number(ahead.db.prepare('SELECT max(at) FROM entity_events').pluck().get())).toBeLessThanOrEqual(
      now,
    );
  });
});
