/**
 * A mail of evidence is identified by its content: however many files and mails contain it, it is one email with a list
 * of its places.
 */
import { createHash } from 'node:crypto';
import {
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { Uint8ArrayReader, Uint8ArrayWriter, ZipWriter } from '@zip.js/zip.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openEvidence } from '#service/evidence/source.ts';
import { ingestEvidence } from '#service/import/ingest-evidence.ts';
import { execute } from '#service/query/execute.ts';
import { profileOf } from '#service/store/email-profile.ts';
import { findEmail } from '#service/store-sqlite/emails.ts';
import type { SqliteStore } from '#service/store-sqlite/sqlite-store.ts';
import { msgFile } from '../support/outlook-files.ts';

let folder = '';
let root = '';
let store: SqliteStore;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'parapet-places-'));
  root = path.join(folder, 'mail');
  mkdirSync(root);
  store = openEvidence({ path: ':memory:' });
});
afterEach(() => {
  // Whatever a test reads, reads again or removes: the index has each text once, and none that is gone.
  for (const index of ['text_trigrams', 'header_trigrams'])
    store.db.exec(`INSERT INTO ${index} (${index}, rank) VALUES ('integrity-check', 1)`);
  store.close();
  rmSync(folder, { recursive: true, force: true });
});

const mail = (subject: string, more = '', body = 'See https://lure.example/x') =>
  `From: a@x.example\r\nTo: b@y.example\r\nSubject: ${subject}\r\nDate: Thu, 19 Nov 2026 08:00:00 +0000\r\n${more}\r\n${body}\r\n`;
const MIXED = 'Content-Type: multipart/mixed; boundary=cut\r\n';
const parts = (...all: string[]) => `${all.map((part) => `--cut\r\n${part}\r\n`).join('')}--cut--`;
const report = (subject: string, inner: string) =>
  mail(
    subject,
    MIXED,
    parts('Content-Type: text/plain\r\n\r\nPlease look.', `Content-Type: message/rfc822\r\n\r\n${inner}`),
  );
const asFile = (inner: string) =>
  `Content-Type: application/octet-stream\r\nContent-Disposition: attachment; filename="lure.EML"\r\nContent-Transfer-Encoding: base64\r\n\r\n${Buffer.from(inner).toString('base64')}`;
const put = (name: string, text: string) => {
  mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
  writeFileSync(path.join(root, name), text);
};
const box = (...mails: string[]) =>
  mails.map((mail) => `From a@x.example Thu Nov 19 08:00:00 2026\n${mail}\n`).join('');
const read = () => ingestEvidence(store, root);
const ids = () =>
  Object.fromEntries(
    (
      store.db.prepare('SELECT subject, entity_id FROM emails').all() as {
        subject: string;
        entity_id: string;
      }[]
    ).map(({ subject, entity_id }) => [subject, entity_id]),
  );
const subjects = () => Object.keys(ids()).sort();
function rowOf(subject: string) {
  const row = findEmail(store, ids()[subject] ?? '');
  if (row === null) throw new Error(`No email ${subject}`);
  return row;
}
const evidenceOf = async (subject: string) => (await profileOf(store, rowOf(subject))).provenance;
const bytesOf = async (subject: string) =>
  Buffer.from((await store.source.message(store, rowOf(subject))?.bytes()) ?? []).toString('latin1');
const sha = (text: string) => createHash('sha256').update(text).digest('hex');

const LURE = mail('lure');

