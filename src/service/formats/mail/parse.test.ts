import { createHash } from 'node:crypto';
import { Uint8ArrayReader, Uint8ArrayWriter, ZipWriter } from '@zip.js/zip.js';
import { describe, expect, it } from 'vitest';
import { readHtml } from '#shared/mail/html.ts';
import { makeLink, textUrls } from '#shared/mail/mail-links.ts';
import { readLink } from '#shared/model/link-reading.ts';
import { expectLinear } from '#tests/support/growth.ts';
import { safeFilename } from '../files/filenames.ts';
import { base64, quotedPrintable, uudecode } from '../files/transfer.ts';
import { partOf } from './attachment.ts';
import { scriptUrls } from './bodies.ts';
import { headerBlock } from './header-block.ts';
import { parseMessage } from './parse.ts';
import type { ParsedMail } from './types.ts';

const HEAD = 'From: a@x.example\r\nSubject: s\r\nDate: Mon, 1 Jan 2024 10:00:00 +0000\r\n';

async function parsed(raw: string | Buffer): Promise<ParsedMail> {
  const result = await parseMessage(typeof raw === 'string' ? Buffer.from(raw, 'latin1') : raw);
  if (!result.ok) throw new Error(result.reason);
  return result.mail;
}

const lines = (...all: string[]): string => all.join('\r\n');

describe('a whole mail', () => {
  const raw = lines(
    'Received: from a.test by mx.test; Tue, 2 Jan 2024 10:00:00 +0000',
    'From: =?utf-8?Q?Ann?= <a@x.example>',
    'To: b@y.example, Team: c@y.example;',
    'Subject: =?utf-8?Q?Rechnung_f=C3=BCr?= Sie',
    'Message-ID: <id@x.example>',
    'References: <one@x.example> <two@x.example>',
    'Date: Mon, 1 Jan 2024 10:00:00 +0000',
    'Content-Type: multipart/mixed; boundary=o',
    '',
    'preamble',
    '--o',
    'Content-Type: multipart/alternative; boundary=oo',
    '',
    '--oo',
    'Content-Type: text/plain; charset=iso-8859-1',
    'Content-Transfer-Encoding: quoted-printable',
    '',
    'caf=E9 http://plain.example/x.',
    '--oo',
    'Content-Type: text/html; charset=utf-8',
    '',
    '<a href="http://evil.example/login">www.bank.example</a><img src="https://t.example/p.gif">',
    '--oo--',
    '--o',
    'Content-Type: application/octet-stream; name="../../etc/pass\u0007wd"',
    'Content-Transfer-Encoding: base64',
    'Content-Disposition: attachment',
    '',
    'aGVsbG8=',
    '--o',
    'Content-Type: message/rfc822',
    '',
    'Subject: inner',
    'Content-Type: text/html',
    '',
    '<form action="https://phish.example/post"></form>',
    '--o--',
    'epilogue',
  );

  const TRUE = 'Mon, 1 Jan 2024 10:00:00 +0000';
  it.each([
    [
      'the time of its topmost Received',
      ['Mon, 1 Jan 2024 11:00:00 +0100', 'Fri, 31 Dec 9998 23:00:00 +0000'],
      TRUE,
    ],
    [
      'the time of the next Received if the topmost says 1970',
      ['Thu, 1 Jan 1970 00:00:00 +0000', TRUE],
      TRUE,
    ],
    [
      'the time of the next Received if the topmost is unreadable',
      ['Mon, 1 Jan 12024 10:00:00 +0000', TRUE],
      TRUE,
    ],
    ['its Date if no Received has a possible time', ['Fri, 31 Dec 9998 23:00:00 +0000'], TRUE, TRUE],
    ['no time if its Date says 1969', [], null, 'Wed, 31 Dec 1969 23:59:59 +0000'],
    ['no time if its Date says 9998', [], null, 'Fri, 31 Dec 9998 23:00:00 +0000'],
  ] satisfies [string, string[], string | null, string?][])('was received at %s', async (...name) => {
    const [, received, expected, date = 'Tue, 2 Jan 2024 10:00:00 +0000'] = name;
    const lines = received.map((time) => `Received: from a by b with SMTP; ${time}\r\n`).join('');
    const mail = await parsed(`${lines}From: a@x.example\r\nDate: ${date}\r\n\r\nHello\r\n`);
    expect(mail.receivedAt).toBe(expected === null ? null : Date.parse(expected));
    expect(mail.sentAt).toBe(Date.parse(date));
  });

  it('has every field that the profile shows', async () => {
    const mail = await parsed(raw);
    expect(mail.subject).toBe('Rechnung für Sie');
    expect(mail.from.map(({ name, address }) => [name, address])).toEqual([['Ann', 'a@x.example']]);
    expect(mail.author).toMatchObject({ name: 'Ann', address: 'a@x.example' });
    expect(mail.to.map(({ address, group }) => [address, group])).toEqual([
      ['b@y.example', undefined],
      ['c@y.example', 'Team'],
    ]);
    expect([mail.messageId, mail.references]).toEqual(['id@x.example', ['one@x.example', 'two@x.example']]);
    expect([mail.sentAt, mail.receivedAt].map((time) => new Date(time ?? 0).toISOString())).toEqual([
      '2024-01-01T10:00:00.000Z',
      '2024-01-02T10:00:00.000Z',
    ]);
    expect(mail.text.trim()).toBe('café http://plain.example/x.');
    expect(mail.html).toContain('www.bank.example');
    expect(mail.html).not.toContain('phish.example');
    expect(mail.parts.map(({ path, contentType }) => `${path} ${contentType}`)).toEqual([
      '0 multipart/mixed',
      '1 multipart/alternative',
      '1.1 text/plain',
      '1.2 text/html',
      '2 application/octet-stream',
      '3 message/rfc822',
      '3.0 text/html',
    ]);
    expect(mail.problems).toEqual([]);
  });

  it('hashes the exact bytes and makes names safe', async () => {
    const [first, nested] = (await parsed(raw)).attachments;
    expect(first).toMatchObject({
      filename: 'passwd',
      size: 5,
      md5: '5d41402abc4b2a76b9719d911017c592',
      sha1: 'aaf4c61ddcc5e8a2dabede0f3b482cd9aea9434d',
      sha256: createHash('sha256').update('hello').digest('hex'),
    });
    expect(nested).toMatchObject({ filename: 'inner.eml', mimeType: 'message/rfc822' });
  });

  it('lists links of all bodies, including nested messages', async () => {
    const mail = await parsed(raw);
    expect(mail.links.map(({ url, source, mismatched }) => [url, source, mismatched])).toEqual([
      ['http://evil.example/login', 'html', true],
      ['https://phish.example/post', 'html', false],
      ['http://plain.example/x', 'text', false],
    ]);
    expect(mail.active).toEqual({ remote: 1, forms: 1, scripts: 0, handlers: 0 });
  });
});

describe('20 000 recipients', () => {
  const addresses = (count: number) => Array.from({ length: count }, () => 'a@b.example').join(',\r\n ');
  it.each([
    [19_999, [], 19_999],
    [20_000, [], 20_000],
    [20_001, ['only the first 20,000 addresses of To are listed'], 20_000],
  ])('[limit 20 000 addresses] %i: more than the limit are reported', async (count, problems, listed) => {
    const mail = await parsed(`${HEAD}To: ${addresses(count)}\r\n\r\nx`);
    expect([mail.problems, mail.to.length]).toEqual([problems, listed]);
  });

  it('in several headers are all listed if no header has more', async () => {
    const mail = await parsed(`${HEAD}To: ${addresses(15_000)}\r\nTo: ${addresses(15_000)}\r\n\r\nx`);
    expect(mail.to).toHaveLength(30_000);
    expect(mail.problems.join()).not.toContain('are listed');
  });
});

