import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openEvidence } from '#service/evidence/source.ts';
import { ingestEvidence } from '#service/import/ingest-evidence.ts';
import { profileOf } from '#service/store/email-profile.ts';
import { emailSubject, scanDetailsOf } from '#service/store/scan-details.ts';
import { attachmentsOf, findEmail } from '#service/store-sqlite/emails.ts';
import type { SqliteStore } from '#service/store-sqlite/sqlite-store.ts';
import type { EmbeddedMessage, EmbeddedSpec } from '#shared/embedded.ts';
import { deriveVerdict } from '#shared/model/verdict.ts';
import { soon } from '#tests/support/soon.ts';
import { stopsInFirstBatch } from '#tests/support/stop-import.ts';

const root = path.resolve(import.meta.dirname, '../..');
let folder = '';
let mail = '';

const message = (subject: string, more = '', body = 'See https://lure.example/x\r\n') =>
  `Received: from relay.example (relay.example [203.0.113.9])\r\n\tby mx.example; Thu, 19 Nov 2026 08:00:00 +0000\r\nFrom: "Ann" <ann@sender.example>\r\nTo: bo@aldermoor.example, cy@aldermoor.example\r\nSubject: ${subject}\r\nMessage-ID: <${subject}@sender.example>\r\n${more}\r\n${body}`;
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const WITH_IMAGE = message(
  'picture',
  'MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary="b"\r\n',
  `--b\r\nContent-Type: text/html; charset=utf-8\r\n\r\n<p><img src="cid:pix@x"></p>\r\n--b\r\nContent-Type: image/png\r\nContent-Transfer-Encoding: base64\r\nContent-ID: <pix@x>\r\nContent-Disposition: inline; filename="p.png"\r\n\r\n${PIXEL}\r\n--b--\r\n`,
);

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'parapet-evidence-'));
  mail = path.join(folder, 'mail');
  mkdirSync(mail);
  writeFileSync(
    path.join(mail, 'one.eml'),
    message('one', 'X-Forefront-Antispam-Report: CIP:203.0.113.9;SCL:5;CAT:PHSH;\r\n'),
  );
  writeFileSync(path.join(mail, 'two.eml'), WITH_IMAGE);
  writeFileSync(path.join(mail, 'three.eml'), message('three', 'X-Spam-Status: No, score=0.1\r\n'));
  writeFileSync(
    path.join(mail, 'box.mbox'),
    `From a@b Thu Nov 19 08:00:00 2026\n${message('four')}\nFrom a@b Thu Nov 19 08:00:00 2026\n${message('five', 'X-Forefront-Antispam-Report: SCL:1;CAT:NONE\r\n')}\n`,
  );
  writeFileSync(path.join(mail, 'notes.pdf'), '%PDF-1.7 not mail');
});
afterAll(() => rmSync(folder, { recursive: true }));

const subjects = (store: SqliteStore) =>
  store.db.prepare('SELECT subject FROM emails ORDER BY subject').pluck().all();
const rowOf = (store: SqliteStore, subject: string) => {
  const id = String(store.db.prepare('SELECT entity_id FROM emails WHERE subject = ?').pluck().get(subject));
  const row = findEmail(store, id);
  if (!row) throw new Error(`No email ${subject}`);
  return row;
};

function fresh(): SqliteStore {
  const store = openEvidence({ path: ':memory:' });
  return store;
}