describe('a mail inside a mail', () => {
  it('every statement of an import finds its places by index, without scanning the places of all mails', async () => {
    const statements = new Set<string>();
    const prepare = store.db.prepare.bind(store.db);
    Object.defineProperty(store.db, 'prepare', {
      value: (sql: string) => {
        statements.add(sql);
        return prepare(sql);
      },
    });
    put('a.eml', mail('a'));
    put('b.eml', report('Report', mail('lure')));
    await read();
    rmSync(path.join(root, 'b.eml'));
    await read();
    await profileOf(store, rowOf('a'));
    const lookups = [...statements].filter((sql) => /\bevidence_places\b[^;]*= \?/.test(sql));
    expect(lookups.length).toBeGreaterThan(5);
    for (const sql of lookups) {
      const values = (sql.match(/\?/g) ?? []).map(() => 1);
      const plan = prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values) as { detail: string }[];
      expect(
        plan.map(({ detail }) => detail).filter((detail) => /^SCAN (?:evidence_places|p)\b/.test(detail)),
        sql,
      ).toEqual([]);
    }
  });

  it('is a separate email, linked to its report, found by queries, with its original bytes', async () => {
    put('report.eml', report('report', LURE));
    expect(await read()).toMatchObject({ imported: 2 });
    const answer = await execute(
      {
        query_domain: 'email',
        saas_id: 'all',
        query_entity_type: 'email',
        condition: {
          operator: 'and',
          conditions: [{ field: 'subject', operator: 'is', values: ['lure'] }],
        },
        columns: ['subject'],
        sort_by: [],
        search_after: null,
        size: 100,
        include_copies: false,
        count_only: false,
      },
      { store, saas: [], now: Date.now() },
    );
    expect(answer.rows).toHaveLength(1);
    expect((await profileOf(store, rowOf('lure'))).links).toMatchObject([{ host: 'lure.example' }]);
    expect(await evidenceOf('lure')).toMatchObject({
      sha256: sha(LURE),
      places: [],
      attached_to: [{ entity_id: ids()['report'], subject: 'report', from: 'a@x.example', part: '2' }],
      attached: [],
    });
    expect(await evidenceOf('report')).toMatchObject({
      places: [{ file: 'report.eml', offset: 0, absent: null }],
      attached_to: [],
      attached: [{ entity_id: ids()['lure'], subject: 'lure', part: '2' }],
      attached_total: 1,
    });
    expect(await bytesOf('lure')).toBe(LURE);
    expect(await read()).toMatchObject({ imported: 0, unchanged: 2 });
  });

  it('also as a file in a mail in a mail, and if it also exists separately', async () => {
    const middle = mail('middle', MIXED, parts(asFile(LURE))).replaceAll('cut', 'inner');
    put('a.eml', report('outer', middle));
    put('b.eml', LURE);
    put('c.eml', mail('second', MIXED, parts(asFile(LURE))));
    await read();
    expect(subjects()).toEqual(['lure', 'middle', 'outer', 'second']);
    expect(await evidenceOf('lure')).toMatchObject({
      places: [{ file: 'b.eml' }],
      attached_to: [
        { subject: 'middle', part: '1' },
        { subject: 'second', part: '1' },
      ],
      attached_to_total: 2,
    });
    rmSync(path.join(root, 'b.eml'));
    await read();
    expect(await evidenceOf('lure')).toMatchObject({ places: [], attached_to_total: 2 });
    // From the mail inside the mail.
    expect(await bytesOf('lure')).toBe(LURE);
  });

  it('is removed with the last mail that it is attached to', async () => {
    for (let index = 0; index < 30; index += 1) put(`n${index}.eml`, mail(`n${index}`));
    put('a.eml', report('one', LURE));
    put('b.eml', report('two', LURE));
    await read();
    rmSync(path.join(root, 'a.eml'));
    expect(await read()).toMatchObject({ removed: 1 });
    expect(subjects()).toContain('lure');
    rmSync(path.join(root, 'b.eml'));
    expect(await read()).toMatchObject({ removed: 2 });
    expect(subjects()).not.toContain('lure');
  });

  it('is not recognised by its file name alone', async () => {
    put('a.eml', mail('outer', MIXED, parts(asFile('just words\r\n'))));
    await read();
    expect(subjects()).toEqual(['outer']);
  });

  it.each([
    ['application/octet-stream; name="Original message"', ['lure', 'outer']],
    ['application/octet-stream; name=ATT00001.dat', ['lure', 'outer']],
    ['text/plain; name=quoted.txt', ['outer']],
  ])(
    'without a content type is recognised by its first lines, with another type it is not: %s',
    async (type, expected) => {
      put('a.eml', mail('outer', MIXED, parts(`Content-Type: ${type}\r\n\r\n${LURE}`)));
      await read();
      expect(subjects().toSorted()).toEqual(expected);
    },
  );

  it('[limit 1 000 emails] is limited in depth and number, and omitted mails are reported', async () => {
    let chain = mail('level 40');
    for (let level = 39; level >= 0; level -= 1)
      chain = mail(`level ${level}`, 'Content-Type: message/rfc822\r\n', chain);
    put('deep.eml', chain);
    put(
      'wide.eml',
      mail(
        'wide',
        MIXED,
        parts(
          ...Array.from(
            { length: 1_100 },
            (_, index) => `Content-Type: message/rfc822\r\n\r\n${mail(`w${index}`)}`,
          ),
        ),
      ),
    );
    await read();
    expect(subjects().filter((subject) => subject.startsWith('level'))).toHaveLength(11);
    expect((await evidenceOf('wide'))?.attached_total).toBe(1_000);
    expect((await evidenceOf('wide'))?.attached).toHaveLength(100);
    expect((await evidenceOf('level 10'))?.problems).toContain(
      'some attached mails are no emails of their own: too many, too large or too deep',
    );
    expect((await evidenceOf('wide'))?.problems).toContain('more than 2000 parts; the rest is not read');
  });
});

