import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { Uint8ArrayReader, Uint8ArrayWriter, ZipWriter } from '@zip.js/zip.js';
import PostalMime from 'postal-mime';
import { PSTFile, type PSTFolder, type PSTMessage } from 'pst-extractor';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { MessageSpec } from '#tests/support/outlook-files.ts';
import { pstFile } from '#tests/support/pst-file.ts';
import { readEvidence } from '../../import/read-evidence.ts';
import type { EvidenceBatch } from '../../store/evidence.ts';
import { bufferSource } from '../files/bytes.ts';
import { readMessage } from '../mail/attachment.ts';
import type { MailContent } from '../mail/types.ts';
import { pstEntries } from './pst.ts';
import { decode } from './pst-blocks.ts';

const SAMPLES = join(dirname(createRequire(import.meta.url).resolve('pst-extractor')), '../example/testdata');
const BYTES = Buffer.from(Array.from({ length: 20_000 }, (_, index) => index % 251));
const SENT = Date.UTC(2026, 10, 19, 8, 0, 0);

const INNER: MessageSpec = {
  properties: {
    '001a001f': 'IPM.Note',
    '0037001f': 'lure',
    '1000001f': 'click',
    '0c1f001f': 'eve@lure.example',
  },
};
const REPORT: MessageSpec = {
  properties: {
    '001a001f': 'IPM.Note',
    '0037001f': '\u0001\u0005RE: Grüße',
    '00390040': SENT,
    '0042001f': 'Ann',
    '5d02001f': 'ann@x.example',
    '1000001f': 'Hello ✓',
    '10130102': Buffer.from(`<p>${'long '.repeat(2_000)}</p>`),
    '1035001f': '<1@x.example>',
  },
  recipients: [
    { '3001001f': 'Bob', '39fe001f': 'bob@y.example', '0c150003': 1 },
    { '3001001f': 'Carl', '39fe001f': 'carl@y.example', '0c150003': 2 },
  ],
  attachments: [
    { properties: { '3707001f': 'Übersicht.pdf', '37010102': BYTES } },
    { properties: { '3707001f': 'lure.msg' }, message: INNER },
  ],
};
const PLAIN: MessageSpec = {
  properties: { '001a001f': 'IPM.Note', '0037001f': 'plain', '1000001f': 'text', '0c1f001f': 'al@x.example' },
};
const CONTACT: MessageSpec = { properties: { '001a001f': 'IPM.Contact', '0037001f': 'Bob' } };
const MADE = { messages: [REPORT, PLAIN, CONTACT] };
const ENCODE = (method: number) => (bytes: Buffer, id: number) => {
  const table = Buffer.from(Array.from({ length: 256 }, (_, index) => index));
  decode(table, method, id);
  // The cyclic encoding is its own inverse.
  if (method === 2) decode(bytes, method, id);
  else for (const [index, plain] of bytes.entries()) bytes[index] = table.indexOf(plain);
  return bytes;
};

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parapet-pst-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function read() {
  const all: EvidenceBatch<MailContent> = { messages: [], copies: [], problems: [], files: [] };
  await readEvidence(folder, { file: () => false }, (batch) => {
    for (const key of ['messages', 'copies', 'problems', 'files'] as const)
      all[key].push(...(batch[key] as never[]));
  });
  // Each message can be read again from its recorded place.
  for (const { source, raw } of all.messages) expect(await readMessage(folder, source)).toEqual(raw);
  return {
    ...all,
    places: all.messages.map(({ source, mail }) => `${source.file}|${source.entry}|${mail.subject}`),
    reasons: all.problems.map(({ file, kind, reason }) => `${file}|${kind}|${reason}`),
  };
}

/** The mails of a store, and the errors for the others. */
async function mailsOf(bytes: Buffer) {
  const mails: { name: string; bytes: Buffer; isDamaged: boolean }[] = [];
  const failures: string[] = [];
  try {
    for await (const entry of pstEntries(bufferSource(bytes), bytes.length))
      try {
        const pieces: Uint8Array[] = [];
        for await (const piece of entry.open()) pieces.push(piece);
        mails.push({
          name: entry.name,
          bytes: Buffer.concat(pieces),
          isDamaged: entry.isDamaged?.() === true,
        });
      } catch (error) {
        failures.push((error as Error).name);
      }
  } catch (error) {
    failures.push((error as Error).name);
  }
  return { mails, failures };
}

const hashOf = (bytes: Uint8Array | ArrayBuffer | string) =>
  createHash('sha256')
    .update(typeof bytes === 'string' ? bytes : new Uint8Array(bytes))
    .digest('hex');
/** The hash of an attachment, ignoring line ends, as the mail parser changes those of calendars. */
const fileHash = (bytes: Uint8Array | ArrayBuffer) =>
  hashOf(Buffer.from(new Uint8Array(bytes)).toString('latin1').replaceAll('\r\n', '\n'));