describe('hostile mail', () => {
  it.each<[string, () => string | Buffer, RegExp | null, (mail: ParsedMail) => unknown, unknown]>([
    [
      '10 000 nested multiparts',
      () => {
        let out = HEAD;
        for (let i = 0; i < 10_000; i++)
          out += `Content-Type: multipart/mixed; boundary=b${i}\r\n\r\n--b${i}\r\n`;
        return `${out}\r\ndeep`;
      },
      /nested deeper than 50/,
      (mail) => mail.parts.length,
      51,
    ],
    [
      '3 000 nested messages',
      () => `${HEAD}${'Content-Type: message/rfc822\r\n\r\n'.repeat(3_000)}Subject: in\r\n\r\nx`,
      /nested deeper than 50/,
      (mail) => mail.parts.length,
      51,
    ],
    [
      '30 000 recipients',
      () => `${HEAD}To: ${'a@b.example,\r\n '.repeat(30_000)}c@d.example\r\n\r\nx`,
      /only the first 20,000 addresses of To are listed/,
      (mail) => mail.to.length,
      20_000,
    ],
    [
      'a million headers',
      () => `${HEAD}${'X-A: b\r\n'.repeat(1_000_000)}\r\nbody`,
      /header block of 8\d+ bytes/,
      (mail) => [mail.headers.length, mail.text],
      [10_000, 'body'],
    ],
    [
      '50 000 parts',
      () =>
        `${HEAD}Content-Type: multipart/mixed; boundary=b\r\n\r\n${'--b\r\n\r\nx\r\n'.repeat(50_000)}--b--`,
      /more than 2000 parts|not closed/,
      (mail) => mail.parts.length <= 2_001,
      true,
    ],
    [
      'NUL bytes',
      () => `${HEAD}X\u0000: y\r\n\r\na\u0000b`,
      /no header field/,
      (mail) => mail.text,
      'a\u0000b',
    ],
    [
      'lone CR line ends',
      () => `${HEAD}\r\nbody`.replaceAll('\r\n', '\r'),
      null,
      (mail) => [mail.subject, mail.text],
      ['s', 'body'],
    ],
    [
      'boundary not named',
      () => `${HEAD}Content-Type: multipart/mixed\r\n\r\nhidden?`,
      /names no boundary/,
      (mail) => mail.text,
      'hidden?',
    ],
    [
      'boundary not used',
      () => `${HEAD}Content-Type: multipart/mixed; boundary=b\r\n\r\nhidden?`,
      /no parts/,
      (mail) => mail.text,
      'hidden?',
    ],
    [
      'no empty line before the parts',
      () =>
        `${HEAD}Content-Type: multipart/mixed; boundary=b\r\nThis is multi-part\r\n--b\r\n\r\nseen\r\n--b--`,
      /empty line before a body is missing/,
      (mail) => mail.text,
      'seen',
    ],
    [
      'unknown charset',
      () => `${HEAD}Content-Type: text/plain; charset=klingon\r\n\r\nna\xefve`,
      /unknown charset "klingon"/,
      (mail) => mail.text.trim(),
      'naïve',
    ],
    [
      'unknown charset over UTF-8',
      () => `${HEAD}Content-Type: text/plain; charset=klingon\r\n\r\nna\xc3\xafve`,
      /unknown charset "klingon"; read as UTF-8/,
      (mail) => mail.text.trim(),
      'naïve',
    ],
    [
      'bytes that are not of the charset',
      () => `${HEAD}Content-Type: text/plain; charset=utf-8\r\n\r\nna\xefve`,
      /not valid utf-8/,
      (mail) => mail.text,
      'na\ufffdve',
    ],
    [
      'base64 garbage',
      () =>
        `${HEAD}Content-Type: text/plain\r\nContent-Transfer-Encoding: base64\r\n\r\n!!aGVs*bG8=\r\naGVsbG8=`,
      /characters that are none of it; they are skipped/,
      (mail) => mail.text,
      'hellohello',
    ],
    [
      'duplicate headers',
      () => `${HEAD}Subject: other\r\nContent-Type: text/html\r\nContent-Type: text/plain\r\n\r\n<b>`,
      /content type twice/,
      (mail) => [mail.subject, mail.html, mail.headers.length],
      ['s', '<b>', 6],
    ],
    [
      'raw 8-bit subject in the charset of the body',
      () =>
        Buffer.concat([
          Buffer.from('Subject: '),
          Buffer.from([0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2]),
          Buffer.from('\r\nFrom: a@x.example\r\nContent-Type: text/plain; charset=windows-1251\r\n\r\n'),
          Buffer.from([0xcf]),
        ]),
      /raw 8-bit text in a header names no charset; read as windows-1251/,
      (mail) => [mail.subject, mail.text],
      ['Привет', 'П'],
    ],
    [
      '8-bit text of no named charset',
      () => `${HEAD}\r\nna\xefve`,
      /no named charset/,
      (mail) => mail.text,
      'naïve',
    ],
    [
      'a charset only the HTML names',
      () => `${HEAD}Content-Type: text/html\r\n\r\n<meta charset="koi8-r">\xf0`,
      null,
      (mail) => mail.html,
      '<meta charset="koi8-r">П',
    ],
    [
      'flowed text',
      () => `${HEAD}Content-Type: text/plain; format=flowed\r\n\r\none \r\ntwo\r\nthree`,
      null,
      (mail) => mail.text.trim(),
      'one two\nthree',
    ],
    [
      'flowed text with quotes, stuffed lines and a signature',
      () =>
        `${HEAD}Content-Type: text/plain; format=flowed\r\n\r\n> said \r\n> so\r\n>> deeper \r\nmine \r\n  stuffed\r\n-- \r\nAnn`,
      null,
      (mail) => mail.text.trim(),
      '> said so\n>> deeper \nmine  stuffed\n-- \nAnn',
    ],
    [
      'flowed text whose spaces are none (DelSp)',
      () => `${HEAD}Content-Type: text/plain; format=flowed; delsp=yes\r\n\r\nhttps://a.example/lo \r\nng`,
      null,
      (mail) => mail.text.trim(),
      'https://a.example/long',
    ],
  ])('%s', async (_, raw, problem, look, expected) => {
    const mail = await parsed(raw());
    expect(look(mail)).toEqual(expected);
    if (problem) expect(mail.problems.join('; ')).toMatch(problem);
    else expect(mail.problems).toEqual([]);
  });

  it('refuses files that are not mail, with the reason', async () => {
    const reason = async (bytes: Buffer) => {
      const result = await parseMessage(bytes);
      return result.ok ? 'ok' : result.reason;
    };
    expect(await reason(Buffer.alloc(0))).toBe('the file is empty');
    expect(await reason(Buffer.from('just words\n'))).toBe('no mail header was found');
    expect(await reason(Buffer.alloc(257 * 1024 * 1024))).toMatch(/269484032 bytes; the limit is 268435456/);
  });

  it.each([
    ['short flowed lines', 'a \r\n'],
    ['long flowed lines', `${'word '.repeat(14)}\r\n`],
    ['empty lines', '\r\n'],
    ['quotes of all depths', `${'>'.repeat(60)} a \r\n`],
  ])('3 MB of %s take less than two seconds of processor time', async (_, line) => {
    const body = line.repeat(Math.ceil((3 * 1024 * 1024) / line.length));
    const before = process.cpuUsage();
    const mail = await parsed(`${HEAD}Content-Type: text/plain; format=flowed\r\n\r\n${body}`);
    const { user, system } = process.cpuUsage(before);
    expect(mail.text.length).toBeGreaterThan(50_000);
    expect((user + system) / 1e6).toBeLessThan(2);
  });

  it('[limit 32 MiB] a line of 50 MB is truncated, and this is reported', { timeout: 30_000 }, async () => {
    const mail = await parsed(
      Buffer.concat([Buffer.from(`${HEAD}\r\n`), Buffer.alloc(50_000_000, 'http://')]),
    );
    expect(mail.text.length).toBe(8 * 1024 * 1024);
    expect(mail.problems.join()).toMatch(/text of 50000000 bytes is read up to 33554432/);
  });

  it('a hundred thousand random mutations never throw', { timeout: 30_000 }, async () => {
    const base = Buffer.from(
      `${HEAD}Content-Type: multipart/mixed; boundary="b"\r\n\r\n--b\r\nContent-Type: text/html\r\n\r\n<a href=x>y</a>\r\n--b--\r\n`,
    );
    let seed = 1;
    const next = (max: number): number => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % max;
    };
    for (let round = 0; round < 5_000; round++) {
      const bytes = Buffer.from(base);
      for (let change = 0; change < 20; change++) bytes[next(bytes.length)] = next(256);
      const result = await parseMessage(bytes);
      if (!result.ok) expect(result.reason).not.toMatch(/gave up/);
    }
  });
});

describe('broken lines', () => {
  const uneven = (text: string) => text.replaceAll('\r\n', '\r\r\n');
  const part = lines(
    '--b',
    'Content-Type: text/plain',
    'Content-Transfer-Encoding: quoted-printable',
    '',
    'see http://plain.example/lo=',
    'ng',
    '--b',
    'Content-Type: application/pdf; name=a.pdf',
    'Content-Transfer-Encoding: base64',
    '',
    'JVBERi0xLjQgZmlsZQ==',
    '--b--',
    '',
  );
  const mixed = `${HEAD}Content-Type: multipart/mixed; boundary=b\r\n`;
  const facts = [['http://plain.example/long'], [['a.pdf', 13]]];
  const LINES = 'lines end with CR CR LF; they are read as if they ended with CR LF';
  const EMPTY = 'the empty line before a body is missing; where the body begins is guessed';
  it.each([
    ['everywhere', uneven(`${mixed}\r\n${part}`), facts, [LINES]],
    ['with three CRs', `${mixed}\r\n${part}`.replaceAll('\r\n', '\r\r\r\n'), facts, [LINES]],
    ['only in the header', `${uneven(mixed)}\r\r\n${part}`, facts, [LINES]],
    ['only in the body', `${mixed}\r\n${uneven(part)}`, facts, [LINES]],
    [
      'in all but the line of the last server',
      `Received: from a by b; Mon, 1 Jan 2024 10:00:00 +0000\r\n${uneven(`${mixed}\r\n${part}`)}`,
      facts,
      [LINES],
    ],
    [
      'in an attached mail',
      `${HEAD}Content-Type: message/rfc822\r\n\r\n${uneven(`${mixed}\r\n${part}`)}`,
      [
        ['http://plain.example/long'],
        [
          ['s.eml', 357],
          ['a.pdf', 13],
        ],
      ],
      [LINES],
    ],
    [
      'with CR alone in the header',
      `${mixed}\r\n`.replaceAll('\r\n', '\r') + part,
      facts,
      ['lines of a header end with CR alone; they are read as lines'],
    ],
  ])('end with CR CR LF %s', async (_, raw, [links, attachments], problems) => {
    const mail = await parsed(raw);
    expect(mail.links.map(({ url }) => url)).toEqual(links);
    expect(mail.attachments.map(({ filename, size }) => [filename, size])).toEqual(attachments);
    expect(mail.problems).toEqual(problems);
  });

  const html = 'Content-Type: text/html\r\n';
  const two = ['http://e.example/1', 'http://e.example/2'];
  const link = (number: number) => `<a href="http://e.example/${number}">pay</a>`;
  it.each([
    ['a page with a later empty line', `${HEAD}${html}<p>${link(1)}</p>\r\n\r\n${link(2)}`, two],
    ['a text that begins with an address', `${HEAD}http://e.example/1\r\n\r\nhttp://e.example/2`, two],
    ['a signature', `${HEAD}Pay http://e.example/1\r\n-- \r\nAnn\r\n\r\nhttp://e.example/2`, two],
    ['a line of blanks instead', `${HEAD} \r\nPay at http://e.example/1\r\n\r\nhttp://e.example/2`, two],
    [
      'a part',
      `${HEAD}Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n${html}${link(1)}\r\n\r\n${link(2)}\r\n--b--`,
      two,
    ],
    [
      'parts whose boundary holds a colon',
      `${HEAD}Content-Type: multipart/mixed; boundary="=:b"\r\n--=:b\r\n${html}\r\n${link(1)}\r\n\r\n${link(2)}\r\n--=:b--`,
      two,
    ],
  ])('without an empty line before %s', async (_, raw, links) => {
    const mail = await parsed(raw);
    expect(mail.links.map(({ url }) => url)).toEqual(links);
    expect(mail.problems).toEqual([EMPTY]);
    expect(headerBlock(Buffer.from(raw, 'latin1')).toString()).not.toContain('e.example/');
  });

  it('a field that was wrapped wrongly does not begin the body if fields follow', async () => {
    const mail = await parsed(
      `Subject: long\r\nwords\r\n${HEAD}Content-Type: application/pdf;\r\nname=a.pdf\r\nContent-Transfer-Encoding: base64\r\n\r\naGk=`,
    );
    expect([mail.subject, mail.attachments[0]?.size]).toEqual(['long', 2]);
    expect(mail.problems).toEqual(['the header block holds lines that are no header field']);
  });
});

