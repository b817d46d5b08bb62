/** Parts of a message that other readers of Outlook's formats find, or that Outlook itself shows. */
import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { expectLinear } from '#tests/support/growth.ts';
import { type MessageSpec, msgFile, type PropertyValues, tnefFile } from '#tests/support/outlook-files.ts';
import { pstFile } from '#tests/support/pst-file.ts';
import { bufferSource } from '../files/bytes.ts';
import { parseMessage } from '../mail/parse.ts';
import { readCfb, type Storage } from './cfb.ts';
import { compoundFile } from './cfb-file.ts';
import { mailOfMsg } from './msg.ts';
import { pstEntries } from './pst.ts';
import { unwrapRtf } from './rtf.ts';
import { mailOfTnef } from './tnef.ts';

async function parsed(mail: Buffer) {
  const result = await parseMessage(mail);
  if (!result.ok) throw new Error(result.reason);
  return result.mail;
}
const ofMsg = (spec: MessageSpec) => parsed(mailOfMsg(msgFile(spec)).mail);
const ofProperties = (properties: PropertyValues) => ofMsg({ properties });
const linesOf = async (properties: PropertyValues, name: RegExp) =>
  (await ofProperties(properties)).headers
    .filter((header) => name.test(header.name))
    .map((header) => `${header.name}: ${header.value}`);

/** Compressed RTF without back-references. */
function packed(text: string): Buffer {
  const raw = Buffer.from(text, 'latin1');
  const pieces: Buffer[] = [];
  for (let offset = 0; offset < raw.length; offset += 8)
    pieces.push(Buffer.from([0]), raw.subarray(offset, offset + 8));
  const body = Buffer.concat(pieces);
  const header = Buffer.alloc(16);
  header.writeUInt32LE(body.length + 12);
  header.writeUInt32LE(raw.length, 4);
  header.write('LZFu', 8);
  header.writeUInt32LE(~crc32(body, 0xffffffff) >>> 0, 12);
  return Buffer.concat([header, body]);
}

const long = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
};
/** An OLE package in the form that Windows writes. */
function packageOf(name: string, file: Buffer): Buffer {
  const text = (item: string) => Buffer.from(`${item}\0`, 'latin1');
  const path = text(`C:\\Temp\\${name}`);
  const body = Buffer.concat([
    Buffer.from([2, 0]),
    text(name),
    text(`C:\\${name}`),
    Buffer.from([0, 0, 3, 0]),
    long(path.length),
    path,
    long(file.length),
    file,
  ]);
  return Buffer.concat([long(body.length), body]);
}

