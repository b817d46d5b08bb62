/**
 * SIGKILL at random moments of every phase of Parapet's life, each followed by a start and an inspection: no row lost
 * or duplicated, no change sent without a journal entry, no key or credential lost, no incomplete file under its final
 * name, and interrupted fetches resume automatically. Needs `npm run build`. By default two kills, one at the end and
 * one within the phase, in each of half of the phases: the seed selects them, so that two runs cover as much as one of
 * all phases, and other tests of this folder kill at each step of every run. PARAPET_LONG=1: a thousand in all phases;
 * PARAPET_KILLS sets the number for each of all phases, PARAPET_SEED the moments, PARAPET_PHASE selects phases by part of
 * their name, PARAPET_PROGRESS names a file that gets the table after every round.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Uint8ArrayReader, Uint8ArrayWriter, ZipReader } from '@zip.js/zip.js';
import type Sqlite from 'better-sqlite3';
import { parse } from 'csv-parse/sync';
import { readXlsx } from 'hucre/xlsx';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { connect } from '#main/store/connect.ts';
import type { Database } from '#main/store/database.ts';
import { openEvidence } from '#service/evidence/source.ts';
import { ingestEvidence } from '#service/import/ingest-evidence.ts';
import type { JournalEntry } from '#shared/bridge/operations.ts';
import { operatorsForType, STANDARD_OPERATORS } from '#shared/query/operators.ts';
import { bundled } from '../bench/bundle.ts';
import { type Core, readAll } from '../support/core.ts';
import {
  add,
  choose,
  EVIDENCE_KEY,
  FIRST,
  keychainIn,
  openRun,
  PASSPHRASE,
  type Phase,
  phases,
  ROWS,
  SECOND,
  type Stage,
  startIn,
  unfinished,
  ZIP_PASSWORD,
} from '../support/kill-phases.ts';
import { makeRows } from '../support/rows-service.ts';
import { type ScriptedService, sendJson, startScripted } from '../support/scripted-service.ts';

const LONG = process.env['PARAPET_LONG'] === '1';
const SEED = Number(process.env['PARAPET_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const PHASE = process.env['PARAPET_PHASE'];
const IS_WHOLE = LONG || process.env['PARAPET_KILLS'] !== undefined;
/** Every second phase, starting with one of the first two; they are sorted by what they test. */
const names = Object.keys(phases).filter((name, index) =>
  PHASE === undefined ? IS_WHOLE || index % 2 === SEED % 2 : name.includes(PHASE),
);
const KILLS = Number(process.env['PARAPET_KILLS'] ?? (LONG ? Math.ceil(1_000 / names.length) : 2));
const PROGRESS = process.env['PARAPET_PROGRESS'];
const ENTRIES = 300;
const LANES = LONG ? 4 : 3;

/** The moment of a kill, from 0 to 1: the same for the same seed, whatever else is running. */
const momentOf = (round: number, turn: number) =>
  createHash('sha256').update(`${SEED} ${round} ${turn}`).digest().readUInt32BE() / 2 ** 32;

const rows = makeRows(ROWS);
const CONFIG = {
  operators: STANDARD_OPERATORS,
  fields: [
    { id: 'entity_id', dbId: 'entity_id', label: 'Id', type: 'text', operators: operatorsForType('text') },
  ],
  columns: [],
  conditions: [],
  actions: [{ id: 'quarantine', label: 'Quarantine' }],
  entityField: 'entity_id',
};

/** A service with rows that accepts changes, with a short delay, so that a kill can hit while one is in flight. */
async function startService(): Promise<ScriptedService> {
  const service = await startScripted();
  service.answer = (_, response, { method, url, body }) => {
    if (url.endsWith('/query/execute')) {
      const { search_after: cursor, size } = JSON.parse(body) as {
        search_after: [string] | null;
        size: number;
      };
      const row = Number(cursor?.[0] ?? 0);
      const end = Math.min(ROWS, row + size);
      return sendJson(response, {
        rows: rows.slice(row, end),
        search_after: end === ROWS ? null : [String(end)],
        total_rows: ROWS,
      });
    }
    if (url.includes('/query/config')) return sendJson(response, CONFIG);
    if (method === 'GET') return sendJson(response, { queries: [], rows: [] });
    setTimeout(() => sendJson(response, { success: true, imported: [], error: [] }), 5);
  };
  return service;
}

