/** All kinds of mailboxes, compared with the written messages and with other readers. */

import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { labelOf, pathOf } from '../formats/files/paths.ts';
import { readMessage } from '../formats/mail/attachment.ts';
import type { MailContent } from '../formats/mail/types.ts';
import type { EvidenceMessage, EvidenceProblem, EvidenceSource } from '../store/evidence.ts';
import { readEvidence } from './read-evidence.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'parapet-boxes-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function read() {
  const messages: EvidenceMessage<MailContent>[] = [];
  const copies: EvidenceSource[] = [];
  const problems: EvidenceProblem[] = [];
  await readEvidence(folder, { file: () => false }, (batch) => {
    messages.push(...batch.messages);
    copies.push(...batch.copies);
    problems.push(...batch.problems);
  });
  return { messages, copies, problems };
}
const texts = async () => (await read()).messages.map(({ raw }) => raw.toString('latin1'));
const shaOf = (bytes: string | Uint8Array) =>
  createHash('sha256')
    .update(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes)
    .digest('hex');

/** Pseudo-random numbers, the same each time. */
function numbers(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % limit;
  };
}

const FROM = 'From b@x.example Mon Jan  1 10:00:00 2024';
const LINES = ['hello', '', 'a: b', 'From here on', FROM, 'From b@x.example', `x${FROM}`, 'gr\xfc\xdfe', '.'];
const QUOTED = ['>From me', `>${FROM}`, '>>From you', '> From him'];

/** A mail whose body may contain lines that look like the start of another mail. */
function mail(next: (limit: number) => number, number: number, quoted: boolean): string[] {
  const choice = quoted ? [...LINES, ...QUOTED] : LINES;
  const body = Array.from({ length: next(12) }, () => choice[next(choice.length)] ?? '');
  return [`Received: by mx${number}`, 'From: a@x.example', `Subject: ${number}`, '', ...body, 'end'];
}

type Writer = (lines: readonly string[], eol: string, number: number) => string;
const separator = (number: number) =>
  `From s${number}@x.example Thu Nov 19 08:00:${String(number % 60).padStart(2, '0')} 2026`;
const quote = (lines: readonly string[], which: RegExp) =>
  lines.map((line) => (which.test(line) ? `>${line}` : line));
function counted(lines: readonly string[], eol: string): string[] {
  const body = lines.indexOf('') + 1;
  const length = lines.slice(body).join(eol).length + eol.length;
  return [...lines.slice(0, body - 1), `Content-Length: ${length}`, ...lines.slice(body - 1)];
}
const KINDS: Readonly<
  Record<string, { write: Writer; own?: (lines: string[], eol: string) => string[]; quoted: boolean }>
> = {
  mboxrd: {
    quoted: true,
    write: (lines, eol, n) => [separator(n), ...quote(lines, /^>*From /), '', ''].join(eol),
  },
  mboxo: {
    quoted: false,
    write: (lines, eol, n) => [separator(n), ...quote(lines, /^From /), '', ''].join(eol),
  },
  'without empty lines': {
    quoted: true,
    write: (lines, eol, n) => [separator(n), ...quote(lines, /^>*From /), ''].join(eol),
  },
  'without dates': {
    quoted: true,
    write: (lines, eol, n) => [`From s${n}@x.example`, ...quote(lines, /^>*From /), '', ''].join(eol),
  },
  'without senders': {
    quoted: true,
    write: (lines, eol, n) =>
      [separator(n).replace(/ \S+@\S+/, ' '), ...quote(lines, /^>*From /), '', ''].join(eol),
  },
  'without either': {
    quoted: true,
    write: (lines, eol, n) => [`From s${n}@x.example`, ...quote(lines, /^>*From /), ''].join(eol),
  },
  'the word alone, as Thunderbird writes it': {
    quoted: true,
    write: (lines, eol) => ['From ', ...quote(lines, /^>*From /), '', ''].join(eol),
  },
  'a number instead of a sender, as Google Groups writes it': {
    quoted: true,
    write: (lines, eol, n) => [`From -53659${n}`, ...quote(lines, /^>*From /), '', ''].join(eol),
  },
  mboxcl: {
    quoted: false,
    own: (lines, eol) => counted(quote(lines, /^From /), eol).map((line) => line.replace(/^>(?=From )/, '')),
    write: (lines, eol, n) => [separator(n), ...counted(quote(lines, /^From /), eol), '', ''].join(eol),
  },
  mboxcl2: {
    quoted: false,
    own: counted,
    write: (lines, eol, n) => [separator(n), ...counted(lines, eol), '', ''].join(eol),
  },
};

