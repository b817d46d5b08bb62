import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { constants, gunzipSync, gzipSync } from 'node:zlib';
import { Uint8ArrayReader, Uint8ArrayWriter, ZipWriter } from '@zip.js/zip.js';
import { packTar } from 'modern-tar';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { expectLinear } from '#tests/support/growth.ts';
import { ARCHIVE_LIMITS, archiveEntries } from '../formats/containers/archive.ts';
import { bufferSource } from '../formats/files/bytes.ts';
import { readMessage } from '../formats/mail/attachment.ts';
import type { MailContent } from '../formats/mail/types.ts';
import { DEFAULT_LIMITS, type EvidenceLimits } from '../formats/mail/types.ts';
import type { EvidenceBatch } from '../store/evidence.ts';
import { readEvidence } from './read-evidence.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parapet-archives-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const mail = (subject: string, body = 'body') => `From: a@x.example\nSubject: ${subject}\n\n${body}\n`;
const mbox = (...mails: string[]) =>
  mails.map((mail) => `From a@x.example Mon Jan  1 10:00:00 2024\n${mail}\n`).join('');
type Files = Record<string, string | Uint8Array>;
const bytesOf = (text: string | Uint8Array) => (typeof text === 'string' ? Buffer.from(text) : text);

async function zip(files: Files, password?: string): Promise<Buffer> {
  const writer = new ZipWriter(new Uint8ArrayWriter(), { useWebWorkers: false });
  for (const [name, text] of Object.entries(files))
    await writer.add(name, new Uint8ArrayReader(Uint8Array.from(bytesOf(text))), {
      ...(password === undefined ? {} : { password, encryptionStrength: 3 as const }),
    });
  return Buffer.from(await writer.close());
}
const tar = async (files: Files) =>
  Buffer.from(
    await packTar(
      Object.entries(files).map(([name, text]) => {
        const body = bytesOf(text);
        return { header: { name, size: body.length, type: 'file' as const }, body };
      }),
    ),
  );
/** The number of bytes that a truncated gzip still contains. */
const bytesBefore = (packed: Uint8Array): number =>
  packed.length < 18 ? 0 : gunzipSync(packed, { finishFlush: constants.Z_SYNC_FLUSH }).length;
const put = (name: string, bytes: Uint8Array | string) => writeFileSync(join(folder, name), bytes);

async function read(limits: Partial<EvidenceLimits> = {}) {
  const all: EvidenceBatch<MailContent> = { messages: [], copies: [], problems: [], files: [] };
  const summary = await readEvidence(
    folder,
    { file: () => false },
    (batch) => {
      for (const key of ['messages', 'copies', 'problems', 'files'] as const)
        all[key].push(...(batch[key] as never[]));
    },
    { limits: { ...DEFAULT_LIMITS, ...limits } },
  );
  const places = all.messages.map(
    ({ source, mail: { subject } }) => `${source.file}|${source.entry}|${subject}`,
  );
  const reasons = all.problems.map(({ file, kind, reason }) => `${file}|${kind}|${reason}`);
  // Each message can be read again from its recorded place.
  for (const { source, raw } of all.messages.filter((_, index) => index % 100 < 10))
    expect(await readMessage(folder, source)).toEqual(raw);
  return { ...all, summary, places, reasons };
}
const archive = (more: Partial<typeof ARCHIVE_LIMITS>) => ({ archive: { ...ARCHIVE_LIMITS, ...more } });

const FILES: Files = {
  'inbox/one.eml': mail('one'),
  'inbox/all.mbox': mbox(mail('two'), mail('three')),
  'Maildir/cur/17.M1.host:2,S': mail('four'),
  'readme.txt': 'hello',
};
const WITHIN = [
  'inbox/all.mbox|three',
  'inbox/all.mbox|two',
  'inbox/one.eml|one',
  'Maildir/cur/17.M1.host:2,S|four',
];