describe('an embedded object of another program', () => {
  const FILE = Buffer.from('MZ this program cannot be run');
  const spec = (streams: Record<string, Buffer>): MessageSpec => ({
    properties: { '0037001f': 'see inside', '1000001f': 'open it' },
    attachments: [{ properties: { '3001001f': 'OLE Package', '37050003': 6 }, object: streams }],
  });

  it.each([
    ['.msg', (spec: MessageSpec) => mailOfMsg(msgFile(spec))],
    ['winmail.dat', (spec: MessageSpec) => mailOfTnef(tnefFile(spec))],
  ])('in %s is an attachment, not a mail; a file packaged in it is another attachment', async (_, mailOf) => {
    const streams = {
      '\u0001Ole10Native': packageOf('Rechnung.exe', FILE),
      '\u0001CompObj': Buffer.alloc(80, 5),
    };
    const { mail, isDamaged } = mailOf(spec(streams));
    expect(isDamaged).toBe(false);
    const { attachments, attachedMails } = await parsed(mail);
    expect(attachedMails).toEqual([]);
    expect(
      attachments.map(({ filename, size, mimeType }) => [filename, mimeType, (size ?? 0) > 500 || size]),
    ).toEqual([
      ['OLE Package', 'application/octet-stream', true],
      ['Rechnung.exe', 'application/octet-stream', FILE.length],
    ]);
  });

  it.each([6, 20, 40, 60, 75])(
    'whose package is truncated after %i bytes stays an attachment',
    async (length) => {
      const streams = { '\u0001Ole10Native': packageOf('a.exe', FILE).subarray(0, length) };
      const { mail, isDamaged } = mailOfMsg(msgFile(spec(streams)));
      const [object, file] = (await parsed(mail)).attachments;
      expect([object?.filename, isDamaged]).toEqual(['OLE Package', file !== undefined]);
      expect(file?.size ?? 0).toBeLessThan(FILE.length);
    },
  );

  it.each([
    ['a picture', Buffer.concat([long(60), Buffer.from('BM'), Buffer.alloc(58, 7)])],
    [
      'a package of a link',
      (() => {
        const bytes = packageOf('a.exe', FILE);
        bytes[bytes.indexOf(Buffer.from([0, 0, 3, 0])) + 2] = 1;
        return bytes;
      })(),
    ],
  ])('that is %s contains no file', async (_, native) => {
    const { attachments } = await ofMsg(spec({ '\u0001Ole10Native': native }));
    expect(attachments.map(({ filename }) => filename)).toEqual(['OLE Package']);
  });

  it('is written as a compound file with the same streams, of any size', () => {
    const storage = (streams: Record<string, Buffer>, storages: Record<string, Storage> = {}): Storage => ({
      clsid: Buffer.alloc(16, 9),
      streams: new Map(Object.entries(streams).map(([name, bytes]) => [name, () => bytes])),
      storages: new Map(Object.entries(storages)),
    });
    const flat = ({ clsid, streams, storages }: Storage): unknown => ({
      clsid: Buffer.from(clsid),
      streams: Object.fromEntries([...streams].map(([name, read]) => [name, hash('sha256', read(), 'hex')])),
      storages: Object.fromEntries([...storages].map(([name, storage]) => [name, flat(storage)])),
    });
    // Needs more allocation tables than the header can list.
    const large = Buffer.alloc(8_000_000, 3);
    const small = Object.fromEntries(
      Array.from({ length: 50 }, (_, index) => [`s${index}`, Buffer.alloc(index * 40, index)]),
    );
    const whole = storage(
      { large, empty: Buffer.alloc(0) },
      { inner: storage(small, { deepest: storage({}) }) },
    );
    const { root, isDamaged } = readCfb(compoundFile(whole));
    expect(flat(root)).toEqual(flat(whole));
    expect(isDamaged()).toBe(false);
  });
});

describe('an attachment by reference', () => {
  it.each([
    ['\\\\203.0.113.9\\share\\a.docx', 'file://203.0.113.9/share/a.docx'],
    ['https://drive.example/a.docx', 'https://drive.example/a.docx'],
  ])('is a link: %s', async (path, address) => {
    const { links, attachments } = await ofMsg({
      properties: { '1000001f': 'see attached' },
      attachments: [{ properties: { '37050003': 2, '370d001f': path, '3707001f': 'a.docx' } }],
    });
    expect(attachments.map(({ filename }) => filename)).toEqual(['a.docx (reference).html']);
    expect(links.map(({ url }) => url)).toEqual([address]);
  });
});