describe.each(Object.entries(KINDS))('%s', (_, { write, quoted, own = (lines) => lines }) => {
  it.each([
    ['LF', '\n', ''],
    ['CRLF', '\r\n', ''],
    ['a byte order mark', '\n', '\xef\xbb\xbf'],
    ['empty lines first', '\r\n', '\r\n\r\n'],
  ])('returns the written messages: %s', async (__, eol, lead) => {
    for (let seed = 1; seed <= 25; seed += 1) {
      const next = numbers(seed);
      const mails = Array.from({ length: 1 + next(9) }, (___, number) => mail(next, number, quoted));
      const box = lead + mails.map((lines, number) => write(lines, eol, number)).join('');
      writeFileSync(path.join(folder, 'box.mbox'), box, 'latin1');
      expect(await texts(), `seed ${seed}`).toEqual(mails.map((lines) => own(lines, eol).join(eol) + eol));
    }
  });
});

const hex = (number: number, size: number) => number.toString(16).padStart(size, '0');
/** Mailboxes that store the length of each message and do not quote lines. */
const COUNTED: Readonly<
  Record<string, { file: string; head: string; write(text: string): string; eol: string }>
> = {
  'sdbox and mdbox': {
    file: 'storage/m.1',
    head: '2 M1e C65f0a1b2\n',
    eol: '\n',
    write: (text) =>
      `\x01\x02N          ${hex(text.length, 16).toUpperCase()}\n${text}\n\x01\x03\nR65f0a1b2\nGabc\nBINBOX\n\n`,
  },
  MMDF: {
    file: 'inbox',
    head: '',
    eol: '\n',
    write: (text) => `\x01\x01\x01\x01\n${text}\x01\x01\x01\x01\n`,
  },
  mbx: {
    file: 'inbox.mbx',
    head: `*mbx*\r\n${hex(7, 8)}${hex(9, 8)}\r\n`.padEnd(2048, '\n'),
    eol: '\r\n',
    // The flags mark the message as deleted.
    write: (text) => `19-Nov-2026 08:00:00 +0000,${text.length};000000008002-${hex(1, 8)}\r\n${text}`,
  },
  mix: {
    file: '.mix65f0a1b2',
    head: '',
    eol: '\r\n',
    write: (text) => `:msg:${hex(1, 8)}:20261119080000+0000:${hex(text.length, 8)}:\r\n${text}`,
  },
};

describe.each(Object.entries(COUNTED))('%s', (name, { file, head, write, eol }) => {
  /** Some end with empty lines, or have no body at all. */
  const mails = (seed: number) => {
    const next = numbers(seed);
    return Array.from({ length: 2 + next(9) }, (_, number) => {
      const lines = mail(next, number, true);
      const body = number === 0 ? lines.slice(0, 4) : [...lines, ...Array<string>(next(3)).fill('')];
      return body.join(eol) + eol;
    });
  };
  const put = (label: string, bytes: string | Buffer) => {
    mkdirSync(path.dirname(path.join(folder, label)), { recursive: true });
    writeFileSync(path.join(folder, label), bytes, 'latin1');
  };

  it('returns the written messages, from the folder and from an archive', async () => {
    for (let seed = 1; seed <= 10; seed += 1) {
      const expected = mails(seed);
      const box = Buffer.from(head + expected.map(write).join(''), 'latin1');
      for (const [label, bytes] of [
        [file, box],
        [`${file}.gz`, gzipSync(box)],
      ] as const) {
        put(label, bytes);
        const { messages, problems } = await read();
        expect([messages.map(({ raw }) => raw.toString('latin1')), problems]).toEqual([expected, []]);
        for (const { source, raw } of messages) expect(await readMessage(folder, source)).toEqual(raw);
        rmSync(path.join(folder, label));
      }
    }
  });

  it.skipIf(name === 'MMDF')(
    '[bad input] gives the complete mails of a truncated or damaged mailbox, and reports it',
    async () => {
      const [first = '', second = ''] = mails(3);
      const rest = 40;
      put(file, head + write(first) + write(second).slice(0, write(second).indexOf(second) + rest));
      const cut = await read();
      expect(cut.messages.map(({ raw }) => raw.toString('latin1'))).toEqual([first, second.slice(0, rest)]);
      const reason = `it is cut off: ${rest} of the ${second.length} bytes of its last message are there`;
      expect(cut.problems).toMatchObject([{ file, kind: 'unreadable', reason }]);
      rmSync(path.join(folder, file));
      const many = Array.from({ length: 30 }, (_, seed) => mails(seed)).flat();
      const box = Buffer.from(head + many.map(write).join(''), 'latin1');
      put(`${file}.gz`, gzipSync(box).subarray(0, -20));
      const packed = await read();
      const texts = packed.messages.map(({ raw }) => raw.toString('latin1'));
      expect(texts).toEqual([...new Set(many)].slice(0, texts.length));
      expect(texts.length).toBeGreaterThan(new Set(many).size - 5);
      expect(packed.problems).toHaveLength(1);
      rmSync(path.join(folder, `${file}.gz`));
      put(file, `${head}${write(first)}nothing\n`);
      const damaged = await read();
      expect(damaged.messages.map(({ raw }) => raw.toString('latin1'))).toEqual([first]);
      expect(damaged.problems).toMatchObject([{ file, kind: 'unreadable' }]);
    },
  );
});