describe('evidence in the store', () => {
  it('adds new mail, keeps known mail, removes missing mail', async () => {
    const store = fresh();
    expect(await ingestEvidence(store, mail)).toMatchObject({
      imported: 5,
      unchanged: 0,
      removed: 0,
      notMail: 1,
    });
    expect(subjects(store)).toEqual(['five', 'four', 'one', 'picture', 'three']);
    const ids = store.db.prepare('SELECT entity_id FROM emails ORDER BY 1').pluck().all();

    const again = await ingestEvidence(store, mail);
    expect(again).toMatchObject({ imported: 0, unchanged: 5, removed: 0, notMail: 1 });
    expect(again.problems.map(({ file }) => file)).toEqual(['notes.pdf']);
    expect(store.db.prepare('SELECT entity_id FROM emails ORDER BY 1').pluck().all()).toEqual(ids);

    const box = path.join(mail, 'box.mbox');
    const before = readFileSync(box);
    const three = path.join(mail, 'three.eml');
    const bytes = readFileSync(three);
    writeFileSync(box, `${before.toString()}From a@b Thu Nov 19 08:00:00 2026\n${message('six')}\n`);
    rmSync(three);
    expect(await ingestEvidence(store, mail)).toMatchObject({ imported: 1, unchanged: 4, removed: 1 });
    expect(subjects(store)).toEqual(['five', 'four', 'one', 'picture', 'six']);

    writeFileSync(box, before);
    utimesSync(box, new Date(), new Date(Date.now() + 5_000));
    writeFileSync(three, bytes);
    expect(await ingestEvidence(store, mail)).toMatchObject({ imported: 1, removed: 1 });
    expect(store.db.prepare('SELECT count(*) FROM recipients').pluck().get()).toBe(10);
    store.close();
  });

  it('shows the claims of a mail, and derives nothing from them', async () => {
    const store = fresh();
    await ingestEvidence(store, mail);
    const row = rowOf(store, 'one');
    expect(row).toMatchObject({
      verdict: 'found',
      verdict_code: 'phsh',
      state: null,
      quarantined: null,
      client_ip: '203.0.113.9',
    });
    expect(await profileOf(store, row)).toMatchObject({
      quarantine_info: null,
      bcc: null,
      links: [{ host: 'lure.example' }],
      provenance: { places: [{ file: 'one.eml', offset: 0 }], attached_to: [], attached: [] },
    });
    const scans = await scanDetailsOf(store, await emailSubject(store, row));
    expect(scans[0]).toMatchObject({
      tool: 'check_provider',
      verdict_code: 'phsh',
      summary: 'The mail’s own header says CAT:PHSH, SCL 5',
    });
    // The sender may have added a header saying that it is not spam: that is shown, but is no verdict.
    for (const [subject, claim] of [
      ['three', 'X-Spam-Status: No, score=0.1'],
      ['five', 'CAT:NONE, SCL 1'],
    ] as const) {
      const claims = rowOf(store, subject);
      expect(claims).toMatchObject({ verdict: 'nothing-found', verdict_code: null });
      const [detail] = await scanDetailsOf(store, await emailSubject(store, claims));
      expect(detail).toMatchObject({
        tool: 'check_provider',
        status: null,
        verdict_code: 'nothing-found',
        summary: `The mail’s own header says ${claim}, which anyone could have written`,
      });
    }
    expect(rowOf(store, 'four').verdict).toBe('nothing-found');
    expect(await store.source.headers(store, row)).toContain(
      'Received: from relay.example (relay.example [203.0.113.9])\r\n\tby mx.example',
    );
    const body = await store.source.body(store, rowOf(store, 'picture'));
    expect(body.html).toContain('cid:pix@x');
    expect(body.inline).toEqual({ 'pix@x': `data:image/png;base64,${PIXEL}` });
    store.close();
  });

  it.each([
    ['CAT:NONE', 'nothing-found'],
    ['CAT:CLEAN', 'nothing-found'],
    ['CAT:OK', 'nothing-found'],
    ['CAT:BENIGN', 'nothing-found'],
    ['CAT:FINISHED', 'nothing-found'],
    ['SCL:-1;CAT:CLEAN', 'nothing-found'],
    ['CAT:BIMP', 'suspicious'],
    ['CAT:WORD', 'unknown'],
  ])('nothing a mail says of itself makes it clean: %s is %s', async (claim, verdict) => {
    const lone = mkdtempSync(path.join(folder, 'claim-'));
    writeFileSync(path.join(lone, 'a.eml'), message('claim', `X-Forefront-Antispam-Report: ${claim};\r\n`));
    const store = fresh();
    await ingestEvidence(store, lone);
    const [detail] = await scanDetailsOf(store, await emailSubject(store, rowOf(store, 'claim')));
    expect(detail?.summary).toContain(claim.split(';').at(-1));
    expect(detail && deriveVerdict(detail).verdict).toBe(verdict);
    store.close();
  });

  it.each([
    ['filename="invoice\u{202e}gpj.exe"', 'invoice\u{202e}gpj.exe'],
    ["filename*=UTF-8''invoice%E2%80%AEgpj.exe", 'invoice\u{202e}gpj.exe'],
    ["filename*=UTF-8''a%00b%0Ac%1B.pdf", 'a\0b\nc\u{1b}.pdf'],
    ['filename="../../etc/passwd"', '../../etc/passwd'],
    ['filename="C:\\\\evil\\\\con .txt"', 'C:\\evil\\con .txt'],
    ['filename="   "', 'part-0'],
  ])('keeps the name of an attachment as the mail declares it: %j', async (declared, expected) => {
    const lone = mkdtempSync(path.join(folder, 'name-'));
    writeFileSync(
      path.join(lone, 'named.eml'),
      message(
        'named',
        `Content-Type: application/octet-stream\r\nContent-Disposition: attachment; ${declared}\r\n`,
      ),
    );
    const store = fresh();
    await ingestEvidence(store, lone);
    expect(attachmentsOf(store, rowOf(store, 'named').id).map(({ name }) => name)).toEqual([expected]);
    store.close();
  });

  it('accepts a single file, and reports a missing path', async () => {
    const store = fresh();
    expect(await ingestEvidence(store, path.join(mail, 'one.eml'))).toMatchObject({ imported: 1 });
    await expect(ingestEvidence(store, path.join(mail, 'none'))).rejects.toMatchObject({ code: 'ENOENT' });
    store.close();
  });

  it('stops on request, and resumes from there', async () => {
    const many = path.join(folder, 'many');
    mkdirSync(many, { recursive: true });
    for (let i = 0; i < 450; i += 1) writeFileSync(path.join(many, `${i}.eml`), message(`m${i}`));
    const store = fresh();
    await expect(ingestEvidence(store, many, { signal: stopsInFirstBatch(store) })).rejects.toThrow();
    const first = subjects(store).length;
    expect(first).toBeGreaterThan(0);
    expect(first).toBeLessThan(450);
    const rest = await ingestEvidence(store, many);
    expect(rest.imported + rest.unchanged).toBe(450);
    expect(subjects(store)).toHaveLength(450);
    store.close();
  });
});

