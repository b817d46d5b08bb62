import { describe, expect, it } from 'vitest';
import { decodeBytes as decode, headerDecoder } from './charsets.ts';
import { decodeWords } from './encoded-words.ts';
import { firstHeader, parseHeaders } from './headers.ts';
import { parseParameters } from './parameters.ts';

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
    ['=?utf-8?Q?half =?utf-8?Q?caf=C3=A9?=', '=?utf-8?Q?half café'],
    ['=?UTF-8?Q?What are you working on? [ask]?=', 'What are you working on? [ask]'],
    ['=?utf-8?Q?F=C3=A4llig=3F_Ja??= x', 'Fällig? Ja? x'],
    ['=?utf-8?Q?Wer?=C3=9Fe?=', 'Wer?ße'],
    ['=?utf-8?Q?a??= =?utf-8?Q?b?=', 'a?b'],
    ['=?utf-8?Q?Why?= not =?utf-8?Q?b?=', 'Why not b'],
    [
      '=?utf-8?B?UmVjaG51bmcgw7xiZX?= =?utf-8?B?Jmw6RsbGlnIOKAkyBiaXR0ZSB6YWhsZW4=?=',
      'Rechnung überfällig – bitte zahlen',
    ],
    ['=?utf-8?B?w6TDt?= =?utf-8?B?sO8?=', 'äöü'],
    ['=?utf-8?B?w?= =?utf-8?B?6T?= =?utf-8?B?D?= =?utf-8?B?tg==?=', 'äö'],
    ['=?utf-8?B?w6TDtsO8?= =?utf-8?B?IHggw6Q=?=', 'äöü x ä'],
    ['=?utf-8?B?YQ?= =?utf-8?B?Yg?=', 'ab'],
    ['=?utf-8?B?4o?= =?utf-8?B?Ks?=', '€'],
    ['=?gb2312?B?uL?= =?gb2312?B?a/7s2o1qo=?=', '付款通知'],
    ['=?utf-8?B?ww==?= =?UTF8?Q?=A4?=', 'ä'],
    ['=?iso-2022-jp?B?GyRCN28=?= =?iso-2022-jp?B?TD4bKEI=?=', '件名'],
    [
      '=?UTF-8?B??==?UTF-32LE?B?=47364988AbCd?==?UTF-8?Q?=54?==?UTF-32LE?B?=5Q0I9DD3J2?==?UTF-8?Q?=72?==?UTF-8?Q?=79?=',
      'Try',
    ],
    ['=?cp1026?B?1oSFlIU=?=', 'Odeme'],
    ['=?cp850?Q?=81berf=84llig?=', 'überfällig'],
    ['=?hz-gb-2312?Q?~{86?nM(V*~}?=', '付款通知'],
  ])('%s', (text, expected) => {
    expect(decodeWords(text, decode)).toBe(expected);
  });

  it.each([
    ['iso-8859-2', 'Dzień dobry', 'c584'],
    ['windows-1250', 'Účet', 'c39a'],
    ['koi8-r', 'Да', 'd094d0b0'],
    ['gb2312', '付款通知书', 'e4bb98e6acbee9809ae79fa5e4b9a6'],
    ['gb2312', '付款通知', 'e4bb98e6acbee9809ae79fa5'],
    ['big5', 'Müller', '4dc3bc6c6c6572'],
    ['shift_jis', 'テスト', 'e38386e382b9e38388'],
    ['us-ascii', 'é', 'c3a9'],
    ['cp037', 'plain', '706c61696e'],
    ['utf-32', 'plain', '706c61696e'],
  ])('a word of %s that is UTF-8 is read as such, which is told: %s', (charset, text) => {
    const guesses: string[] = [];
    const word = `=?${charset}?B?${Buffer.from(text).toString('base64')}?=`;
    expect(
      decodeWords(
        word,
        headerDecoder((guess) => guesses.push(guess)),
      ),
    ).toBe(text);
    expect(guesses).toEqual([`a header is UTF-8, not ${charset} as the mail says`]);
  });

  // Each is valid UTF-8 by chance.
  it.each([
    ['iso-8859-2', 'WSPÓŁPRACA', '575350d3a350524143 41'],
    ['windows-1250', 'CIĘŻKI', '4349caaf4b49'],
    ['gbk', '谢谢', 'd0bbd0bb'],
    ['windows-1256', 'تک', 'ca98'],
    ['windows-874', 'แกน', 'e1a1b9'],
    ['utf-16be', '中', '4e2d'],
  ])('a word of %s is not taken for UTF-8: %s', (charset, text, hex) => {
    const guesses: string[] = [];
    const word = `=?${charset}?B?${Buffer.from(hex.replaceAll(' ', ''), 'hex').toString('base64')}?=`;
    expect(
      decodeWords(
        word,
        headerDecoder((guess) => guesses.push(guess)),
      ),
    ).toBe(text);
    expect(guesses).toEqual([]);
  });

  it.each([
    ['=?klingon?Q?=E9?=', 'unknown charset "klingon"; read as windows-1252'],
    ['=?klingon?Q?=C3=A9?=', 'unknown charset "klingon"; read as UTF-8'],
    ['=?utf-8?Q?=E9?=', 'some characters of a header are not valid utf-8'],
    ['=?utf-8?B?=Zm9v?=', 'a word in a header is not base64 and is left out'],
    ['=?utf-8?B?Zm9?= =?utf-8?B?v?=', 'the base64 of a header was cut between two words and put together'],
  ])('what is guessed is told: %s', (word, expected) => {
    const guesses: string[] = [];
    decodeWords(
      word,
      headerDecoder((guess) => guesses.push(guess)),
    );
    expect(guesses).toEqual([expected]);
  });

  it('a megabyte of beginnings of words takes linear time', () => {
    for (const text of ['=?a?q?', '=?a?q??', '=?a?b?x?', '=?a?q?=?=41', '?=41'])
      decodeWords(`=?a?q?${text.repeat(200_000)}`, decode);
  });
});