describe('[bad input] Dovecot’s dbox, whose attachments are in other files', () => {
  const { head = '', write = String } = COUNTED['sdbox and mdbox'] ?? {};
  const put = (...all: string[]) =>
    writeFileSync(path.join(folder, 'm.1'), head + all.map(write).join(''), 'latin1');
  const MAIL = 'From: a@x.example\nSubject: s\n\n>From quoted\n';

  /** MAIL as compressed by bzip2 1.0.8, xz 5.4.1, zstd 1.5.4, and lz4 1.9.4 in a chunk of Dovecot. */
  const COMPRESSED = [
    'QlpoOTFBWSZTWSvqdUUAAAbfgAAQQAEAEUEACAA+Fv5AIAAxQaNGgyA0Gqek09TBpDDappLMvqGDresBRTMZzO+N7DEU8bQR+3J+/F3JFOFCQK+p1RQ=',
    '/Td6WFoAAATm1rRGAgAhARYAAAB0L+WjAQAqRnJvbTogYUB4LmV4YW1wbGUKU3ViamVjdDogcwoKPkZyb20gcXVvdGVkCgAAX/2dEbVl63UAAUMrrVBuVx+2830BAAAAAARZWg==',
    'KLUv/QRYWQEARnJvbTogYUB4LmV4YW1wbGUKU3ViamVjdDogcwoKPkZyb20gcXVvdGVkCm1uvhU=',
    'RG92ZWNvdC1MWjQNKpvFAAEAAAAAAC3wHEZyb206IGFAeC5leGFtcGxlClN1YmplY3Q6IHMKCj5Gcm9tIHF1b3RlZAo=',
  ].map((text) => Buffer.from(text, 'base64'));

  it('is read if a message is compressed', async () => {
    put(...[gzipSync(MAIL), ...COMPRESSED].map((bytes) => bytes.toString('latin1')), MAIL.replace('s', 't'));
    const { messages, copies, problems } = await read();
    expect([messages.map(({ raw }) => raw.toString()), copies.length, problems]).toEqual([
      [MAIL, MAIL.replace('s', 't')],
      COMPRESSED.length,
      [],
    ]);
    for (const { source, raw } of messages) expect(await readMessage(folder, source)).toEqual(raw);
  });

  it.each([['CRYPTED\x03\x07\x02', 'encrypted by Dovecot']])(
    'names messages that are not read: %j',
    async (start, what) => {
      put(MAIL, `${start} `, MAIL.replace('s', 't'), `${start}  `);
      const { messages, problems } = await read();
      expect(messages).toHaveLength(2);
      const reason = `mails in it are ${what}, which is not opened here (2): export them with doveadm first`;
      expect(problems).toMatchObject([{ file: 'm.1', kind: 'unread entry', reason }]);
    },
  );

  it('loses no message after a damaged compressed one', async () => {
    put(gzipSync(MAIL).subarray(0, -9).toString('latin1'), MAIL);
    const { messages, problems } = await read();
    expect(messages.map(({ raw }) => raw.toString())).toEqual([MAIL]);
    const reason = 'mails in it are compressed, and damaged or too large (1): export them with doveadm first';
    expect(problems).toMatchObject([{ kind: 'unread entry', reason }]);
  });

  /** A mail with these parts in base64, and the box without the last of them, which is in another file. */
  const inParts = (contents: readonly string[], eol: string) => {
    const part = (name: string) =>
      `--cut${eol}Content-Type: application/pdf; name=${name}.pdf${eol}Content-Transfer-Encoding: base64${eol}${eol}`;
    const top = `From: a@x.example${eol}Content-Type: multipart/mixed; boundary=cut${eol}${eol}`;
    const encoded = contents.map((content) =>
      (
        Buffer.from(content)
          .toString('base64')
          .match(/.{1,76}/g) ?? []
      ).join(eol),
    );
    const join = (bodies: readonly string[]) =>
      `${top}${bodies.map((body, index) => `${part(`${index}`)}${body}${eol}`).join('')}--cut--${eol}`;
    const whole = join(encoded);
    const places = encoded.map(
      (body) => `${whole.indexOf(body)} ${body.length} B76${eol === '\n' ? '' : 'C'}`,
    );
    return { whole, without: join(encoded.map(() => '')), places };
  };
  const GUID = '0123456789abcdef0123456789abcdef';
  const parted = (text: string, line: string) => write(text).replace('\nR65', `\nX${line}\nR65`);

  it.each(['\n', '\r\n'])('has attachments put back that are in other files, with %j', async (eol) => {
    const { whole, without, places } = inParts(['%PDF-one '.repeat(300), '%PDF-two '.repeat(99)], eol);
    const paths = [`ab/cd/abcdef-${GUID}`, `12/34/1234-${GUID}`];
    const line = places.map((place, index) => `${place} ${paths[index]}`).join(' ');
    mkdirSync(path.join(folder, 'alice/dbox-Mails'), { recursive: true });
    const box = path.join(folder, 'alice/dbox-Mails/u.1');
    writeFileSync(box, head + parted(without, line) + write(MAIL), 'latin1');
    const put = (index: number, name: string, text: string) => {
      const file = path.join(folder, 'attachments', path.dirname(paths[index] ?? ''), name);
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, text);
      return file;
    };
    put(0, `abcdef-${GUID}-${GUID}-1`, '%PDF-one '.repeat(300));
    const second = put(1, `1234-${GUID}`, '%PDF-two '.repeat(99));
    const result = await read();
    expect(result.messages.map(({ raw }) => raw.toString())).toEqual([whole, MAIL]);
    for (const { source, raw } of result.messages) expect(await readMessage(folder, source)).toEqual(raw);
    expect(result.problems.filter(({ kind }) => kind !== 'not-mail')).toEqual([]);
    // One of another size is not the attachment, and one that is missing does not hide the other.
    writeFileSync(second, '%PDF-two');
    const [mail] = (await read()).messages;
    expect(mail?.mail.attachments).toMatchObject([
      { filename: '0.pdf', size: 2_700 },
      { filename: '1.pdf', size: null, sha256: null },
    ]);
    rmSync(second);
    expect((await read()).messages[0]?.raw).toEqual(mail?.raw);
  });

  it.runIf(process.getuid?.() === 0)(
    'a folder of attachments without permission is not taken for a missing one',
    async () => {
      const { without, places } = inParts(['%PDF-one'], '\n');
      chmodSync(folder, 0o755);
      mkdirSync(path.join(folder, 'mail'));
      writeFileSync(
        path.join(folder, 'mail/m.1'),
        head + parted(without, `${places} ab/cd/abcd-${GUID}`),
        'latin1',
      );
      mkdirSync(path.join(folder, 'attachments/ab'), { recursive: true });
      chmodSync(path.join(folder, 'attachments'), 0);
      process.seteuid?.(65_534);
      try {
        expect((await read()).problems).toContainEqual({
          file: 'mail/m.1',
          offset: null,
          kind: 'unreadable',
          reason:
            'an attachment that a mail program keeps in another file cannot be read: no permission to read it',
        });
      } finally {
        process.seteuid?.(0);
        chmodSync(path.join(folder, 'attachments'), 0o755);
      }
    },
  );

  it('reports attachments that are not at hand instead of showing them as empty', async () => {
    const { without, places } = inParts(['%PDF-one'], '\n');
    const secret = path.join(folder, 'secret');
    writeFileSync(secret, '%PDF-one');
    for (const place of ['ab/cd/abcd-1', '../secret', `ab/cd/abcd-${GUID}`, `${secret}-${GUID}`]) {
      writeFileSync(
        path.join(folder, 'm.1'),
        head + parted(without, `${places} ${place}`) + write(MAIL),
        'latin1',
      );
      const { messages, problems } = await read();
      expect(messages).toMatchObject([
        {
          mail: {
            attachments: [{ filename: '0.pdf', size: null, sha256: null }],
            problems: ['the attachment “0.pdf” is not in this file: Dovecot keeps it elsewhere'],
          },
          raw: Buffer.from(without),
        },
        { raw: Buffer.from(MAIL) },
      ]);
      for (const { source, raw } of messages) expect(await readMessage(folder, source)).toEqual(raw);
      const reason =
        'mails in it are without attachments that Dovecot keeps in other files (1): export them with doveadm first';
      expect(problems.filter(({ kind }) => kind === 'unread entry')).toMatchObject([{ reason }]);
    }
  });

  it('reports them in an attached mail, too', async () => {
    const { without, places } = inParts(['%PDF-one'], '\n');
    const outer = `From: b@x.example\nContent-Type: message/rfc822\n\n${without}`;
    writeFileSync(path.join(folder, 'm.1'), head + parted(outer, `${places} ab/cd/abcd-1`), 'latin1');
    const [mail] = (await read()).messages;
    const missing = { filename: '0.pdf', size: null, sha256: null };
    expect(mail?.mail.attachments.at(-1)).toMatchObject(missing);
    expect(mail?.attached[0]?.content?.mail.attachments).toMatchObject([missing]);
  });

  it('no mail can claim that its empty attachments are elsewhere', async () => {
    const { without } = inParts(['%PDF-one'], '\n');
    const claim = 'X-Parapet-Converted: from Dovecot; attachments of the mail are in other files\n';
    writeFileSync(path.join(folder, 'a.eml'), claim + without);
    const [mail] = (await read()).messages;
    expect(mail?.mail).toMatchObject({ attachments: [{ filename: '0.pdf', size: 0 }], problems: [] });
  });
});

