/** Messages of GnuPG 2.2 that are signed but not encrypted. */
import { expect, it } from 'vitest';
import { expectLinear } from '#tests/support/growth.ts';
import { partOf } from '../mail/attachment.ts';
import { parseMessage } from '../mail/parse.ts';
import { pgpInFile, pgpInText } from './pgp.ts';
import { Unpacking } from './unpacking.ts';

const WORDS = 'signed words https://lure.example/s\n';
const PLAIN = Buffer.from(
  'kA0DAAgWsaD2W+i3CXUBrC9iBXcudHh0awnbRHNpZ25lZCB3b3JkcyBodHRwczovL2x1cmUuZXhhbXBsZS9zCoiEBAAWCAAsFiEEfoLzvPjiMf0L7yH7saD2W+i3CXUFAmsJ20QOHGV2ZUB4LmV4YW1wbGUACgkQsaD2W+i3CXU1HAD+JIzafKDl5hHaKiojlqZnVJt/rhtSd3dIsSaBdIlIwogA/jd3Lcv7Db+2SS9R6hO6JoavHWT82he0iP6p7zCCkEcC',
  'base64',
);
const ZIP = Buffer.from(
  'owGbwMvMwCG2ccG36BfbOUsZ1+gnsZbrlVSUZHPedinOTM9LTVEozy9KKVbIKCkpKLbS188pLUrVS61IzC3ISdUv5upoYWEQ42DQEVNkqWv6vOfHI8O/3O8Vf8MMZGUCGcQnk1qW6lAB08bAxSkAU2Aqw/BPpedWzYKnzwRvaWkpT1uWHjK7fp10UHm5x0a1xpJOj0MdDP/My3VP/+bdv81TP/CV8C61tvWyKX9uiW/p+LfyvUHTBHcmAA==',
  'base64',
);
const ZLIB = Buffer.from(
  'owJ4nJvAy8zAIbZxwbfoF9s5SxnX6CexluuVVJRkc952Kc5Mz0tNUSjPL0opVsgoKSkottLXzyktStVLrUjMLchJ1S/m6mhhYRDjYNARU2Spa/q858cjw7/c7xV/wwxkZQIZxCeTWpbqUAHTxsDFKQBTYCrD8E+l51bNgqfPBG9paSlPW5YeMrt+nXRQebnHRrXGkk6PQx0M/8zLdU//5t2/zVM/8JXwLrW29bIpf26Jb+n4t/K9QdMEdyYAF7pSlg==',
  'base64',
);
const BZIP2 = Buffer.from(
  'owNCWmg2MUFZJlNZiYeREgAASP///ntpjm0X4pBE4DQINu/fxbVkQQhBJaWUkAgAGBNQiU8gAJEZqAAAAAAANAAGgAAAADTQaeSeoVKeU8U2p6T9U2k09IaGTA1MTNI09TT0yhjQ1GBptUeQGmmpmpoRSJLh3FDJwbfSSifyHfYyQCFf68/T6HXuJA9z8RkNBU5v2lvzaSDQ38EwdNXP6kwXpITiXgdprTnGku+McDhMYTwD8DOOraBqx2IighACwCGeyAoXWWhA8YpYjm6o0XqxfELnZYKAbRW04mG1yHlnTGe7QLLnVGcp7vBhd/Rz7GiAWd1TGD8mkkDCMQBBOeIwfhhsj6EE/xdyRThQkImHkRI=',
  'base64',
);
const armor = (bytes: Buffer) =>
  `-----BEGIN PGP MESSAGE-----\r\n\r\n${(bytes.toString('base64').match(/.{1,64}/g) ?? []).join('\r\n')}\r\n=6haj\r\n-----END PGP MESSAGE-----\r\n`;

async function parsed(fields: string, body: string) {
  const raw = Buffer.from(`From: a@x.example\r\nSubject: s\r\n${fields}\r\n${body}`, 'latin1');
  const result = await parseMessage(raw);
  if (!result.ok) throw new Error(result.reason);
  return { ...result.mail, raw };
}

it.each([
  ['without compression', armor(PLAIN)],
  ['in ZIP', armor(ZIP)],
  ['in ZLIB', armor(ZLIB)],
  ['with a field in its armor', armor(ZIP).replace('\r\n', '\r\nVersion: GnuPG v1\r\nComment: x\r\n')],
  ['after other text', `Hello,\r\n\r\n${armor(ZIP)}`],
])('a signed message in a text can be read: %s', async (_, text) => {
  for (const [fields, body] of [
    ['', text],
    ['Content-Transfer-Encoding: base64\r\n', Buffer.from(text).toString('base64')],
  ] as const) {
    const mail = await parsed(fields, body);
    expect(mail.text).toContain(WORDS);
    expect([mail.links.map(({ host }) => host), mail.isEncrypted, mail.problems]).toEqual([
      ['lure.example'],
      false,
      [],
    ]);
  }
});

it.each([
  ['t.txt.asc', Buffer.from(armor(ZIP))],
  ['t.txt.gpg', ZIP],
  ['t.txt.pgp', PLAIN],
])('a signed file is an attachment beside %s', async (name, bytes) => {
  const fields = `Content-Type: application/octet-stream; name="${name}"\r\nContent-Transfer-Encoding: base64\r\n`;
  const { attachments, isEncrypted, problems, raw } = await parsed(fields, bytes.toString('base64'));
  expect(attachments.map(({ filename, encryption }) => [filename, encryption])).toEqual([
    [name, null],
    ['t.txt', null],
  ]);
  expect([isEncrypted, problems]).toEqual([false, []]);
  expect((await partOf(raw, attachments[1]?.sha256 ?? '')).toString()).toBe(WORDS);
});