/** A tar of FILES, as compressed by bzip2 1.0.8, xz 5.4.1, zstd 1.5.4 and lz4 1.9.4. */
const COMPRESSED_TARS: readonly [string, string][] = [
  [
    'a.tar.bz2',
    'QlpoOTFBWSZTWel97acAAR3/gs+QIABABf+QQRIZCH933uAAwAgIMAE4zNCUonim1HqG9UNABpkABo0MJQqbIQAB6hiaDRoAABVFU8TSeg1AZlNNBoDQPUB6mOz73/NPGSknPEiPfLEIhy6tV2BQaRevq5jQWEQkNH4Wb2mnOoOArwSXuJYpZHUYJLeunWjLrotpmcxmQjOSQsSQ7793hkgHipdLgsiMNKVRDC7cckRHneUPbEMFlJtIail0bmvBalcQCkGBaxHzfkUwFVbDt6uBRLAlEIaxOZeCsHhLQPCShaQa1gkbqfYRVY0RZo8EP/ar0EL/ysSRWYRIPY0BhbIh364CiZxZsX1ySiQC5oxr9kW1HT/GMNLnwK6sTZRiiVyKLzdECwXckU4UJDpfe2nA',
  ],
  [
    'a.tbz2',
    'QlpoOTFBWSZTWel97acAAR3/gs+QIABABf+QQRIZCH933uAAwAgIMAE4zNCUonim1HqG9UNABpkABo0MJQqbIQAB6hiaDRoAABVFU8TSeg1AZlNNBoDQPUB6mOz73/NPGSknPEiPfLEIhy6tV2BQaRevq5jQWEQkNH4Wb2mnOoOArwSXuJYpZHUYJLeunWjLrotpmcxmQjOSQsSQ7793hkgHipdLgsiMNKVRDC7cckRHneUPbEMFlJtIail0bmvBalcQCkGBaxHzfkUwFVbDt6uBRLAlEIaxOZeCsHhLQPCShaQa1gkbqfYRVY0RZo8EP/ar0EL/ysSRWYRIPY0BhbIh364CiZxZsX1ySiQC5oxr9kW1HT/GMNLnwK6sTZRiiVyKLzdECwXckU4UJDpfe2nA',
  ],
  [
    'a.tar.xz',
    '/Td6WFoAAATm1rRGAgAhARYAAAB0L+Wj4Cf/AQxdADSbiGsYCjd3uMpeEgTulXzJTOn+Y69uXdgtZYRQe0jvwIQitxkYIKYNqjqm3VO/8s/Yums6QIMrBwBp5MZPffOcNHA8JPqtF3oi961ntts58a62hclyQostUsCjOCZ/ahLSpi+iOxYt25/oo+Af+qeBCAnsXycxnxGJm7/P386R5xRkbWTljh1JwJyVFUnNbiJIQRGfr8OxUuAB4CIILc4q6ai2iUX6+GxRvMx+FvcnFVsXjjKjIYdL10wS5Bc9Z4iOf2oofHZkTNq+EjTazOXtBzQeQWZn85aDIo1eT0kdn1VkJfdrPXWMk7O5Jf2D4+chNyh7hplhZHaZnHY8ZjXSMRbrWGwEn7UuYQAAy9y75rhXM+4AAagCgFAAALWMP82xxGf7AgAAAAAEWVo=',
  ],
  [
    'a.txz',
    '/Td6WFoAAATm1rRGAgAhARYAAAB0L+Wj4Cf/AQxdADSbiGsYCjd3uMpeEgTulXzJTOn+Y69uXdgtZYRQe0jvwIQitxkYIKYNqjqm3VO/8s/Yums6QIMrBwBp5MZPffOcNHA8JPqtF3oi961ntts58a62hclyQostUsCjOCZ/ahLSpi+iOxYt25/oo+Af+qeBCAnsXycxnxGJm7/P386R5xRkbWTljh1JwJyVFUnNbiJIQRGfr8OxUuAB4CIILc4q6ai2iUX6+GxRvMx+FvcnFVsXjjKjIYdL10wS5Bc9Z4iOf2oofHZkTNq+EjTazOXtBzQeQWZn85aDIo1eT0kdn1VkJfdrPXWMk7O5Jf2D4+chNyh7hplhZHaZnHY8ZjXSMRbrWGwEn7UuYQAAy9y75rhXM+4AAagCgFAAALWMP82xxGf7AgAAAAAEWVo=',
  ],
  [
    'a.tar.zst',
    'KLUv/QRoFQcAcosjGGDPAz9SXZj8ktbslGFUoCNdIzIyLiEbkk+pQ4RQFD1044yfV2f6vdU/suhILEA0MPXQg8orYHCrJriRQ6Op+IXaW7jJ2NG10dBB5+xMnH3FwThEGfMz9VE6WbucZ1pz+87AjUtMtTSnU53ZXz6mM+pfhHWzOzFVsXZMkELDZs0G2UxKohmt/tx+kJ+xUR4gMEtRQaEHHdiNHmCPr6rHqnryREwgMeRNgCrxq9K6axrA0uEC5Mr+8d+ZKbpyRwstCrVuHDirjsiYTzwALPhafXPUAZIHqRjg4KAAdianBH18mS4=',
  ],
  [
    'a.tar.lz4',
    'BCJNGGRAp0IBAADvaW5ib3gvb25lLmVtbAABAEOSMDAwMDY0NAAwAQAMCABGMDA0NQwAABgAnzEwMzQzACAwAAEAUJ91c3RhcgAwMAABAOP/F0Zyb206IGFAeC5leGFtcGxlClN1YmplY3Q6IG9uZQoKYm9keQoAAQD/yAIABI9hbGwubWJveAAEYzwyNDIABD81MjEABP9YCP8D8AEgTW9uIEphbiAgMSAxMDowAwBvIDIwMjQKKgQIM3R3byoEHwpQADM0aHJlfAQPfQT/Tf8LTWFpbGRpci9jdXIvMTcuTTEuaG9zdDoyLFMACFkbNgAETzIwNzQACP9vT2ZvdXIBCP/PrnJlYWRtZS50eHRkAA8ADFYbMAAMXzA3NzM2AAT/VG9oZWxsbwABAP/////////////////////////////////7UAAAAAAAAAAAAA5E7iQ=',
  ],
];

