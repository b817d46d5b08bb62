/**
 * Evidence import, everything stored and indexed, as a whole process against notmuch and mu over the same mail, and
 * against the parser alone: 10 000 generated mails with words as frequent as in a language, the same with one sentence
 * repeated, which leaves a word index little to do, or the mails of a folder (--mail DIR).
 */

import { spawnSync } from 'node:child_process';
import { copyFileSync, linkSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import PostalMime from 'postal-mime';
import { parseMessage } from '#service/formats/mail/parse.ts';
import { DEFAULT_LIMITS } from '#service/formats/mail/types.ts';
import { generatedMail } from '../support/generated-mail.ts';
import { wordedText } from '../support/worded-mail.ts';
import { type Bench, type BenchSuite, measured } from './support.ts';

const MAILS = 10_000;
const RUNS = 3;

type Source = { folder: string } | { make(index: number): string };

/** What is measured, by variant. */
function sources(): Record<string, Source> {
  const folder = process.env['PARAPET_BENCH_MAIL'];
  if (folder !== undefined) return { import: { folder } };
  return {
    'import, natural words': { make: (index) => generatedMail(index, undefined, wordedText(index)) },
    'import, one sentence repeated': { make: (index) => generatedMail(index) },
  };
}

/** A Maildir, which all three programs read. Returns the number of mails. */
function makeMaildir(mail: string, source: Source): number {
  for (const part of ['cur', 'new', 'tmp']) mkdirSync(path.join(mail, part), { recursive: true });
  const fileOf = (index: number) => path.join(mail, 'cur', `${String(index).padStart(7, '0')}:2,S`);
  if ('make' in source) {
    for (let index = 0; index < MAILS; index++) writeFileSync(fileOf(index), source.make(index));
    return MAILS;
  }
  const files = readdirSync(source.folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  for (const [index, { parentPath, name }] of files.entries()) {
    const file = path.join(parentPath, name);
    try {
      linkSync(file, fileOf(index));
    } catch {
      copyFileSync(file, fileOf(index));
    }
  }
  return files.length;
}

class Programs {
  readonly #mail: string;
  readonly #folder: string;
  #turn = 0;

  constructor(folder: string, mail: string) {
    this.#folder = folder;
    this.#mail = mail;
  }

  #fresh(): string {
    const dir = path.join(this.#folder, `run-${this.#turn++}`);
    mkdirSync(dir);
    return dir;
  }

  async #run(program: string, words: readonly string[], dir: string, env?: NodeJS.ProcessEnv) {
    const run = await measured(program, words, path.join(dir, 'said'), env);
    rmSync(dir, { recursive: true, force: true });
    return run;
  }

  own(store: 'encrypted' | 'plain') {
    const dir = this.#fresh();
    const script = path.join(import.meta.dirname, 'import-process.ts');
    return this.#run(process.execPath, [script, this.#mail, path.join(dir, 'e.sqlite'), store], dir);
  }

  notmuch() {
    const dir = this.#fresh();
    const config = path.join(dir, 'config');
    mkdirSync(path.join(dir, 'index'));
    writeFileSync(
      config,
      `[database]\npath=${path.join(dir, 'index')}\nmail_root=${this.#mail}\n[user]\nname=a\nprimary_email=a@example.com\n[new]\ntags=new\n`,
    );
    return this.#run('notmuch', ['new', '--quiet'], dir, { ...process.env, NOTMUCH_CONFIG: config });
  }

  mu() {
    const dir = this.#fresh();
    const home = `--muhome=${path.join(dir, 'mu')}`;
    spawnSync('mu', ['init', '--quiet', home, `--maildir=${this.#mail}`], { stdio: 'inherit' });
    return this.#run('mu', ['index', '--quiet', home], dir);
  }
}

const has = (program: string): boolean => spawnSync(program, ['--version']).status === 0;

function peersOf(bench: Bench, programs: Programs) {
  const peers = [];
  if (has('notmuch')) peers.push({ name: 'notmuch new', run: () => programs.notmuch() });
  else bench.notice('notmuch is not installed: left out (apt-get install notmuch).');
  if (has('mu')) peers.push({ name: 'mu index', run: () => programs.mu() });
  else bench.notice('mu is not installed: left out (apt-get install maildir-utils).');
  return peers;
}

async function compare(bench: Bench, variant: string, source: Source): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'parapet-bench-'));
  const mail = path.join(folder, 'mail');
  const rows = makeMaildir(mail, source);
  const programs = new Programs(folder, mail);
  const each = (work: (raw: Buffer) => Promise<unknown>) => async () => {
    const cpu = process.cpuUsage();
    const began = performance.now();
    const cur = path.join(mail, 'cur');
    for (const name of await readdir(cur)) await work(await readFile(path.join(cur, name)));
    const { user, system } = process.cpuUsage(cpu);
    return { ms: performance.now() - began, cpu: (user + system) / 1000, peak: null };
  };
  const common = { name: 'evidence', rows, runs: RUNS };
  await bench.compare({
    ...common,
    variant: `${variant}, encrypted`,
    own: () => programs.own('encrypted'),
    peers: [
      ...peersOf(bench, programs),
      { name: 'the parser alone', run: each((raw) => parseMessage(raw, DEFAULT_LIMITS)) },
      { name: 'postal-mime alone', run: each((raw) => PostalMime.parse(raw)) },
    ],
  });
  await bench.compare({ ...common, variant: `${variant}, plain`, own: () => programs.own('plain') });
  rmSync(folder, { recursive: true, force: true });
}

export const suite: BenchSuite = {
  names: ['evidence'],
  async run(bench) {
    for (const [variant, source] of Object.entries(sources())) await compare(bench, variant, source);
  },
};
