/** One of each kind of file that holds mail: every mail shown, its body found, its report, its files and its own bytes. */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { Uint8ArrayReader, Uint8ArrayWriter, ZipReader, ZipWriter } from '@zip.js/zip.js';
import { packTar } from 'modern-tar';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { safeFileName } from '#main/kernel/file-names.ts';
import type { Row } from '#shared/model/entities.ts';
import { type Core, memoryKeychain, readAll, startCore, temporaryProfile } from '#tests/support/core.ts';
import { type MadeMessage, madeMsg, madeTnef } from '#tests/support/made-outlook.ts';
import { madePst } from '#tests/support/made-pst.ts';
import { soon } from '#tests/support/soon.ts';

vi.setConfig({ testTimeout: 90_000, hookTimeout: 60_000 });
const PASSWORD = 'correct horse';
let profile: ReturnType<typeof temporaryProfile>;
let core: Core | null = null;
let root = '';
let saved = '';

beforeEach(async () => {
  profile = temporaryProfile();
  root = path.join(profile.path, 'mail');
  saved = path.join(profile.path, 'saved');
  mkdirSync(root);
  mkdirSync(saved);
});
afterEach(async () => {
  await core?.stop();
  profile.remove();
});

const mail = (subject: string, more = '', body = `the word of ${subject}`) =>
  `From: a@x.example\r\nTo: b@y.example\r\nSubject: ${subject}\r\nDate: Thu, 19 Nov 2026 08:00:00 +0000\r\n${more}\r\n${body}\r\n`;
const made = (subject: string): MadeMessage => ({
  properties: {
    '001a001f': 'IPM.Note',
    '0037001f': subject,
    '1000001f': `the word of ${subject}`,
    '0c1f001f': 'a@x.example',
  },
});
const box = (...all: string[]) =>
  all.map((one) => `From a@x.example Thu Nov 19 08:00:00 2026\n${one}\n`).join('');
const put = (name: string, bytes: string | Uint8Array) => {
  mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
  writeFileSync(path.join(root, name), bytes);
};
async function zip(files: Record<string, string | Uint8Array>): Promise<Buffer> {
  const writer = new ZipWriter(new Uint8ArrayWriter(), { useWebWorkers: false });
  for (const [name, bytes] of Object.entries(files))
    await writer.add(name, new Uint8ArrayReader(Uint8Array.from(Buffer.from(bytes))));
  return Buffer.from(await writer.close());
}
const tar = async (name: string, text: string) =>
  Buffer.from(
    await packTar([
      { header: { name, size: Buffer.byteLength(text), type: 'file' }, body: Buffer.from(text) },
    ]),
  );
const sha = (bytes: string | Uint8Array) => createHash('sha256').update(bytes).digest('hex');

const LURE = mail('lure', '', 'pay the invoice');
const DOCUMENT = Buffer.from('%PDF-1.7 not really one');
const REPORT = mail(
  'report',
  'Content-Type: multipart/mixed; boundary=cut\r\n',
  [
    '--cut\r\nContent-Type: text/plain\r\n\r\nPlease look at this.',
    `--cut\r\nContent-Type: message/rfc822\r\nContent-Disposition: attachment; filename="lure.eml"\r\n\r\n${LURE}`,
    `--cut\r\nContent-Type: application/pdf\r\nContent-Disposition: attachment; filename="a.pdf"\r\nContent-Transfer-Encoding: base64\r\n\r\n${DOCUMENT.toString('base64')}`,
    '--cut--',
  ].join('\r\n'),
);

async function layOneOfEach(): Promise<string[]> {
  put('a.eml', REPORT);
  put('b.emlx', `${Buffer.byteLength(mail('emlx'))}\n${mail('emlx')}<?xml version="1.0"?>`);
  put('c.msg', madeMsg(made('msg')));
  put('d/winmail.dat', madeTnef(made('tnef')));
  put('e.mbox', box(mail('mbox 1'), mail('mbox 2')));
  put('f-crlf.mbox', `\ufeff\r\n${box(mail('mbox crlf')).replaceAll(/\r?\n/g, '\r\n')}`);
  put('g/cur/1.M1.host:2,S'.replace(':', process.platform === 'win32' ? ';' : ':'), mail('maildir read'));
  put('g/new/2.M2.host', mail('maildir unread'));
  mkdirSync(path.join(root, 'g/tmp'));
  put('h.pst', madePst({ messages: [made('pst')] }));
  put('i.ost', madePst({ messages: [made('ost')], isAnsi: true }));
  put(
    'j.zip',
    await zip({ 'x/y.eml': mail('zip'), 'inner.zip': await zip({ 'z.mbox': box(mail('zip in zip')) }) }),
  );
  put('k.tar', await tar('t.eml', mail('tar')));
  put('l.tgz', gzipSync(await tar('t.eml', mail('tgz'))));
  put('m.mbox.gz', gzipSync(box(mail('gz'))));
  put('n.txt', 'no mail');
  return [
    ...['report', 'lure', 'emlx', 'msg', 'tnef', 'mbox 1', 'mbox 2', 'mbox crlf'],
    ...['maildir read', 'maildir unread', 'pst', 'ost', 'zip', 'zip in zip', 'tar', 'tgz', 'gz'],
  ].sort();
}

