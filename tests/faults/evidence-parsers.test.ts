/**
 * Parser threads that crash: the mail that caused it is reported, all others are read, and nothing that was read is
 * lost.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { openEvidence } from '#service/evidence/source.ts';
import { ingestEvidence } from '#service/import/ingest-evidence.ts';
import type { SqliteStore } from '#service/store-sqlite/sqlite-store.ts';
import { END, NEVER } from '#tests/support/ending-words.ts';
import { generatedMail } from '#tests/support/generated-mail.ts';
import { withRealThreads } from '#tests/support/reused-threads.ts';
import { THREADS } from '#tests/support/threads.ts';

withRealThreads();

const ENDING = new URL('../support/ending-parser.ts', import.meta.url);
const MAILS = 700;
vi.setConfig({ testTimeout: 120_000 });

let folder = '';
let mail = '';
let store: SqliteStore;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'parapet-ending-'));
  mail = path.join(folder, 'mail');
  mkdirSync(mail);
  store = openEvidence({ path: path.join(folder, 'e.sqlite') });
});
afterEach(() => {
  store.close();
  rmSync(folder, { recursive: true, force: true });
});

const nameOf = (index: number): string => `${String(index).padStart(4, '0')}.eml`;
function fill(isEnding: (index: number) => boolean): void {
  for (let index = 0; index < MAILS; index++)
    writeFileSync(
      path.join(mail, nameOf(index)),
      isEnding(index) ? `Subject: ${index}\r\n\r\n${END}\r\n` : generatedMail(index, 600),
    );
}
const subjects = () =>
  store.db
    .prepare<unknown[], string>('SELECT subject FROM emails ORDER BY subject')
    .pluck()
    .all()
    .map((subject) => Number(/\d+$/.exec(subject)?.[0]))
    .sort((a, b) => a - b);
const all = Array.from({ length: MAILS }, (_, index) => index);

it('a mail that crashes its thread is reported, and no other mail is missing', async () => {
  // The first one, too: if there are many, none is parsed in the thread that writes them.
  const ending = [0, 650, 655];
  fill((index) => ending.includes(index));
  const report = await ingestEvidence(store, mail, { threads: ENDING });
  expect(subjects()).toEqual(all.filter((index) => !ending.includes(index)));
  expect([report.imported, report.unreadable]).toEqual([MAILS - ending.length, ending.length]);
  const reason = expect.stringContaining('the thread that parsed it ended');
  expect(report.problems.map((problem) => [problem.file, problem.reason])).toEqual(
    ending.map((index) => [nameOf(index), reason]),
  );
  // It can be retried from the same file.
  const again = await ingestEvidence(store, mail, { threads: THREADS.embedded, verifies: true });
  expect(again.problems).toEqual([]);
  expect(subjects()).toEqual(all);
});

it('if every thread crashes, the import fails; what was read stays, and the import resumes from there', async () => {
  fill((index) => index >= 650);
  await expect(ingestEvidence(store, mail, { threads: ENDING })).rejects.toThrow(/stopped 10 times/);
  const read = subjects();
  expect(read.length).toBeGreaterThan(50);
  expect(read).toEqual(all.slice(0, read.length));
  const { imported } = await ingestEvidence(store, mail, { threads: THREADS.embedded });
  expect(imported).toBeLessThan(MAILS);
  const missing = all.filter((index) => !subjects().includes(index));
  const reported = store.db
    .prepare<unknown[], string>('SELECT file FROM evidence_problems')
    .pluck()
    .all()
    .sort();
  // The mails at which threads crashed are reported; all others are stored once.
  expect(reported).toEqual(missing.map(nameOf));
  expect(missing.length).toBeLessThan(10);
  expect(new Set(subjects()).size).toBe(subjects().length);
});

it('if no thread starts, the mails are parsed without threads', async () => {
  fill(() => false);
  const { imported, problems } = await ingestEvidence(store, mail, { threads: ENDING, believed: [NEVER] });
  expect([imported, problems]).toEqual([MAILS, []]);
  expect(subjects()).toEqual(all);
});
