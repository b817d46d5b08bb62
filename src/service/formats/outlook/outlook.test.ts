import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import PostalMime from 'postal-mime';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type MessageSpec, msgFile, type PropertyValues, tnefFile } from '#tests/support/outlook-files.ts';
import { readEvidence } from '../../import/read-evidence.ts';
import type { EvidenceBatch } from '../../store/evidence.ts';
import { partOf, readMessage } from '../mail/attachment.ts';
import { parseMessage } from '../mail/parse.ts';
import type { MailContent } from '../mail/types.ts';
import { mailOfMsg } from './msg.ts';
import { decompressRtf, unwrapRtf } from './rtf.ts';
import { mailOfTnef } from './tnef.ts';

const BYTES = Buffer.from(Array.from({ length: 3_000 }, (_, index) => index % 251));
const SENT = Date.UTC(2026, 10, 19, 8, 0, 0);
const INNER: MessageSpec = {
  properties: {
    '0037001f': 'lure',
    '1000001f': 'click https://lure.example/x',
    '0c1a001f': 'Eve',
    '0c1f001f': 'eve@lure.example',
  },
  attachments: [{ properties: { '3707001f': 'in.bin', '37010102': BYTES.subarray(7) } }],
};
const OUTER: MessageSpec = {
  properties: {
    '0037001f': 'Grüße\r\nBcc: x@y.example',
    '00390040': SENT,
    '0042001f': 'Ann "A"',
    '5d02001f': 'ann@x.example',
    '1000001f': 'Hello ✓',
    '10130102': Buffer.from('<p>H\xe9llo</p>', 'latin1'),
    '3fde0003': 1252,
    '1035001f': '<1@x.example>',
  },
  recipients: [
    { '3001001f': 'Bob', '39fe001f': 'bob@y.example', '0c150003': 1 },
    { '3001001f': 'Carl', '3002001f': 'EX', '3003001f': '/o=Org/cn=carl', '0c150003': 2 },
    { '3003001f': 'dora@y.example', '3002001f': 'SMTP', '0c150003': 3 },
  ],
  attachments: [
    { properties: { '3707001f': 'Übersicht.pdf', '370e001f': 'application/pdf', '37010102': BYTES } },
    { properties: { '3707001f': 'lure.msg', '37050003': 5 }, message: INNER },
    { properties: { '3704001f': 'i.png', '370e001f': 'image/png', '3712001f': 'i@x', '37010102': BYTES } },
  ],
};
const WRITERS = [
  ['.msg', msgFile, mailOfMsg],
  ['TNEF', tnefFile, mailOfTnef],
] as const;