describe('the text of RTF', () => {
  it('contains the addresses of its links and pictures', () => {
    const rtf =
      '{\\rtf1\\ansi{\\field{\\*\\fldinst {\\rtlch HYPERLINK "https://lure.example/x" }}{\\fldrslt {\\ul Log in}}} {\\field{\\*\\fldinst INCLUDEPICTURE "http://track.example/i.png" \\\\d}} {\\field{\\*\\fldinst PAGE "a"}1}}';
    expect(unwrapRtf(Buffer.from(rtf, 'latin1')).text?.replace(/ +/g, ' ')).toBe(
      '<https://lure.example/x> Log in <http://track.example/i.png> 1',
    );
  });

  it('separates cells and lines, and continues after binary data', () => {
    const textOf = (rtf: string) => unwrapRtf(Buffer.from(`{\\rtf1\\ansi ${rtf}}`, 'latin1')).text;
    expect(textOf('one\\cell two\\row three\\\nfour')).toBe('one\ttwo\r\nthree\r\nfour');
    expect(textOf('a{\\pict\\bin5 }}{{\\}b')).toBe('ab');
    expect(textOf('a{\\pict\\bin99999999 }b')).toBe('a');
  });

  it('ends where the document ends, not at a lone carriage return', () => {
    const html =
      '{\\rtf1\\ansi\\fromhtml1{\\fonttbl\n\r{\\f0 Arial;}}\n\r{\\*\\htmltag64 <p>}shown{\\pntext 1.}}\0rest';
    expect(unwrapRtf(Buffer.from(html, 'latin1')).html).toBe('<p>shown');
    const deep = `{\\rtf1\\ansi ${'{'.repeat(20_000)}a${'}'.repeat(20_000)}b}c`;
    expect(unwrapRtf(Buffer.from(deep, 'latin1')).text).toBe('ab');
  });

  it('is in the charset of its font', () => {
    const fonts =
      '{\\fonttbl{\\f0\\fnil\\fcharset0 Arial;}{\\f1\\fnil\\fcharset128 MS Gothic;}{\\f2\\fcharset204 A;}}';
    const text = "caf\\'e9 {\\f1 \\'93\\'fa\\'96\\'7b}\\f2 \\'cf\\plain \\'e9";
    expect(unwrapRtf(Buffer.from(`{\\rtf1\\ansi\\ansicpg1252${fonts}${text}}`, 'latin1')).text).toBe(
      'café 日本Пé',
    );
    const html = `{\\rtf1\\ansi\\ansicpg1252\\fromhtml1${fonts}{\\*\\htmltag64 <p>}\\htmlrtf \\f1\\htmlrtf0 \\'93\\'fa{\\*\\htmltag72 </p>}}`;
    expect(unwrapRtf(Buffer.from(html, 'latin1')).html).toBe('<p>日</p>');
  });

  it.each([
    ['other words', 'Please pay to DE00 today', 'Hello'],
    ['another address', 'Hello <https://lure.example/x>', 'Hello'],
  ])('is kept beside a text with %s', async (_, shown, text) => {
    const rtf = { '10090102': packed(`{\\rtf1\\ansi ${shown}}`) };
    expect((await ofProperties({ ...rtf, '1000001f': text })).text).toContain(shown);
    const { text: same } = await ofProperties({ ...rtf, '1000001f': `${shown.toUpperCase()}` });
    expect(same).toContain(shown.toUpperCase());
    const { text: once } = await ofProperties({ ...rtf, '1000001f': `${shown}\r\n` });
    expect(once.trim()).toBe(shown);
  });

  it('is kept beside HTML that the RTF does not contain', async () => {
    const properties = {
      '10130102': Buffer.from('<p>harmless</p>'),
      '10090102': packed('{\\rtf1\\ansi pay now}'),
    };
    const { text, html, attachments } = await ofProperties(properties);
    expect([text.trim(), html]).toEqual(['pay now', '<p>harmless</p>']);
    expect(attachments.map(({ filename }) => filename)).toEqual(['body.rtf']);
  });

  it.each([
    ['changed', (bytes: Buffer) => bytes.fill(0x41, 40, 41)],
    ['cut', (bytes: Buffer) => bytes.subarray(0, 60)],
    ['none', () => Buffer.from('this is no compressed text at all')],
  ])('that is %s is reported as damaged', (_, change) => {
    const rtf = packed(`{\\rtf1\\ansi ${'some words '.repeat(20)}}`);
    expect(mailOfMsg(msgFile({ properties: { '10090102': rtf } })).isDamaged).toBe(false);
    expect(mailOfMsg(msgFile({ properties: { '10090102': change(Buffer.from(rtf)) } })).isDamaged).toBe(true);
  });
});

