/** One file of each format that contains mail. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { Uint8ArrayReader, Uint8ArrayWriter, ZipWriter } from '@zip.js/zip.js';
import { packTar } from 'modern-tar';
import { type MessageSpec, msgFile, tnefFile } from './outlook-files.ts';
import { pstFile } from './pst-file.ts';

const mail = (subject: string, more = '', body = `the word of ${subject}`) =>
  `From: a@x.example\r\nTo: b@y.example\r\nSubject: ${subject}\r\nDate: Thu, 19 Nov 2026 08:00:00 +0000\r\n${more}\r\n${body}\r\n`;
const messageOf = (subject: string): MessageSpec => ({
  properties: {
    '001a001f': 'IPM.Note',
    '0037001f': subject,
    '1000001f': `the word of ${subject}`,
    '0c1f001f': 'a@x.example',
  },
});
const box = (...all: string[]) =>
  all.map((mail) => `From a@x.example Thu Nov 19 08:00:00 2026\n${mail}\n`).join('');
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

/** The phishing mail, present only as an attachment of the report. */
export const LURE = mail('lure', '', 'pay the invoice');
export const DOCUMENT = Buffer.from('%PDF-1.7 not really one');
/** A user's report, with the lure and a document attached. */
export const REPORT = mail(
  'report',
  'Content-Type: multipart/mixed; boundary=cut\r\n',
  [
    '--cut\r\nContent-Type: text/plain\r\n\r\nPlease look at this.',
    `--cut\r\nContent-Type: message/rfc822\r\nContent-Disposition: attachment; filename="lure.eml"\r\n\r\n${LURE}`,
    `--cut\r\nContent-Type: application/pdf\r\nContent-Disposition: attachment; filename="a.pdf"\r\nContent-Transfer-Encoding: base64\r\n\r\n${DOCUMENT.toString('base64')}`,
    '--cut--',
  ].join('\r\n'),
);

/** Writes the files below an existing folder; returns the subjects of all their mails, in order. `n.txt` is not mail. */
export async function layOneOfEach(root: string): Promise<string[]> {
  const put = (name: string, bytes: string | Uint8Array) => {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), bytes);
  };
  put('a.eml', REPORT);
  put('b.emlx', `${Buffer.byteLength(mail('emlx'))}\n${mail('emlx')}<?xml version="1.0"?>`);
  put('c.msg', msgFile(messageOf('msg')));
  put('d/winmail.dat', tnefFile(messageOf('tnef')));
  put('e.mbox', box(mail('mbox 1'), mail('mbox 2')));
  put('f-crlf.mbox', `\ufeff\r\n${box(mail('mbox crlf')).replaceAll(/\r?\n/g, '\r\n')}`);
  put('g/cur/1.M1.host:2,S'.replace(':', process.platform === 'win32' ? ';' : ':'), mail('maildir read'));
  put('g/new/2.M2.host', mail('maildir unread'));
  mkdirSync(path.join(root, 'g/tmp'));
  put('h.pst', pstFile({ messages: [messageOf('pst')] }));
  put('i.ost', pstFile({ messages: [messageOf('ost')], isAnsi: true }));
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