describe.each(WRITERS)('%s', (_, bytes, mailOf) => {
  it('gives a mail that another parser reads: fields, bodies, attachments, the attached message', async () => {
    const { mail, isDamaged } = mailOf(bytes(OUTER));
    expect(isDamaged).toBe(false);
    expect(mailOf(bytes(OUTER)).mail).toEqual(mail);
    const read = await PostalMime.parse(mail, { rfc822Attachments: true });
    expect(read).toMatchObject({
      subject: 'Grüße Bcc: x@y.example',
      from: { name: 'Ann "A"', address: 'ann@x.example' },
      to: [{ name: 'Bob', address: 'bob@y.example' }],
      bcc: [{ address: 'dora@y.example' }],
      date: new Date(SENT).toISOString(),
      messageId: '<1@x.example>',
    });
    expect(read.headers.find(({ key }) => key === 'cc')?.value).toBe('"Carl [/o=Org/cn=carl]"');
    expect(read.text?.trim()).toBe('Hello ✓');
    expect(read.html?.trim()).toBe('<p>Héllo</p>');
    const attached = read.attachments.map(({ filename, mimeType, contentId }) => [
      filename,
      mimeType,
      contentId,
    ]);
    expect(attached).toEqual([
      ['Übersicht.pdf', 'application/pdf', undefined],
      ['lure.msg', 'message/rfc822', undefined],
      ['i.png', 'image/png', '<i@x>'],
    ]);
    expect(Buffer.from(read.attachments[0]?.content as ArrayBuffer)).toEqual(BYTES);
    const inner = await PostalMime.parse(read.attachments[1]?.content as ArrayBuffer);
    expect(inner).toMatchObject({ subject: 'lure', from: { address: 'eve@lure.example' } });
    expect(Buffer.from(inner.attachments[0]?.content as ArrayBuffer)).toEqual(BYTES.subarray(7));
  });

  it('keeps the header fields unchanged, except those about its parts', async () => {
    const headers =
      'Received: from a by b;\r\n Thu, 19 Nov 2026 08:00:00 +0000\r\nFrom: Real <real@x.example>\r\nContent-Type: multipart/mixed;\r\n boundary="lie"\r\nSubject: kept\r\n\r\n';
    const { mail } = mailOf(bytes({ properties: { ...OUTER.properties, '007d001f': headers } }));
    const text = mail.toString('latin1');
    expect(text).toContain('Received: from a by b;\r\n Thu, 19 Nov 2026 08:00:00 +0000\r\n');
    expect(text).toContain('X-Original-Content-Type: multipart/mixed;\r\n boundary="lie"\r\n');
    expect(await PostalMime.parse(mail)).toMatchObject({
      subject: 'kept',
      from: { address: 'real@x.example' },
    });
  });

  it('decodes 8-bit text by the code page that it names, or that of its language', async () => {
    const shift = Buffer.from('93fa967b', 'hex');
    const pages: PropertyValues[] = [{ '3ffd0003': 932 }, { '3ff10003': 0x411 }];
    for (const properties of pages) {
      const { mail } = mailOf(bytes({ properties: { ...properties, '0037001e': shift, '1000001e': shift } }));
      expect((await PostalMime.parse(mail)).subject).toBe('日本');
    }
  });

  it('names an author without inventing an address', async () => {
    const author = async (name: string, type: string, address: string) => {
      const { mail } = mailOf(
        bytes({ properties: { '0042001f': name, '0064001f': type, '0065001f': address } }),
      );
      const result = await parseMessage(mail);
      return result.ok ? result.mail.author : null;
    };
    expect(await author('Tess Chang@FT (x)', 'EX', '/O=FT/CN=TC')).toMatchObject({
      name: 'Tess Chang@FT (x) [/O=FT/CN=TC]',
      address: '',
    });
    expect(await author('Ann', 'SMTP', 'ann@x.example <ann@x.example>')).toMatchObject({
      name: 'Ann',
      address: 'ann@x.example',
    });
  });

  it('[bad input] truncated or changed anywhere, gives a mail or a reason, and ends', () => {
    const whole = bytes(OUTER);
    for (let length = 0; length < whole.length; length += 97) {
      let report: { isDamaged: boolean } | null = null;
      try {
        report = mailOf(whole.subarray(0, length));
      } catch (error) {
        expect(String(error)).toMatch(/^Error: it/);
      }
      expect([length, report?.isDamaged ?? true]).toEqual([length, true]);
    }
    for (let index = 0; index < whole.length; index += 13)
      for (const byte of [0, 1, 0xff]) {
        const changed = Buffer.from(whole);
        changed.fill(byte, index, index + 4);
        try {
          mailOf(changed);
        } catch (error) {
          expect(String(error)).toMatch(/^Error: it/);
        }
      }
  });
});

it('[bad input] circular chains, and two streams over the same sectors, do not loop', () => {
  const whole = msgFile({ properties: { '1000001f': 'x'.repeat(5_000) } });
  const fat = (whole.readUInt32LE(76) + 1) * 512;
  for (let offset = 0; offset < 40; offset++) {
    const changed = Buffer.from(whole);
    for (let to = 0; to < 40; to++) changed.writeUInt32LE(offset, fat + to * 4);
    try {
      mailOfMsg(changed);
    } catch (error) {
      expect(String(error)).toMatch(/^Error: it/);
    }
  }
});

