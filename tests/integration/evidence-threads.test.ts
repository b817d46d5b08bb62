/** Large imports parse mail in threads: nothing stored depends on where a mail was parsed. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openEvidence } from '#service/evidence/source.ts';
import { ingestEvidence } from '#service/import/ingest-evidence.ts';
import type { SqliteStore } from '#service/store-sqlite/sqlite-store.ts';
import { generatedMail } from '../support/generated-mail.ts';
import { withRealThreads } from '../support/reused-threads.ts';
import { stopsInFirstBatch } from '../support/stop-import.ts';
import { THREADS } from '../support/threads.ts';

withRealThreads();

const MAILS = 900;

let folder = '';
let mail = '';
/** Imported in this thread alone. */
let here: Awaited<ReturnType<typeof imported>>;
beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'parapet-parsers-'));
  mail = path.join(folder, 'mail');
  mkdirSync(mail);
  fill();
  here = await imported('here.sqlite', {});
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const report = (index: number, inner: string) =>
  `From: user${index}@aldermoor.example\r\nSubject: Report ${index}\r\nContent-Type: multipart/mixed; boundary=cut\r\n\r\n--cut\r\nContent-Type: message/rfc822\r\n\r\n${inner}\r\n--cut--\r\n`;

/** Every kind of file that an import may encounter, in random order. */
function fill(): void {
  for (let index = 0; index < MAILS; index++) {
    const name = path.join(mail, `${String((index * 7919) % 10_007).padStart(5, '0')}.eml`);
    // A copy of an earlier mail; a mail that contains one that is also a file; not a mail; an empty file.
    if (index % 10 === 3) writeFileSync(name, generatedMail(index - 3));
    else if (index % 10 === 5) writeFileSync(name, report(index, report(index, generatedMail(index - 1))));
    else if (index % 50 === 7) writeFileSync(name, 'no header at all\n');
    else if (index % 50 === 9) writeFileSync(name, '');
    else writeFileSync(name, generatedMail(index, index === 401 ? 3_000_000 : 600));
  }
  writeFileSync(
    path.join(mail, 'box.mbox'),
    Array.from(
      { length: 300 },
      (_, index) => `From a@x.example Thu Jan  1 00:00:00 2026\r\n${generatedMail(index + 700, 600)}\r\n`,
    ).join(''),
  );
}

const SAVED_AT = /"(?:create|update)Time":"[^"]*"/g;
/** All rows of all tables, without the times of the import and of saving. */
function contents(store: SqliteStore): Record<string, unknown[]> {
  const tables = store.db
    .prepare<unknown[], string>(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' AND name NOT LIKE 'sqlite_%' ORDER BY name",
    )
    .pluck()
    .all();
  return Object.fromEntries(
    tables.map((table) => [
      table,
      (store.db.prepare(`SELECT * FROM ${table}`).all() as Record<string, unknown>[]).map((row) => ({
        ...row,
        imported_at: null,
        ...(table === 'queries' ? { body: String(row['body']).replace(SAVED_AT, '') } : {}),
      })),
    ]),
  );
}

async function imported(name: string, options: Parameters<typeof ingestEvidence>[2], isStopped = false) {
  const store = openEvidence({ path: path.join(folder, name) });
  try {
    const { imported: emails, problems } = await ingestEvidence(store, mail, {
      ...options,
      ...(isStopped ? { signal: stopsInFirstBatch(store) } : {}),
    });
    return { emails, problems, tables: contents(store) };
  } finally {
    store.close();
  }
}

describe('mail parsed in threads', () => {
  it('yields the same database, row by row', async () => {
    const there = await imported('there.sqlite', { threads: THREADS.embedded });
    expect(here.emails).toBeGreaterThan(MAILS);
    expect(here.problems.length).toBeGreaterThan(20);
    for (const [table, rows] of Object.entries(here.tables)) expect(there.tables[table], table).toEqual(rows);
    expect(there).toEqual(here);
  });

  it('resumes after a cancel, with nothing duplicated', async () => {
    const cut = imported('cut.sqlite', { threads: THREADS.embedded }, true);
    await expect(cut).rejects.toThrow();
    const rest = await imported('cut.sqlite', { threads: THREADS.embedded });
    const ids = ({ tables }: typeof here) =>
      (tables['emails'] as { entity_id: string }[]).map(({ entity_id }) => entity_id).sort();
    expect(ids(rest)).toEqual(ids(here));
    expect(rest.emails).toBeLessThan(here.emails);
    expect(rest.tables['evidence_places']?.length).toBe(here.tables['evidence_places']?.length);
  });
});