const plain = (text: string | null | undefined) => (text ?? '').replace(/\s+/g, ' ').trim();

/** Every mail of a store, as found by another reader. */
function* others(of: PSTFolder): Generator<PSTMessage> {
  if (of.contentCount > 0)
    for (let child = of.getNextChild(); child !== null; child = of.getNextChild())
      if (/^(?:IPM\.Note|REPORT|IPM\.Schedule)/.test(child.messageClass)) yield child as PSTMessage;
  for (const inner of of.hasSubfolders ? of.getSubFolders() : []) yield* others(inner);
}

function attachmentsOf(message: PSTMessage) {
  return Array.from({ length: message.numberOfAttachments }, (_, index) => {
    const attachment = message.getAttachment(index);
    const stream = attachment.fileInputStream;
    if (stream === null) return null;
    const bytes = Buffer.alloc(Number(stream.length.toString()));
    stream.readCompletely(bytes);
    return fileHash(bytes);
  }).filter((item) => item !== null);
}

describe.each(readdirSync(SAMPLES).filter((name) => /\.[op]st$/.test(name)))(
  'a store of Outlook: %s',
  (name) => {
    it('has the mails that another reader finds: subjects, texts, attachments', {
      timeout: 120_000,
    }, async () => {
      const path = join(SAMPLES, name);
      const { mails, failures } = await mailsOf(readFileSync(path));
      const ours = await Promise.all(
        mails.map(async ({ bytes, isDamaged }) => {
          const read = await PostalMime.parse(bytes, { rfc822Attachments: true });
          return {
            isDamaged,
            subject: plain(read.subject),
            text: hashOf(plain(read.text)),
            // The RTF of a body without other forms is attached as well.
            attachments: read.attachments
              .filter(({ filename }) => filename !== 'body.rtf')
              .map(({ content }) => fileHash(content as ArrayBuffer))
              .sort(),
          };
        }),
      );
      const theirs = [...others(new PSTFile(path).getRootFolder())].map((other) => ({
        isDamaged: false,
        subject: plain(other.subject),
        text: other.body === '' ? expect.any(String) : hashOf(plain(other.body)),
        attachments: attachmentsOf(other).sort(),
      }));
      const inOrder = <T extends { subject: string; attachments: string[] }>(list: T[]) =>
        list.sort((a, b) => (`${a.subject}${a.attachments}` < `${b.subject}${b.attachments}` ? -1 : 1));
      expect(theirs.length).toBeGreaterThan(1);
      expect(inOrder(ours)).toEqual(inOrder(theirs));
      expect(new Set(failures)).toEqual(new Set(name.startsWith('enron') ? [] : ['NoMailError']));
    });
  },
);

describe.each([
  ['Unicode', {}],
  ['ANSI', { isAnsi: true }],
  ['encoded', { method: 1, encode: ENCODE(1) }],
  ['encoded with the cyclic method', { method: 2, encode: ENCODE(2) }],
])('a generated store, %s', (_, how) => {
  it('is read as mail, with its folder, its attachments and the attached mail', async () => {
    writeFileSync(join(folder, 'box.pst'), pstFile({ ...MADE, ...how }));
    const { places, reasons, messages } = await read();
    expect(places).toEqual(['box.pst|Inbox/200024.eml|RE: Grüße', 'box.pst|Inbox/200044.eml|plain']);
    expect(reasons).toEqual(['box.pst|other entry|1 items of Outlook in it are no mail (IPM.Contact)']);
    expect(messages[0]?.attached).toHaveLength(1);
    const mail = await PostalMime.parse(messages[0]?.raw ?? '', { rfc822Attachments: true });
    expect(mail).toMatchObject({
      from: { name: 'Ann', address: 'ann@x.example' },
      to: [{ name: 'Bob', address: 'bob@y.example' }],
      cc: [{ name: 'Carl', address: 'carl@y.example' }],
      date: new Date(SENT).toISOString(),
      messageId: '<1@x.example>',
    });
    expect(mail.text?.trim()).toBe('Hello ✓');
    expect(mail.html?.trim()).toBe(`<p>${'long '.repeat(2_000)}</p>`);
    expect(hashOf(mail.attachments[0]?.content ?? '')).toBe(hashOf(BYTES));
    expect(mail.attachments.map(({ filename }) => filename)).toEqual(['Übersicht.pdf', 'lure.msg']);
  });
});

