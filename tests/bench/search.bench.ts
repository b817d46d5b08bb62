/**
 * Searches in bodies and header lines of evidence, exact count and first page, against notmuch (words) and ripgrep
 * (substrings, lines) over the same mail: 10 000 generated mails, or as many as --rows says.
 */

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openEvidence } from '#service/evidence/source.ts';
import { ingestEvidence } from '#service/import/ingest-evidence.ts';
import { execute } from '#service/query/execute.ts';
import type { SqliteStore } from '#service/store-sqlite/sqlite-store.ts';
import { wordedMail } from '../support/worded-mail.ts';
import type { Bench, BenchSuite } from './support.ts';

const MAILS = Number(process.env['PARAPET_BENCH_ROWS'] ?? 10_000);
const RUNS = 5;
const PAGE = 25;
const DAY = 86_400_000;
/** Words in most mails, in some, and in one. */
const WORDS = ['invoice', 'regards', 'TK-0001234'];
const TEXTS = ['nvoic', 'et', 'sta', 'payment repo', 'payment r', 'o re', '发票', '-0001234'];
/** Conditions on header lines, with the ripgrep pattern for the same lines. */
const HEADERS = [
  ['starts_with', 'Received:', '^received:'],
  ['starts_with', 'X-Mailer:', '^x-mailer:'],
  ['starts_with', 'Message-ID: <1234@', '^message-id: <1234@'],
  ['starts_with', 'Subject: inv', '^subject: inv'],
  ['contains_text', 'partner3.example', '^\\S+: .*partner3\\.example'],
  ['contains_words', 'mail partner', '^\\S+: .*\\b(mail\\b.*\\bpartner|partner\\b.*\\bmail)\\b'],
] as const;

function makeMail(mail: string): void {
  for (const part of ['cur', 'new', 'tmp']) mkdirSync(path.join(mail, part), { recursive: true });
  for (let index = 0; index < MAILS; index++)
    writeFileSync(path.join(mail, 'cur', `${String(index).padStart(7, '0')}:2,S`), wordedMail(index));
}

async function ask(
  store: SqliteStore,
  operator: string,
  value: string,
  size: number,
  field = 'body',
): Promise<number> {
  // The last search is cached until the database changes.
  store.setMeta('asked', String(performance.now()));
  const { rows, total_rows } = await execute(
    {
      query_domain: 'email',
      saas_id: 'all',
      query_entity_type: 'email',
      condition: { operator: 'and', conditions: [{ field, operator, values: [value] }] },
      columns: ['subject', 'match'],
      sort_by: [],
      search_after: null,
      size,
      include_copies: false,
      count_only: size === 0,
      // As a window asks: counting may follow the first rows.
      count_later: true,
    },
    { store, saas: ['evidence'], now: DAY },
  );
  if ((total_rows === 0 && rows.length === 0 && field === 'body') || rows.length < Math.min(size, total_rows))
    throw new Error(`${value}: nothing found`);
  return total_rows;
}

/** null, with a notice, if the program is missing. */
function peer(bench: Bench, program: string, install: string, words: string[], env = process.env) {
  if (spawnSync(program, ['--version']).status !== 0) {
    bench.notice(`${program} is not installed: left out (apt-get install ${install}).`);
    return [];
  }
  const run = async () => {
    const run = spawnSync(program, words, { env, maxBuffer: 256 * 1024 * 1024 });
    // ripgrep exits with 1 if nothing was found.
    if (run.status !== 0 && run.status !== 1) throw new Error(`${program}: ${run.stderr.toString()}`);
  };
  return [{ name: `${program} ${words[0]}`, run }];
}

/** notmuch over the mail, indexed; its environment. */
function indexed(folder: string, mail: string): NodeJS.ProcessEnv {
  const config = path.join(folder, 'config');
  mkdirSync(path.join(folder, 'index'));
  writeFileSync(
    config,
    `[database]\npath=${path.join(folder, 'index')}\nmail_root=${mail}\n[user]\nname=a\nprimary_email=a@example.com\n[new]\ntags=new\n`,
  );
  const env = { ...process.env, NOTMUCH_CONFIG: config };
  spawnSync('notmuch', ['new', '--quiet'], { env });
  return env;
}

export const suite: BenchSuite = {
  names: ['search'],
  async run(bench) {
    const folder = mkdtempSync(path.join(tmpdir(), 'parapet-bench-'));
    const mail = path.join(folder, 'mail');
    makeMail(mail);
    const env = indexed(folder, mail);
    const store = openEvidence({ path: path.join(folder, 'e.sqlite'), key: 'b2'.repeat(32) });
    try {
      await ingestEvidence(store, mail);
      const common = { name: 'search', rows: MAILS, runs: RUNS };
      const search = (operator: string, value: string, size: number, field?: string) => async () => {
        await ask(store, operator, value, size, field);
      };
      for (const word of WORDS) {
        const peers = peer(bench, 'notmuch', 'notmuch', ['count', `body:"${word}"`], env);
        const hits = await ask(store, 'contains_words', word, 0);
        await bench.compare({
          ...common,
          variant: `count of the word ${word} (${hits})`,
          own: search('contains_words', word, 0),
          peers,
        });
      }
      for (const text of TEXTS) {
        const words = ['--count', '--fixed-strings', '--ignore-case', '--', text, path.join(mail, 'cur')];
        const hits = await ask(store, 'contains_text', text, 0);
        await bench.compare({
          ...common,
          variant: `count of the text ${text} (${hits})`,
          own: search('contains_text', text, 0),
          peers: peer(bench, 'rg', 'ripgrep', words),
        });
        await bench.compare({
          ...common,
          variant: `first ${PAGE} rows of the text ${text}`,
          own: search('contains_text', text, PAGE),
        });
      }
      for (const [operator, value, pattern] of HEADERS) {
        const hits = await ask(store, operator, value, 0, 'headers');
        await bench.compare({
          ...common,
          variant: `count of headers, ${operator} ${value} (${hits})`,
          own: search(operator, value, 0, 'headers'),
          peers: peer(bench, 'rg', 'ripgrep', [
            '--count',
            '--ignore-case',
            '-e',
            pattern,
            path.join(mail, 'cur'),
          ]),
        });
      }
    } finally {
      store.close();
      rmSync(folder, { recursive: true, force: true });
    }
  },
};