describe('a body that is not base64 as declared', () => {
  const as = (type: string, body: string) =>
    parsed(`${HEAD}Content-Type: ${type}\r\nContent-Transfer-Encoding: base64\r\n\r\n${body}`);
  const PLAIN = 'what is declared as base64 is text; it is read as it stands';
  const STRAY = 'base64 holds characters that are none of it; they are skipped';
  it.each([
    ['a page', 'text/html', '<form action="http://e.example/1"></form>', 'http://e.example/1'],
    ['a text', 'text/plain', 'Please pay now\r\nhttp://e.example/1\r\n', 'http://e.example/1'],
    ['text without a sign', 'text/plain', 'Pay all that is due today\r\n', null],
    ['an attached mail', 'message/rfc822', 'Subject: x\r\n\r\nSee http://e.example/1', 'http://e.example/1'],
  ])('is read as it stands: %s', async (_, type, body, link) => {
    const mail = await as(type, body);
    expect(mail.links.map(({ url }) => url)).toEqual(link === null ? [] : [link]);
    expect(mail.parts[0]?.size).toBe(body.length);
    expect(mail.problems).toEqual([PLAIN]);
  });
  it.each([
    ['lines in quotes', '> aGVsbG8g\r\n> d29ybGQ=', 'hello world', [STRAY]],
    ['stray signs', '!!aGVs*bG8=\r\naGVsbG8=', 'hellohello', [STRAY]],
    ['a footer', `${'QUJD'.repeat(19)}\r\nQUI=\r\n-- \r\nlist footer`, `${'ABC'.repeat(19)}AB`, [STRAY]],
    ['an end within a group', 'aGVsbG8', 'hello', []],
    ['blanks', 'aGVs bG8g\r\n d29y bGQ=', 'hello world', []],
    ['text behind its end', 'PGh0bWw+Cg==\r\n\r\n--b-->\r\nPossibly hostile content', '<html>\n', [STRAY]],
    ['one word', 'SNIP', 'HÒ\u000f', null],
    ['zeros', 'A'.repeat(76), '\0'.repeat(57), []],
  ])('is decoded despite %s', async (_, body, text, problems) => {
    const mail = await as('text/plain', body);
    expect([mail.text, problems === null ? null : mail.problems]).toEqual([text, problems]);
  });
});

describe('the address of the client', () => {
  const hop = (ip: string) => `Received: from a (h [${ip}]) by b; Mon, 1 Jan 2024 10:00:00 +0000\r\n`;
  it.each([
    ['10.0.0.5', '203.0.113.9', '203.0.113.9'],
    ['192.168.1.2', '203.0.113.9', '203.0.113.9'],
    ['172.31.0.1', '203.0.113.9', '203.0.113.9'],
    ['100.64.0.1', '203.0.113.9', '203.0.113.9'],
    ['fd00::1', '203.0.113.9', '203.0.113.9'],
    ['fec0::1', '203.0.113.9', '203.0.113.9'],
    ['::1', '203.0.113.9', '203.0.113.9'],
    ['172.32.0.1', '203.0.113.9', '172.32.0.1'],
    ['100.128.0.1', '203.0.113.9', '100.128.0.1'],
    ['10.0.0.5', '10.0.0.6', '10.0.0.5'],
  ])('of %s, then %s, is %s', async (first, second, client) => {
    const mail = await parsed(`${hop(second)}${hop(first)}${HEAD}\r\nx`);
    expect([mail.clientIp, mail.hopIps]).toEqual([client, [first, second]]);
    expect(mail.problems).toEqual(
      client === first
        ? []
        : [`the first server names a private address, ${first}; the client’s is taken from the next`],
    );
  });
});

describe('html', () => {
  it.each([
    ['<a href=" http://a.example ">x <b>y</b></a>', [['http://a.example', 'x y']]],
    ['<a href="http://a.example"><img alt="logo" src=cid:1></a>', [['http://a.example', 'logo']]],
    ['<base href="http://b.example/d/"><a href="p">x</a>', [['http://b.example/d/p', 'x']]],
    ['<map><area href="http://a.example" alt="z"></map>', [['http://a.example', 'z']]],
    ['<form action="http://f.example">', [['http://f.example', '(form)']]],
    ['<meta http-equiv=Refresh content="0; URL=http://m.example">', [['http://m.example', '(refresh)']]],
    ['<a href="&#104;ttp://e.example">x</a>', [['http://e.example', 'x']]],
    ['<a href="#top">x</a><a>y</a><!-- <a href="http://c.example"> -->', []],
    ['<style>@import url(http://s.example)</style>', []],
    [
      '<!--[if mso]><v:roundrect href="http://v.example"><center>Pay</center></v:roundrect><![endif]-->',
      [['http://v.example', 'Pay']],
    ],
    [
      '<!--[if (gte mso 9)|(IE)]><a href="http://o.example">x</a><![endif]--><a href="http://p.example">y</a>',
      [
        ['http://o.example', 'x'],
        ['http://p.example', 'y'],
      ],
    ],
    ['<!--[if !mso]><!--><a href="http://n.example">x</a><!--<![endif]-->', [['http://n.example', 'x']]],
    ['<v:rect href="http://v.example"><v:fill/>Pay</v:rect>', [['http://v.example', 'Pay']]],
    ['<svg><a xlink:href="http://s.example"><text>x</text></a></svg>', [['http://s.example', 'x']]],
    ['<svg><a href="http://s.example">x</a></svg>', [['http://s.example', 'x']]],
    [
      '<iframe srcdoc="<a href=&quot;http://i.example&quot;>x</a><iframe srcdoc=\'<a href=//j.example>z</a>\'>"></iframe>',
      [
        ['http://i.example', 'x'],
        ['//j.example', 'z'],
      ],
    ],
    ['<a href="p">x</a><base href="http://b.example/d/">', [['http://b.example/d/p', 'x']]],
    ['<a href="ht\ntp://e.example/\ta">x</a>', [['http://e.example/a', 'x']]],
    ['<a href="java\r\nscript:alert(1)">x</a>', [['javascript:alert(1)', 'x']]],
    ['<a href="\u0001http://e.example">x</a>', [['http://e.example', 'x']]],
    ['<button formaction="http://f.example">', [['http://f.example', '(form)']]],
    ['<meta http-equiv=refresh content="0;http://m.example/x">', [['http://m.example/x', '(refresh)']]],
    [
      '<meta http-equiv=refresh content="0; url=\'http://m.example/x\'">',
      [['http://m.example/x', '(refresh)']],
    ],
    ['<meta http-equiv=refresh content="5">', []],
    ['<![CDATA[><a href="http://c.example">x</a>', [['http://c.example', 'x']]],
  ])('%s', (html, expected) => {
    expect(readHtml(html, 100).links.map(({ url, text }) => [url, text])).toEqual(expected);
  });

  it.each([
    ['<p>See http://a.example/x.</p>', ['http://a.example/x']],
    ['http://a.exam<b>ple</b>/x<br>y', ['http://a.example/x']],
    ['<td>http://a.example</td><td>http://b.example</td>', ['http://a.example', 'http://b.example']],
    ['<a href="http://evil.example">http://bank.example</a>', []],
    ['<a name="x">http://a.example</a>', ['http://a.example']],
    ['<script>"http://a.example"</script><style>/* http://b.example */</style>', []],
    ['<!-- http://a.example --><title>http://b.example</title>', []],
    ['<!--[if mso]><p>http://o.example</p><![endif]-->', ['http://o.example']],
    ['<p>请访问http://a.example/x。谢谢</p>', ['http://a.example/x']],
    ['http&#58;//a.example/&amp;b', ['http://a.example/&b']],
    [
      '<input value=x>http://a.example<textarea>http://b.example</textarea>',
      ['http://a.example', 'http://b.example'],
    ],
  ])('addresses in the text of %s', (html, expected) => {
    expect(textUrls(readHtml(html, 100).text, 10)).toEqual(expected);
  });

  it('an address in the text of HTML is a link from text, listed once with the text part', async () => {
    const result = await parseMessage(
      Buffer.from(
        `${HEAD}Content-Type: multipart/alternative; boundary="b"\r\n\r\n--b\r\nContent-Type: text/plain\r\n\r\nhttp://a.example/x\r\n--b\r\nContent-Type: text/html\r\n\r\n<p>http://a.example/x</p><p>http://only.example/h</p>\r\n--b--\r\n`,
      ),
    );
    if (!result.ok) throw new Error(result.reason);
    expect(result.mail.links.map(({ url, source }) => [url, source])).toEqual([
      ['http://a.example/x', 'text'],
      ['http://only.example/h', 'text'],
    ]);
  });

  it('nested hidden pages and comments do not loop', { timeout: 20_000 }, () => {
    const nested = (levels: number): string =>
      levels === 0
        ? '<a href="http://deep.example">x</a>'
        : `<iframe srcdoc="${nested(levels - 1)
            .replaceAll('&', '&amp;')
            .replaceAll('"', '&quot;')}">`;
    expect(readHtml(nested(3), 10).links).toHaveLength(1);
    expect(readHtml(nested(4), 10).links).toHaveLength(0);
    expect(readHtml('<!--[if mso]>'.repeat(100_000), 10).links).toEqual([]);
    expect(readHtml('<iframe srcdoc="http://a.example">'.repeat(50_000), 10).text).toContain('a.example');
  });

  it.each([
    ['<img src="http://a.example"><img src="cid:x"><img src=data:x>', 1],
    ['<img srcset="http://a.example 1x, //b.example 2x">', 2],
    ['<td background="http://a.example">', 1],
    ['<p style="background:url(\'http://a.example\')">', 1],
    ['<style>p{background:url(http://a.example)} @import "//b.example";</style>', 2],
    ['<link rel=stylesheet href="http://a.example"><script src="http://b.example"></script>', 2],
    ['<base href="http://b.example/"><img src="p.gif">', 1],
  ])('%s loads %i', (html, expected) => {
    expect(readHtml(html, 100).remote).toBe(expected);
  });

  it('reads a style of spaces in linear time', () =>
    expectLinear(80_000, (count) => {
      expect(readHtml(`<style>p{background:url(${' '.repeat(count)})}</style>`, 10).remote).toBe(0);
    }));

  it('counts active content', () => {
    const facts = readHtml('<form><script>x</script></form><b onclick=x><a href="javascript:x">', 10);
    expect([facts.forms, facts.scripts, facts.handlers]).toEqual([1, 1, 2]);
  });

  it('stays near-linear on unclosed and unopened elements', { timeout: 20_000 }, () => {
    const html = `${'<b>'.repeat(400_000)}${'</i>'.repeat(400_000)}<a href="http://a.example">`;
    expect(readHtml(html, 10).links.length).toBe(1);
  });
});