it('a separator may contain a carriage return, as formail writes it for mail with CRLF', async () => {
  const box = [1, 2].map((n) => `From a@x.example\r  Fri Nov 27 13:46:38 2026\nX: ${n}\r\n\r\nbody\r\n\n`);
  writeFileSync(path.join(folder, 'box.mbox'), box.join(''));
  expect(await texts()).toEqual(['X: 1\r\n\r\nbody\r\n', 'X: 2\r\n\r\nbody\r\n']);
});

it('an unsupported mail store is named if it is opened by itself', async () => {
  const file = path.join(folder, 'archive.olm');
  writeFileSync(file, 'PK');
  const problems: EvidenceProblem[] = [];
  await readEvidence(file, { file: () => false }, (batch) => void problems.push(...batch.problems));
  expect(problems).toMatchObject([{ file: 'archive.olm', kind: 'unopened' }]);
});

it('appending a message does not change the earlier ones', async () => {
  const next = numbers(7);
  const box = [0, 1, 2].map((number) => KINDS['mboxrd']?.write(mail(next, number, true), '\n', number) ?? '');
  writeFileSync(path.join(folder, 'box.mbox'), box.slice(0, 2).join(''));
  const before = (await read()).messages.map(({ source }) => source.sha256);
  writeFileSync(path.join(folder, 'box.mbox'), box.join(''));
  expect((await read()).messages.map(({ source }) => source.sha256).slice(0, 2)).toEqual(before);
});