it.each([
  ['nothing', Buffer.alloc(0)],
  ['text', Buffer.from('From: a@x.example\n\nx')],
  ['a document', msgFile({ properties: {} }).fill(0, 512 * 2 + 128, 512 * 2 + 150)],
])('%s is not an Outlook message', (_, bytes) => {
  expect(() => mailOfMsg(bytes)).toThrow(/^it/);
  expect(() => mailOfTnef(bytes)).toThrow('it is not TNEF');
});

describe('RTF', () => {
  /** Compressed RTF without back-references, which a writer may omit. */
  const packed = (text: string) => {
    const raw = Buffer.from(text, 'latin1');
    const pieces: Buffer[] = [];
    for (let offset = 0; offset < raw.length; offset += 8)
      pieces.push(Buffer.from([0]), raw.subarray(offset, offset + 8));
    const body = Buffer.concat(pieces);
    const header = Buffer.alloc(16);
    header.writeUInt32LE(body.length + 12);
    header.writeUInt32LE(raw.length, 4);
    header.write('LZFu', 8);
    return Buffer.concat([header, body]);
  };

  it('is unpacked as in its specification', () => {
    // MS-OXRTFCP, 3.2.1 and 3.2.2.
    const simple =
      '2d0000002b0000004c5a4675f1c5c7a703000a007263706731323542320af32068656c090020627705b06c647d0a800fa0';
    expect(decompressRtf(Buffer.from(simple, 'hex'), 1_000)?.toString('latin1')).toBe(
      '{\\rtf1\\ansi\\ansicpg1252\\pard hello world}\r\n',
    );
    const crossing = '1a0000001c0000004c5a4675e2d44b51410004205758595a0d6e7d010eb0';
    expect(decompressRtf(Buffer.from(crossing, 'hex'), 1_000)?.toString('latin1')).toBe(
      '{\\rtf1 WXYZWXYZWXYZWXYZWXYZ}',
    );
    expect(decompressRtf(Buffer.from(crossing, 'hex'), 6)?.toString('latin1')).toBe('{\\rtf1');
  });

  it('gives the HTML in it', () => {
    const rtf =
      '{\\rtf1\\ansi\\ansicpg1251\\fromhtml1 \\deff0{\\fonttbl{\\f0 Arial;}}{\\*\\htmltag64 <p>}\\htmlrtf {\\f0\\htmlrtf0 \\\'cf\\u9731?\\~{\\*\\htmltag84 <a href="https://x.example/?a=\\{1\\}">}go\\htmlrtf\\par\\htmlrtf0{\\*\\mhtmltag1 no}}}';
    expect(unwrapRtf(Buffer.from(rtf, 'latin1'))).toEqual({
      html: '<p>П☃\u00a0<a href="https://x.example/?a={1}">go',
      text: null,
    });
  });

  it('otherwise gives its text, and stays attached', async () => {
    const rtf = '{\\rtf1\\ansi{\\fonttbl{\\f0 Arial;}}{\\*\\generator X;}one\\par two \\{x\\}}';
    const { mail } = mailOfMsg(msgFile({ properties: { '10090102': packed(rtf) } }));
    const read = await PostalMime.parse(mail);
    expect(read.text?.trim()).toBe('one\r\ntwo {x}');
    expect(read.attachments).toMatchObject([{ filename: 'body.rtf', mimeType: 'application/rtf' }]);
  });
});