describe('links', () => {
  it.each([
    ['http://a.example/x', 'www.a.example', false],
    ['http://evil.example/x', 'https://bank.example.com/', true],
    ['http://evil.example/x', 'click here', false],
    ['http://evil.example/x', 'report.pdf', false],
    ['http://xn--bcher-kva.de/', 'bücher.de', false],
    ['mailto:a@x.example', 'bank.com', true],
  ])('%s shown as %s', (url, text, mismatched) => {
    expect(makeLink({ url, text, source: 'html', within: null }).mismatched).toBe(mismatched);
  });
  it.each([
    ['see http://a.example/x, or (https://b.example/y).', ['http://a.example/x', 'https://b.example/y']],
    ['<http://a.example/q?x=(1)>', ['http://a.example/q?x=(1)']],
    ['www.a.example! and www.', ['www.a.example']],
    ['http://', []],
  ])('%s', (text, expected) => {
    expect(textUrls(text, 10)).toEqual(expected);
  });
});

it.each([
  [
    '詳細はhttps://evil-login.topをご確認ください。',
    'evil-login.top',
    /“https:\/\/evil-login\.top”: where it begins or ends/,
  ],
  [
    'websitehttps://evil-login.top/a or b',
    'evil-login.top',
    /“https:\/\/evil-login\.top\/a”: where it begins or ends/,
  ],
  ['http://a.exampleへ http://b.exampleへ', 'a.example', /to 2 web addresses, as to “http:\/\/a\.example”/],
  ['こちら━━http://evil-login.cloud━━■', 'evil-login.cloud', null],
  ['see http://日本語.jp', 'xn--wgv71a119e.jp', null],
])('a web address that runs into words is a problem: %s', async (text, host, problem) => {
  const raw = `${HEAD}Content-Type: text/plain; charset=utf-8\r\n\r\n${text}\r\n`;
  const { links, problems } = await parsed(Buffer.from(raw));
  expect(links[0]?.host).toBe(host);
  expect(problems).toEqual(problem === null ? [] : [expect.stringMatching(problem)]);
});

describe('transfer encodings and names', () => {
  it.each([
    ['a=3Db=\r\nc', 'a=bc'],
    ['soft= \nbreak', 'softbreak'],
    ['bad=ZZ=', 'bad=ZZ'],
    ['keeps\r\nends', 'keeps\r\nends'],
  ])('quoted-printable %j', (encoded, expected) => {
    expect(quotedPrintable(Buffer.from(encoded)).toString()).toBe(expected);
  });
  it('base64 with padding inside, uuencode', () => {
    expect(base64(Buffer.from('YQ==\nYg==')).toString()).toBe('ab');
    expect(base64(Buffer.from('QU-J\r\n_D')).toString()).toBe('ABC');
    expect(base64(Buffer.from('YQ==\n\n--x-->\nappended')).toString()).toBe('a');
    expect(uudecode(Buffer.from('begin 644 f\n#86)C\n`\nend\n'))).toEqual(Buffer.from('abc'));
  });
  it.each([
    ['a/b\\c.txt', 'c.txt'],
    ['exe\u202Etxt.scr', 'exetxt.scr'],
    ['..', 'fallback'],
    [null, 'fallback'],
    ['a\u0000<b>.pdf ', 'a_b_.pdf'],
    [`${'x'.repeat(300)}.docx`, `${'x'.repeat(195)}.docx`],
  ])('%j', (text, expected) => {
    expect(safeFilename(text, 'fallback')).toBe(expected);
  });
});

it.each([
  ['utf16le', '\ufeff'],
  ['utf16le', ''],
  ['swapped', '\ufeff'],
])('a mail in UTF-16, as PowerShell saves text, is read: %s, mark %j', async (order, mark) => {
  const page = `${HEAD}Content-Type: multipart/mixed; boundary=cut\r\n\r\n--cut\r\n\r\nGrüße\r\n--cut\r\nContent-Type: application/pdf; name=a.pdf\r\nContent-Transfer-Encoding: base64\r\n\r\nJVBERi0=\r\n--cut--\r\n`;
  const bytes = Buffer.from(mark + page, 'utf16le');
  const raw = order === 'swapped' ? bytes.swap16() : bytes;
  const { subject, text, attachments, problems } = await parsed(raw);
  const plain = await parsed(page);
  expect([subject, text]).toEqual([plain.subject, plain.text]);
  expect(attachments).toEqual(plain.attachments);
  expect((await partOf(raw, attachments[0]!.sha256 ?? '')).toString()).toBe('%PDF-');
  expect(problems).toContain('the whole mail is written in UTF-16; it is read as if it were not');
});