describe('the worker', () => {
  function start(spec: EmbeddedSpec) {
    const worker = new Worker(path.join(root, 'src/service/worker.ts'), { workerData: spec });
    const messages: EmbeddedMessage[] = [];
    const until = (type: EmbeddedMessage['type']) =>
      new Promise<EmbeddedMessage>((resolve, reject) => {
        const message = messages.find((message) => message.type === type);
        if (message) resolve(message);
        worker.on('message', (message: EmbeddedMessage) => message.type === type && resolve(message));
        worker.once('error', reject);
      });
    worker.on('message', (message: EmbeddedMessage) => messages.push(message));
    const stop = async () => {
      worker.postMessage({ type: 'stop' });
      await once(worker, 'exit');
    };
    return { worker, heard: messages, until, stop };
  }
  const spec = (
    name: string,
    source: EmbeddedSpec['source'],
    databaseKey: string | null = null,
  ): EmbeddedSpec => ({
    source,
    databasePath: path.join(folder, name),
    databaseKey,
    believed: [],
    rules: [],
    token: 'worker-token',
    flags: {},
  });
  const key = '00112233445566778899aabbccddeeff'.repeat(2);

  it('is ready before the import ends, reports it, and keeps the mail encrypted', async () => {
    const { heard, until, stop } = start(spec('e.sqlite', { kind: 'evidence', path: mail }, key));
    const ready = await until('ready');
    const imported = await until('imported');
    expect(heard.findIndex((message) => message.type === 'ready')).toBeLessThan(
      heard.findIndex((message) => message.type === 'imported'),
    );
    expect(imported).toMatchObject({ report: { imported: 5, notMail: 1 } });
    expect(heard.some((message) => message.type === 'progress')).toBe(true);
    const port = ready.type === 'ready' ? ready.port : 0;
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/query/execute`, {
      method: 'POST',
      headers: { authorization: 'Bearer worker-token' },
      body: JSON.stringify({
        query_domain: 'email',
        saas_id: 'evidence',
        query_entity_type: 'email',
        condition: { operator: 'and', conditions: [{ field: 'verdict', operator: 'is', values: ['found'] }] },
        columns: [],
        sort_by: [],
        size: 10,
        include_copies: false,
        count_only: false,
      }),
    });
    expect(await answer.json()).toMatchObject({ total_rows: 1, rows: [{ subject: 'one' }] });
    await stop();
    for (const file of readdirSync(folder).filter((name) => name.startsWith('e.sqlite'))) {
      const bytes = readFileSync(path.join(folder, file));
      expect(bytes.includes('SQLite format 3')).toBe(false);
      expect(bytes.includes('sender.example')).toBe(false);
    }
    const reopened = start(spec('e.sqlite', { kind: 'evidence', path: mail }, key));
    expect(await reopened.until('imported')).toMatchObject({ report: { imported: 0, unchanged: 5 } });
    await reopened.stop();
  });

  it('[promise] notices a hidden change when it verifies everything: same size, times and inode', async () => {
    const hidden = path.join(folder, 'hidden');
    mkdirSync(hidden);
    const file = path.join(hidden, 'a.eml');
    for (let index = 0; index < 20; index += 1)
      writeFileSync(path.join(hidden, `${index}.eml`), message(`m${index}`));
    const put = (subject: string) => {
      writeFileSync(file, message(subject));
      utimesSync(file, 1_700_000_000, 1_700_000_000);
    };
    put('before');
    const first = start(spec('v.sqlite', { kind: 'evidence', path: hidden }));
    expect(await first.until('imported')).toMatchObject({ report: { imported: 21 } });
    await first.stop();
    put('behind');
    const store = openEvidence({ path: path.join(folder, 'v.sqlite') });
    // No program can reset this time, but another system that wrote to the disk can.
    store.db
      .prepare("UPDATE evidence_files SET changed_ms = ? WHERE path = 'a.eml'")
      .run(statSync(file).ctimeMs);
    store.close();

    const { worker, heard, until, stop } = start(spec('v.sqlite', { kind: 'evidence', path: hidden }));
    expect(await until('imported')).toMatchObject({ report: { imported: 0, unchanged: 21, removed: 0 } });
    worker.postMessage({ type: 'import', verifies: true });
    await soon(() =>
      expect(
        heard.flatMap((message) => (message.type === 'imported' ? [message.report] : [])),
      ).toContainEqual(expect.objectContaining({ imported: 1, unchanged: 20, removed: 1 })),
    );
    await stop();
  });

  it('reports a missing path, and serves what it has', async () => {
    const { until, stop } = start(spec('f.sqlite', { kind: 'evidence', path: path.join(folder, 'gone') }));
    expect(await until('ready')).toMatchObject({ port: expect.any(Number) });
    expect(await until('failed')).toMatchObject({ error: { code: 'path-missing' } });
    await stop();
  });

  it('creates the demo tenant', async () => {
    const { until, stop } = start(spec('d.sqlite', { kind: 'demo', emails: 50, seed: 1 }));
    expect(await until('ready')).toMatchObject({ port: expect.any(Number) });
    await stop();
  });
});

describe('the command line', () => {
  async function run(...args: string[]) {
    const child = spawn(process.execPath, ['src/service/cli.ts', ...args], { cwd: root });
    let out = '';
    let err = '';
    child.stdout.on('data', (data) => {
      out += data;
    });
    child.stderr.on('data', (data) => {
      err += data;
    });
    const ended = once(child, 'exit').then(([code, signal]) => ({ code, signal, out, err }));
    return { child, ended, lines: () => out };
  }

  it.each([
    [['--port', 'x']],
    [['--emails', '0']],
    [['--nothing']],
    [['stray']],
    [['--seed', '-1']],
    [['--role', 'x']],
  ])('refuses %j with its usage', async (args) => {
    const { ended } = await run(...args);
    expect(await ended).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringContaining('Usage: npm run service'),
    });
  });

  it('prints its address and token, and ends cleanly', async () => {
    const { child, ended, lines } = await run(
      '--emails',
      '30',
      '--mail',
      path.join(mail, 'one.eml'),
      path.join(mail, 'two.eml'),
    );
    while (!lines().includes('two.eml')) await once(child.stdout, 'data');
    expect(lines()).toMatch(/^Service ready: http:\/\/127\.0\.0\.1:\d+\/api\/v1\nToken: [\w-]{40,}\n/);
    child.kill('SIGTERM');
    // Windows has no signals: there a kill ends the process at once.
    if (process.platform === 'win32') await ended;
    else expect(await ended).toMatchObject({ code: 0, signal: null, err: '' });
  });
});