// Bytes by Python's codecs and GNU iconv.
it.each([
  ['cp037', 'Pay: [5]', 'd781a87a40baf5bb'],
  ['IBM500', 'Zahlen! [x]', 'e981889385954f404aa75a'],
  ['cp1026', 'Ödeme ğ', '7b8485948540d0'],
  ['CCSID01140', '5 €', 'f5409f'],
  ['ebcdic-cp-gr', 'Πληρωμή', '579e9aaecb9fb3'],
  ['IBM1047', 'a\nb', '811582'],
  ['cp437', 'Zürich ½', '5a817269636820ab'],
  ['IBM850', 'überfällig', '81626572 6684 6c6c6967'],
  ['dos-852', 'Dzień', '447a6965e4'],
  ['x-mac-ce', 'Dzień', '447a6965c4'],
  ['viscii', 'Tiếng Việt', '5469aa6e672056 69ae74'],
  ['johab', '결제 안내 漢', '8969b94120b465908120f7d3'],
  ['cp1361', '가ㄱㅏ', '88618841 8461'],
  ['hz', '付款通知~', '7e7b38363f6e4d28562a7e7d7e7e'],
  ['HZ-GB-2312', 'a剥b', '617e7b307e7e7d62'],
  [
    'utf-32',
    'Pay 5 € 😀',
    'fffe0000500000006100000079000000200000003500000020000000ac2000002000000000f60100',
  ],
  ['UTF-32LE', '5 €', '3500000020000000ac200000'],
  ['ucs-4', '5 €', '0000003500000020000020ac'],
  ['utf-32', '5\ufffd\ufffd', '0000003500d80000 00'],
])('%s: %s', (charset, text, hex) => {
  expect(decode(Buffer.from(hex.replaceAll(' ', ''), 'hex'), charset)).toBe(text);
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
    expect(parsed.guesses).toEqual([]);
  });

  it.each([
    ['text/calendar\tname=request.ics', 'text/calendar', { name: 'request.ics' }],
    ['attachment filename="invoice.html"', 'attachment', { filename: 'invoice.html' }],
    ['attachment, filename=a.pdf, size=3', 'attachment', { filename: 'a.pdf', size: '3' }],
    ['attachment; filename="a b.pdf" size=3', 'attachment', { filename: 'a b.pdf', size: '3' }],
    ['text/html charset=utf-8 name="a.html"', 'text/html', { charset: 'utf-8', name: 'a.html' }],
    ["attachment filename*=utf-8''caf%C3%A9.txt", 'attachment', { filename: 'café.txt' }],
    [
      'multipart/mixed (x) boundary="a;b" type=text/html',
      'multipart/mixed',
      { boundary: 'a;b', type: 'text/html' },
    ],
    [
      'application/pdf; name=a b=c.pdf charset=utf-8',
      'application/pdf',
      { name: 'a b=c.pdf', charset: 'utf-8' },
    ],
  ])('without a semicolon: %s', (text, value, parameters) => {
    const parsed = parseParameters(text, decode);
    expect([parsed.value, Object.fromEntries(parsed.parameters)]).toEqual([value, parameters]);
    expect(parsed.guesses).toEqual(['a semicolon is missing before a parameter']);
  });

  it.each([
    ['Invoice (final) March.pdf.exe', 'Invoice (final) March.pdf.exe'],
    ['Invoice (v1; v2) (3).pdf', 'Invoice (v1; v2) (3).pdf'],
    ['a (b (c)) d.pdf (a comment)', 'a (b (c)) d.pdf'],
    ['Invoice (1) .exe', 'Invoice (1) .exe'],
  ])('brackets within the name %s', (name, read) => {
    const parsed = parseParameters(`attachment; filename=${name}; size=13`, decode);
    expect(Object.fromEntries(parsed.parameters)).toEqual({ filename: read, size: '13' });
    expect(parsed.guesses).toEqual(['brackets in a value without quotes are read as part of it']);
  });

  it('stays quick on a run of open brackets', () => {
    for (const run of ['(', ';x= (', ' (', ';x=a (b) ', ' name=', '"', ' '])
      expect(parseParameters(run.repeat(200_000), decode).parameters.size).toBeLessThan(2);
  });
});