/** Kills run in parallel; each worker has its own services, so that a service gets requests of only one process. */
interface Lane {
  folder: string;
  service: ScriptedService;
  second: ScriptedService;
}
let lanes: Lane[];
let folder: string;
let child: string;

const stageAt = ({ service, second }: Lane, profile: string, mark: string): Stage => ({
  profile,
  out: join(profile, 'exported'),
  url: service.base,
  second: second.base,
  mark,
});

const message = (n: number) => `From: a@x.example\r\nSubject: m${n}\r\n\r\nbody of ${n}\r\n`;
const MAILS = 240;
const SIGN_INS = 400;

/** The initial profiles, by fixture and secrets home; made once and copied. */
async function makeFixture({ folder, service }: Lane, { home, fixture }: Phase): Promise<string> {
  const profile = join(folder, `fixture-${home}-${fixture}`);
  if (existsSync(profile)) return profile;
  mkdirSync(join(profile, 'exported'), { recursive: true });
  if (fixture === 'nothing') return profile;
  if (fixture === 'evidence') {
    const mail = join(profile, 'mail');
    mkdirSync(mail);
    for (let n = 0; n < MAILS / 2; n++) writeFileSync(join(mail, `${n}.eml`), message(n));
    const box = Array.from(
      { length: MAILS / 2 },
      (_, n) => `From a@b Thu Nov 19 08:00:00 2026\n${message(n + MAILS / 2)}\n`,
    );
    writeFileSync(join(mail, 'box.mbox'), box.join(''));
    const lines = Array.from(
      { length: SIGN_INS },
      (_, n) => `2026-01-05T10:00:00Z,u${n}@x.example,203.0.113.9,Paris\n`,
    );
    writeFileSync(join(mail, 'signins.csv'), `time,user,ip,city\n${lines.join('')}`);
    return profile;
  }
  const core = await startIn(profile, home, { tuning: { storage: { firstBackupMs: 1 } } });
  await add(core.bridge, service.base);
  if (home === 'passphrase') await choose(core, 'passphrase');
  if (fixture === 'rows') {
    const { id } = await openRun(core.bridge);
    await core.bridge.call('results.fill', { resultId: id, action: 'all' });
    await vi.waitFor(
      async () => expect((await core.bridge.call('results.get', { resultId: id }))?.state).toBe('complete'),
      { timeout: 30_000 },
    );
  }
  await core.stop();
  if (fixture !== 'damaged') return profile;
  const key = String(await keychainIn(profile).get('database-key'));
  const path = join(profile, 'workspace.sqlite');
  const entry =
    'INSERT INTO journal (id, at, connection_id, endpoint, request, outcome) VALUES (?, 1, \'c\', \'query.delete\', ?, \'{"ok":true,"state":"done"}\')';
  const fill = (db: Sqlite.Database) => {
    for (let n = 1; n <= ENTRIES; n++) db.prepare(entry).run(n, JSON.stringify({ n, text: 'r'.repeat(300) }));
  };
  const db = connect({ path, key }, false, 1_000);
  fill(db);
  db.close();
  // Before a start: today's backup is briefly there together with the one that it replaces.
  const old = readdirSync(profile).filter(
    (name) => name.startsWith('workspace.sqlite.backup-') && !name.endsWith('.new'),
  );
  // A complete backup, then damage in the middle of the file.
  const again = await startIn(profile, home, { tuning: { storage: { firstBackupMs: 1 } } });
  const backups = () => readdirSync(profile).filter((name) => name.startsWith('workspace.sqlite.backup-'));
  const sizes = () => backups().map((name) => readFileSync(join(profile, name)).length);
  await vi.waitFor(() => expect(Math.max(0, ...sizes())).toBeGreaterThan(100_000), { timeout: 30_000 });
  expect(old.length).toBeLessThanOrEqual(backups().length);
  await again.stop();
  const bytes = readFileSync(path);
  bytes.fill(9, Math.floor(bytes.length / 2), Math.floor(bytes.length / 2) + 20_000);
  writeFileSync(path, bytes);
  return profile;
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'parapet-kills-'));
  child = await bundled('../support/kill-child.ts');
  lanes = await Promise.all(
    Array.from({ length: LANES }, async (_, n) => {
      const lane = join(folder, `lane-${n}`);
      mkdirSync(lane);
      return { folder: lane, service: await startService(), second: await startService() };
    }),
  );
});
afterAll(async () => {
  for (const { service, second } of lanes) await Promise.all([service.stop(), second.stop()]);
  // The long form leaves the profiles with violations in place.
  const odd = [...tallies.values()].some(({ violations }) => violations.length > 0);
  if (!LONG || !odd) rmSync(folder, { recursive: true, force: true });
});