describe('the id of a mail', () => {
  const numbered = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, index) => mail(`m${from + index}`));

  it('stays when a mailbox loses its first message; when it grows, only the new part is parsed', async () => {
    put('box.mbox', box(...numbered(0, 12)));
    await read();
    const before = ids();
    store.db.exec('INSERT INTO tags (email_id, tag) SELECT id, subject FROM emails');
    put('box.mbox', box(...numbered(1, 12)));
    expect(await read()).toMatchObject({ imported: 0, removed: 1, unchanged: 11 });
    delete before['m0'];
    expect(ids()).toEqual(before);
    expect(
      store.db
        .prepare('SELECT count(*) FROM tags t JOIN emails e ON e.id = t.email_id AND e.subject = tag')
        .pluck()
        .get(),
    ).toBe(11);
    expect((await evidenceOf('m1'))?.places).toMatchObject([{ file: 'box.mbox', offset: 42 }]);
    put('box.mbox', box(...numbered(1, 13)));
    expect(await read()).toMatchObject({ imported: 1, removed: 0, unchanged: 11 });
    expect(await bytesOf('m12')).toBe(mail('m12'));
  });

  it('stays when a folder is renamed, be it inside the evidence or the opened one', async () => {
    for (const [index, mail] of numbered(0, 20).entries()) put(`inbox/${index}.eml`, mail);
    await read();
    const before = ids();
    renameSync(path.join(root, 'inbox'), path.join(root, 'old'));
    expect(await read()).toMatchObject({ imported: 0, removed: 0, gone: 0, unchanged: 20 });
    renameSync(root, `${root}-2`);
    root = `${root}-2`;
    expect(await read()).toMatchObject({ imported: 0, removed: 0, gone: 0, unchanged: 20 });
    expect(ids()).toEqual(before);
    expect(await bytesOf('m3')).toBe(mail('m3'));
  });

  it('is the same for exact copies, whose places are listed', async () => {
    put('a.eml', mail('same'));
    put('b/c.eml', mail('same'));
    put('box.mbox', box(mail('same'), mail('other'), mail('same')));
    expect(await read()).toMatchObject({ imported: 2, unchanged: 0 });
    expect(await evidenceOf('same')).toMatchObject({ places_total: 4 });
    expect((await evidenceOf('same'))?.places.map(({ file }) => file)).toEqual([
      'a.eml',
      'b/c.eml',
      'box.mbox',
      'box.mbox',
    ]);
    rmSync(path.join(root, 'a.eml'));
    expect(await read()).toMatchObject({ removed: 0, unchanged: 2 });
    expect((await evidenceOf('same'))?.places.map(({ file }) => file)).toEqual([
      'b/c.eml',
      'box.mbox',
      'box.mbox',
    ]);
  });

  it.runIf(process.platform !== 'win32')(
    'a file that changed at the same size and time is noticed',
    async () => {
      put('a.eml', mail('one'));
      put('log.csv', 'time,user,ip\n2026-01-05T10:00:00Z,ann@x.example,203.0.113.9\n');
      await read();
      for (const [name, text] of [
        ['a.eml', mail('two')],
        ['log.csv', 'time,user,ip\n2026-01-05T10:00:00Z,bob@x.example,203.0.113.9\n'],
      ] as const) {
        const { atime, mtime } = statSync(path.join(root, name));
        put(name, text);
        utimesSync(path.join(root, name), atime, mtime);
      }
      await read();
      expect(subjects()).toContain('two');
      expect(store.db.prepare('SELECT user FROM logins').pluck().all()).toEqual(['bob@x.example']);
    },
  );
});