describe('the fields of a message', () => {
  it('include a subject even if only its pieces or its topic are stored', async () => {
    const subjectOf = async (properties: PropertyValues) => (await ofProperties(properties)).subject;
    expect(await subjectOf({ '003d001f': 'RE: ', '0e1d001f': 'invoice', '0070001f': 'invoice' })).toBe(
      'RE: invoice',
    );
    expect(await subjectOf({ '0070001f': 'invoice' })).toBe('invoice');
  });

  it('name the sender on behalf of another, and the reply address', async () => {
    const entry = Buffer.concat([
      Buffer.from('00000000812b1fa4bea310199d6e00dd010f540200000180', 'hex'),
      Buffer.from('Boss\0SMTP\0boss@lure.example\0', 'utf16le'),
    ]);
    const list = Buffer.concat([long(1), long(entry.length + 4), long(entry.length), entry]);
    const author = { '0042001f': 'Ann', '0064001f': 'SMTP', '0065001f': 'ann@x.example' };
    const sent = { '0c1a001f': 'Bob', '0c1e001f': 'SMTP', '0c1f001f': 'bob@x.example' };
    const { sender, replyTo, from } = await ofProperties({ ...author, ...sent, '004f0102': list });
    expect([from[0]?.address, sender[0]?.address, replyTo]).toMatchObject([
      'ann@x.example',
      'bob@x.example',
      [{ name: 'Boss', address: 'boss@lure.example' }],
    ]);
    const properties = { '0c1a001f': 'Ann', '0c1e001f': 'EX', '0c1f001f': '/o=x/cn=ann' };
    const { sender: none, replyTo: named } = await ofProperties({
      ...author,
      ...properties,
      '0050001f': 'Eve;eve@y.example',
    });
    expect(none).toEqual([]);
    expect(named).toMatchObject([{ address: 'Eve' }, { address: 'eve@y.example' }]);
  });

  it('mark a draft', async () => {
    expect(await linesOf({ '0e070003': 9 }, /^x-unsent$/i)).toEqual(['X-Unsent: 1']);
    expect(await linesOf({ '0e070003': 1 }, /^x-unsent$/i)).toEqual([]);
  });

  it('include what Outlook shows if it differs from the stored headers', async () => {
    const headers = 'From: Ann <ann@x.example>\r\nSubject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=\r\n\r\n';
    const shown = (subject: string, address: string) =>
      linesOf(
        {
          '007d001f': headers,
          '0037001f': subject,
          '0c1a001f': 'Ann',
          '0c1e001f': 'SMTP',
          '0c1f001f': address,
        },
        /^x-outlook-/i,
      );
    expect(await shown('Grüße', 'ANN@x.example')).toEqual([]);
    expect(await shown('Grüße', 'nn@x.example')).toEqual(['X-Outlook-From: "Ann" <nn@x.example>']);
    expect(await shown('Invoice', 'ceo@x.example')).toEqual([
      'X-Outlook-Subject: Invoice',
      'X-Outlook-From: "Ann" <ceo@x.example>',
    ]);
  });

  it('include the addresses of recipients that the stored headers only name', async () => {
    const to = async (bytesOf: string) => {
      const properties = { '007d001f': `From: a@x.example\r\nTo: ${bytesOf}\r\n\r\n` };
      const recipients = [{ '3001001f': 'Bob', '39fe001f': 'bob@y.example', '0c150003': 1 }];
      return (await ofMsg({ properties, recipients })).to
        .map(({ address }) => address)
        .filter((item) => item.includes('@'));
    };
    expect(await to('"Bob"')).toEqual(['bob@y.example']);
    expect(await to('list@y.example')).toEqual(['list@y.example']);
  });

  it('name the recipients that Outlook shows if their list is missing', async () => {
    const shown = { '0e04001f': "'bob@y.example'; Carl Müller", '0e03001f': 'Dora', '0e02001f': '' };
    const { to, cc, bcc } = await ofProperties(shown);
    expect([to, cc].map((all) => all.map(({ address }) => address))).toEqual([
      ['bob@y.example', 'Carl Müller'],
      ['Dora'],
    ]);
    expect(bcc).toEqual([]);
    const recipients = [{ '3001001f': 'Bob', '39fe001f': 'bob@y.example', '0c150003': 1 }];
    expect((await ofMsg({ properties: shown, recipients })).cc).toEqual([]);
  });

  it('include a sender and a subject if the stored headers are empty', async () => {
    const { author, subject } = await ofProperties({
      '007d001f': 'From: \r\nSubject:\r\nX-Priority: 3\r\n\r\n',
      '0037001f': 'update',
      '0c1f001f': 'ann@x.example',
    });
    expect([author?.address, subject]).toEqual(['ann@x.example', 'update']);
  });

  it('use a name that is an address, with the Exchange address beside it', async () => {
    const { author } = await ofProperties({
      '0042001f': 'a@x.example',
      '0064001f': 'EX',
      '0065001f': '/o=x/cn=a',
    });
    expect(author).toMatchObject({ name: '[/o=x/cn=a]', address: 'a@x.example' });
  });

  it('do not use an Exchange address with an @ in it as a mail address', async () => {
    const address = '/O=X/OU=FIRST GROUP/CN=RECIPIENTS/CN=ANN@X';
    const author = { '0c1a001f': 'Ann', '0c1e001f': 'EX', '0c1f001f': address };
    expect(await linesOf(author, /^from$/i)).toEqual([`From: "Ann [${address}]" <>`]);
    expect((await ofProperties({ ...author, '0065001f': 'ann@x.example' })).author).toMatchObject({
      name: '',
      address: 'ann@x.example',
    });
  });

  it('are read if UTF-16 is stored with the type of 8-bit text', async () => {
    expect((await ofProperties({ '1000001e': Buffer.from('wide words', 'utf16le') })).text).toBe(
      'wide words',
    );
  });
});

