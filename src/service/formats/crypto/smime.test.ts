/** S/MIME parts as openssl writes them, and forms of them that the standards allow. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { deflateSync } from 'node:zlib';
import { expect, it, onTestFinished } from 'vitest';
import { readEvidence } from '../../import/read-evidence.ts';
import type { EvidenceMessage, EvidenceProblem } from '../../store/evidence.ts';
import { partOf, readMessage } from '../mail/attachment.ts';
import { parseMessage } from '../mail/parse.ts';
import { readMail } from '../mail/read-mail.ts';
import type { MailContent } from '../mail/types.ts';
import { DEFAULT_LIMITS, type ParsedMail } from '../mail/types.ts';
import { readSmime } from './smime.ts';
import { Unpacking } from './unpacking.ts';

const WORDS = 'signed words https://lure.example/s';
const PART = `Content-Type: text/plain\r\n\r\n${WORDS}\r\n`;
/** The part, signed by openssl 3.0 without certificates: SHA-256 with ECDSA. */
const SIGNED = Buffer.from(
  'MIIBJwYJKoZIhvcNAQcCoIIBGDCCARQCAQExDTALBglghkgBZQMEAgEwUAYJKoZIhvcNAQcBoEMEQUNvbnRlbnQtVHlwZTogdGV4dC9wbGFpbg0KDQpzaWduZWQgd29yZHMgaHR0cHM6Ly9sdXJlLmV4YW1wbGUvcw0KMYGtMIGqAgEBMEQwLDEMMAoGA1UEAwwDRXZlMRwwGgYJKoZIhvcNAQkBFg1ldmVAeC5leGFtcGxlAhRHmf1lFzthaipy9xHnZiUQ7uc9SDALBglghkgBZQMEAgEwCgYIKoZIzj0EAwIERjBEAiAWby3U+qo43ER1tBJ0fG8+ZW4FM4usasC8U9q//vE5aAIgcyjZckadHxcDKsqDXudGvzyajf8pjHpxOrYp/Qy3V/8=',
  'base64',
);

/** An element in DER. */
function der(tag: number, ...all: readonly Uint8Array[]): Buffer {
  const bytes = Buffer.concat(all);
  return Buffer.concat([
    Buffer.from([tag, 0x83, bytes.length >> 16, bytes.length >> 8, bytes.length]),
    bytes,
  ]);
}
const PKCS7 = '2a864886f70d0107';
const CT = '2a864886f70d01091001';
const TYPE = {
  data: `${PKCS7}01`,
  signed: `${PKCS7}02`,
  enveloped: `${PKCS7}03`,
  signedAndEnveloped: `${PKCS7}04`,
  digested: `${PKCS7}05`,
  encrypted: `${PKCS7}06`,
  receipt: `${CT}01`,
  authenticated: `${CT}02`,
  compressed: `${CT}09`,
  authEnveloped: `${CT}17`,
} as const;
type Type = keyof typeof TYPE;
const id = (type: Type) => der(6, Buffer.from(TYPE[type], 'hex'));
const ONE = Buffer.from([2, 1, 1]);
const NONE = Buffer.from([0x30, 0]);
/** The fields of each type before its content, and after it. */
const AROUND: Partial<Record<Type, readonly [Buffer[], Buffer[]]>> = {
  signed: [[ONE, der(0x31)], [der(0x31)]],
  digested: [[ONE, NONE], [der(4)]],
  authenticated: [[ONE, der(0x31), NONE], [der(4)]],
  compressed: [[ONE, NONE], []],
};
const bare = (type: Type, inner: Type, ...content: readonly Buffer[]) => {
  const [before, after] = AROUND[type] ?? [[ONE], []];
  return der(0x30, ...before, der(0x30, id(inner), ...content.map((item) => der(0xa0, item))), ...after);
};
const info = (type: Type, content: Buffer) => der(0x30, id(type), der(0xa0, content));
const octets = (bytes: Uint8Array | string) => der(4, Buffer.from(bytes));
const wrapped = (type: Type, inner: Type, content: Uint8Array | string) =>
  info(type, bare(type, inner, octets(content)));