describe('a Maildir', () => {
  const MAIL = 'Envelope-From: b\nFrom: a@x.example\nSubject: s\n\nbody\n';
  const put = (name: string, text = `N: ${name}\n${MAIL}`) => writeFileSync(path.join(folder, name), text);

  it('is read with unopened mail, and without unfinished deliveries', async () => {
    for (const part of ['cur', 'new', 'tmp', '.Sent/cur', '.Sent/new'])
      mkdirSync(path.join(folder, part), { recursive: true });
    const names = [
      '1700000001.M1P7.host.example',
      '1700000002.V803I2c0M2.mail',
      '1700000003_1.7.host',
      'odd.name',
    ];
    for (const name of names) {
      put(`new/${name}`);
      put(`cur/${name}:2,S`);
      put(`cur/${name};2,`);
    }
    put('.Sent/new/1700000004.host.example');
    put('tmp/1700000005.host.example');
    put('new/core', '\0\0');
    put('dovecot.index', 'x');
    const { messages, problems } = await read();
    expect(messages.map(({ raw }) => raw.toString().slice(0, 2))).toEqual(Array(13).fill('N:'));
    expect(Object.fromEntries(problems.map(({ file, reason }) => [file, reason]))).toEqual({
      'dovecot.index':
        'not a mail file (.eml, .emlx, .msg, .mbox, .pst, .ost, Maildir, winmail.dat, .p7m, or .zip, .tar, .gz, .bz2, .xz, .zst, .lz4 around these)',
      'new/core': 'in a Maildir, but it does not begin with a mail header',
      'tmp/1700000005.host.example': 'an unfinished delivery (tmp of a Maildir)',
    });
  });

  it('is read if only its messages were copied', async () => {
    put('1700000001.M1P7.host.example', 'From: a@x.example\n\n');
    expect((await read()).messages).toHaveLength(1);
  });
});