interface Tally {
  kills: number;
  /** Kills that came after the phase had ended, with the process still running. */
  after: number;
  violations: string[];
  /** Milliseconds that the phase takes on this machine, or a little more; null: not known yet. */
  span: number | null;
}
const tallies = new Map<string, Tally>(
  names.map((name) => [name, { kills: 0, after: 0, violations: [], span: null }]),
);

interface Death {
  promised: string | null;
  /** The phase had ended. */
  ended: boolean;
}

/** Runs the child and kills it at a moment of the phase. */
async function killed(name: string, stage: Stage, tally: Tally, share: number): Promise<Death> {
  const process_: ChildProcess = spawn(process.execPath, [child, name, JSON.stringify(stage)], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let output = '';
  let complaint = '';
  let ended = false;
  let begun = 0;
  process_.stderr?.on('data', (bytes: Buffer) => {
    complaint += bytes.toString();
  });
  process_.stdout?.on('data', (bytes: Buffer) => {
    output += bytes.toString();
    if (begun === 0 && /^begin$/m.test(output)) {
      begun = performance.now();
      // The first kill of a phase measures how long it takes, and comes at its end.
      if (tally.span !== null) setTimeout(() => process_.kill('SIGKILL'), share * tally.span);
    }
    if (!ended && /^end$/m.test(output)) {
      ended = true;
      const took = Math.max(5, performance.now() - begun);
      tally.span = tally.span === null ? took : (tally.span + took) / 2;
      process_.kill('SIGKILL');
    }
  });
  const [, signal] = (await once(process_, 'close')) as [number | null, string | null];
  if (signal !== 'SIGKILL') throw new Error(`${name}: the child ended unexpectedly: ${complaint}`);
  if (!ended && tally.span !== null) tally.span *= 1.05;
  return { promised: /^promised (\S+)$/m.exec(output)?.[1] ?? null, ended };
}

const entriesOf = async (core: Core): Promise<JournalEntry[]> => {
  const all: JournalEntry[] = [];
  for (let before: number | null = null; ; ) {
    const page: { entries: JournalEntry[]; next: number | null } = await core.bridge.call('journal.list', {
      connectionId: null,
      before,
      limit: 500,
    });
    all.push(...page.entries);
    if (page.next === null) return all;
    before = page.next;
  }
};

const ENDPOINTS: readonly [RegExp, JournalEntry['endpoint']][] = [
  [/\/query\/import$/, 'query.import'],
  [/\/query\/[^/]+\/action$/, 'query.action'],
  [/\/external_sectool\/exception$/, 'exceptions.create-external'],
  [/\/query\/[^/]+$/, 'query.delete'],
];

/** What must hold of a profile after a kill, whatever the phase; returns the violations. */
async function inspectProfile(
  { service, second }: Lane,
  name: string,
  phase: Phase,
  stage: Stage,
  { promised, ended }: Death,
): Promise<string[]> {
  const problems: string[] = [];
  const must = (holds: boolean, words: string) => {
    if (!holds) problems.push(words);
  };
  const { profile, mark } = stage;
  const sealed = existsSync(join(profile, 'secrets.sealed'));
  // The call applies to journal entries of this process, and no other one is running.
  const changes = service.seen.flatMap(({ method, url, body }) => {
    const endpoint = ENDPOINTS.find(([path]) => path.test(url))?.[1];
    return method === 'GET' || endpoint === undefined || url.endsWith('/query/execute')
      ? []
      : [{ endpoint, url, body }];
  });
  service.seen.length = 0;
  second.seen.length = 0;
  const held: Partial<Record<'cache' | 'workspace', Database>> = {};
  const core = await startIn(
    profile,
    sealed && phase.home !== 'keychain' ? 'passphrase' : phase.home === 'none' ? 'none' : 'moving',
    {
      tuning: {
        database: (database, kind) => {
          held[kind] = database;
          return database;
        },
      },
    },
  );
  try {
    const { bridge } = core;
    const info = async () => bridge.call('app.info', {});
    let { secrets } = await info();
    if (sealed) {
      must(secrets.locked && secrets.mode === 'passphrase', `with a seal it is ${JSON.stringify(secrets)}`);
      await bridge.call('secrets.choose', { mode: 'passphrase', passphrase: PASSPHRASE });
      ({ secrets } = await info());
    }
    must(!secrets.locked, `locked: ${secrets.reason}`);
    const { notices } = await info();
    const bad = notices.filter(({ id }) => /repaired|damaged|set-aside|unreadable|kept-|disk/.test(id));
    must(
      bad.length === 0 || phase.fixture === 'damaged',
      `notices: ${bad.map(({ message: words }) => words)}`,
    );
    const { connections } = await bridge.call('connections.list', {});
    // A run that was never saved promises nothing.
    const isKept = phase.home !== 'none' || sealed || ended;
    must(connections.length === (isKept ? 1 : 0), `${connections.length} connections`);
    for (const { id, url } of connections) {
      const moved = url?.startsWith(second.base) === true;
      const { error } = await readAll(bridge, { connectionId: id, endpoint: 'apps.list', refresh: true });
      const of = moved ? second : service;
      const other = moved ? service : second;
      must(error === null, `reading: ${error?.message}`);
      must(
        of.seen.at(-1)?.authorization === `Bearer ${moved ? SECOND : FIRST}`,
        `credential ${of.seen.at(-1)?.authorization} at ${url}`,
      );
      must(other.seen.length === 0, 'the other service was asked');
      must(!ended || name !== 'connection save' || moved, 'saved, and as before');
    }
    const entries = await entriesOf(core);
    must(!entries.some(({ outcome }) => outcome === 'running'), 'an entry says running');
    for (const { endpoint, url, body } of changes) {
      const marks =
        endpoint === 'query.import'
          ? []
          : [new RegExp(`${mark}[-\\d]*\\.`).exec(url + body)?.[0] ?? 'no mark'];
      const entry = entries.find(
        (entry) =>
          entry.endpoint === endpoint &&
          marks.every((mark) => (entry.request + JSON.stringify(entry.action)).includes(mark)),
      );
      must(entry !== undefined, `${endpoint} ${marks} was sent and is not in the journal`);
    }
    const ids = changes.flatMap(({ endpoint, body }) =>
      endpoint === 'query.action' ? (JSON.parse(body).condition.conditions[0].values as string[]) : [],
    );
    if (ids.length > 0) {
      const counts = entries.find(({ endpoint }) => endpoint === 'query.action')?.action?.counts;
      const reported = (counts?.done ?? 0) + (counts?.unknown ?? 0);
      must(
        reported >= ids.length,
        `${ids.length} targets were sent, ${reported} are reported as done or in doubt`,
      );
      must(new Set(ids).size === ids.length, 'a target was sent twice');
      must((counts?.pending ?? 0) + (counts?.sending ?? 0) === 0, 'a target stays pending for ever');
    }
    if (phase.fixture === 'damaged')
      must(
        JSON.stringify(entries.map(({ id, request }) => [id, request.length])) ===
          JSON.stringify(
            Array.from({ length: ENTRIES }, (_, n) => [
              ENTRIES - n,
              JSON.stringify({ n: ENTRIES - n, text: 'r'.repeat(300) }).length,
            ]),
          ),
        `${entries.length} of ${ENTRIES} entries`,
      );
    // Promised work resumes unasked; existing data is there, and cleared data can be fetched again.
    const hasRun = phase.fixture === 'rows' || promised !== null;
    if (hasRun) {
      const set = promised ?? (await openRun(bridge)).id;
      await vi
        .waitFor(
          async () => expect((await bridge.call('results.get', { resultId: set }))?.state).toBe('complete'),
          {
            timeout: 20_000,
            interval: 20,
          },
        )
        .catch(() => undefined);
      const state = await bridge.call('results.get', { resultId: set });
      must(
        state?.state === 'complete',
        `the run is ${state?.state} with ${state?.loaded} rows: ${state?.reason}`,
      );
    }
    const runs = (await held.cache?.rows("SELECT n FROM result_sets WHERE state = 'complete'")) ?? [];
    must(!hasRun || runs.length > 0, 'no run is complete');
    for (const [n] of runs) {
      const stored = (await held.cache?.rows(`SELECT pos, entity_id FROM rs_${n} ORDER BY pos`)) ?? [];
      must(stored.length === ROWS, `a run that says complete has ${stored.length} rows`);
      must(
        stored.every(([pos, id], index) => pos === index && id === `e-${index}`),
        'a run has different rows, or in another order',
      );
    }
    for (const kind of ['workspace', 'cache'] as const) {
      const [answer] = (await held[kind]?.all<{ integrity_check: string }>('PRAGMA integrity_check')) ?? [];
      must(answer?.integrity_check === 'ok', `integrity of the ${kind}: ${answer?.integrity_check}`);
    }
  } finally {
    await core.stop();
  }
  for (const leftover of [...unfinished(profile), ...unfinished(stage.out)]) {
    // Killed just before its key was stored: its files wait for a key, and are removed with the next one that is
    // chosen.
    const waits = phase.home === 'none' && !sealed && existsSync(join(profile, leftover, 'adopting'));
    must(waits, `left: ${leftover}`);
  }
  await wholeFiles(stage, must);
  return problems;
}

/** Every file under its final name is complete and matches its manifest. */
async function wholeFiles({ out }: Stage, must: (holds: boolean, words: string) => void): Promise<void> {
  const making = unfinished(out);
  const files = readdirSync(out).filter((name) => !making.includes(name));
  for (const file of files.filter((name) => !name.endsWith('.manifest.json'))) {
    let bytes: Uint8Array = readFileSync(join(out, file));
    const beside = join(out, `${file}.manifest.json`);
    if (existsSync(beside)) {
      const { sha256 } = JSON.parse(readFileSync(beside, 'utf8')) as { sha256?: string };
      const real = createHash('sha256').update(bytes).digest('hex');
      must(sha256 === undefined || sha256 === real, `${file} does not match its manifest`);
    } else must(file.endsWith('.zip'), `${file} has no manifest`);
    if (file.endsWith('.zip')) {
      const reader = new ZipReader(new Uint8ArrayReader(bytes), {
        useWebWorkers: false,
        password: ZIP_PASSWORD,
      });
      const inside = (await reader.getEntries()).flatMap((entry) => (entry.directory ? [] : [entry]));
      const content = inside.find(({ filename }) => !filename.endsWith('.manifest.json'));
      must(
        inside.length === 2 && content !== undefined,
        `${file} holds ${inside.map(({ filename }) => filename)}`,
      );
      bytes = (await content?.getData(new Uint8ArrayWriter())) ?? new Uint8Array();
    }
    const records: readonly (readonly unknown[])[] = file.endsWith('.xlsx')
      ? ((await readXlsx(bytes)).sheets[0]?.rows ?? [])
      : (parse(Buffer.from(bytes), { record_delimiter: '\r\n' }) as string[][]);
    must(records.length === ROWS + 1, `${file} has ${records.length} records`);
    must(
      records.slice(1).every(([id], index) => id === `e-${index}`),
      `${file} has different rows`,
    );
  }
  for (const file of files.filter((name) => name.endsWith('.manifest.json')))
    must(files.includes(file.replace(/\.manifest\.json$/, '')), `${file} belongs to no file`);
}

/** After a killed import, the next one has every mail and sign-in once. */
async function inspectEvidence({ profile }: Stage): Promise<string[]> {
  const store = openEvidence({ path: join(profile, 'evidence.sqlite'), key: EVIDENCE_KEY });
  try {
    await ingestEvidence(store, join(profile, 'mail'));
    const value = (sql: string) => String(store.db.prepare(sql).pluck().get());
    const counts = [
      ['SELECT count(*) FROM emails', MAILS],
      ['SELECT count(DISTINCT subject) FROM emails', MAILS],
      ['SELECT count(*) FROM raw_mail', MAILS],
      ['SELECT count(*) FROM logins', SIGN_INS],
      ['PRAGMA integrity_check', 'ok'],
    ] as const;
    return counts.flatMap(([sql, expected]) =>
      value(sql) === String(expected) ? [] : [`${sql}: ${value(sql)} of ${expected}`],
    );
  } finally {
    store.close();
  }
}

const table = () => {
  const lines = [...tallies].map(
    ([name, { kills, after, violations, span }]) =>
      `| ${name} | ${kills} | ${kills - after} | ${after} | ${Math.round(span ?? 0)} | ${violations.length} |`,
  );
  const sum = (of: (tally: Tally) => number) =>
    [...tallies.values()].reduce((total, tally) => total + of(tally), 0);
  return [
    `Seed ${SEED}, ${new Date().toISOString()}`,
    '| Phase | Kills | in it | at its end | ms | Violations |',
    '|---|--:|--:|--:|--:|--:|',
    ...lines,
    `| **all** | ${sum(({ kills }) => kills)} | ${sum(({ kills, after }) => kills - after)} | ${sum(({ after }) => after)} | | ${sum(({ violations }) => violations.length)} |`,
    ...[...tallies].flatMap(([name, { violations }]) => violations.map((words) => `${name}: ${words}`)),
  ].join('\n');
};

/** One kill, and an inspection of the profile afterwards. */
async function kill(lane: Lane, round: number, turn: number, name: string): Promise<void> {
  const phase = phases[name]!;
  const tally = tallies.get(name)!;
  const profile = join(lane.folder, `profile-${round}-${turn}`);
  cpSync(await makeFixture(lane, phase), profile, { recursive: true });
  const stage = stageAt(lane, profile, `m${round}x${turn}`);
  lane.service.seen.length = 0;
  lane.second.seen.length = 0;
  const death = await killed(name, stage, tally, momentOf(round, turn));
  tally.kills++;
  if (death.ended) tally.after++;
  const inspection =
    phase.fixture === 'evidence' ? inspectEvidence(stage) : inspectProfile(lane, name, phase, stage, death);
  const problems = await inspection.catch((error: unknown) => [
    `the inspection failed: ${error instanceof Error ? error.stack : String(error)}`,
  ]);
  tally.violations.push(...problems.map((words) => `round ${round}: ${words}`));
  if (problems.length === 0) rmSync(profile, { recursive: true, force: true });
}

it(`loses nothing: ${KILLS} kills in each of ${names.length} phases, seed ${SEED}`, {
  timeout: LONG ? 8 * 3_600_000 : 600_000,
}, async () => {
  for (let round = 0; round < KILLS; round++) {
    const waiting = [...names.entries()];
    const work = async (lane: Lane) => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
        await kill(lane, round, ...next);
    };
    await Promise.all(lanes.map(work));
    if (PROGRESS !== undefined) writeFileSync(PROGRESS, `${table()}\n`);
  }
  console.log(table());
  expect([...tallies.values()].flatMap(({ violations }) => violations)).toEqual([]);
});