describe('the origin of a mail', () => {
  it('is given: file, offset, length, hash, import time and importer version', async () => {
    const text = mail('quoted', '', '>From here\r\nend');
    put('box.mbox', box(mail('first'), text));
    const before = Date.now();
    await read();
    const raw = text.replace('>From', 'From');
    const evidence = await evidenceOf('quoted');
    expect(evidence).toMatchObject({
      sha256: sha(raw),
      importer: expect.stringMatching(/^\d+$/),
      places: [
        {
          file: 'box.mbox',
          offset: 2 * 42 + mail('first').length + 1,
          length: text.length,
          quoted: true,
          absent: null,
        },
      ],
    });
    expect(Date.parse(evidence?.imported ?? '')).toBeGreaterThanOrEqual(before);
    expect(await bytesOf('quoted')).toBe(raw);
  });

  it('a file that changed or disappeared is reported, unless another place still has the bytes', async () => {
    put('a.eml', mail('one'));
    put('b.eml', mail('one'));
    await read();
    put('a.eml', mail('two'));
    expect(await bytesOf('one')).toBe(mail('one'));
    put('b.eml', mail('two'));
    await expect(bytesOf('one')).rejects.toThrow('The mail’s file has changed since it was imported');
    rmSync(path.join(root, 'a.eml'));
    rmSync(path.join(root, 'b.eml'));
    await expect(bytesOf('one')).rejects.toThrow('The mail’s file is no longer there');
  });
});

describe('whether a mail was read', () => {
  const MARKED = 'Status: RO\r\n';
  /** In the name of a mail; Windows has another use for the colon. */
  const info = (flags: string) => `${process.platform === 'win32' ? ';' : ':'}2,${flags}`;
  const readOf = (subject: string) =>
    store.db.prepare('SELECT is_read FROM emails WHERE subject = ?').pluck().get(subject);

  it('is what its mailbox says, never what its sender wrote', async () => {
    for (const part of ['new/kept', 'Inbox/new/kept']) put(part, '');
    put(`Inbox/cur/1.a${info('S')}`, mail('flagged as seen'));
    put(`Inbox/cur/2.a${info('F')}`, mail('flagged', MARKED));
    put('Inbox/new/3.a', mail('new', MARKED));
    put('one.eml', mail('alone', MARKED));
    put('box.mbox', box(mail('read', MARKED), mail('not read', 'Status: O\r\n'), mail('without a mark')));
    const mozilla = mail('in Thunderbird', `X-Mozilla-Status: 0001\r\n${MARKED}`);
    put('Profile/Inbox', box(mozilla, report('around', mail('inside', MARKED))));
    await read();
    const subjects = ['flagged as seen', 'flagged', 'new', 'alone', 'read', 'not read', 'without a mark'];
    expect(subjects.map(readOf)).toEqual([1, 0, null, null, 1, 0, null]);
    expect(['in Thunderbird', 'around', 'inside'].map(readOf)).toEqual([null, null, null]);
  });

  it('counts in every place of the mail, also in one that comes later', async () => {
    put('Inbox/new/kept', '');
    put(`Inbox/cur/1.a${info('')}`, mail('m'));
    await read();
    expect(readOf('m')).toBe(0);
    renameSync(path.join(root, `Inbox/cur/1.a${info('')}`), path.join(root, `Inbox/cur/1.a${info('S')}`));
    await read();
    expect(readOf('m')).toBe(1);
  });
});

describe('[bad input] a mail store that is not opened is named', () => {
  it('leaves the evidence incomplete, and comes before files that are no mail', async () => {
    put('a.png', 'x');
    put('b.eml', mail('m'));
    put('c.olm', 'PK\x03\x04');
    const { unreadable, notMail, problems } = await read();
    expect([unreadable, notMail, problems.map(({ file }) => file)]).toEqual([1, 1, ['c.olm', 'a.png']]);
    // Named again when the folder is read again, once.
    expect((await read()).problems).toHaveLength(2);
    rmSync(path.join(root, 'c.olm'));
    expect(await read()).toMatchObject({ unreadable: 0, notMail: 1 });
  });
});