/** The flag of a mail that was read; Windows does not allow the colon in file names. */
const FLAG = process.platform === 'win32' ? ';2,S' : ':2,S';

describe('a misleading file name', () => {
  const MAIL = 'From: a@x.example\nSubject: s\n\nbody\n';
  const box = [1, 2].map((n) => `From b@x.example Mon Jan  1 10:00:00 2024\n${MAIL}${n}\n\n`).join('');
  const MIXED = [
    'From: a@x.example',
    'Subject: s',
    'Content-Type: multipart/mixed; boundary=cut',
    '',
    '--cut',
    '',
    'body',
    'of two lines',
    '--cut',
    'Content-Disposition: attachment; filename=a.txt',
    'Content-Transfer-Encoding: base64',
    '',
    'ZmlsZQ==',
    '--cut--',
  ];
  const packed = gzipSync(MAIL);
  const OLK = Buffer.from(`\xd0\r\0\0\x01\0\0\0${'\x11'.repeat(24)}crSM\x01\x02\x03\x04${MAIL}`, 'latin1');
  const readOne = async (name: string, bytes: string | Buffer) => {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), bytes);
    const { messages, problems } = await read();
    // Each message can be read again from its recorded place.
    for (const { source, raw } of messages) expect(await readMessage(folder, source)).toEqual(raw);
    return { mails: messages.map(({ raw }) => raw.toString()), problems };
  };

  it.each([
    ['mbox', 'spool/john.smith', box, [1, 2]],
    ['mbox', 'INBOX.Sent', box, [1, 2]],
    ['mbox', 'mbox.old', box.replaceAll('b@x.example Mon', ' Mon'), [1, 2]],
    ['mail', 'saved.txt', MAIL, ['']],
    ['mbox', 'exported.msg', box, [1, 2]],
    [
      'MMDF mailbox',
      'spool/mmdf',
      [1, 2].map((n) => `\x01\x01\x01\x01\n${MAIL}${n}\n\x01\x01\x01\x01\n`).join(''),
      [1, 2],
    ],
    ['mail of a Maildir, compressed', `md/cur/17.M1.host,S=9,W=9${FLAG}`, packed, ['']],
    ['mail of a Maildir, compressed', 'md/new/17.M1.host,S=9', packed, ['']],
    ['mail of Zimbra, compressed', 'store/0/1/msg/0/257-12.msg', packed, ['']],
    ['mail of Outlook for Mac', 'Message Sources/1/4F1A.olk15MsgSource', OLK, ['']],
    ['mail of Outlook for Mac, without what stands before it', '4F1A.olk14MsgSource', MAIL, ['']],
  ])('does not hide a %s: %s', async (_, name, bytes, ends) => {
    for (const part of ['cur', 'new']) mkdirSync(path.join(folder, 'md', part), { recursive: true });
    expect(await readOne(name, bytes)).toEqual({
      mails: ends.map((end) => MAIL + (end && `${end}\n`)),
      problems: [],
    });
  });

  it('reads mail of Outlook for Mac with its own line ends, whatever the first field', async () => {
    const text = ['Organization: x', ...MIXED, ''].join('\r');
    const { mails } = await readOne(
      'A.olk15MsgSource',
      Buffer.from(OLK.toString('latin1').replace(MAIL, text), 'latin1'),
    );
    expect(mails).toEqual([text]);
    expect((await read()).messages).toMatchObject([
      { mail: { subject: 's', text: 'body\nof two lines', attachments: [{ filename: 'a.txt', size: 4 }] } },
    ]);
  });

  it.each([
    ['Delivery-date: Mon, 1 Jan 2024 10:00:00 +0000\nEnvelope-to: b@x.example\n', `cur/17.M1.host${FLAG}`],
    ['Organization: Example Ltd\n', 'saved'],
    ['Comments: a\n folded one\nLines: 3\n', 'saved.txt'],
    ['\n \r\n\n', 'original_msg.txt'],
    ['\r\n', 'shown.eml'],
  ])('does not hide a mail that begins with %j: %s', async (first, name) => {
    mkdirSync(path.join(folder, path.dirname(name)), { recursive: true });
    writeFileSync(path.join(folder, name), first + MAIL);
    const { messages, problems } = await read();
    expect(problems).toEqual([]);
    expect(messages).toMatchObject([{ mail: { subject: 's', text: 'body\n' } }]);
    expect(messages[0]?.raw.toString()).toBe(first + MAIL);
  });

  it.each([
    ['a.7z', '7z\xbc\xaf\x27\x1c', 'a 7z archive'],
    ['a.rar', 'Rar!\x1a\x07\x01\0', 'a RAR archive'],
    [
      'archive.olm',
      'PK\x03\x04',
      'an archive of Outlook for Mac',
      'export its mail first, as .eml, .mbox or .pst',
    ],
    [
      'message_00001.xml',
      '<?xml version="1.0" encoding="UTF-8"?>\n<emails elementCount="1"><email>',
      'mail of Outlook for Mac',
      'export it as .eml or .mbox first',
    ],
    [
      'input/1rX2ab-00012C-0a-D',
      '1rX2ab-00012C-0a-D\nbody\n',
      'half of a mail in Exim’s queue',
      'put the other half (-H or -D) beside it, or write it with “exim -Mvc” first',
    ],
    [
      'Geary/geary.db',
      'SQLite format 3\0',
      'the mail of Geary',
      'export its mail first, as .eml, .mbox or .pst',
    ],
    ['RMAIL', 'BABYL OPTIONS: -*- rmail -*-\n', 'a mailbox of Emacs (Babyl)', 'convert it to mbox first'],
  ])(
    '[bad input] of an unsupported archive or mail store is named with its real type: %s',
    async (name, bytes, what, next = 'unpack it first') => {
      const { problems } = await readOne(name, Buffer.from(bytes, 'latin1'));
      expect(problems).toMatchObject([
        { file: name, kind: 'unopened', reason: `${what}, which is not opened here: ${next}` },
      ]);
    },
  );

  it.each([
    ['config', 'Name: x\nVersion: 1\nDate: 2024-01-01\n'],
    ['notes.txt', 'From: here on\nit is easy\n'],
    ['letter.txt', 'From here on it is easy\n\nbye\n'],
    ['rows.csv', 'From,To,Subject\na,b,c\n'],
    ['page.mht', `From: <Saved by a browser>\nSubject: page\nMIME-Version: 1.0\n\n<p>\n`],
  ])('does not turn %s into mail', async (name, bytes) => {
    const { mails, problems } = await readOne(name, bytes);
    expect(mails).toEqual([]);
    expect(problems).toMatchObject([{ file: name, kind: 'not-mail' }]);
  });
});