it('every mail is shown; from a word in a body to its report, its files sealed and its own bytes', async () => {
  const wanted = await layOneOfEach();
  const started = await startCore({
    profile: profile.path,
    keychain: memoryKeychain(),
    dialogs: {
      open: async () => null,
      save: async ({ suggestedName }) => {
        const name = safeFileName(suggestedName);
        return { path: path.join(saved, name), name };
      },
    },
  });
  core = started;
  const { bridge } = started;
  await started.app.connect({ kind: 'evidence', path: root });
  const { state } = await bridge.call('connections.list', {});
  const connectionId = String(state.connectionId);
  await soon(async () =>
    expect((await bridge.call('evidence.state', { connectionId })).state?.phase).toBe('read'),
  );
  const ask = async <T>(endpoint: string, input: object): Promise<T> => {
    const { snapshots, error } = await readAll(bridge, {
      connectionId,
      endpoint,
      refresh: true,
      ...input,
    } as never);
    if (error !== null) throw error;
    return snapshots.at(-1)?.data as T;
  };
  const rows = async (conditions: object[]): Promise<Row[]> => {
    const { rows: found } = await ask<{ rows: Row[] }>('query.execute', {
      body: {
        query_domain: 'email',
        saas_id: 'all',
        query_entity_type: 'email',
        condition: { operator: 'and', conditions },
        columns: ['subject', 'saas'],
        sort_by: [],
        size: 100,
        include_copies: false,
      },
    });
    return found;
  };
  const idOf = (row: Row | undefined) => String(row?.['entity_id']);

  expect((await rows([])).map((row) => String(row['subject'])).sort()).toEqual(wanted);
  const { problems } = await bridge.call('evidence.problems', { connectionId });
  expect(problems.map(({ file }) => file)).toEqual(['n.txt']);

  const [hit, ...others] = await rows([
    { field: 'body', operator: 'contains_text', values: ['pay the invoice'] },
  ]);
  expect([hit?.['subject'], others]).toEqual(['lure', []]);
  const about = (id: string) => ({ params: { saas: String(hit?.['saas']) }, query: { entity_id: id } });
  const lure = await ask<unknown>('email.profile', about(idOf(hit)));
  const [report] = await rows([{ field: 'subject', operator: 'is', values: ['report'] }]);
  expect(JSON.stringify(lure)).toContain(idOf(report));

  const { rows: files } = await ask<{ rows: Row[] }>('email.attachments', about(idOf(report)));
  const grant = await bridge.call('dialogs.save', { suggestedName: 'files.zip', kind: 'zip' });
  await bridge.call('matched-file.save-all', {
    connectionId,
    entityType: 'email',
    files: files.map((row) => ({ entityId: idOf(row), name: String(row['name'] ?? row['file_name']) })),
    grantId: grant?.grantId ?? '',
    password: PASSWORD,
  });
  const sealed = new ZipReader(new Uint8ArrayReader(readFileSync(path.join(saved, 'files.zip'))), {
    password: PASSWORD,
  });
  const hashes: string[] = [];
  for (const entry of await sealed.getEntries()) {
    expect(entry.encrypted).toBe(true);
    if (!entry.directory) hashes.push(sha(await entry.getData(new Uint8ArrayWriter())));
  }
  expect(hashes).toEqual(expect.arrayContaining([sha(LURE), sha(DOCUMENT)]));

  const whole = await bridge.call('dialogs.save', { suggestedName: 'report.eml', kind: 'any' });
  await bridge.call('matched-file.save', {
    connectionId,
    entityType: 'email',
    entityId: idOf(report),
    grantId: whole?.grantId ?? '',
    name: 'report.eml',
    zip: null,
  });
  expect(readFileSync(path.join(saved, 'report.eml'))).toEqual(Buffer.from(REPORT));
});