it.each([
  [
    'a signed text',
    `-----BEGIN PGP SIGNED MESSAGE-----\r\nHash: SHA256\r\n\r\n- -- ${WORDS}-----BEGIN PGP SIGNATURE-----\r\n\r\nx\r\n`,
  ],
  ['a signed message', armor(ZIP)],
])('what stands in place of an encrypted part is the text of the mail: %s', async (_, body) => {
  const parts = `--b\r\nContent-Type: application/pgp-encrypted\r\n\r\nVersion: 1\r\n--b\r\nContent-Type: application/octet-stream; name=encrypted.asc\r\n\r\n${body}\r\n--b--\r\n`;
  const mail = await parsed('Content-Type: multipart/encrypted; boundary=b\r\n', parts);
  expect(mail.text).toContain(WORDS);
  expect([mail.isEncrypted, mail.attachments.map(({ filename }) => filename)]).toEqual([
    false,
    ['part-1', 'encrypted.asc'],
  ]);
});

it('an encrypted part in binary is encrypted, whatever its name', async () => {
  const parts = `--b\r\nContent-Type: application/octet-stream; name=mail.dat\r\nContent-Transfer-Encoding: base64\r\n\r\njA0ECQMCNRHXF21qQq3/0j0B\r\n--b--\r\n`;
  const { isEncrypted } = await parsed('Content-Type: multipart/encrypted; boundary=b\r\n', parts);
  expect(isEncrypted).toBe(true);
  expect((await parsed('Content-Type: multipart/mixed; boundary=b\r\n', parts)).isEncrypted).toBe(false);
});

it('a part that should be encrypted and is no PGP message is reported', async () => {
  const parts = `--b\r\nContent-Type: application/pgp-encrypted\r\n\r\nVersion: 1\r\n--b\r\nContent-Type: application/octet-stream\r\n\r\n${armor(ZIP).replace('BEGIN', 'BEGHN')}--b--\r\n`;
  const { isEncrypted, problems } = await parsed('Content-Type: multipart/encrypted; boundary=b\r\n', parts);
  expect([isEncrypted, problems]).toEqual([
    false,
    ['a part that should be encrypted with PGP is no PGP message, or damaged'],
  ]);
});

it('a signed text that is attached is an attachment beside its signature', async () => {
  const text = `-----BEGIN PGP SIGNED MESSAGE-----\r\nHash: SHA256\r\n\r\n${WORDS}-----BEGIN PGP SIGNATURE-----\r\n\r\nx\r\n`;
  const { attachments, raw } = await parsed(
    'Content-Type: application/octet-stream; name="a.txt.asc"\r\n',
    text,
  );
  expect(attachments.map(({ filename }) => filename)).toEqual(['a.txt.asc', 'a.txt']);
  expect((await partOf(raw, attachments[1]?.sha256 ?? '')).toString()).toBe(WORDS);
  // In the text of a mail it can be read as it is.
  expect((await parsed('', text)).text.split(WORDS)).toHaveLength(2);
});

it('a message that is compressed in a way that is not read says so', async () => {
  const { isEncrypted, problems } = await parsed('', armor(BZIP2));
  expect([isEncrypted, problems]).toEqual([
    false,
    ['a PGP message is not opened: it is compressed with bzip2'],
  ]);
});

it('a message in HTML is encrypted, too', async () => {
  const lines = armor(Buffer.from('jA0ECQMCNRHXF21qQq3/0j0B', 'base64')).replaceAll('\r\n', '<br>\r\n');
  const { isEncrypted } = await parsed(
    'Content-Type: text/html\r\n',
    `<html><body><div>${lines}</div></body></html>`,
  );
  expect(isEncrypted).toBe(true);
});

it('content in pieces is joined, and a truncated one is reported', async () => {
  const literal = (...pieces: readonly (readonly [number[], string])[]) =>
    Buffer.concat([
      Buffer.from([0xcb]),
      ...pieces.flatMap(([length, text]) => [Buffer.from(length), Buffer.from(text, 'latin1')]),
    ]);
  // A piece of 2^4 bytes, one of 2^0, and the last.
  const whole = literal([[0xe4], 'b\x01n\0\0\0\0one, two '], [[0xe0], 't'], [[4], 'hree']);
  expect(pgpInFile(whole, true, new Unpacking())).toEqual({
    kind: 'content',
    content: Buffer.from('one, two three'),
    isCut: false,
  });
  expect(pgpInFile(whole.subarray(0, -2), true, new Unpacking())).toEqual({
    kind: 'content',
    content: Buffer.from('one, two thr'),
    isCut: true,
  });
  const { problems } = await parsed('', armor(ZIP.subarray(0, 60)));
  expect(problems).toEqual(['a PGP message is cut off; its content may be incomplete']);
});

it('[bad input] a message changed or truncated at any byte does no harm; one in armor that is no message counts as encrypted', () => {
  for (const whole of [PLAIN, ZIP, ZLIB, Buffer.from(armor(ZLIB))])
    for (let index = 0; index < whole.length; index += 1) {
      pgpInFile(whole.subarray(0, index), true, new Unpacking());
      for (const byte of [0, 0xcb, 0xff]) {
        const changed = Buffer.from(whole);
        changed[index] = byte;
        pgpInFile(changed, true, new Unpacking());
      }
    }
  expect(pgpInText(armor(Buffer.from('no message')), new Unpacking())).toEqual({ kind: 'encrypted' });
});

it('content in many small pieces is read in linear time', () =>
  expectLinear(200_000, (count) => {
    const pieces = Buffer.concat([Buffer.from([0xcb]), Buffer.alloc(2 * count, 0xe0), Buffer.from([0])]);
    pgpInFile(pieces, true, new Unpacking());
  }));