const pem = (bytes: Buffer, label = 'PKCS7') =>
  Buffer.from(
    `-----BEGIN ${label}-----\r\n${(bytes.toString('base64').match(/.{1,64}/g) ?? []).join('\r\n')}\r\n-----END ${label}-----\r\n`,
  );

async function mailOf(
  bytes: Buffer,
  { type = 'application/pkcs7-mime', name = 'smime.p7m', encoding = 'base64' } = {},
) {
  const body = encoding === 'base64' ? bytes.toString('base64') : bytes.toString('latin1');
  const field = name === '' ? type : `${type}; name="${name}"`;
  const raw = Buffer.from(
    `From: a@x.example\r\nSubject: s\r\nContent-Type: ${field}\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n${body}`,
    'latin1',
  );
  const result = await parseMessage(raw);
  if (!result.ok) throw new Error(result.reason);
  return { ...result.mail, raw };
}

it.each([
  ['DER', SIGNED, {}],
  ['binary DER', SIGNED, { encoding: 'binary' }],
  ['PEM', pem(SIGNED, 'CMS'), { encoding: '7bit' }],
  ['PEM in base64', pem(SIGNED, 'PKCS #7 SIGNED DATA'), {}],
  ['base64 that is not declared', Buffer.from(SIGNED.toString('base64')), { encoding: '7bit' }],
  ['the older type', SIGNED, { type: 'application/x-pkcs7-mime', name: '' }],
  ['the type of RFC 7193', SIGNED, { type: 'application/cms', name: '' }],
  ['a name alone', SIGNED, { type: 'application/octet-stream' }],
  ['neither', SIGNED, { type: 'application/octet-stream', name: 'mail.dat' }],
  ['compressed', wrapped('compressed', 'data', deflateSync(PART)), { name: 'smime.p7z' }],
  ['digested', wrapped('digested', 'data', PART), {}],
  ['authenticated', wrapped('authenticated', 'data', PART), {}],
  ['plain data', info('data', octets(PART)), {}],
  ['signed twice', wrapped('signed', 'signed', SIGNED), {}],
  [
    'signed twice, without a second header',
    wrapped('signed', 'signed', bare('signed', 'data', octets(PART))),
    {},
  ],
  [
    'signed, the content not in octets',
    info('signed', bare('signed', 'signed', bare('signed', 'data', octets(PART)))),
    {},
  ],
  [
    'compressed, then signed',
    wrapped('signed', 'compressed', wrapped('compressed', 'data', deflateSync(PART))),
    {},
  ],
])('signed content can be read: %s', async (_, bytes, fields) => {
  const { text, links, isEncrypted, problems } = await mailOf(bytes, fields);
  expect([text.trim(), links.map(({ host }) => host), isEncrypted, problems]).toEqual([
    WORDS,
    ['lure.example'],
    false,
    [],
  ]);
});

it.each([
  ['enveloped', info('enveloped', der(0x30, ONE)), {}],
  ['signed and enveloped', info('signedAndEnveloped', der(0x30, ONE)), {}],
  ['encrypted', info('encrypted', der(0x30, ONE)), {}],
  ['authenticated and enveloped', info('authEnveloped', der(0x30, ONE)), {}],
  ['PEM', pem(info('enveloped', der(0x30, ONE))), { encoding: '7bit' }],
  ['inside a signature', wrapped('signed', 'enveloped', info('enveloped', der(0x30, ONE))), {}],
  ['cut off', info('enveloped', der(0x30, ONE, octets(Buffer.alloc(500)))).subarray(0, 60), {}],
])('encrypted content is reported: %s', async (_, bytes, fields) => {
  const { isEncrypted, attachments, problems, text } = await mailOf(bytes, fields);
  expect([isEncrypted, attachments.map(({ encryption }) => encryption), problems, text]).toEqual([
    true,
    ['smime'],
    ['encrypted with S/MIME: what it says is for its recipient'],
    '',
  ]);
});