describe('named properties', () => {
  const APPOINTMENT = '0220060000000000c000000000000046';
  const COMMON = '0820060000000000c000000000000046';
  const START = Date.UTC(2026, 10, 19, 8, 0, 0);
  const invitation: MessageSpec = {
    properties: { '001a001f': 'IPM.Schedule.Meeting.Request', '0037001f': 'call' },
    named: {
      [`${COMMON}00008208001f`]: 'of another set',
      [`${APPOINTMENT}00008208001f`]: 'https://meet.lure.example/x',
      [`${APPOINTMENT}0000820d0040`]: START,
      [`${COMMON}0000851f001f`]: '\\\\203.0.113.9\\a\\b.wav',
    },
  };
  const fromPst = async (spec: MessageSpec) => {
    const bytes = pstFile({ messages: [spec] });
    for await (const entry of pstEntries(bufferSource(bytes), bytes.length))
      for await (const piece of entry.open()) return Buffer.from(piece);
    throw new Error('no mail');
  };

  it.each([
    ['.msg', (spec: MessageSpec) => mailOfMsg(msgFile(spec)).mail],
    ['winmail.dat', (spec: MessageSpec) => mailOfTnef(tnefFile(spec)).mail],
    ['.pst', fromPst],
  ])("of %s give a meeting's place and time, and the source of its reminder sound", async (_, mailOf) => {
    const { headers, links } = await parsed(await mailOf(invitation));
    expect(headers.filter(({ name }) => /^x-outlook-/i.test(name)).map(({ value }) => value)).toEqual([
      'https://meet.lure.example/x',
      'Thu, 19 Nov 2026 08:00:00 +0000',
      '\\\\203.0.113.9\\a\\b.wav',
    ]);
    expect(links.map(({ url, source }) => [url, source])).toEqual([
      ['https://meet.lure.example/x', 'header'],
      ['file://203.0.113.9/a/b.wav', 'header'],
    ]);
  });
});