it('mail that an earlier reader read is read again once, and keeps what the analyst added', async () => {
  for (const subject of ['one', 'two', 'kept']) put(`${subject}.eml`, mail(subject));
  await read();
  store.db.exec(`
    INSERT INTO tags (email_id, tag) SELECT id, 'of ' || subject FROM emails;
    INSERT INTO evidence_absent (kind, id, state) SELECT 'mail', id, 'kept' FROM emails WHERE subject = 'kept';
    UPDATE emails SET subject = 'as an earlier reader read it' WHERE subject = 'one';
    UPDATE links SET source = NULL;
    UPDATE meta SET value = 'earlier' WHERE key = 'reader';
    UPDATE evidence_messages SET reader = 'earlier'`);
  rmSync(path.join(root, 'kept.eml'));
  expect(await read()).toMatchObject({ imported: 2, removed: 0, gone: 0 });
  const all = (sql: string) => store.db.prepare(sql).all();
  expect(all('SELECT subject, tag FROM tags t JOIN emails e ON e.id = t.email_id ORDER BY 1')).toEqual([
    { subject: 'kept', tag: 'of kept' },
    { subject: 'one', tag: 'of one' },
    { subject: 'two', tag: 'of two' },
  ]);
  expect(all('SELECT subject, a.state FROM evidence_absent a JOIN emails e ON e.id = a.id')).toEqual([
    { subject: 'kept', state: 'kept' },
  ]);
  expect(
    all("SELECT DISTINCT source FROM links l JOIN emails e ON e.id = l.email_id AND subject <> 'kept'"),
  ).toEqual([{ source: 'text' }]);
  expect(await read()).toMatchObject({ imported: 0, unchanged: 2 });
});

async function zipOf(files: Record<string, string | Buffer>, password?: string): Promise<Buffer> {
  const writer = new ZipWriter(new Uint8ArrayWriter(), { useWebWorkers: false });
  for (const [name, content] of Object.entries(files))
    await writer.add(name, new Uint8ArrayReader(Uint8Array.from(Buffer.from(content))), {
      ...(password === undefined ? {} : { password }),
    });
  return Buffer.from(await writer.close());
}