it('an encrypted file is recognised by its content', async () => {
  const bytes = info('enveloped', der(0x30, ONE, octets(Buffer.alloc(200))));
  const { isEncrypted, attachments, problems } = await mailOf(bytes, {
    type: 'application/octet-stream',
    name: 'mail.dat',
  });
  expect([isEncrypted, attachments[0]?.encryption, problems]).toEqual([
    true,
    'smime',
    ['the attachment “mail.dat” is encrypted with S/MIME'],
  ]);
});

it('an encrypted part beside a page without text is the mail', async () => {
  const part = info('enveloped', der(0x30, ONE)).toString('base64');
  const encrypted = async (page: string) => {
    const raw = `From: a@x.example\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/html\r\n\r\n${page}\r\n--b\r\nContent-Type: application/pkcs7-mime\r\nContent-Transfer-Encoding: base64\r\n\r\n${part}\r\n--b--\r\n`;
    const result = await parseMessage(Buffer.from(raw));
    return result.ok && result.mail.isEncrypted;
  };
  expect(await encrypted('<html><head><style>p{}</style></head><body><p>&nbsp;</p></body></html>')).toBe(
    true,
  );
  expect(await encrypted('<html><body><img src="cid:x"></body></html>')).toBe(false);
  expect(await encrypted('<p>words</p>')).toBe(false);
});

it.each([
  [
    'only certificates',
    info('signed', bare('signed', 'data')),
    'an S/MIME part has no content, only certificates or a signature',
  ],
  [
    'a receipt',
    wrapped('signed', 'receipt', NONE),
    'an S/MIME part is not opened: it holds neither a text nor encrypted content',
  ],
  ['another text', Buffer.from('just words'), 'an S/MIME part is not opened: it is damaged, or no S/MIME'],
  [
    'damaged compressed content',
    wrapped('compressed', 'data', 'not compressed'),
    'an S/MIME part is not opened: it is damaged',
  ],
  [
    'content that unpacks to more than the limit',
    wrapped('compressed', 'data', deflateSync(Buffer.alloc(64 * 1024 * 1024 + 1))),
    'an S/MIME part is not opened: it unpacks to more than 67108864 bytes',
  ],
])('a part with %s says so', async (_, bytes, problem) => {
  const { problems, isEncrypted, text } = await mailOf(bytes);
  expect([problems, isEncrypted, text]).toEqual([[problem], false, '']);
});

it('[bad input] a truncated signature keeps the content that is there, and says so', async () => {
  const content = SIGNED.indexOf(WORDS);
  for (const [length, text] of [
    [SIGNED.length - 1, WORDS],
    [content + WORDS.length, WORDS],
    [content + 12, WORDS.slice(0, 12)],
  ] as const) {
    const mail = await mailOf(SIGNED.subarray(0, length));
    expect([mail.text.trim(), mail.problems]).toEqual([
      text,
      ['an S/MIME part is cut off; its content may be incomplete'],
    ]);
  }
});

it('a signed document is an attachment, not the text of the mail', async () => {
  const listed = async (name: string, bytes: Buffer) => {
    const { attachments, attachedMails, text, raw } = await mailOf(bytes, { name });
    for (const { sha256 } of attachments) await partOf(raw, sha256 ?? '');
    return [attachments.map(({ filename }) => filename), text.trim(), attachedMails.length];
  };
  const pdf = wrapped('signed', 'data', '%PDF-1.4\n%%EOF\n');
  expect(await listed('c.pdf.p7m', pdf)).toEqual([['c.pdf.p7m', 'c.pdf'], '', 0]);
  expect(await listed('c.pdf.p7m.p7m', wrapped('signed', 'data', pdf))).toEqual([
    ['c.pdf.p7m.p7m', 'c.pdf.p7m', 'c.pdf'],
    '',
    0,
  ]);
  const mail = wrapped('signed', 'data', 'From: b@y.example\r\nSubject: inner\r\n\r\nwords\r\n');
  expect(await listed('m.eml.p7m', mail)).toEqual([['m.eml.p7m', 'm.eml'], '', 1]);
  expect(await listed('signed.p7m', pdf)).toEqual([['signed.p7m', 'signed'], '', 0]);
  expect(await listed('', pdf)).toEqual([['part-0', 'signed content'], '', 0]);
  expect(await listed('smime.p7m', wrapped('signed', 'data', 'words'))).toEqual([['smime.p7m'], 'words', 0]);
  // Whatever the name, the part of a mail is its text.
  expect(await listed('no. 1.p7m', SIGNED)).toEqual([['no. 1.p7m'], WORDS, 0]);
});