it('a signed part may have other fields before its type', async () => {
  const signed = (fields: string) =>
    `${fields}Content-Type: multipart/signed;\r\n\tboundary=b\r\n\r\n--b\r\n\r\nsaid\r\n--b\r\nContent-Type: application/pkcs7-signature; name=smime.p7s\r\n\r\nx\r\n--b--\r\n`;
  const attached = async (fields: string) => {
    const bytes = Buffer.from(signed(fields));
    const { attachments, from } = await ofMsg({
      properties: { '001a001f': 'IPM.Note.SMIME.MultipartSigned' },
      attachments: [{ properties: { '370e001f': 'multipart/signed', '37010102': bytes } }],
    });
    return [attachments.map(({ filename }) => filename), from.length];
  };
  expect(await attached('MIME-Version: 1.0\r\nX-MimeOLE: x\r\nContent-Disposition: inline\r\n')).toEqual([
    ['smime.p7s'],
    0,
  ]);
  // Otherwise such a field would count as the sender's.
  expect(await attached('From: forged@x.example\r\n')).toEqual([[expect.stringMatching(/^part-/)], 0]);
});

it('an unreadable attached Outlook message is reported', async () => {
  const attached = async (name: string, bytes: Buffer) =>
    parsed(
      Buffer.from(
        `From: a@x.example\r\nSubject: report\r\nContent-Type: application/octet-stream; name="${name}"\r\nContent-Transfer-Encoding: base64\r\n\r\n${bytes.toString('base64')}`,
      ),
    );
  const bytes = msgFile({ properties: { '0037001f': 'lure' } }).subarray(0, 600);
  const { attachedMails, problems } = await attached('lure.msg', bytes);
  expect(attachedMails).toEqual([]);
  expect(problems).toContainEqual(expect.stringMatching(/^the Outlook message at part 0 cannot be read: it/));
  // An Office document is not a message.
  const document = msgFile({ properties: {} }).fill(0, 512 * 2 + 128, 512 * 2 + 150);
  for (const item of [document, bytes]) expect((await attached('a.doc', item)).problems).toEqual([]);
});