describe('in a folder', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'parapet-outlook-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  async function read() {
    const all: EvidenceBatch<MailContent> = { messages: [], copies: [], problems: [], files: [] };
    await readEvidence(folder, { file: () => false }, (batch) => {
      all.messages.push(...batch.messages);
      all.problems.push(...batch.problems);
    });
    for (const { source, raw } of all.messages) expect(await readMessage(folder, source)).toEqual(raw);
    return {
      subjects: all.messages.map(({ source, mail, attached }) => [
        source.file,
        mail.subject,
        ...attached.map(({ content }) => content?.mail.subject),
      ]),
      reasons: all.problems.map(({ file, reason }) => `${file}: ${reason}`),
      ...all,
    };
  }

  it('messages and their attached messages are mails; other files give a reason', async () => {
    writeFileSync(join(folder, 'a.msg'), msgFile(OUTER));
    writeFileSync(join(folder, 'b.msg'), 'From: a@x.example\nSubject: text\n\nx');
    writeFileSync(join(folder, 'c.msg'), 'nothing');
    writeFileSync(join(folder, 'winmail.dat'), tnefFile({ properties: { '0037001f': 'wrapped' } }));
    const { subjects, reasons } = await read();
    expect(subjects).toEqual([
      ['a.msg', 'Grüße Bcc: x@y.example', 'lure'],
      ['b.msg', 'text'],
      ['winmail.dat', 'wrapped'],
    ]);
    expect(reasons).toEqual(['c.msg: it is not an Outlook message']);
  });

  it('messages are found under other names: templates, numbered winmail.dat, without an extension', async () => {
    const named = (subject: string) => ({ properties: { '0037001f': subject } });
    writeFileSync(join(folder, 'a.oft'), msgFile(named('template')));
    writeFileSync(join(folder, 'b'), msgFile(named('bare')));
    writeFileSync(join(folder, 'd.dat'), tnefFile(named('numbered')));
    writeFileSync(join(folder, 'e.xls'), Buffer.from('d0cf11e0a1b11ae1', 'hex'));
    const { subjects, reasons } = await read();
    expect(subjects).toEqual([
      ['a.oft', 'template'],
      ['b', 'bare'],
      ['d.dat', 'numbered'],
    ]);
    expect(reasons).toEqual([expect.stringMatching(/^e\.xls: not a mail file/)]);
  });

  it('an .emlx is the mail between its count and its property list', async () => {
    const mail = 'From: a@x.example\nSubject: apple\n\nbody\n';
    const list = '<?xml version="1.0"?>\n<plist version="1.0"><dict/></plist>\n';
    writeFileSync(join(folder, 'a.emlx'), `${mail.length}      \n${mail}${list}`);
    writeFileSync(join(folder, 'b.emlx'), `${mail.length + 1}\n${mail.replace('apple', 'cut')}`);
    writeFileSync(join(folder, 'c.emlx'), mail);
    const { messages, reasons } = await read();
    expect(messages.map(({ raw }) => raw.toString())).toEqual(
      [mail, mail.replace('apple', 'cut')].slice(0, 2),
    );
    expect(messages[0]?.source).toMatchObject({ offset: 9, length: mail.length });
    expect(reasons).toEqual([
      `b.emlx: the mail is cut off: ${mail.length - 2} of ${mail.length + 1} bytes`,
      'c.emlx: no .emlx: its first line does not count the bytes of a mail',
    ]);
  });
});

describe('a signed message', () => {
  const signed =
    'MIME-Version: 1.0\r\nContent-Type: multipart/signed; protocol="application/pkcs7-signature"; boundary=b\r\n\r\n--b\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n--c\r\n\r\nsaid\r\n--c\r\nContent-Type: application/pdf; name=i.pdf\r\n\r\npdf\r\n--c--\r\n--b\r\nContent-Type: application/pkcs7-signature; name=smime.p7s\r\n\r\nx\r\n--b--\r\n';
  const message = (data: string): MessageSpec => ({
    properties: {
      '001a001f': 'IPM.Note.SMIME.MultipartSigned',
      '0037001f': 'signed',
      '1000001f': 'as Outlook shows it',
    },
    attachments: [{ properties: { '370e001f': 'multipart/signed', '37010102': Buffer.from(data) } }],
  });
  const parsed = async (data: string) => {
    const result = await parseMessage(mailOfMsg(msgFile(message(data))).mail);
    if (!result.ok) throw new Error(result.reason);
    return result.mail;
  };

  it('is one mail, with the signed content as its parts', async () => {
    const { subject, text, attachments, attachedMails } = await parsed(signed);
    expect([subject, text.trim()]).toEqual(['signed', 'said']);
    expect(attachments.map(({ filename }) => filename)).toEqual(['i.pdf', 'smime.p7s']);
    expect(attachedMails).toEqual([]);
  });

  it('keeps its own text if the signed content has no parts', async () => {
    const { text, attachments } = await parsed('no parts');
    expect(text.trim()).toBe('as Outlook shows it');
    expect(attachments).toHaveLength(1);
  });
});