describe('a mail in an attached archive', () => {
  const attach = (name: string, bytes: Buffer, type = 'application/octet-stream') =>
    `Content-Type: ${type}\r\nContent-Disposition: attachment; filename="${name}"\r\nContent-Transfer-Encoding: base64\r\n\r\n${bytes.toString('base64')}`;
  const withParts = (subject: string, ...all: string[]) =>
    mail(subject, MIXED, parts('Content-Type: text/plain\r\n\r\nPlease look.', ...all));

  it('[bad input] is a separate email, attached to the report at its path in the archive, with its original bytes', async () => {
    const inner = await zipOf({ 'deep.eml': mail('deep') });
    const zip = await zipOf({
      'in/lure.eml': LURE,
      'all.mbox': box(mail('boxed'), mail('boxed too')),
      'msg/outlook.msg': msgFile({ properties: { '0037001F': 'from Outlook' } }),
      'inner.zip': inner,
      'notes.txt': 'no mail',
    });
    put('report.eml', withParts('report', attach('reports.zip', zip)));
    expect(await read()).toMatchObject({ imported: 6, problems: [] });
    expect(subjects()).toEqual(['boxed', 'boxed too', 'deep', 'from Outlook', 'lure', 'report']);
    const attached = [
      ['lure', '2/reports.zip/in/lure.eml'],
      ['boxed', '2/reports.zip/all.mbox'],
      ['boxed too', '2/reports.zip/all.mbox'],
      ['from Outlook', '2/reports.zip/msg/outlook.msg'],
      ['deep', '2/reports.zip/inner.zip/deep.eml'],
    ] as const;
    for (const [subject, part] of attached)
      expect(await evidenceOf(subject)).toMatchObject({
        places: [],
        attached_to: [{ entity_id: ids()['report'], subject: 'report', part }],
      });
    expect(await evidenceOf('report')).toMatchObject({ attached_total: 5, problems: [] });
    for (const [subject, text] of [
      ['lure', LURE],
      ['boxed too', mail('boxed too')],
      ['deep', mail('deep')],
    ] as const)
      expect(await bytesOf(subject)).toBe(text);
    expect(await bytesOf('from Outlook')).toContain('Subject: from Outlook');
    expect(await read()).toMatchObject({ imported: 0, unchanged: 6 });
  });

  it('is found in a tar, a gzip and a mailbox, by content where the name hides it, and in a mail in an archive', async () => {
    const within = withParts('within', attach('a.zip', await zipOf({ 'innermost.eml': mail('innermost') })));
    put(
      'a.eml',
      withParts(
        'outer',
        attach('mail.eml.gz', gzipSync(mail('gzipped'))),
        attach('old.mbox', Buffer.from(box(mail('boxed'), mail('boxed too')))),
        attach('picture.jpg', await zipOf({ 'hidden.eml': mail('hidden') }), 'image/jpeg'),
        attach('within.zip', await zipOf({ 'within.eml': within.replaceAll('cut', 'inner') })),
      ),
    );
    await read();
    expect(subjects()).toEqual(['boxed', 'boxed too', 'gzipped', 'hidden', 'innermost', 'outer', 'within']);
    expect(await bytesOf('innermost')).toBe(mail('innermost'));
    expect(await evidenceOf('innermost')).toMatchObject({
      attached_to: [{ subject: 'within', part: '2/a.zip/innermost.eml' }],
    });
  });

  it('is not searched in documents that are zip files internally', async () => {
    const docx = await zipOf({ '[Content_Types].xml': '<Types/>', 'word/embeddings/a.eml': LURE });
    put('a.eml', withParts('outer', attach('letter.docx', docx)));
    await read();
    expect(subjects()).toEqual(['outer']);
    expect((await evidenceOf('outer'))?.problems).toEqual([]);
  });

  it('unreadable mail is reported, other files are not', async () => {
    const whole = await zipOf({ 'a.eml': mail('a').repeat(400), 'b.exe': 'MZ' });
    const damaged = Buffer.from(whole);
    damaged.fill(0, 60, 90);
    put(
      'a.eml',
      withParts(
        'outer',
        attach('damaged.zip', damaged),
        attach('cut.zip', whole.subarray(0, 300)),
        attach('locked.zip', await zipOf({ 'secret.eml': LURE }, 'key')),
      ),
    );
    await read();
    expect(subjects()).toEqual(['outer']);
    expect((await evidenceOf('outer'))?.problems).toEqual([
      expect.stringMatching(/^the attachment “locked.zip” .*secret.eml/),
      expect.stringMatching(/^mail may be in the attached “damaged.zip\/a.eml”: it is damaged/),
      expect.stringMatching(/^mail may be in the attached “cut.zip\/a.eml”: it is damaged/),
      expect.stringMatching(/^mail may be in the attached “cut.zip”: it is damaged/),
    ]);
  });

  it('[limit 1 000 files] has limits: a zip bomb, too many files and too many nested archives are abandoned with the reason', async () => {
    // Above the 64 MiB that any archive may hold.
    const large = Buffer.alloc(70 * 1024 * 1024, 'a\n');
    const bomb = await zipOf({ 'bomb.mbox': Buffer.concat([Buffer.from(box(mail('begin'))), large]) });
    put(
      'bomb.eml',
      withParts('bomb', attach('bomb.zip', bomb), attach('after.zip', await zipOf({ 'after.eml': LURE }))),
    );
    const many = Object.fromEntries(Array.from({ length: 1_001 }, (_, index) => [`${index}.txt`, 'x']));
    put('many.eml', withParts('many', attach('many.zip', await zipOf(many))));
    let nested = await zipOf({ 'a.eml': mail('too deep') });
    for (const name of ['one.zip', 'two.zip']) nested = await zipOf({ [name]: nested });
    put('nested.eml', withParts('nested', attach('three.zip', nested)));
    await read();
    expect(subjects()).toEqual(['bomb', 'many', 'nested']);
    expect((await evidenceOf('bomb'))?.problems).toEqual([
      'the attached “bomb.zip”, and archives after it, are listed and searched for mail in part: it unpacks to more than 300 times its size, as a zip bomb does; the rest is not read',
    ]);
    expect((await evidenceOf('many'))?.problems).toEqual([
      expect.stringContaining('it holds more than 1000 files'),
    ]);
    expect((await evidenceOf('nested'))?.problems).toEqual([
      'mail may be in the attached “three.zip/two.zip/one.zip”: an archive in an archive in an archive: unpack it first',
    ]);
  });
});