describe('an archive', () => {
  it.each([
    ['a.zip', () => zip(FILES), ''],
    ['a.tar', () => tar(FILES), ''],
    ['a.tgz', async () => gzipSync(await tar(FILES)), 'a.tar/'],
    ['a.tar.gz', async () => gzipSync(await tar(FILES)), 'a.tar/'],
    ...COMPRESSED_TARS.map(([name, text]): [string, () => Promise<Buffer>, string] => [
      name,
      async () => Buffer.from(text, 'base64'),
      'a.tar/',
    ]),
    ['b.zip', async () => zip({ 'in/inner.zip': await zip(FILES) }), 'in/inner.zip/'],
    ['c.zip', async () => zip({ 'inner.tar.gz': gzipSync(await tar(FILES)) }), 'inner.tar.gz/inner.tar/'],
    ['d.tgz', async () => gzipSync(await tar({ 'i.zip': await zip(FILES) })), 'd.tar/i.zip/'],
  ])('%s gives every mail with its place, and names the rest', async (name, makeArchive, prefix) => {
    put(name, await makeArchive());
    const { places, reasons, files } = await read();
    expect(places.sort()).toEqual(WITHIN.map((item) => `${name}|${prefix}${item}`).sort());
    expect(reasons).toEqual([`${name}/${prefix}readme.txt|other entry|not a mail file`]);
    expect(files).toMatchObject([{ file: name, messages: 4 }]);
  });

  it('a tar is recognised without its extension, also in a gzip', async () => {
    put('backup', await tar({ 'one.eml': mail('one') }));
    put('backup.gz', gzipSync(await tar({ 'two.eml': mail('two') })));
    expect((await read()).places).toEqual(['backup|one.eml|one', 'backup.gz|backup/two.eml|two']);
  });

  it('a gzip of one file is read', async () => {
    put('all.mbox.gz', gzipSync(mbox(mail('one'), mail('two'))));
    put('one.eml.gz', gzipSync(mail('three')));
    expect((await read()).places).toEqual([
      'all.mbox.gz|all.mbox|one',
      'all.mbox.gz|all.mbox|two',
      'one.eml.gz|one.eml|three',
    ]);
  });

  it('may contain a Maildir with compressed messages', async () => {
    put('a.zip', await zip({ 'md/cur/17.M1.host,S=9:2,S': gzipSync(mail('one')) }));
    expect((await read()).places).toEqual(['a.zip|md/cur/17.M1.host,S=9:2,S/17.M1.host,S=9:2,S|one']);
  });

  it('with an unsupported compression method is not reported as damaged', async () => {
    const bytes = await zip({ 'one.eml': mail('one') });
    for (const [mark, offset] of [
      ['PK\x03\x04', 8],
      ['PK\x01\x02', 10],
    ] as const)
      bytes.writeUInt16LE(14, bytes.indexOf(mark, 0, 'latin1') + offset);
    put('a.zip', bytes);
    expect((await read()).reasons).toEqual([
      'a.zip/one.eml|unread entry|it is compressed by a method that is not read here (14): unpack it first',
    ]);
  });

  it('[limit 2 archives] nested three levels deep is named, not opened', async () => {
    put('a.zip', await zip({ 'b.zip': await zip({ 'c.zip': await zip(FILES), 'x.eml': mail('x') }) }));
    const { places, reasons } = await read();
    expect(places).toEqual(['a.zip|b.zip/x.eml|x']);
    expect(reasons).toEqual([
      'a.zip/b.zip/c.zip|unread entry|an archive in an archive in an archive: unpack it first',
    ]);
  });

  it('[bad input] with a password lists its files as encrypted', async () => {
    put('a.zip', await zip({ 'one.eml': mail('one') }, 'infected'));
    const { places, reasons } = await read();
    expect(places).toEqual([]);
    expect(reasons).toEqual(['a.zip/one.eml|unread entry|encrypted: a password protects it in the archive']);
  });

  it('has sanitised names, and distinguishes entries with the same name', async () => {
    const names = [
      '../../etc/one.eml',
      '/root/two.eml',
      'c:\\x\\..\\three.eml',
      './/four.eml',
      'four.eml',
      'a\u0007.eml',
    ];
    put('a.tar', await tar(Object.fromEntries(names.map((name, index) => [name, mail(`${index}`)]))));
    expect((await read()).places).toEqual([
      'a.tar|\\x2E\\x2E/\\x2E\\x2E/etc/one.eml|0',
      'a.tar|root/two.eml|1',
      'a.tar|c:/x/\\x2E\\x2E/three.eml|2',
      'a.tar|four.eml|3',
      'a.tar|four.eml#2|4',
      'a.tar|a\\x07.eml|5',
    ]);
  });

  it('[bad input] is read past a name with path traversal, also a zip with bytes after its end', async () => {
    const names = ['../../etc/one.eml', '/root/two.eml', 'c:\\x\\..\\three.eml', 'four.eml'];
    const archive = await zip(Object.fromEntries(names.map((name, index) => [name, mail(`${index}`)])));
    put('a.zip', Buffer.concat([archive, Buffer.alloc(100_000, 7)]));
    const { places, reasons } = await read();
    expect(places).toEqual([
      'a.zip|\\x2E\\x2E/\\x2E\\x2E/etc/one.eml|0',
      'a.zip|root/two.eml|1',
      'a.zip|c:/x/\\x2E\\x2E/three.eml|2',
      'a.zip|four.eml|3',
    ]);
    expect(reasons).toEqual([]);
  });

  it.each([
    ['zip', () => zip(FILES)],
    ['tar', () => tar(FILES)],
    ['tgz', async () => gzipSync(await tar(FILES))],
  ])(
    '[bad input] a damaged .%s gives the readable mails and the reason, wherever it is cut',
    async (kind, makeArchive) => {
      const whole = await makeArchive();
      for (const offset of [0, 1, 30, whole.length >> 2, whole.length >> 1, whole.length - 30]) {
        put(`a.${kind}`, whole.subarray(0, offset));
        const { reasons, summary } = await read();
        expect([offset, reasons.filter((reason) => reason.includes('damaged')).length]).not.toEqual([
          offset,
          0,
        ]);
        expect(summary.files).toBe(1);
      }
    },
  );

  describe('a zip without its directory', () => {
    const NAMES = Array.from({ length: 5 }, (_, index) => `${index}.eml`);
    const textOf = (name: string) => mail(name, createHash('sha512').update(name).digest('hex').repeat(4));
    const makeZip = async (level: number, isStreamed: boolean, isZip64 = false) => {
      const writer = new ZipWriter(new Uint8ArrayWriter(), { useWebWorkers: false, level, zip64: isZip64 });
      for (const name of NAMES)
        await writer.add(name, new Uint8ArrayReader(Uint8Array.from(bytesOf(textOf(name)))), {
          dataDescriptor: isStreamed,
        });
      return Buffer.from(await writer.close());
    };

    it.each([
      ['deflated, sizes behind the bytes', 9, true, false],
      ['deflated, sizes before the bytes', 9, false, false],
      ['stored, sizes behind the bytes', 0, true, false],
      ['stored, sizes before the bytes', 0, false, false],
      ['zip64', 9, false, true],
    ])(
      '%s: truncated anywhere, it gives all mails before the cut',
      async (_what, level, isStreamed, isZip64) => {
        const whole = await makeZip(level, isStreamed, isZip64);
        const starts = NAMES.map((name) => whole.indexOf(name) - 30);
        const directory = whole.indexOf('PK\x01\x02', 'latin1');
        const ends = [...starts.slice(1), directory];
        for (let cut = 0; cut < directory + 40; cut += 61) {
          put('a.zip', whole.subarray(0, cut));
          const { messages, reasons } = await read();
          const subjects = messages.map((message) => message.mail.subject);
          const least = NAMES.filter((_, index) => ends[index]! <= cut);
          expect([cut, subjects.slice(0, least.length)]).toEqual([cut, least]);
          // The truncated mail may appear too: stored without its size, it looks like a complete one.
          expect(subjects.length - least.length, `${cut}`).toBeLessThanOrEqual(1);
          expect(reasons.length, `${cut}`).toBeGreaterThan(0);
        }
      },
    );

    it('reports a changed file, and one with another method', async () => {
      const whole = await makeZip(0, false);
      const directory = whole.indexOf('PK\x01\x02', 'latin1');
      whole[whole.indexOf('Subject: 1') + 9] = 0x39;
      whole.writeUInt16LE(12, whole.indexOf('2.eml') - 30 + 8);
      put('a.zip', whole.subarray(0, directory));
      const { messages, reasons } = await read();
      expect(messages.map((message) => message.mail.subject)).toEqual(['0.eml', '3.eml', '4.eml']);
      expect(reasons).toEqual([
        expect.stringContaining('it is cut, or changed'),
        expect.stringContaining('a method that is not read here (12)'),
        expect.stringContaining('it is damaged, or not what its name says'),
      ]);
    });
  });

  describe('a damaged tar', () => {
    const BLOCK = 512;
    const NAMES = Array.from({ length: 6 }, (_, index) => `${index}.eml`);
    const six = () => tar(Object.fromEntries(NAMES.map((name) => [name, mail(name, 'x'.repeat(700))])));
    /** Bytes of each mail: a header and two blocks. */
    const EACH = 3 * BLOCK;
    const readFrom = async (name: string, bytes: Uint8Array) => {
      put(name, bytes);
      const { messages, reasons } = await read();
      rmSync(join(folder, name));
      return { subjects: messages.map((message) => message.mail.subject).sort(), reasons };
    };

    it.each(['a.tar', 'a.tar.gz'])('%s, truncated anywhere, gives all mails before the cut', async (name) => {
      const whole = await six();
      const packed = name.endsWith('.gz') ? gzipSync(whole) : whole;
      for (let cut = 0; cut < packed.length; cut += name.endsWith('.gz') ? 7 : 257) {
        const bytes = packed.subarray(0, cut);
        const reached = name.endsWith('.gz') ? bytesBefore(bytes) : bytes.length;
        const { subjects, reasons } = await readFrom(name, bytes);
        expect([cut, subjects]).toEqual([
          cut,
          NAMES.filter((name, index) => index * EACH + BLOCK + mail(name, 'x'.repeat(700)).length <= reached),
        ]);
        // Also if it is cut between two files.
        expect(reasons.length, `${cut}`).toBeGreaterThan(0);
      }
    });

    it('continues after a damaged header, and reports its position', async () => {
      const bytes = await six();
      bytes[2 * EACH] = 0xff;
      const { subjects, reasons } = await readFrom('a.tar', bytes);
      expect(subjects).toEqual(['0.eml', '1.eml', '3.eml', '4.eml', '5.eml']);
      expect(reasons).toEqual([expect.stringContaining(`what stands at byte ${2 * EACH} is no file`)]);
    });

    it('two tars in one file are read, and bytes after them are reported', async () => {
      const [first, other] = [await tar({ 'a.eml': mail('a') }), await tar({ 'b.eml': mail('b') })];
      expect(await readFrom('a.tar', Buffer.concat([first, other]))).toEqual({
        subjects: ['a', 'b'],
        reasons: [],
      });
      const { subjects, reasons } = await readFrom(
        'a.tar',
        Buffer.concat([first, other, Buffer.from('more')]),
      );
      expect([subjects, reasons.length]).toEqual([['a', 'b'], 1]);
    });

    it('bytes after a gzip, or a wrong checksum at its end, lose no mail', async () => {
      const packed = gzipSync(await six());
      const wrong = Buffer.from(packed);
      wrong[wrong.length - 6]! ^= 0xff;
      for (const bytes of [Buffer.concat([packed, Buffer.from('garbage')]), wrong]) {
        const { subjects, reasons } = await readFrom('a.tar.gz', bytes);
        expect([subjects, reasons.length]).toEqual([NAMES, 1]);
      }
      // Two gzips in one file, and zeros at the end, are valid.
      const halves = [gzipSync((await six()).subarray(0, 2_000)), gzipSync((await six()).subarray(2_000))];
      for (const bytes of [Buffer.concat(halves), Buffer.concat([packed, Buffer.alloc(512)])])
        expect(await readFrom('a.tar.gz', bytes)).toEqual({ subjects: NAMES, reasons: [] });
    });

    it('an mbox in a truncated gzip gives the mails before the cut', async () => {
      const text = mbox(...NAMES.map((name) => mail(name, 'x'.repeat(700))));
      const packed = gzipSync(text);
      const { subjects, reasons } = await readFrom('a.mbox.gz', packed.subarray(0, packed.length - 9));
      expect(subjects.slice(0, 5)).toEqual(NAMES.slice(0, 5));
      expect(reasons.length).toBeGreaterThan(0);
    });

    /** A header with a correct checksum. */
    const header = (name: Buffer, size: Buffer, type: string, change?: (block: Buffer) => void) => {
      const block = Buffer.alloc(BLOCK);
      name.copy(block);
      size.copy(block, 124);
      block.write(type, 156, 'latin1');
      block.write('ustar\0' + '00', 257, 'latin1');
      change?.(block);
      block.fill(0x20, 148, 156);
      const sum = block.reduce((total, byte) => total + byte, 0);
      block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
      return block;
    };
    const octal = (size: number) => Buffer.from(`${size.toString(8).padStart(11, '0')}\0`);
    const body = (text: string) => Buffer.concat([Buffer.from(text), Buffer.alloc(-text.length & 511)]);
    const END = Buffer.alloc(2 * BLOCK);
    const eml = mail('one');
    const wide = (size: number) => {
      const bytes = Buffer.alloc(12);
      bytes[0] = 0x80;
      bytes.writeUInt32BE(size, 8);
      return bytes;
    };

    it.each<[string, () => Buffer[], string[], number]>([
      [
        'a name in Latin-1',
        () => [header(Buffer.from('b\xfc.eml', 'latin1'), octal(eml.length), '0'), body(eml)],
        ['one'],
        0,
      ],
      [
        'a size as a number of 256',
        () => [header(Buffer.from('a.eml'), wide(eml.length), '0'), body(eml)],
        ['one'],
        0,
      ],
      [
        'a size that is no number',
        () => [header(Buffer.from('a.eml'), Buffer.from('9'), '0'), body(eml)],
        [],
        1,
      ],
      [
        'an old file of type NUL',
        () => [header(Buffer.from('a.eml'), octal(eml.length), '\0'), body(eml)],
        ['one'],
        0,
      ],
      [
        'a folder, a link and a device',
        () => ['5', '1', '2', '3'].map((type) => header(Buffer.from('a.eml'), octal(99), type)),
        [],
        0,
      ],
      ['a volume label', () => [header(Buffer.from('a.eml'), octal(0), 'V')], [], 0],
      ['a sparse file', () => [header(Buffer.from('a.eml'), octal(eml.length), 'S'), body(eml)], [], 1],
      [
        'a sparse file with further headers, and one behind it',
        () => [
          header(Buffer.from('a.eml'), octal(eml.length), 'S', (block) => block.writeUInt8(1, 482)),
          Buffer.alloc(BLOCK),
          body(eml),
          header(Buffer.from('b.eml'), octal(eml.length), '0'),
          body(eml),
        ],
        ['one'],
        1,
      ],
      [
        'a long name of GNU that ends with a block',
        () => [
          header(Buffer.from('././@LongLink'), octal(BLOCK + 1), 'L'),
          Buffer.concat([Buffer.from(`${'d/'.repeat(253)}a1.eml`), Buffer.alloc(BLOCK)]),
          header(Buffer.from('cut'), octal(eml.length), '0'),
          body(eml),
        ],
        ['one'],
        0,
      ],
      [
        'a name before a damaged header, which is not that of the file behind it',
        () => [
          header(Buffer.from('././@LongLink'), octal(10), 'L'),
          body('lost.eml'),
          Buffer.alloc(BLOCK, 'x'),
          header(Buffer.from('a.txt'), octal(5), '0'),
          body('hello'),
        ],
        [],
        1,
      ],
      [
        'a size and a name of pax',
        () => {
          const fields = `17 path=long.eml\n${`11 size=${eml.length}`.padEnd(10)}\n`;
          return [
            header(Buffer.from('x'), octal(fields.length), 'x'),
            body(fields),
            header(Buffer.from('y'), octal(0), '0'),
            body(eml),
          ];
        },
        ['one'],
        0,
      ],
    ])('%s', async (_what, blocks, subjects, wrong) => {
      const { subjects: all, reasons } = await readFrom('a.tar', Buffer.concat([...blocks(), END]));
      expect(all).toEqual(subjects);
      expect(reasons.filter((reason) => !reason.includes('not a mail file'))).toHaveLength(wrong);
    });

    it('shows a name that is not UTF-8 with escaped bytes', async () => {
      put(
        'a.tar',
        Buffer.concat([header(Buffer.from('b\xfc.eml', 'latin1'), octal(eml.length), '0'), body(eml), END]),
      );
      expect((await read()).places).toEqual(['a.tar|b\\xFC.eml|one']);
    });
  });

  it('with the extension of another format gives a reason', async () => {
    for (const name of ['a.zip', 'b.tar', 'c.gz', 'd.tgz']) put(name, mail('x').repeat(40));
    const { places, reasons } = await read();
    expect(places).toEqual([]);
    expect(reasons.map((reason) => reason.split('|')[0])).toEqual([
      'a.zip',
      'b.tar',
      'c.gz/c',
      'd.tgz/d.tar',
    ]);
  });

  it.each([
    [3, 3, 0],
    [4, 3, 0],
    [2, 2, 1],
  ])(
    '[limit 500 000 files] with 3 files and a limit of %i reads %i, and names the rest',
    async (entries, count, wrong) => {
      put('a.tar', await tar({ 'a.eml': mail('a'), 'b.eml': mail('b'), 'c.eml': mail('c') }));
      const { messages, reasons, summary } = await read(archive({ entries }));
      expect([messages.length, reasons.length, summary.blocked.length]).toEqual([count, wrong, wrong]);
    },
  );

  it('[limit 256 GiB] unpacks up to the byte limit, and not one byte more', async () => {
    const text = mail('a', 'x'.repeat(1_000));
    put('a.mbox.gz', gzipSync(mbox(text, text.replace('Subject: a', 'Subject: b'))));
    const bytes = mbox(text, text).length;
    for (const [limit, wrong] of [
      [bytes - 1, 1],
      [bytes, 0],
      [bytes + 1, 0],
    ] as const) {
      const { reasons } = await read(archive({ bytes: limit }));
      expect([limit, reasons.length]).toEqual([limit, wrong]);
    }
  });

  it('[limit 300 times] a zip bomb stops at the ratio limit; the mail before it stays', async () => {
    const bomb = Buffer.alloc(8 * 1024 * 1024);
    bomb.write(mbox(mail('bomb')));
    put('a.zip', await zip({ 'a.eml': mail('a'), 'b.mbox': bomb, 'c.eml': mail('c') }));
    const { places, reasons, summary } = await read(archive({ free: 1024 * 1024 }));
    expect(places).toEqual(['a.zip|a.eml|a']);
    expect(reasons).toEqual([
      'a.zip|unreadable|it unpacks to more than 300 times its size, as a zip bomb does; the rest is not read',
    ]);
    expect(summary.blocked).toEqual(['a.zip']);
    // Below `free` bytes the ratio does not apply.
    expect((await read()).places).toEqual(['a.zip|a.eml|a', 'a.zip|b.mbox|bomb', 'a.zip|c.eml|c']);
  });

  /** A mail in an mbox and 3 MB of zeros, by the same programs as above. */
  it.each([
    [
      'bz2',
      'QlpoOTFBWSZTWbwNYTkAW/tfiMAQQAF0EEESCAA+F95gQAAACCAAdQlTRDQNAAGamgiqaj1GjIxDDUxP1JwCKqKSkqoqCBVG3fHnSuyzlPxSqCcjFr62NdUrjgne8RC03nRBVF5I/FJBiOmS0JGURBccQiKqKfxdyRThQkLwNYTk',
    ],
    [
      'xz',
      '/Td6WFoAAATm1rRGAgAhARYAAAB0L+Wj//9fAa1dACMcieb23/edVX+jz9eVcvNLa9oGmpe4DpKVISrB9i7pEOA0mFHNr43u5dt71vLRkAHU1oHx+tgHCdDtcxcQBT6Jr3kjb0ppCp4EwwJQn926nqj9aNRzhcyp6nioPnrc+kNlmdkNdHKpH0mkxwdUCqh9S0T7RF3qUoW42vECEFQGOgXanrte+JMu8D7SyE6YbnUwzF3TV99pCqOsTN9N5L1qmTdqxZKYsoEgfDbak5f21BXLwss0u2oysX5xRnEIIwFtE1c0Tx6fvq58MRqft40xbnCepyNf7CjLhdGVmIp+KpHyJ3X3GcAGmE2Y/div1ZAPxCVT+PWRNjEFpbDub8FwTUcM0ZERqq1gHbrOsScYXFmG6WZSWL7pdqxZ5OVbBQj5x9qt/PtSK3TNHlsgQvndUz34KWQJO4DLKmzftTvwxL0uX6oPPktmQpATDv8Qk/hxeFn4C83/lShGD6n8fN77mjAuVsCPhfODgcBlxCVT+PWRNjEFpbDub8FwTUcM0ZERqq1gHbrOsScYXFmG6WZSWL7pdqxZ5OVbBQj5x9qt/PtSK3TNHlsgPU95gI3HrQCEAOxzU6f9vq58MRqft40xbnCepyNf7CjLhdGVmIp+KpHyJ3X3GcAGmE2Y/div1ZAPxCVT+PWRNjEFpbDub8FwTUcM0ZERqq1gHbrOsScYXFmG6WZSWL7pdqxZ5OVbBQj5x9qt/PtSK3TNHlsgQvndUz34KWQJO4DLKmzftTvwxL0UeS1dAAAArqj4t5NlXVMAAdMEjo63Affj0ZixxGf7AgAAAAAEWVo=',
    ],
    [
      'zst',
      'KLUv/QRYZAIAMsQPF4CrDhgsA2T/3P9vvFDFcAEioFPUdxAFgP0gy2zm2hwtYY5hdQuVhZTpmZqpiY7+t4i/Ld6Uxa3Ygjisu4UqAgBc/3E5u+NUGQIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAAIAEAACABAAAgAQAHM4DgDadxhP',
    ],
  ])('a bomb of one .%s file stops there, too', async (kind, text) => {
    put(`a.mbox.${kind}`, Buffer.from(text, 'base64'));
    expect((await read(archive({ free: 1024 * 1024 }))).reasons).toEqual([
      `a.mbox.${kind}|unreadable|it unpacks to more than 300 times its size, as a zip bomb does; the rest is not read`,
    ]);
  });

  it('a message may have as many bytes as the limit, and not one more', async () => {
    const text = mail('a', 'x'.repeat(500));
    put('a.zip', await zip({ 'a.eml': text }));
    expect((await read({ maxMessageBytes: text.length })).messages).toHaveLength(1);
    const { messages, reasons } = await read({ maxMessageBytes: text.length - 1 });
    expect(messages).toEqual([]);
    expect(reasons).toEqual([
      `a.zip/a.eml|too-large|the message has more than ${text.length - 1} bytes, the limit`,
    ]);
  });

  it('an mbox far beyond what is kept of a stream is read to its end', async () => {
    const mails = Array.from({ length: 400 }, (_, index) => mail(`m${index}`, `${index} `.repeat(20_000)));
    put('a.mbox.gz', gzipSync(mbox(...mails)));
    const limits = { maxMessageBytes: 200_000 };
    expect((await read(limits)).places.at(-1)).toBe('a.mbox.gz|a.mbox|m399');
  });

  it('[limit 1 000 names] lists other files up to a limit, and counts the rest', async () => {
    put('a.tar', await tar({ a: 'x', b: 'x', 'c.txt': 'x', 'd.txt': 'x', 'e.eml': mail('e') }));
    const { places, reasons } = await read(archive({ listed: 2 }));
    expect(places).toEqual(['a.tar|e.eml|e']);
    expect(reasons.at(-1)).toBe('a.tar|unread entry|and 2 further files in it are not read');
    expect(reasons).toHaveLength(3);
  });
});