it('another signed file is only an attachment', async () => {
  const file = wrapped('signed', 'data', '<plist version="1.0"></plist>');
  const { attachments, text, problems } = await mailOf(file, {
    type: 'application/octet-stream',
    name: 'a.mobileconfig',
  });
  expect([attachments.map(({ filename }) => filename), text, problems]).toEqual([['a.mobileconfig'], '', []]);
});

it('a signature that is kept unopened says because of which limit', async () => {
  const { raw } = await mailOf(SIGNED);
  const problemsAt = async (limits: object) => {
    const result = await parseMessage(raw, { ...DEFAULT_LIMITS, ...limits });
    return result.ok ? result.mail.problems : result;
  };
  expect(await problemsAt({ maxParts: 2 })).toEqual([]);
  expect(await problemsAt({ maxParts: 1 })).toEqual(['more than 1 parts; the rest is not read']);
  expect(await problemsAt({ maxDepth: 0 })).toEqual(['parts nested deeper than 0 levels are kept unopened']);
});

it('[limit 128 MiB] all compressed parts of a mail share a limit', () => {
  const part = wrapped('compressed', 'data', deflateSync(Buffer.alloc(1_000)));
  const result = (most: number) => {
    const unpacking = new Unpacking(most);
    return [part, part].map((item) => readSmime(item, unpacking));
  };
  const content = { kind: 'content', content: Buffer.alloc(1_000), isCut: false };
  const unread = (most: number) => ({
    kind: 'unread',
    reason: `the compressed parts of the mail unpack to more than ${most} bytes`,
  });
  expect(result(2_000)).toEqual([content, content]);
  expect(result(1_999)).toEqual([content, unread(1_999)]);
  expect(result(1_000)).toEqual([content, unread(1_000)]);
  // Also one that is not opened counts.
  expect(result(999)).toEqual([unread(999), unread(999)]);
});

it('a mail shares the limit with those attached to it', async () => {
  // Damaged, so nothing is unpacked, but each counts as much as a content may unpack to.
  const spent = wrapped('compressed', 'data', Buffer.alloc(70_000));
  const small = wrapped('compressed', 'data', deflateSync(Buffer.from(PART)));
  const attached = (content: Buffer) =>
    `--b\r\nContent-Type: message/rfc822\r\n\r\nSubject: s\r\nContent-Type: application/pkcs7-mime\r\nContent-Transfer-Encoding: base64\r\n\r\n${content.toString('base64')}\r\n`;
  const textsOf = async (...contents: readonly Buffer[]) => {
    const raw = Buffer.from(
      `Subject: s\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n${contents.map(attached).join('')}--b--\r\n`,
    );
    const reading = { limits: DEFAULT_LIMITS, believed: [], make: ({ text }: ParsedMail) => ({ text }) };
    const read = await readMail({ raw, sha256: '', isParted: false }, reading);
    return read.ok ? read.mail.attached.map(({ content }) => content?.text.includes(WORDS)) : read;
  };
  expect(await textsOf(small, small)).toEqual([true, true]);
  expect(await textsOf(spent, spent, small)).toEqual([false, false, false]);
});

it('[limit 20 elements] signed data has at most 20 elements, so that others are not collected', () => {
  const kindOf = (before: number) =>
    readSmime(
      info('signed', der(0x30, ...Array(before).fill(NONE), der(0x30, id('data'), der(0xa0, octets('a'))))),
      new Unpacking(),
    ).kind;
  expect([18, 19, 20].map(kindOf)).toEqual(['content', 'content', 'unread']);
});