it('an mbox with invalid line ends is not reported as empty', async () => {
  writeFileSync(path.join(folder, 'a.mbox'), `${FROM}\rFrom: a@x.example\r\rbody\r`);
  writeFileSync(path.join(folder, 'b.mbox'), '');
  expect((await read()).problems.map(({ file, reason }) => `${file}: ${reason}`)).toEqual([
    'a.mbox: no mail follows its first line',
    'b.mbox: the file is empty',
  ]);
});

describe('a name that is not UTF-8', () => {
  it.each([
    [Buffer.from('M\xfcller.eml', 'latin1'), 'M\\xFCller.eml'],
    [Buffer.from('a\\xFCb.eml'), 'a\\x5CxFCb.eml'],
    [Buffer.from('a\\xFC\xfc\xc3.eml', 'latin1'), 'a\\x5CxFC\\xFC\\xC3.eml'],
    [Buffer.from('Ü\\x.eml'), 'Ü\\x.eml'],
  ])('has a label from which it can be restored: %s', (name, label) => {
    expect(labelOf(name)).toBe(label);
    // Also below a folder whose name looks like an escape, like every "xFF" after the backslash on Windows.
    for (const root of [path.resolve('/r'), path.resolve('/r\\xFF')])
      expect(Buffer.from(pathOf(root, label))).toEqual(Buffer.concat([Buffer.from(root + path.sep), name]));
  });

  it.runIf(process.platform === 'linux')('is read, and can be read again', async () => {
    const inside = Buffer.concat([Buffer.from(`${folder}/`), Buffer.from('f\xfc', 'latin1')]);
    mkdirSync(inside);
    const text = 'From: a@x.example\nSubject: s\n\nbody\n';
    writeFileSync(Buffer.concat([inside, Buffer.from('/M\xfcller.eml', 'latin1')]), text);
    const { messages, problems } = await read();
    expect(problems).toEqual([]);
    const [message] = messages;
    if (!message) throw new Error('It was not read');
    expect(message.source.file).toBe('f\\xFC/M\\xFCller.eml');
    expect((await readMessage(folder, message.source)).toString()).toBe(text);
  });
});