describe('archives of other programs', () => {
  const python = (() => {
    try {
      execFileSync('python3', ['-c', 'import zipfile, tarfile, gzip, mailbox']);
      return true;
    } catch {
      return false;
    }
  })();

  it.skipIf(!python)(
    "archives written by Python's zipfile, tarfile (three formats) and gzip are read",
    async () => {
      execFileSync('python3', [
        '-c',
        `
import gzip, io, mailbox, os, sys, tarfile, zipfile
os.chdir(sys.argv[1])
box = mailbox.mbox('x.tmp')
for n in range(5):
    m = mailbox.mboxMessage(); m['From'] = 'a@x.example'; m['Subject'] = f's{n}'; m.set_payload('From here\\n' * n); box.add(m)
box.flush()
data = open('x.tmp', 'rb').read(); os.remove('x.tmp')
long = '/'.join(['folder of some length'] * 12) + '/überall.mbox'
for format in (tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT):
    for mode, end in (('w', 'tar'), ('w:gz', 'tar.gz')):
        with tarfile.open(f't{format}.{end}', mode, format=format) as t:
            i = tarfile.TarInfo('short.mbox' if format == tarfile.USTAR_FORMAT else long); i.size = len(data); t.addfile(i, io.BytesIO(data))
            d = tarfile.TarInfo('folder.eml'); d.type = tarfile.DIRTYPE; t.addfile(d)
            l = tarfile.TarInfo('link.eml'); l.type = tarfile.SYMTYPE; l.linkname = '/etc/passwd'; t.addfile(l)
for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
    with zipfile.ZipFile(f'z{method}.zip', 'w', method) as z: z.writestr(long, data); z.writestr('leer/', '')
with zipfile.ZipFile('l.zip', 'w', zipfile.ZIP_LZMA) as z: z.writestr(long, data)
with gzip.open('g.mbox.gz', 'wb') as g: g.write(data)
with open('two.mbox.gz', 'wb') as f: f.write(gzip.compress(data[:700]) + gzip.compress(data[700:]))
`,
        folder,
      ]);
      const { places, copies, reasons } = await read();
      // Ten archives contain the same five mails.
      expect(new Set(copies.map(({ sha256 }) => sha256)).size).toBe(5);
      expect(places.length + copies.length).toBe(50);
      expect(reasons).toHaveLength(1);
      expect(reasons[0]).toContain('l.zip/folder of some length');
    },
  );
});