it('[limit 10 layers] layers beyond the limit, and changes at any byte, do no harm', async () => {
  let bytes: Buffer = SIGNED;
  for (let layer = 0; layer < 100; layer += 1) bytes = wrapped('signed', 'signed', bytes);
  expect(readSmime(bytes, new Unpacking())).toEqual({
    kind: 'unread',
    reason: 'it is damaged, or no S/MIME',
  });
  for (const whole of [SIGNED, wrapped('compressed', 'data', deflateSync(PART)), pem(SIGNED)])
    for (let index = 0; index < whole.length; index += 1) {
      readSmime(whole.subarray(0, index), new Unpacking());
      for (const byte of [0x80, 0x84, 0xff]) {
        const changed = Buffer.from(whole);
        changed[index] = byte;
        readSmime(changed, new Unpacking());
      }
    }
});

const WHOLE = `From: Eve <eve@x.example>\r\nSubject: a long\r\n subject\r\nMIME-Version: 1.0\r\nContent-Type: text/plain\r\n\r\n${WORDS}`;

async function folderOf(files: Readonly<Record<string, Buffer | string>>) {
  const folder = mkdtempSync(path.join(tmpdir(), 'p7m-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, bytes] of Object.entries(files)) writeFileSync(path.join(folder, name), bytes);
  const messages: EvidenceMessage<MailContent>[] = [];
  const problems: EvidenceProblem[] = [];
  await readEvidence(folder, { file: () => false }, (batch) => {
    messages.push(...batch.messages);
    problems.push(...batch.problems);
  });
  return { folder, messages, problems };
}

it('[bad input] a file of S/MIME without a mail around it is read as the mail that was signed', async () => {
  const { folder, messages, problems } = await folderOf({
    '1.p7m': SIGNED,
    '2.p7m': pem(SIGNED, 'CMS'),
    '3.P7M': wrapped('signed', 'data', WHOLE),
    '4.p7m': `Content-Type: application/pkcs7-mime; name=smime.p7m\r\nContent-Transfer-Encoding: base64\r\n\r\n${SIGNED.toString('base64')}`,
  });
  expect(problems).toEqual([]);
  expect(messages.map(({ mail }) => [mail.text.trim(), mail.attachments[0]?.filename])).toEqual(
    Array(4).fill([WORDS, 'smime.p7m']),
  );
  expect(messages.map(({ mail }) => [mail.author?.address, mail.subject])).toEqual([
    [undefined, ''],
    [undefined, ''],
    ['eve@x.example', 'a long subject'],
    [undefined, ''],
  ]);
  for (const { source, raw } of messages) expect(await readMessage(folder, source)).toEqual(raw);
});

it('[bad input] a file of S/MIME that is not a readable mail is listed with the real reason', async () => {
  const { messages, problems } = await folderOf({
    'cut.p7m': wrapped('signed', 'data', WHOLE).subarray(0, -40),
    'document.pdf.p7m': wrapped('signed', 'data', '%PDF-1.7'),
    'enveloped.p7m': wrapped('enveloped', 'data', 'unreadable'),
    'enveloped-pem.p7m': pem(wrapped('authEnveloped', 'data', 'unreadable')),
    'garbage.p7m': 'garbage',
    'signature.p7m': info('signed', bare('signed', 'data')),
  });
  expect(messages.map(({ source }) => source.file)).toEqual(['cut.p7m']);
  const locked = 'encrypted with S/MIME: only the key of its recipient opens it';
  expect(problems.map(({ file, kind, reason }) => [file, kind, reason])).toEqual([
    ['cut.p7m', 'unread entry', 'the file is damaged; parts of the mail are missing or changed'],
    ['document.pdf.p7m', 'other entry', 'a signed file whose content is not a mail'],
    ['enveloped-pem.p7m', 'unread entry', locked],
    ['enveloped.p7m', 'unread entry', locked],
    ['garbage.p7m', 'unread entry', 'S/MIME that is not opened: it is damaged, or no S/MIME'],
    ['signature.p7m', 'other entry', 'S/MIME without content, only certificates or a signature'],
  ]);
});