describe('a store', () => {
  it('is read inside a zip and a gzip', async () => {
    const bytes = pstFile({ folder: 'a/../b', messages: [INNER] });
    const writer = new ZipWriter(new Uint8ArrayWriter(), { useWebWorkers: false });
    await writer.add('mail/box.ost', new Uint8ArrayReader(bytes));
    writeFileSync(join(folder, 'one.zip'), await writer.close());
    writeFileSync(join(folder, 'two.pst.gz'), gzipSync(Buffer.concat([bytes, Buffer.alloc(1)])));
    const { places, copies } = await read();
    expect(places).toEqual(['one.zip|mail/box.ost/a_.._b/200024.eml|lure']);
    expect(copies.map(({ entry }) => entry)).toEqual(['two.pst/a_.._b/200024.eml']);
  });

  it('that is not a store, is encrypted or of an unknown version gives the reason', async () => {
    const changed = (offset: number, value: number) => {
      const bytes = pstFile(MADE);
      bytes[offset] = value;
      return bytes;
    };
    writeFileSync(join(folder, 'a.pst'), 'From: nobody\n\n');
    writeFileSync(join(folder, 'b.pst'), changed(513, 0x10));
    writeFileSync(join(folder, 'c.pst'), changed(10, 5));
    const { reasons } = await read();
    expect(reasons).toEqual([
      'a.pst|unreadable|it is not an Outlook store (.pst, .ost)',
      'b.pst|unreadable|encrypted: Windows Information Protection keeps it for its owner',
      'c.pst|unreadable|an Outlook store of an unknown version (5)',
    ]);
  });

  it('marks a mail whose bytes have changed', async () => {
    const bytes = pstFile(MADE);
    const index = bytes.indexOf('long long long ');
    bytes.write('LONG', index, 'latin1');
    writeFileSync(join(folder, 'box.pst'), bytes);
    const { places, reasons } = await read();
    expect(places).toHaveLength(2);
    expect(reasons).toContain(
      'box.pst/Inbox/200024.eml|unread entry|it is damaged; parts of the mail are missing or changed',
    );
  });

  it('reports a folder whose name has changed or cannot be read', async () => {
    const whole = pstFile(MADE);
    const name = whole.indexOf(Buffer.from('Inbox', 'utf16le'));
    for (const [index, folderName] of [
      [name, 'Jnbox'],
      // The mark of a block's beginning.
      [whole.lastIndexOf(0xec, name), 'folder 8022'],
    ] as const) {
      const changed = Buffer.from(whole);
      changed[index]! += 1;
      writeFileSync(join(folder, 'box.pst'), changed);
      const { places, reasons } = await read();
      expect([places.length, places[0]]).toEqual([2, expect.stringContaining(folderName)]);
      expect(reasons).toContain(
        'box.pst|unreadable|folders in it are damaged: their names may be wrong or missing',
      );
    }
  });

  it.each([false, true])('reports a changed header, in an ANSI store: %s', async (isAnsi) => {
    const whole = pstFile({ ...MADE, isAnsi });
    for (const index of isAnsi ? [4, 188, 196, 461] : [4, 224, 240, 513, 520]) {
      const changed = Buffer.from(whole);
      changed[index]! ^= 1;
      expect([index, (await mailsOf(changed)).failures]).toEqual([
        index,
        expect.arrayContaining(['PstError']),
      ]);
    }
    expect((await mailsOf(whole)).failures).toEqual(['NoMailError']);
  });

  it('with a circular index does not loop', async () => {
    const bytes = pstFile(MADE);
    const page = bytes.readUInt32LE(224);
    // A page of a higher level whose entries point to itself.
    bytes[page + 490] = 24;
    bytes[page + 491] = 1;
    for (let index = 0; index < 20; index++) bytes.writeUInt32LE(page, page + index * 24 + 16);
    const { mails, failures } = await mailsOf(bytes);
    expect([mails, failures]).toEqual([[], ['PstError']]);
  });

  it('[bad input] truncated or changed anywhere, ends, and never gives a changed mail as an intact one', {
    timeout: 60_000,
  }, async () => {
    const bytes = pstFile(MADE);
    const { mails: whole } = await mailsOf(bytes);
    const hashes = new Set(whole.map((item) => hashOf(item.bytes)));
    expect(hashes.size).toBe(2);
    for (let offset = 0; offset < bytes.length; offset += 149) {
      const cut = await mailsOf(bytes.subarray(0, offset));
      expect(cut.mails).toEqual([]);
      expect(cut.failures).not.toEqual([]);
      for (const value of [0, 0xff, (bytes[offset] ?? 0) ^ 1]) {
        const changed = Buffer.from(bytes);
        changed[offset] = value;
        const { mails, failures } = await mailsOf(changed);
        const isTold = failures.some((name) => name === 'PstError') || mails.some((mail) => mail.isDamaged);
        const isSame = mails.length === 2 && mails.every((mail) => hashes.has(hashOf(mail.bytes)));
        if (!isSame && offset >= 1024) expect([offset, isTold]).toEqual([offset, true]);
        for (const failure of [...failures].filter((name) => name !== 'NoMailError'))
          expect(failure).toBe('PstError');
      }
    }
  });
});