it('many files of one name get their labels in linear time', async () => {
  const header = (await tar({ 'a.eml': '' })).subarray(0, 512);
  await expectLinear(8_000, async (count) => {
    const bytes = Buffer.concat([Buffer.alloc(count * 512, header), Buffer.alloc(1_024)]);
    let last = '';
    for await (const { name } of archiveEntries('tar', {
      source: bufferSource(bytes),
      size: bytes.length,
      name: 'a.tar',
    }))
      last = name;
    expect(last).toBe(`a.eml#${count}`);
  });
});

it.each([
  [0, ['a.zip|a.eml|a', 'a.zip|b.eml|b']],
  [1, ['a.zip|a.eml|a']],
])('a zip of two mails whose end says %d is not complete', async (count, expected) => {
  const bytes = await zip({ 'a.eml': mail('a'), 'b.eml': mail('b') });
  const end = bytes.lastIndexOf('PK\x05\x06');
  for (const offset of [8, 10]) bytes.writeUInt16LE(count, end + offset);
  put('a.zip', bytes);
  const { places, reasons } = await read();
  expect(places).toEqual(expected);
  expect(reasons).toEqual([expect.stringContaining('its list of files is longer than its end says')]);
});

it.each([
  [-1, 0],
  [0, 0],
  [1, 1],
])(
  '[limit 8 MiB] a tar with a long name of 8 MiB and %d bytes has %d problems, and all mails',
  async (more, problems) => {
    const bytes = await tar({ 'a.eml': mail('a'), 'b.eml': mail('b') });
    const length = 8 * 1024 * 1024 + more;
    // GNU's header of a long name, whose checksum counts its own field as spaces.
    const header = Buffer.from(bytes.subarray(0, 512));
    header.write(`${length.toString(8).padStart(11, '0')}\0`, 124);
    header.write('        L', 148);
    const sum = header.reduce((total, byte) => total + byte, 0);
    header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
    put('a.tar', Buffer.concat([header, Buffer.alloc(Math.ceil(length / 512) * 512, 'x'), bytes]));
    const { places, reasons } = await read();
    expect(places).toHaveLength(2);
    expect(reasons).toHaveLength(problems);
  },
);
