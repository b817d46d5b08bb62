import { describe, expect, it } from 'vitest';
import { decoderOf } from './charsets.ts';
import { decodeWords } from './encoded-words.ts';
import { firstHeader, parseHeaders } from './headers.ts';
import { parseParameters } from './parameters.ts';

const decode = decoderOf(TextDecoder);

describe('encoded words', () => {
  it.each([
    ['plain text', 'plain text'],
    ['=?utf-8?Q?caf=C3=A9?=', 'café'],
    ['=?UTF-8?B?Y2Fmw6k=?= bar', 'café bar'],
    ['=?iso-8859-1?q?a_b?= =?iso-8859-1?q?c?=', 'a bc'],
    ['=?utf-8?Q?=C3?= =?utf-8?Q?=A9?=', 'é'],
    ['=?utf-8?Q?a?= x =?utf-8?Q?b?=', 'a x b'],
    ['=?utf-8*en?Q?lang?=', 'lang'],
    ['=?no-such-charset?Q?=E9?=', 'é'],
    ['=?utf-8?Q?with space?=', 'with space'],
    ['=?utf-8?X?never?=', '=?utf-8?X?never?='],
    ['=?iso-2022-jp?B?GyRCJDckOBsoQg==?=', 'しじ'],
    ['=?iso-2022-jp?B?GyRCN29MPiROGyhC?= =?iso-2022-jp?B?GyRCJUYlOSVIGyhC?=', '件名のテスト'],
    ['=?utf-8?Q?half=?', '=?utf-8?Q?half=?'],
    ['=?utf-8?Q?=?=', '='],
    ['=?shift_jis?Q?=83e?=', 'テ'],
  ])('%s', (given, wanted) => {
    expect(decodeWords(given, decode)).toBe(wanted);
  });
});

describe('header block', () => {
  it('keeps order, duplicates and odd values', () => {
    const { headers, stray } = parseHeaders(
      'From a@b Mon Jan  1 00:00:00 2024\r\nSubject: one\r\n\ttwo\r\nX-A : v\r\nsubject: again\r\nnonsense\r\nEmpty:\r\n\r\nBody: no',
      decode,
    );
    expect(headers.map(({ name, value }) => [name, value])).toEqual([
      ['Subject', 'one\ttwo'],
      ['X-A', 'v'],
      ['subject', 'again'],
      ['Empty', ''],
    ]);
    expect(stray).toEqual(['nonsense']);
    expect(firstHeader(headers, 'SUBJECT')?.value).toBe('one\ttwo');
  });

  it('a continuation of a stray line does not belong to the field above it', () => {
    const { headers, stray } = parseHeaders('To: a@x.test\nnonsense\n , evil@y.test\nCc: b@x.test\n', decode);
    expect(headers.map(({ name, value }) => [name, value])).toEqual([
      ['To', 'a@x.test'],
      ['Cc', 'b@x.test'],
    ]);
    expect(stray).toEqual(['nonsense', ' , evil@y.test']);
  });

  it.each([
    ['LF', 'A: 1\nB: 2\n\nC: 3', ['A', 'B']],
    ['bare CR only', 'A: 1\rB: 2\r\rC: 3', ['A', 'B']],
    ['byte order mark', '\ufeffA: 1\n', ['A']],
    ['no end', 'A: 1', ['A']],
    ['nothing', '', []],
    ['only garbage', '\u0000\u0001 garbage\n more', []],
    ['a name with a space is none', 'Not A Name: 1\nA: 2', ['A']],
  ])('%s', (_, text, names) => {
    expect(parseHeaders(text, decode).headers.map(({ name }) => name)).toEqual(names);
  });

  it('a bare CR cannot start a field of its own', () => {
    const { headers } = parseHeaders('Subject: a\rBcc: evil@x.example\nTo: b@x.example\n', decode);
    expect(headers.map(({ name, value }) => `${name}=${value}`)).toEqual([
      'Subject=a Bcc: evil@x.example',
      'To=b@x.example',
    ]);
  });

  it('counts fields beyond the limit, and a million fields take linear time', () => {
    const block = 'X: y\n'.repeat(1_000_000);
    const { headers, dropped } = parseHeaders(block, decode, { maxHeaders: 10 });
    expect([headers.length, dropped]).toEqual([10, 999_990]);
    const folded = `X: ${'\n y'.repeat(500_000)}`;
    expect(parseHeaders(folded, decode).headers[0]?.value.length).toBe(999_999);
  });
});

describe('parameters', () => {
  it.each([
    ['text/plain; charset=utf-8', 'text/plain', { charset: 'utf-8' }],
    ['Text/HTML; Charset="UTF-8"; x', 'text/html', { charset: 'UTF-8' }],
    ['attachment; filename="a;b\\"c.txt"', 'attachment', { filename: 'a;b"c.txt' }],
    ["attachment; filename*=utf-8''caf%C3%A9.txt", 'attachment', { filename: 'café.txt' }],
    [
      "attachment; filename*0*=utf-8''caf%C3; filename*1*=%A9; filename*2=.txt",
      'attachment',
      { filename: 'café.txt' },
    ],
    ['attachment; filename="=?utf-8?Q?caf=C3=A9?="', 'attachment', { filename: 'café' }],
    ["attachment; filename=plain.txt; filename*=utf-8''better.txt", 'attachment', { filename: 'better.txt' }],
    ['multipart/mixed; boundary="a"; boundary="b"', 'multipart/mixed', { boundary: 'a' }],
    ['text/plain (a comment; x=y); charset=us-ascii (more)', 'text/plain', { charset: 'us-ascii' }],
    ['attachment; filename=Invoice(1).pdf', 'attachment', { filename: 'Invoice(1).pdf' }],
    ['', '', {}],
  ])('%s', (text, value, parameters) => {
    const parsed = parseParameters(text, decode);
    expect([parsed.value, Object.fromEntries(parsed.parameters)]).toEqual([value, parameters]);
  });

  it('stays quick on a run of open brackets', () => {
    expect(parseParameters('('.repeat(2_000_000), decode).parameters.size).toBe(0);
  });
});