describe('attached to a mail', () => {
  const around = (type: string, name: string, bytes: Buffer) =>
    Buffer.from(
      `From: a@x.example\r\nSubject: report\r\nContent-Type: multipart/mixed; boundary=cut\r\n\r\n--cut\r\nContent-Type: text/plain\r\n\r\nsee\r\n--cut\r\nContent-Type: ${type}; name="${name}"\r\nContent-Transfer-Encoding: base64\r\n\r\n${bytes.toString('base64')}\r\n--cut--\r\n`,
    );
  const parsed = async (raw: Buffer) => {
    const result = await parseMessage(raw);
    if (!result.ok) throw new Error(result.reason);
    return result.mail;
  };

  it('a .msg is a separate mail, found again by its hash', async () => {
    const raw = around('application/octet-stream', 'lure.msg', msgFile(INNER));
    const { attachedMails, attachments } = await parsed(raw);
    expect(attachments).toMatchObject([{ filename: 'lure.msg' }]);
    expect(attachedMails).toMatchObject([{ path: '2' }]);
    expect((await parsed(attachedMails[0]!.bytes)).subject).toBe('lure');
    expect(await partOf(raw, attachedMails[0]!.sha256)).toEqual(attachedMails[0]!.bytes);
  });

  it('winmail.dat shows its content: body, attachments, messages', async () => {
    const raw = around('application/ms-tnef', 'winmail.dat', tnefFile(OUTER));
    const { attachments, attachedMails, text, html, subject } = await parsed(raw);
    expect(subject).toBe('report');
    expect([text, html]).toEqual([expect.stringContaining('Hello ✓'), '<p>Héllo</p>']);
    expect(attachments.map(({ filename, path }) => [path, filename])).toEqual([
      ['2', 'winmail.dat'],
      ['2.1.2', 'Übersicht.pdf'],
      ['2.1.3', 'lure.msg'],
      ['2.1.3.0.2', 'in.bin'],
      ['2.1.4', 'i.png'],
    ]);
    const pdf = attachments[1]!;
    expect(await partOf(raw, pdf.sha256 ?? '')).toEqual(BYTES);
    expect((await parsed(attachedMails[0]!.bytes)).subject).toBe('lure');
  });

  it.each([
    ['application/vnd.ms-tnef', 'noname'],
    ['application/octet-stream', 'winmail (2).dat'],
    ['application/octet-stream', 'ATT00001.bin'],
  ])('winmail.dat is recognised by its content: %s, %s', async (type, name) => {
    const { attachments, text } = await parsed(around(type, name, tnefFile(OUTER)));
    expect(text).toContain('Hello ✓');
    expect(attachments.map(({ filename }) => filename)).toEqual([
      name,
      'Übersicht.pdf',
      'lure.msg',
      'in.bin',
      'i.png',
    ]);
  });

  it.each(['lure', 'lure.bin', 'lure.oft'])(
    'an Outlook message is a mail under any name: %s',
    async (name) => {
      const { attachedMails } = await parsed(around('application/octet-stream', name, msgFile(INNER)));
      expect((await parsed(attachedMails[0]!.bytes)).subject).toBe('lure');
    },
  );

  it('a damaged winmail.dat is reported', async () => {
    const whole = tnefFile(OUTER);
    const { problems } = await parsed(around('application/ms-tnef', 'winmail.dat', whole.subarray(0, 900)));
    expect(problems).toContain('winmail.dat is damaged; what could be read of it is shown');
    const { problems: none } = await parsed(around('application/ms-tnef', 'winmail.dat', Buffer.from('x')));
    expect(none).toContain('winmail.dat cannot be opened: it is not TNEF (winmail.dat)');
  });
});