describe('wrong charset labels', () => {
  const subject = async (raw: string | Buffer) => (await parsed(raw)).subject;
  const bytes = (text: string) => Buffer.from(text, 'latin1');
  const REST = '\r\nFrom: a@x.example\r\n\r\n';

  it.each([
    [
      'UTF-8 in a word of latin1',
      Buffer.from(`Subject: =?iso-8859-1?Q?Fr\u00f6sche_=FC?=${REST}`),
      'Frösche ü',
    ],
    [
      'a latin1 byte in a word of latin1',
      bytes(`Subject: =?iso-8859-1?Q?Fr\xf6sche_=FC?=${REST}`),
      'Frösche ü',
    ],
    ['a latin1 byte in a word of UTF-8', bytes(`Subject: =?utf-8?Q?Fr\xf6sche_=C3=BC?=${REST}`), 'Frösche ü'],
    [
      'Cyrillic bytes in a word of their charset',
      bytes(`Subject: =?windows-1251?Q?\xcf\xf0=E8?=${REST}`),
      'При',
    ],
    [
      'words on both sides',
      Buffer.from(`Subject: =?utf-8?Q?a\u00f6?= =?utf-8?Q?=C3?= =?utf-8?Q?=BC?=${REST}`),
      'aöü',
    ],
    ['UTF-8 named latin1', bytes(`Subject: =?iso-8859-1?Q?Fr=C3=B6sche?=${REST}`), 'Frösche'],
    ['latin1 named latin1', bytes(`Subject: =?iso-8859-1?Q?=C3=C4?=${REST}`), 'ÃÄ'],
    ['UTF-7', bytes(`Subject: =?utf-7?Q?Fr+APY-sche_1+-1_+2D3eAA-?=${REST}`), 'Frösche 1+1 \u{1f600}'],
    [
      'UTF-7 in two words',
      bytes(`Subject: =?utf-7?Q?+ZeU-?= =?unicode-1-1-utf-7?Q?+Zyw?=${REST}`),
      '\u65e5\u672c',
    ],
    ['half a pair in UTF-7', bytes(`Subject: =?utf-7?Q?+2D0-x?=${REST}`), '\ufffdx'],
  ])('%s', async (_, raw, expected) => {
    expect(await subject(raw)).toBe(expected);
  });

  it('UTF-7 in a body is decoded, with the link hidden in it', async () => {
    const mail = await parsed(
      `${HEAD}Content-Type: text/html; charset=UTF-7\r\n\r\n+ADw-a href+AD0AIg-https://lure.example/+ACIAPg-Pay+ADw-/a+AD4-`,
    );
    expect(mail.html).toBe('<a href="https://lure.example/">Pay</a>');
    expect(mail.links).toMatchObject([{ host: 'lure.example' }]);
  });

  it.each([['iso-8859-1'], ['koi8-r'], ['shift_jis'], ['gbk'], ['cp850']])(
    'UTF-8 text labelled %s is read as UTF-8',
    async (charset) => {
      const text = 'Für Mädchen: наш счёт — ¥100 😀';
      const mail = await parsed(
        Buffer.concat([
          Buffer.from(`${HEAD}Content-Type: text/plain; charset=${charset}\r\n\r\n`),
          Buffer.from(text),
        ]),
      );
      expect(mail.text).toBe(text);
      expect(mail.problems).toContain(`the text is UTF-8, not ${charset} as the mail says`);
    },
  );

  const mail = (head: string, body: Buffer | string) =>
    parsed(Buffer.concat([Buffer.from(`${HEAD}${head}\r\n\r\n`, 'latin1'), Buffer.from(body)]));

  // Bytes by Python's codecs and iconv.
  it.each([
    ['cp1026', '4c8140889985867efc88a3a3977a616185a589934b85a7819497938561fc6ed6848594854c61816e'],
    ['IBM01140', '4c8140889985867e7f88a3a3977a616185a589934b85a78194979385617f6ed6848594854c61816e'],
    ['x-cp20273', '4c8140889985867e7f88a3a3977a616185a589934b85a78194979385617f6ed6848594854c61816e'],
    ['ebcdic-cp-us', '4c8140889985867e7f88a3a3977a616185a589934b85a78194979385617f6ed6848594854c61816e'],
  ])('a link in EBCDIC, %s, is a link', async (charset, hex) => {
    const { links, problems } = await mail(
      `Content-Type: text/html; charset=${charset}`,
      Buffer.from(hex, 'hex'),
    );
    expect(links).toMatchObject([{ host: 'evil.example', text: 'Odeme' }]);
    expect(problems).toEqual([]);
  });

  it.each([
    ['gbk', 'utf-8', 'utf-8', 'the text is UTF-8, not gbk as the mail says'],
    ['utf-8', 'koi8-r', 'koi8-r', 'the text is koi8-r as its page says, not utf-8 as the mail says'],
    ['klingon', 'koi8-r', 'koi8-r', 'the text is koi8-r as its page says, not klingon as the mail says'],
    [
      'iso-8859-1',
      'koi8-r',
      'koi8-r',
      'the text is koi8-r as its page says, not iso-8859-1 as the mail says',
    ],
    [
      'koi8-r',
      'windows-1251',
      'koi8-r',
      'the page names the charset windows-1251, the mail koi8-r; read as koi8-r',
    ],
  ])('a page in a mail that says %s names %s: its bytes are %s', async (named, page, real, problem) => {
    const text = 'Привет, мир';
    const koi8 = Buffer.from('f0d2c9d7c5d42c20cdc9d2', 'hex');
    const { html, problems } = await mail(
      `Content-Type: text/html; charset=${named}`,
      Buffer.concat([Buffer.from(`<meta charset=${page}>`), real === 'utf-8' ? Buffer.from(text) : koi8]),
    );
    expect(html).toBe(`<meta charset=${page}>${text}`);
    expect(problems).toEqual([problem]);
  });

  it('a page that names a charset which makes no difference is no problem', async () => {
    const { problems } = await mail(
      'Content-Type: text/html; charset=iso-8859-1',
      '<meta charset=utf-8>plain',
    );
    expect(problems).toEqual([]);
  });

  // Chromium draws “paypal.com” for each of them.
  it.each([
    ['bdo in a link', '<a href="https://evil.example/"><bdo dir=rtl>moc.lapyap</bdo></a>'],
    ['bdo around a link', '<BDO DIR="RTL"><p><a href="https://evil.example/">moc.lapyap</a></p></bdo>'],
    ['bdo around a part', '<a href="https://evil.example/">pay<bdo dir=rtl>moc.lap</bdo></a>'],
    [
      'a style',
      '<a href="https://evil.example/"><span style="color:red; Unicode-Bidi/**/: bidi-override;DIRECTION:rtl">moc.lapyap</span></a>',
    ],
    [
      'a style and an attribute',
      '<a href="https://evil.example/" style="unicode-bidi:isolate-override" dir=rtl>moc.lapyap</a>',
    ],
    [
      'an inherited direction',
      '<div dir=rtl><a href="https://evil.example/" style="unicode-bidi:bidi-override">moc.lapyap</a></div>',
    ],
    [
      'a style sheet',
      '<style>p{margin:0} td .x, .y { direction:rtl; unicode-bidi:bidi-override }</style><a href="https://evil.example/"><b class="z x">moc.lapyap</b></a>',
    ],
    [
      'two rules, of which the second sets a direction',
      '<style>.x{unicode-bidi:bidi-override}#y,.z{unicode-bidi:bidi-override;direction:rtl}</style><a class=x id=y href="https://evil.example/">moc.lapyap</a>',
    ],
    [
      'a rule without a direction',
      '<style>a:link{unicode-bidi:bidi-override} a{unicode-bidi:bidi-override}</style><a dir=rtl href="https://evil.example/">moc.lapyap</a>',
    ],
    [
      'a rule for an element in upper case',
      '<style>TD SPAN{direction:rtl;unicode-bidi:bidi-override}</style><a href="https://evil.example/"><span>moc.lapyap</span></a>',
    ],
    [
      'a rule with an attribute and a pseudo-class',
      '<style>A[HREF]:not(.x){direction:rtl;unicode-bidi:bidi-override}</style><a href="https://evil.example/">moc.lapyap</a>',
    ],
    [
      'a rule for any element',
      '<style>td > *{direction:rtl;unicode-bidi:bidi-override}</style><a href="https://evil.example/">moc.lapyap</a>',
    ],
    [
      'a rule for an attribute',
      '<style>td [title]{direction:rtl;unicode-bidi:bidi-override}</style><a title=x href="https://evil.example/">moc.lapyap</a>',
    ],
  ])('a host is read as it is drawn: %s', (_, html) => {
    const [link] = readHtml(html, 10).links;
    expect(readLink(link?.url ?? '', link?.text ?? '')).toMatchObject({ says: 'paypal.com', differs: true });
  });

  it.each([
    '<a href="https://paypal.com/"><bdo dir=rtl>moc.lapyap</bdo></a>',
    '<a href="https://paypal.com/"><bdo dir=ltr>paypal.com</bdo></a>',
    '<bdo dir=rtl>x</bdo><a href="https://paypal.com/">paypal.com</a>',
    '<div dir=rtl><a href="https://paypal.com/">paypal.com</a></div>',
    '<bdo dir=rtl><bdo dir=ltr><a href="https://paypal.com/">paypal.com</a></bdo></bdo>',
    '<!doctype html><style>.X{direction:rtl;unicode-bidi:bidi-override}</style><a class=x href="https://paypal.com/">paypal.com</a>',
  ])('an honest host is not accused: %s', (html) => {
    const [link] = readHtml(html, 10).links;
    expect(readLink(link?.url ?? '', link?.text ?? '').differs).toBe(false);
  });

  it('takes time linear in rules and elements', () =>
    expectLinear(296, (size) => {
      const selector = Array.from({ length: 100 }, (_, index) => `.a${index}`).join();
      const rule = `${selector}{unicode-bidi:bidi-override}`;
      readHtml(`<style>${rule.repeat(size)}</style>${'<b class=a1>x</b>'.repeat(8 * size)}`, 10);
    }));

  it.each(['a', 'a{', 'a}', '/*', '}{', 'unicode-bidi:bidi-override '])(
    'a style sheet of many %j takes linear time',
    (piece) =>
      expectLinear(400_000, (length) => {
        const css = piece.repeat(length / piece.length);
        readHtml(`<style>b{unicode-bidi:bidi-override}${css}</style><b>x</b>`, 10);
      }),
  );

  const RAW = Buffer.from('b8b6bfeecda8d6aa', 'hex');
  it.each([
    [
      'a part',
      'Content-Type: multipart/mixed; boundary=b',
      '--b\r\nContent-Type: text/plain; charset=gb2312\r\n\r\nx\r\n--b--',
    ],
    [
      'a later part',
      'Content-Type: multipart/mixed; boundary=b',
      '--b\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nx\r\n--b\r\nContent-Type: text/html; charset="GBK"\r\n\r\nx\r\n--b--',
    ],
    ['a page', 'Content-Type: text/html', '<meta charset="gbk">x'],
  ])(
    'raw bytes in headers are read in the charset that %s names, and a problem says so',
    async (_, fields, body) => {
      const { subject, problems, from, headerCharset } = await parsed(
        Buffer.concat([
          Buffer.from('Date: Tue, 05 Mar 2024 10:11:12 +0000\r\nSubject: '),
          RAW,
          Buffer.from('\r\nFrom: "'),
          RAW,
          Buffer.from(`" <a@x.example>\r\n${fields}\r\n\r\n${body}`),
        ]),
      );
      expect([subject, from[0]?.name, headerCharset]).toEqual(['付款通知', '付款通知', 'gbk']);
      expect(problems).toContain('raw 8-bit text in a header names no charset; read as gbk');
    },
  );

  it('a name of a file in raw bytes is read in the charset of another part', async () => {
    const { attachments, problems } = await mail(
      'Content-Type: multipart/mixed; boundary=b',
      Buffer.concat([
        Buffer.from(
          '--b\r\nContent-Type: text/plain; charset=gbk\r\n\r\nx\r\n--b\r\nContent-Disposition: attachment; filename="',
        ),
        RAW,
        Buffer.from('.pdf"\r\n\r\nx\r\n--b--'),
      ]),
    );
    expect(attachments[0]?.declaredName).toBe('付款通知.pdf');
    expect(problems).toContain('raw 8-bit text in a header names no charset; read as gbk');
  });

  it.each([
    ['"wartab " <war@evil.example>', 'wartab', 'war@evil.example'],
    ['Bank <a@evil.example>', 'Bank', 'a@evil.example'],
    ['b@evil.example', '', 'b@evil.example'],
  ])(
    'an author who is encoded as a whole is read, and a problem says so: %s',
    async (author, name, address) => {
      const word = `=?utf-8?B?${Buffer.from(author).toString('base64')}?=`;
      for (const from of [word, `=?utf-8?Q?${author.replaceAll(' ', '_')}?=`]) {
        const { from: authors, problems } = await parsed(
          `Date: Tue, 05 Mar 2024 10:11:12 +0000\r\nSubject: s\r\nFrom: ${from}\r\n\r\nx`,
        );
        expect(authors).toMatchObject([{ name, address, domain: 'evil.example' }]);
        expect(problems).toEqual([
          'an address is encoded as a whole; programs differ in whether they read it',
        ]);
      }
    },
  );

  it('ISO-2022-KR is decoded, also with text on both sides and over several lines', async () => {
    const mail = await parsed(
      `${HEAD}Content-Type: text/plain; charset=ISO-2022-KR\r\n\r\n\x1b$)C\x0e0!${'$'}!\x0f, ok\r\n\x0e3*\x0f.`,
    );
    // KS X 1001: rows 16 and 4, row 19.
    expect(mail.text).toBe('가ㄱ, ok\n나.');
    expect(mail.problems).toEqual([]);
  });

  it('a megabyte of plus signs is read in linear time', () =>
    expectLinear(200_000, (count) =>
      parsed(
        `${HEAD}Content-Type: text/plain; charset=UTF-7\r\n\r\n${'+'.repeat(count * 5)}${'+AAAA'.repeat(count)}`,
      ),
    ));
});