const python = spawnSync('python3', ['--version']).status === 0;
describe.skipIf(!python)('against Python’s mailbox', () => {
  const run = (code: string) => execFileSync('python3', ['-c', code, folder], { encoding: 'utf8' });

  it('reads its mbox and Maildir', async () => {
    const wrote = run(`
import sys, mailbox, hashlib
root = sys.argv[1]
box = mailbox.mbox(root + '/box.mbox'); dir = mailbox.Maildir(root + '/dir', create=True)
out = []
for n in range(60):
    body = '\\n'.join(['From here on', 'x', '', 'From b@x.example Mon Jan  1 10:00:00 2024', 'Subject: y'][n % 5:] * (1 + n % 3))
    raw = ('From: a@x.example\\nSubject: s%d\\n\\n%s\\nend\\n' % (n, body)).encode()
    box.add(raw); out.append(hashlib.sha256(raw).hexdigest())
    raw = b'Status: RO\\n' + raw
    dir.add(raw); out.append(hashlib.sha256(raw).hexdigest())
box.flush()
print(' '.join(out))`);
    const ours = (await read()).messages.map(({ source }) => source.sha256);
    expect(ours.toSorted()).toEqual(wrote.trim().split(' ').toSorted());
  });

  it.each(['mboxrd', 'without empty lines', 'without dates'])('finds the same messages: %s', async (kind) => {
    const next = numbers(3);
    const { write } = KINDS[kind] ?? {};
    const box = Array.from({ length: 200 }, (_, n) => write?.(mail(next, n, true), '\n', n) ?? '').join('');
    writeFileSync(path.join(folder, 'box.mbox'), box, 'latin1');
    const theirs = run(`
import sys, mailbox, hashlib
box = mailbox.mbox(sys.argv[1] + '/box.mbox')
print(' '.join(hashlib.sha256(box.get_bytes(key)).hexdigest() for key in box.keys()))`);
    const ours = (await read()).messages.map(({ source }) =>
      shaOf(Buffer.from(box, 'latin1').subarray(source.offset, source.offset + source.length)),
    );
    expect(ours).toEqual(theirs.trim().split(' '));
  });
});
it.skipIf(python)('the comparison with Python’s mailbox is skipped: Python is not installed', () => {});
