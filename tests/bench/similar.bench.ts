/**
 * Counts the emails similar to one, by mode, in the worst case that nearly all are: 100 000 emails, or as many as --rows
 * says. The peer is a bare SQLite over a table with only these values, in the order of the lookup.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import Database from 'better-sqlite3';
import { openEvidence } from '#service/evidence/source.ts';
import { similarCount } from '#service/query/similar.ts';
import type { EmailRow } from '#service/store/emails.ts';
import { writeEmails } from '#service/store-sqlite/ingest-emails.ts';
import type { SqliteStore } from '#service/store-sqlite/sqlite-store.ts';
import { SIMILAR_MODES } from '#shared/api/profile-pages.ts';
import { bareRecord } from '../support/bare-record.ts';
import type { BenchSuite } from './support.ts';

const MAILS = Number(process.env['PARAPET_BENCH_ROWS'] ?? 100_000);
const RUNS = 5;
/** The number of hosts and hashes that a mode compares. */
const VALUES = 20;
const ALL = Array.from({ length: VALUES }, (_, index) => index);

const hostOf = (index: number) => `host${index % VALUES}.example`;
const hashOf = (index: number) => String(index % VALUES).padStart(64, '0');

/** All emails share subject, sender and address; each has one of the hosts and hashes, the first has all of them. */
function fill(store: SqliteStore): void {
  writeEmails(
    store,
    Array.from({ length: MAILS }, (_, index) => {
      const indexes = index === 0 ? ALL : [index];
      return {
        ...bareRecord(index),
        subject: 'the same',
        from: { email: 'a@partner.example', name: null },
        fromDomain: 'partner.example',
        clientIp: '203.0.113.7',
        links: indexes.map((number) => ({
          url: `https://${hostOf(number)}/${index}`,
          host: hostOf(number),
          text: null,
          status: null,
          mismatched: null,
        })),
        attachments: indexes.map((number) => ({
          name: 'a',
          mimeType: null,
          size: null,
          md5: null,
          sha1: null,
          sha256: hashOf(number),
          isInline: false,
          verdictCode: null,
          matches: null,
        })),
      };
    }),
    true,
  );
  store.buildIndexes();
}

/** The same values in a separate table. */
function peerOf(file: string, store: SqliteStore): Database.Database {
  const peer = new Database(file);
  peer.exec(
    'CREATE TABLE v (mode TEXT, value TEXT, id INTEGER, PRIMARY KEY (mode, value, id)) WITHOUT ROWID',
  );
  const add = peer.prepare('INSERT OR IGNORE INTO v VALUES (?, ?, ?)');
  const copy = (mode: string, sql: string) => {
    for (const row of store.db.prepare<unknown[], [string, number]>(sql).raw().iterate())
      add.run(mode, ...row);
  };
  peer.transaction(() => {
    copy('subject', 'SELECT subject_folded, id FROM emails');
    copy('sender', 'SELECT from_email, id FROM emails');
    copy('sender_domain', 'SELECT from_domain, id FROM emails');
    copy('client_ip', 'SELECT client_ip, id FROM emails');
    copy('link', 'SELECT host, email_id FROM links');
    copy('attachment', 'SELECT sha256, email_id FROM attachments');
  })();
  return peer;
}

export const suite: BenchSuite = {
  names: ['similar'],
  async run(bench) {
    const folder = mkdtempSync(path.join(tmpdir(), 'parapet-bench-'));
    const store = openEvidence({ path: path.join(folder, 'e.sqlite'), key: 'b2'.repeat(32) });
    try {
      fill(store);
      const peer = peerOf(path.join(folder, 'peer.sqlite'), store);
      const row = store.db.prepare<unknown[], EmailRow>('SELECT * FROM emails ORDER BY id LIMIT 1').get();
      if (row === undefined) throw new Error('nothing was written');
      for (const mode of SIMILAR_MODES) {
        const values = JSON.stringify(
          peer
            .prepare<unknown[], string>('SELECT DISTINCT value FROM v WHERE mode = ? AND id = ?')
            .pluck()
            .all(mode, row.id),
        );
        const ideal = peer
          .prepare<unknown[], number>(
            'SELECT count(DISTINCT id) FROM v WHERE mode = ? AND value IN (SELECT value FROM json_each(?))',
          )
          .pluck();
        const count = await similarCount(store, row, mode, 0);
        if (count !== (ideal.get(mode, values) ?? 0) - 1) throw new Error(`${mode}: not what SQLite counts`);
        await bench.compare({
          name: 'similar',
          rows: MAILS,
          runs: RUNS,
          variant: `${mode} (${count})`,
          own: async () => {
            // The last search is cached until the database changes.
            store.setMeta('asked', String(performance.now()));
            await similarCount(store, row, mode, 0);
          },
          peers: [{ name: 'bare SQLite', run: async () => void ideal.get(mode, values) }],
        });
      }
      peer.close();
    } finally {
      store.close();
      rmSync(folder, { recursive: true, force: true });
    }
  },
};