describe('attachments', () => {
  const part = (fields: string, bytes: Uint8Array | string) =>
    `--cut\r\n${fields}\r\nContent-Transfer-Encoding: base64\r\n\r\n${Buffer.from(bytes).toString('base64')}\r\n`;
  const withParts = (...all: string[]) =>
    parsed(`${HEAD}Content-Type: multipart/mixed; boundary=cut\r\n\r\n${all.join('')}--cut--\r\n`);
  const PAGE =
    '<form action="https://lure.example/login"><input name=p></form><script>x()</script><a href="https://other.example/">go</a>';

  it.each([
    ['Content-Type: text/html; name="a.html"\r\nContent-Disposition: attachment'],
    ['Content-Type: application/octet-stream\r\nContent-Disposition: attachment; filename="Invoice.SHTML"'],
    ['Content-Type: image/svg+xml\r\nContent-Disposition: attachment; filename="a.svg"'],
  ])("a page has its links and forms counted, and is not the mail's text: %s", async (fields) => {
    const mail = await withParts('--cut\r\n\r\nhello\r\n', part(fields, PAGE));
    expect(mail.active).toMatchObject({ forms: 1, scripts: 1 });
    expect(mail.links.map(({ url }) => url)).toEqual(
      expect.arrayContaining(['https://lure.example/login', 'https://other.example/']),
    );
    expect([mail.text.trim(), mail.html, mail.shownText]).toEqual(['hello', '', 'hello']);
    expect(mail.attachments).toHaveLength(1);
  });

  const WIDE = Buffer.from(`\ufeff${PAGE}`, 'utf16le');
  it.each([
    ['in UTF-16', 'text/html', WIDE],
    ['in UTF-16, labelled differently', 'text/html; charset=utf-8', WIDE],
    ['in UTF-16 of the other byte order', 'application/octet-stream', Buffer.from(WIDE).swap16()],
    ['in UTF-16 without a byte order mark', 'text/html', WIDE.subarray(2)],
    [
      'labelled UTF-16 by the mail, which a browser never sees',
      'text/html; charset=utf-16',
      Buffer.from(PAGE),
    ],
    [
      'labelled UTF-7 by the mail',
      'text/html; charset=utf-7',
      Buffer.from(PAGE.replace('<form', '+ADw-b+AD4-<form')),
    ],
    ['with a byte that is not UTF-8', 'text/html; charset=utf-16', Buffer.from(`\xff${PAGE}`, 'latin1')],
    ['with a meta element that names UTF-16', 'text/html', Buffer.from(`<meta charset="utf-16">${PAGE}`)],
    ['with a meta element that names UTF-7', 'text/html', Buffer.from(`<meta charset="utf-7">${PAGE}`)],
  ])('a page is read as a browser reads the saved file: %s', async (_what, type, bytes) => {
    const fields = `Content-Type: ${type}\r\nContent-Disposition: attachment; filename="a.html"`;
    const mail = await withParts('--cut\r\n\r\nhello\r\n', part(fields, bytes));
    expect(mail.active).toMatchObject({ forms: 1, scripts: 1 });
    expect(mail.links.map(({ url }) => url)).toEqual(
      expect.arrayContaining(['https://lure.example/login', 'https://other.example/']),
    );
  });

  it.each([
    ['<iframe src="https://lure.example/">', '(frame)'],
    ['<frameset><frame src="https://lure.example/"></frameset>', '(frame)'],
    ['<embed src="https://lure.example/">', '(frame)'],
    ['<object data="https://lure.example/"></object>', '(frame)'],
    ['<base href="https://lure.example/a"><iframe src="/"></iframe>', '(frame)'],
    ["<script>location.href = 'https://lure.example/';</script>", '(script)'],
    ['<script>go({"url":"https:\\/\\/lure.example\\/"})</script>', '(script)'],
    ['<body onload="location=\'https://lure.example/\'">', '(script)'],
    [`<script>go(atob("${btoa('https://lure.example/')}"))</script>`, '(script)'],
  ])('an address that a page opens without a link is listed: %s', async (html, text) => {
    const fields = 'Content-Type: text/html\r\nContent-Disposition: attachment; filename="a.html"';
    const mail = await withParts('--cut\r\n\r\nhello\r\n', part(fields, html));
    expect(mail.links.map((link) => [link.url, link.host, link.text])).toEqual([
      ['https://lure.example/', 'lure.example', text],
    ]);
    // A script in the mail's own body never runs.
    const result = await withParts(part('Content-Type: text/html', html));
    expect(result.links).toHaveLength(text === '(frame)' ? 1 : 0);
  });

  it('an empty frame has no address', async () => {
    const mail = await withParts(
      part('Content-Type: text/html', '<iframe src="about:blank"></iframe><iframe></iframe><embed src="">'),
    );
    expect(mail.links).toEqual([]);
  });

  it.each(['https://a.example/x ', 'aHR0c', 'aHR0cHM6Ly9h ', 'https:\\/\\/'])(
    'reads a script of %j, repeated, in linear time',
    (piece) => expectLinear(50_000, (count) => scriptUrls(piece.repeat(count), 1_000)),
  );

  it('a body in UTF-16 with another label is read, and the label is reported', async () => {
    const mail = await withParts(part('Content-Type: text/html; charset=iso-8859-1', WIDE));
    expect(mail.active).toMatchObject({ forms: 1, scripts: 1 });
    expect(mail.problems).toEqual(['the text is UTF-16, not iso-8859-1 as the mail says']);
    const named = await withParts(part('Content-Type: text/html; charset=utf-16', WIDE));
    expect([named.active.forms, named.problems]).toEqual([1, []]);
  });

  it.each([
    ['Content-Type: text/calendar; method=REQUEST'],
    ['Content-Type: application/ics; name="invite.ics"\r\nContent-Disposition: attachment'],
  ])('an invitation has its links counted, with folded and escaped ones joined: %s', async (fields) => {
    const invite =
      'BEGIN:VCALENDAR\r\nDESCRIPTION:join\\nhttps://lure.example/a\\,b?c=\r\n d\r\nURL:https://other.example/\r\nEND:VCALENDAR\r\n';
    const mail = await withParts('--cut\r\n\r\nhello\r\n', part(fields, invite));
    expect(mail.links.map(({ url }) => url)).toEqual([
      'https://lure.example/a,b?c=d',
      'https://other.example/',
    ]);
    expect(mail.shownText.trim()).toBe('hello');
  });

  it('a uuencoded file in the text of a mail is an attachment', async () => {
    const coded = 'begin 644 run.exe\r\n$35HK!0``\r\n`\r\nend\r\n';
    const bytes = Buffer.from('MZ+\x05', 'latin1');
    for (const fields of ['', 'Content-Type: multipart/mixed; boundary=cut\r\n']) {
      const text = `before\r\n${coded}between\r\n${coded.replace('run', 'two')}after\r\n`;
      const raw = `${HEAD}${fields}\r\n${fields === '' ? text : `--cut\r\n\r\n${text}--cut--\r\n`}`;
      const { attachments, text: shown } = await parsed(raw);
      expect(attachments.map(({ filename, size, contentType }) => [filename, size, contentType])).toEqual([
        ['run.exe', 4, 'application/x-msdownload'],
        ['two.exe', 4, 'application/x-msdownload'],
      ]);
      expect(shown).toContain('between');
      expect(await partOf(Buffer.from(raw), attachments[0]!.sha256 ?? '')).toEqual(bytes);
    }
  });

  it('a truncated file does not hide another one after it', async () => {
    const { attachments } = await parsed(
      `${HEAD}\r\nbegin 644 cut.exe\r\n$35HK!0\`\`\r\nbegin 644 run.exe\r\n$35HK!0\`\`\r\n\`\r\nend\r\n`,
    );
    expect(attachments.map(({ filename }) => filename)).toEqual(['run.exe']);
  });

  it.each([
    'begin 644 run.exe\r\nno such lines follow here, only a letter that goes on\r\n',
    'begin 644 run.exe\r\n',
    ' begin 644 run.exe\r\n$35HK!0``\r\n`\r\nend\r\n',
  ])('a text that only begins like uuencode has no attachment: %j', async (text) => {
    expect((await parsed(`${HEAD}\r\n${text}`)).attachments).toEqual([]);
  });

  it('an encoded multipart, and parts after its end, are read', async () => {
    const inner = `--in\r\nContent-Type: application/pdf; name=a.pdf\r\n\r\n%PDF-\r\n--in--\r\n`;
    const fields = 'Content-Type: multipart/mixed; boundary=in\r\nContent-Transfer-Encoding: base64\r\n\r\n';
    const encoded = await parsed(`${HEAD}${fields}${Buffer.from(inner).toString('base64')}\r\n`);
    expect(encoded.attachments).toMatchObject([{ filename: 'a.pdf', size: 5 }]);
    const after = await parsed(
      `${HEAD}Content-Type: multipart/mixed; boundary=in\r\n\r\n${inner}\r\nfooter\r\n${inner.replace('a.pdf', 'b.pdf')}`,
    );
    expect(after.attachments.map(({ filename }) => filename)).toEqual(['a.pdf', 'b.pdf']);
    expect(after.problems).toEqual([
      'parts follow the end of a multipart; programs differ in whether they show them',
    ]);
  });

  it('delimiter lines with further text split a multipart without other delimiters', async () => {
    const mail = (first: string, last: string) =>
      `${HEAD}Content-Type: multipart/mixed; boundary=in\r\n\r\n${first}\r\nContent-Type: application/pdf; name=a.pdf\r\n\r\n%PDF-\r\n${last}\r\n`;
    const loose = await parsed(mail('--in to be ignored', '--in-- as is this'));
    expect(loose.attachments).toMatchObject([{ filename: 'a.pdf', size: 5 }]);
    expect(loose.problems).toEqual([
      'delimiter lines hold further text; programs differ in whether they see parts there',
    ]);
    // Another boundary with the same beginning, and one that already splits the multipart.
    for (const [first, last] of [
      ['--inner', '--inner--'],
      ['--in\r\nContent-Type: text/plain\r\n\r\n--in another', '--in--'],
    ] as const)
      expect((await parsed(mail(first, last))).attachments).toEqual([]);
  });

  it.each(['message/partial; id=1; number=1', 'message/news'])(
    'a mail in %s is a separate mail',
    async (type) => {
      const mail = 'From: x@lure.example\r\nSubject: inner\r\n\r\nx\r\n';
      const { attachedMails } = await withParts(`--cut\r\nContent-Type: ${type}\r\n\r\n${mail}`);
      expect((await parsed(attachedMails[0]!.bytes)).subject).toBe('inner');
    },
  );

  it('a zip and an Office document with a password are reported as encrypted', async () => {
    const writer = new ZipWriter(new Uint8ArrayWriter(), { useWebWorkers: false });
    await writer.add('a.exe', new Uint8ArrayReader(Buffer.from('MZ')), {
      password: 'p',
      encryptionStrength: 3,
    });
    const long = 'x'.repeat(99);
    for (const name of ['b.txt', long, `${long}y`, `${long}yz`, 'last.txt'])
      await writer.add(name, new Uint8ArrayReader(Buffer.from('x')));
    const office = Buffer.concat([
      Buffer.from('d0cf11e0a1b11ae1', 'hex'),
      Buffer.from('EncryptedPackage', 'utf16le'),
    ]);
    const named = (name: string) => `Content-Type: application/octet-stream; name="${name}"`;
    const mail = await withParts(part(named('a.zip'), await writer.close()), part(named('b.docx'), office));
    expect(mail.problems).toEqual([
      `the attachment “a.zip” is encrypted: a password protects 1 of 6 files in it (a.exe, b.txt, ${long}, ${long}y, ${long}y…, …)`,
      'the attachment “b.docx” is encrypted: an Office document with a password',
    ]);
  });

  // Written by 7z 16 and GnuPG 2.2.
  const LOCKED_7Z =
    'N3q8ryccAAQQGad0EAAAAAAAAABiAAAAAAAAACaFIxcwtGEe/dm7G+NRzlbYiuQaAQQGAAEJEAAHCwEAAiQG8QcBElMPMr8GABpNJcqoKdel1kOq5CEhAQABAAwHAwAICgF6em/tAAAFARkBABENAHQALgB0AHgAdAAAABQKAQC6SQ9/q3vdARUGAQAggKSBAAA=';
  const LOCKED_NAMES_7Z =
    'N3q8ryccAASvrkjRgAAAAAAAAAAuAAAAAAAAAHWsovZ5VLKHBqwVY8cnRtJklOFbotH4I2kd+eNhDwIYoAzx95Gyv+ogHanFxk3RFY+5mb2mZWTg+xnB/RegDu8UXEX6cU9yiFFqMUu5OKslcEOywF46Z6t1cOk96pygDVVXfoT3LJ7VgU4sfI2JVnCPbTBi9W31Kwi9W2lpRiZe9TQPrRcGEAEJcAAHCwEAASQG8QcBElMP1NQkolwDWxMNjLK8B1c/ZAxiCgH8gjceAAA=';
  const OPEN_7Z =
    'N3q8ryccAARrSYNWBwAAAAAAAABSAAAAAAAAANAOxMUBAAJoaQoAAQQGAAEJBwAHCwEAASEhAQAMAwAICgF6em/tAAAFARkMAAAAAAAAAAAAAAAAEQ0AdAAuAHQAeAB0AAAAFAoBALpJD3+re90BFQYBACCApIEAAA==';
  const SEALED_PGP =
    'jA0ECQMCNRHXF21qQq3/0j0BHCKib2rukTiBNb5KpR/wdJ9ROccS+I1rSc9v9pJw1YMS1ale78ASitSZrh8P9yz7X3UN3sYEUHAv+xqi';
  const ARMORED = `-----BEGIN PGP MESSAGE-----\r\n\r\n${SEALED_PGP}\r\n-----END PGP MESSAGE-----\r\n`;

  it.each([
    ['a.7z', LOCKED_7Z, 'password', 'is encrypted: a 7z archive with a password'],
    ['a.7z', LOCKED_NAMES_7Z, 'password', 'is encrypted: a 7z archive with a password'],
    ['a.7z', OPEN_7Z, null, null],
    ['a.txt.gpg', SEALED_PGP, 'pgp', 'is encrypted with PGP'],
    ['a.jpg', SEALED_PGP, null, null],
    ['a.asc', Buffer.from(ARMORED).toString('base64'), 'pgp', 'is encrypted with PGP'],
  ])('%s is reported with its kind of encryption', async (name, bytes, encryption, words) => {
    const mail = await withParts(
      '--cut\r\n\r\nhello\r\n',
      part(`Content-Type: application/octet-stream; name="${name}"`, Buffer.from(bytes, 'base64')),
    );
    expect(mail.attachments).toMatchObject([{ filename: name, encryption }]);
    expect(mail.problems).toEqual(words === null ? [] : [`the attachment “${name}” ${words}`]);
    expect(mail.isEncrypted).toBe(false);
  });

  it('a 7z, truncated or changed at any byte, is not read beyond its end', async () => {
    const whole = Buffer.from(LOCKED_7Z, 'base64');
    for (let index = 0; index < whole.length; index += 1) {
      const changed = Buffer.from(whole);
      changed[index] = 0xff;
      const fields = 'Content-Type: application/octet-stream; name="a.7z"';
      const mail = await withParts(part(fields, whole.subarray(0, index)), part(fields, changed));
      expect(mail.attachments).toHaveLength(2);
    }
  });

  it.each([
    ['PGP in its text', `${HEAD}\r\n${ARMORED}`],
    [
      'PGP/MIME',
      `${HEAD}Content-Type: multipart/encrypted; protocol="application/pgp-encrypted"; boundary=cut\r\n\r\n--cut\r\nContent-Type: application/pgp-encrypted\r\n\r\nVersion: 1\r\n--cut\r\nContent-Type: application/octet-stream; name=e.asc\r\n\r\n${ARMORED}--cut--\r\n`,
    ],
  ])('a mail encrypted with %s is reported as encrypted', async (_, raw) => {
    const mail = await parsed(raw);
    expect([mail.isEncrypted, mail.problems.join()]).toEqual([
      true,
      expect.stringContaining('encrypted with PGP'),
    ]);
  });

  it('an opaque signature is opened, an encrypted part reported, anything else left as it is', async () => {
    const inner = Buffer.from('Content-Type: text/plain\r\n\r\nsigned words https://lure.example/s\r\n');
    const of = (tag: number, ...all: Uint8Array[]) => {
      const bytes = Buffer.concat(all);
      return Buffer.concat([Buffer.from([tag, 0x82, bytes.length >> 8, bytes.length & 0xff]), bytes]);
    };
    const id = (hex: string) => of(6, Buffer.from(hex, 'hex'));
    const cms = (type: string, content: Buffer) =>
      of(0x30, id(type), of(0xa0, of(0x30, of(2, Buffer.from([1])), of(0x31), content)));
    const data = (...octets: Buffer[]) => of(0x30, id('2a864886f70d010701'), of(0xa0, ...octets));
    const smime = (bytes: Buffer) =>
      parsed(
        `${HEAD}Content-Type: application/pkcs7-mime; name=smime.p7m\r\nContent-Transfer-Encoding: base64\r\n\r\n${bytes.toString('base64')}\r\n`,
      );
    const SIGNED = '2a864886f70d010702';
    const whole = await smime(cms(SIGNED, data(of(4, inner))));
    expect(whole.text.trim()).toBe('signed words https://lure.example/s');
    expect(whole.links).toMatchObject([{ host: 'lure.example' }]);
    // In pieces of indefinite length.
    const pieces = Buffer.concat([
      Buffer.from([0x24, 0x80]),
      of(4, inner.subarray(0, 20)),
      of(4, inner.subarray(20)),
      Buffer.from([0, 0]),
    ]);
    expect((await smime(cms(SIGNED, data(pieces)))).text).toBe(whole.text);
    // As openssl reads them, however many there are.
    const padded = Buffer.concat([Buffer.alloc(110_000, 'X-Padding: x\r\n'), inner]);
    const bytewise = Buffer.concat([
      Buffer.from([0x24, 0x80]),
      ...[...padded].map((byte) => Buffer.from([4, 1, byte])),
      Buffer.from([0, 0]),
    ]);
    const endless = (tag: number, ...all: Uint8Array[]) =>
      Buffer.concat([Buffer.from([tag, 0x80]), ...all, Buffer.from([0, 0])]);
    const inPieces = endless(0x30, id('2a864886f70d010701'), endless(0xa0, bytewise));
    const signed = endless(0x30, of(2, Buffer.from([1])), of(0x31), inPieces);
    expect((await smime(endless(0x30, id(SIGNED), endless(0xa0, signed)))).text).toBe(whole.text);
    const closed = await smime(cms('2a864886f70d010703', data(of(4, inner))));
    expect([closed.text, closed.isEncrypted, closed.problems]).toEqual([
      '',
      true,
      ['encrypted with S/MIME: what it says is for its recipient'],
    ]);
    expect(closed.attachments).toMatchObject([{ encryption: 'smime' }]);
    const other = await smime(cms('2a864886f70d010708', data(of(4, inner))));
    expect([other.isEncrypted, other.problems]).toEqual([
      false,
      ['an S/MIME part is not opened: it is damaged, or no S/MIME'],
    ]);
    const bytes = cms(SIGNED, data(of(4, inner)));
    for (let index = 0; index < bytes.length; index += 1) {
      expect((await smime(bytes.subarray(0, index))).attachments[0]?.filename).toBe('smime.p7m');
      const changed = Buffer.from(bytes);
      changed[index] = 0x80;
      await smime(changed);
    }
    await smime(Buffer.alloc(100_000, Buffer.from([0x30, 0x80])));
  });
});