describe('an archive', () => {
  const zip = async (files: Record<string, string>) =>
    writeFileSync(path.join(root, 'case.zip'), await zipOf(files));

  it('is a place of its mails, which are identical to copies outside', async () => {
    const bare = mail('bare');
    await zip({ 'in/bare.eml': bare, 'all.mbox': box(mail('boxed')), 'notes.txt': 'x' });
    put('bare.eml', bare);
    expect(await read()).toMatchObject({ imported: 2, notMail: 1 });
    expect(await evidenceOf('bare')).toMatchObject({
      places: [{ file: 'bare.eml' }, { file: 'case.zip/in/bare.eml', offset: 0, length: bare.length }],
    });
    expect(await bytesOf('boxed')).toBe(mail('boxed'));
    rmSync(path.join(root, 'bare.eml'));
    const before = ids();
    // The unchanged archive is not read again, but its other files are still listed.
    expect(await read()).toMatchObject({
      imported: 0,
      unchanged: 2,
      notMail: 1,
      problems: [{ file: 'case.zip/notes.txt', reason: 'not a mail file' }],
    });
    expect(await evidenceOf('bare')).toMatchObject({ places: [{ file: 'case.zip/in/bare.eml' }] });
    expect(await bytesOf('bare')).toBe(bare);
    await zip({ 'elsewhere.eml': bare, 'all.mbox': box(mail('boxed')) });
    expect(await read()).toMatchObject({ imported: 0, notMail: 0, problems: [] });
    expect(await evidenceOf('bare')).toMatchObject({ places: [{ file: 'case.zip/elsewhere.eml' }] });
    expect(ids()).toEqual(before);
  });

  it('that becomes damaged removes no mail', async () => {
    await zip({ 'a.eml': mail('a'), 'b.eml': mail('b') });
    await read();
    writeFileSync(path.join(root, 'case.zip'), 'PK');
    expect(await read()).toMatchObject({ unreachable: 2, gone: 0, unreadable: 1 });
    expect(subjects()).toEqual(['a', 'b']);
    await expect(bytesOf('a')).rejects.toThrow();
  });
});

describe('[bad input] a folder that changes while it is read', () => {
  it('a mailbox that shrinks and a mail that disappears are reported, read mails stay, and none is duplicated', async () => {
    const all = Array.from({ length: 1_500 }, (_, index) => mail(`m${index}`, '', `${index} `.repeat(400)));
    const whole = box(...all);
    put('a.mbox', whole);
    put('b.eml', mail('goes'));
    put('c.eml', mail('stays'));
    let isChanged = false;
    const first = await ingestEvidence(store, root, {
      onProgress: ({ messages }) => {
        if (messages === 0 || isChanged) return;
        isChanged = true;
        truncateSync(path.join(root, 'a.mbox'), Math.floor(whole.length / 2));
        rmSync(path.join(root, 'b.eml'));
      },
    });
    expect(isChanged).toBe(true);
    const reasons = first.problems.map(({ file, reason }) => `${file}: ${reason}`);
    expect(reasons).toEqual([
      expect.stringMatching(/^a\.mbox: (?:it changed while it was read|the file became shorter)/),
      'b.eml: it does not exist',
    ]);
    expect(subjects()).toContain('stays');
    expect(subjects().length).toBeGreaterThan(200);
    // Once restored, it is read to its end, and known mails keep their ids.
    const { m0, m100, stays } = ids();
    put('a.mbox', whole);
    put('b.eml', mail('goes'));
    await read();
    expect(subjects()).toEqual([...all.map((_, index) => `m${index}`), 'goes', 'stays'].sort());
    expect(ids()).toMatchObject({ m0, m100, stays });
    expect(store.db.prepare('SELECT count(*) FROM emails').pluck().get()).toBe(1_502);
  });
});