describe('[bad input] damage of an Outlook message is reported', () => {
  const nested = (levels: number): MessageSpec => ({
    properties: { '0037001f': `level ${levels}` },
    ...(levels > 0 ? { attachments: [{ properties: {}, message: nested(levels - 1) }] } : {}),
  });

  it('[limit 10 levels] for messages nested deeper than the limit', () => {
    expect(mailOfMsg(msgFile(nested(10))).isDamaged).toBe(false);
    expect(mailOfMsg(msgFile(nested(11))).isDamaged).toBe(true);
  });

  it('for winmail.dat that ends before the properties of the message or of an attachment', () => {
    const attachments = ['a.txt', 'b.txt'].map((name) => ({ properties: { '3707001f': name } }));
    const whole = tnefFile({ properties: { '0037001f': 'subject' }, attachments });
    // Level, number and type, length, data, checksum.
    const ends: number[] = [];
    for (let offset = 6; offset < whole.length; offset += 11 + whole.readUInt32LE(offset + 5))
      ends.push(offset);
    ends.push(whole.length);
    expect(ends.map((end) => mailOfTnef(whole.subarray(0, end)).isDamaged)).toEqual([
      true,
      true,
      // Without an end mark, a file that ends before its attachments is like one that has none.
      false,
      true,
      false,
      true,
      false,
    ]);
    const changed = Buffer.from(whole);
    changed[(ends[3] ?? 0) + 1]! ^= 0x40;
    expect(mailOfTnef(changed).isDamaged).toBe(true);
    // Without its version, only the unknown number tells.
    const unversioned = Buffer.from(whole);
    unversioned[(ends[0] ?? 0) + 1]! ^= 0x40;
    expect(mailOfTnef(unversioned).isDamaged).toBe(true);
  });

  describe('for a changed entry in the directory of a .msg', () => {
    const whole = msgFile({
      properties: { '0037001f': 'subject', '1000001f': 'words', '10130102': Buffer.from('<p>page</p>') },
      recipients: [{ '3001001f': 'Bob', '39fe001f': 'bob@y.example', '0c150003': 1 }],
      attachments: [
        { properties: { '3707001f': 'a.txt', '37010102': Buffer.from('file'), '37050003': 1 } },
        { properties: { '37050003': 5 }, message: { properties: { '0037001f': 'inner' } } },
      ],
    });
    const before = mailOfMsg(whole);
    /** Offsets in an entry: the first character of its name, its first sector, its size. */
    const [NAME, START, SIZE] = [0, 116, 120];
    it.each([
      ['__substg1.0_1000001F', [NAME, START, SIZE]],
      ['__substg1.0_10130102', [NAME, START, SIZE]],
      ['__substg1.0_37010102', [NAME, START, SIZE]],
      ['__substg1.0_39FE001F', [NAME, START, SIZE]],
      ['__recip_version1.0_#00000000', [NAME]],
      ['__attach_version1.0_#00000001', [NAME]],
      ['__substg1.0_3701000D', [NAME]],
    ])('%s', (name, offsets) => {
      expect(before.isDamaged).toBe(false);
      const index = whole.indexOf(Buffer.from(name, 'utf16le'));
      for (const offset of offsets)
        for (const bit of [1, 2]) {
          const changed = Buffer.from(whole);
          changed[index + offset]! ^= bit;
          const { mail, isDamaged } = mailOfMsg(changed);
          expect([offset, bit, isDamaged || mail.equals(before.mail)]).toEqual([offset, bit, true]);
        }
    });
  });

  it('for a text that continues after the NUL at which programs stop', () => {
    const isDamaged = (text: string) => mailOfMsg(msgFile({ properties: { '1000001f': text } })).isDamaged;
    expect([isDamaged('shown\0\0'), isDamaged('shown\0hidden')]).toEqual([false, true]);
  });

  it('for winmail.dat with wrong checksums, but not for line ends after it', () => {
    const whole = tnefFile({ properties: { '0037001f': 'subject', '1000001f': 'words' } });
    const isDamaged = (bytes: Buffer) => mailOfTnef(bytes).isDamaged;
    expect(isDamaged(Buffer.concat([whole, Buffer.from('\r\n\0')]))).toBe(false);
    expect(isDamaged(Buffer.concat([whole, Buffer.from('\r\nx')]))).toBe(true);
    const changed = Buffer.from(whole);
    changed.write('W', whole.indexOf(Buffer.from('words', 'utf16le')));
    expect(isDamaged(changed)).toBe(true);
    expect([whole.length - 1, 17, 6].map((length) => isDamaged(whole.subarray(0, length)))).toEqual([
      true,
      true,
      true,
    ]);
  });
});

it.each([
  ['an address of at signs', (count: number) => ({ '0c1f001f': `<${'a@'.repeat(count)}` })],
  [
    'names of brackets',
    (count: number) => ({ '0042001f': '<'.repeat(count), '0c1a001f': '<'.repeat(count + 1) }),
  ],
  ['a From without an address', (count: number) => ({ '007d001f': `From: ${'a'.repeat(count)}\r\n` })],
  [
    'an RTF with an address of commas',
    (count: number) => ({ '10090102': packed(`{\\rtf1 http://a${','.repeat(count)}a}`), '1000001f': 'x' }),
  ],
  [
    'an RTF with an unclosed target',
    (count: number) => ({
      '10090102': packed(`{\\rtf1 {\\field{\\*\\fldinst HYPERLINK "${':'.repeat(count)}}}}`),
    }),
  ],
])('%s is read in linear time', (_, properties) =>
  expectLinear(40_000, (count) => mailOfMsg(msgFile({ properties: properties(count) }))),
);