describe('[bad input, limit 2 000 parts, limit 50 levels] mail beyond the limits', () => {
  it('100 000 parts', () =>
    expectLinear(100_000, async (count) => {
      const mail = await parsed(
        `${HEAD}Content-Type: multipart/mixed; boundary=b\r\n\r\n${'--b\r\n\r\nx\r\n'.repeat(count)}--b--`,
      );
      expect(mail.parts.length).toBeLessThan(2_100);
      expect(mail.problems.join()).toMatch(/parts/);
    }));

  it('20 000 nested multiparts', () =>
    expectLinear(20_000, async (count) => {
      const open = Array.from(
        { length: count },
        (_, index) => `Content-Type: multipart/mixed; boundary=b${index}\r\n\r\n--b${index}\r\n`,
      ).join('');
      const mail = await parsed(`${HEAD}${open}Content-Type: text/plain\r\n\r\nx\r\n`);
      expect(mail.problems.join()).toMatch(/nested deeper/);
    }));

  it('20 000 nested mails', () =>
    expectLinear(20_000, async (count) => {
      const mail = await parsed(`${HEAD}Content-Type: message/rfc822\r\n\r\n`.repeat(count));
      expect(mail.attachedMails).toHaveLength(1);
      expect(mail.problems.join()).toMatch(/nested deeper/);
    }));

  const LARGE = (process.env['PARAPET_LONG'] === '1' ? 200 : 70) * 1024 * 1024;
  it('a very large mail has its headers, structure and hashes', { timeout: 120_000 }, async () => {
    const file = Buffer.alloc(LARGE / 1.4, 'abcdefghij');
    const raw = Buffer.concat([
      Buffer.from(
        `${HEAD}Content-Type: multipart/mixed; boundary=cut\r\n\r\n--cut\r\n\r\nhello\r\n--cut\r\n`,
      ),
      Buffer.from('Content-Type: application/zip; name=a.bin\r\nContent-Transfer-Encoding: base64\r\n\r\n'),
      Buffer.from(file.toString('base64')),
      Buffer.from('\r\n--cut--\r\n'),
    ]);
    expect(raw.length).toBeGreaterThan(64 * 1024 * 1024);
    const mail = await parsed(raw);
    expect(mail.text.trim()).toBe('hello');
    expect(mail.parts.map(({ path }) => path)).toEqual(['0', '1', '2']);
    expect(mail.attachments).toMatchObject([
      { size: file.length, sha256: createHash('sha256').update(file).digest('hex') },
    ]);
  });

  it('200 000 headers', () =>
    expectLinear(200_000, async (count) => {
      const mail = await parsed(`${HEAD}${'X-A: b\r\n'.repeat(count)}\r\nbody`);
      expect(mail.problems.join()).toMatch(/header/);
    }));

  it.each([
    [
      'a link padded with spaces',
      (count: number) => `Content-Type: text/html\r\n\r\n<a href="x${' '.repeat(count)}y">`,
    ],
    [
      'a charset of quotes',
      (count: number) => `Content-Type: text/plain; charset="x${"'".repeat(count)}x"\r\n\r\nx`,
    ],
    ['an address of at signs', (count: number) => `To: <"${'a@'.repeat(count)} ">\r\n\r\nx`],
    ['an address of brackets', (count: number) => `To: a@x${'>'.repeat(count)}y\r\n\r\nx`],
    ['an address of dots', (count: number) => `DKIM-Signature: d=a${'.'.repeat(count * 0.75)}a\r\n\r\nx`],
  ])('%s', (_, rest) => expectLinear(40_000, (count) => parsed(`${HEAD}${rest(count)}`)));

  it.each([
    [-1, true],
    [0, true],
    [1, false],
  ])(
    '[limit 256 KiB] header fields 256 KiB and %d bytes after a line that is none: %s',
    async (more, isRead) => {
      const gap = 'x'.repeat(256 * 1024 - '!\n\nTo:'.length + more);
      const mail = await parsed(`From: a@x.example\n!\n${gap}\nTo: b@x.example\n`);
      expect(mail.to.length > 0).toBe(isRead);
    },
  );

  it('a header of 20 MB', () =>
    expectLinear(20_000_000, async (length) => {
      const mail = await parsed(`${HEAD}X-A: ${'b'.repeat(length)}\r\n\r\nbody`);
      expect(mail.text).toBe('body');
      expect(mail.problems.join()).toMatch(/header block/);
    }));
});

it.each([
  ['Content-Transfer-Encoding: 7bit\r\nContent-Transfer-Encoding: base64', 'transfer encoding'],
  ['Content-Type: multipart/mixed; boundary=a; boundary=b', 'boundary'],
  ['Content-Type: multipart/mixed; boundary="a"; BOUNDARY="a"', 'boundary'],
])('lists a problem where a part names twice how it is read: %s', async (fields, named) => {
  const result = await parseMessage(Buffer.from(`${fields}\r\n\r\n--a\r\n\r\nHello\r\n--a--\r\n`));
  expect(result.ok && result.mail.problems).toContain(`a part names its ${named} twice; the first counts`);
});
