import { describe, expect, it } from 'vitest';
import { expectLinear } from '#tests/support/growth.ts';
import { addressesInText, parseAddresses } from './addresses.ts';
import { readMailDate } from './dates.ts';
import { aligned, organisationalDomain, spelledAlike, unicodeDomain } from './domains.ts';

const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

describe('address lists', () => {
  it.each([
    [510, 'x.example'],
    [511, 'x.example'],
    [512, ''],
  ])(
    '[limit 511 characters] read a quoted string of %d characters in an address: the domain is %j',
    (count, domain) => {
      expect(parseAddresses(`<"${'>'.repeat(count)}"@x.example>`, decode)[0]?.domain).toBe(domain);
    },
  );

  it.each(['(a', '\\"', '(a\\)'])('read an address of many unclosed %j in linear time', (piece) =>
    expectLinear(30_000, (count) => parseAddresses(`<"${piece.repeat(count)})`, decode)),
  );

  it.each([
    ['a@x.example', [['', 'a@x.example']]],
    ['Ann Lee <a@x.example>', [['Ann Lee', 'a@x.example']]],
    [
      '"Lee, Ann" <a@x.example>, b@y.example',
      [
        ['Lee, Ann', 'a@x.example'],
        ['', 'b@y.example'],
      ],
    ],
    ['a@x.example (Ann Lee)', [['Ann Lee', 'a@x.example']]],
    ['=?utf-8?Q?Lee=2C_Ann?= <a@x.example>', [['Lee, Ann', 'a@x.example']]],
    ['"=?utf-8?Q?Ann?=" <a@x.example>', [['Ann', 'a@x.example']]],
    ['<>', []],
    ['', []],
    ['undisclosed-recipients:;', []],
    ['Ann <a@x.example', [['Ann', 'a@x.example']]],
    ['Ann a@x.example', [['Ann', 'a@x.example']]],
    [
      'a@x.example; b@y.example',
      [
        ['', 'a@x.example'],
        ['', 'b@y.example'],
      ],
    ],
    ['"a b"@x.example', [['', '"a b"@x.example']]],
    ['<@relay.example:a@x.example>', [['', 'a@x.example']]],
    ['"boss@bank.example" <thief@x.example>', [['boss@bank.example', 'thief@x.example']]],
    ['MAILER-DAEMON', [['', 'MAILER-DAEMON']]],
    ['a@X.Example.', [['', 'a@X.Example.']]],
    // Python's email package reads these the same.
    ['=?utf-8?Q?Doe, John?= <j@x.test>', [['Doe, John', 'j@x.test']]],
    ['<pete(his account)@silly.test(his host)>', [['', 'pete@silly.test']]],
    [
      'Pete(A nice \\) chap) <pete(his account)@silly.test(his host)>',
      [['Pete (A nice ) chap)', 'pete@silly.test']],
    ],
    ['pete(his account)@silly(his).test(his host)', [['his account his his host', 'pete@silly.test']]],
    ['<"a>b"@x.test>', [['', '"a>b"@x.test']]],
    ['"a\\"b"@x.test', [['', '"a\\"b"@x.test']]],
    ['"a\\"b"@x.test (Ann)', [['Ann', '"a\\"b"@x.test']]],
    ['john .doe@x.test', [['', 'john.doe@x.test']]],
    ['a@x .test', [['', 'a@x.test']]],
    ['a@x . test', [['', 'a@x.test']]],
    ['a@b.test>', [['', 'a@b.test']]],
    [
      'A <a@x.test> <b@y.test>',
      [
        ['A', 'a@x.test'],
        ['', 'b@y.test'],
      ],
    ],
    // An unquoted comma: a part without an address belongs to the name of the address in brackets.
    ['Account team ,_<a@x.test>', [['Account team, _', 'a@x.test']]],
    [
      'Lee, Ann <a@x.test>, Roe, Bo, Jr. <b@y.test>',
      [
        ['Lee, Ann', 'a@x.test'],
        ['Roe, Bo, Jr.', 'b@y.test'],
      ],
    ],
    ['Shop, <a@x.test>', [['Shop', 'a@x.test']]],
    ['=?utf-8?B?TGVl?=, Ann <a@x.test>', [['Lee, Ann', 'a@x.test']]],
    ['=?utf-8?B?YkBiYW5rLnRlc3Q=?=,25 <a@x.test>', [['b@bank.test, 25', 'a@x.test']]],
    [
      '"Roe, Bo", "Ann" <a@x.test>',
      [
        ['', 'Roe, Bo'],
        ['Ann', 'a@x.test'],
      ],
    ],
    [
      'b@bank.test, Ann <a@x.test>',
      [
        ['', 'b@bank.test'],
        ['Ann', 'a@x.test'],
      ],
    ],
    [
      'root, b@bank.test',
      [
        ['', 'root'],
        ['', 'b@bank.test'],
      ],
    ],
    ['Ann <"a@x.test">', [['Ann', 'a@x.test']]],
    ['Ann <"a"@x.test>', [['Ann', '"a"@x.test']]],
    // Text after a comment in the middle of a domain does not belong to it.
    ['x@evil(.)test', [['test', 'x@evil']]],
    [',,a@x.example,,', [['', 'a@x.example']]],
  ])('%s', (text, expected) => {
    expect(parseAddresses(text, decode).map(({ name, address }) => [name, address])).toEqual(expected);
  });

  it.each([
    ['"cloud@bank.test", <a@x.test>', [['cloud@bank.test', 'a@x.test']]],
    [
      '"Well done! b@bank.test*", "Well done!" <a@x.test>',
      [['Well done! b@bank.test*, Well done!', 'a@x.test']],
    ],
    ['b@bank.test ,Thank you! <a@x.test>', [['b@bank.test, Thank you!', 'a@x.test']]],
    ['"b@bank.test"', [['', 'b@bank.test']]],
    [
      'b@bank.test, a@x.test',
      [
        ['', 'b@bank.test'],
        ['', 'a@x.test'],
      ],
    ],
  ])('of an author: %s', (text, expected) => {
    const list = parseAddresses(text, decode, { isAuthor: true });
    expect(list.map(({ name, address }) => [name, address])).toEqual(expected);
  });

  it('returns the group and the parts of an address', () => {
    expect(parseAddresses('Team: a@x.example, B <b@XN--MNCHEN-3YA.example>; c@z.example', decode)).toEqual([
      {
        name: '',
        address: 'a@x.example',
        local: 'a',
        domain: 'x.example',
        group: 'Team',
      },
      {
        name: 'B',
        address: 'b@XN--MNCHEN-3YA.example',
        local: 'b',
        domain: 'xn--mnchen-3ya.example',
        group: 'Team',
      },
      { name: '', address: 'c@z.example', local: 'c', domain: 'z.example' },
    ]);
  });

  it.each([['<'], ['('], ['"'], [','], ['a@'], ['<a@x.example>,'], [':;']])(
    'stays quick on a run of %s',
    (piece) =>
      expectLinear(80_000, (count) => {
        expect(parseAddresses(`${piece.repeat(count)}>`, decode).length).toBeLessThanOrEqual(20_000);
      }),
  );

  it('finds addresses in a display name', () => {
    expect(addressesInText('Pay boss@bank.example now')).toEqual(['boss@bank.example']);
    expect(addressesInText('no address @ all')).toEqual([]);
  });
});

describe('domains', () => {
  it.each([
    ['mail.shop.example.co.uk', 'example.co.uk'],
    ['A.Example.COM.', 'example.com'],
    ['server.local', 'server.local'],
    ['192.0.2.1', '192.0.2.1'],
    ['xn--mnchen-3ya.de', 'münchen.de'],
    ['', null],
  ])('%s belongs to %s', (domain, expected) => {
    expect(organisationalDomain(domain)).toBe(expected);
  });
  it('spells the domain of a long address in linear time', () =>
    expectLinear(80_000, (count) => {
      expect(spelledAlike(`${'a'.repeat(count)}@X.Example.`)).toBe(`${'a'.repeat(count)}@x.example`);
    }));
  it('aligns by relaxed alignment', () => {
    expect([
      aligned('news.example.com', 'example.com'),
      aligned('example.com', 'example.net'),
      aligned('', ''),
    ]).toEqual([true, false, false]);
  });
  it.each([
    ['xn--bcher-kva.example', 'bücher.example'],
    ['xn--80ak6aa92e.com', 'аррӏе.com'],
    ['xn--!!!.example', 'xn--!!!.example'],
    // No browser takes it for “paypal.example”.
    ['xn--paypal-.example', 'xn--paypal-.example'],
    ['xn--bcher-kva@xn--bcher-kva.example', 'xn--bcher-kva@bücher.example'],
    [`xn--${'9'.repeat(60)}.example`, `xn--${'9'.repeat(60)}.example`],
    ['plain.example', 'plain.example'],
  ])('%s shows as %s', (domain, expected) => {
    expect(unicodeDomain(domain)).toBe(expected);
  });
});

describe('comments in addresses', () => {
  const names = (text: string, isAuthor = false) =>
    parseAddresses(text, (bytes) => new TextDecoder().decode(bytes), { isAuthor }).map(
      ({ name, address }) => [name, address],
    );
  it.each([
    ['Jillian Easy(DHL Delivery) <a@x.example>', 'Jillian Easy (DHL Delivery)'],
    ['Jillian <a@x.example> (DHL)', 'Jillian (DHL)'],
    ['(DHL) Jillian <a@x.example>', '(DHL) Jillian'],
    ['(DHL) <a@x.example>', 'DHL'],
    ['a@x.example (DHL)', 'DHL'],
    ['"Jillian" () <a@x.example>', 'Jillian'],
    ['=?utf-8?Q?J=C3=A4n?= (=?utf-8?Q?DHL_D=C3=A9?=) <a@x.example>', 'Jän (DHL Dé)'],
    ['Jillian (support@dhl.example) <a@x.example>', 'Jillian (support@dhl.example)'],
  ])('%s is shown as %s', (text, name) => {
    expect(names(text, true)).toEqual([[name, 'a@x.example']]);
  });
  it.each([
    ['unlisted-recipients:; (no To-header on input)'],
    ['(no To-header on input)'],
    ['undisclosed-recipients: ;'],
    ['Undisclosed recipients'],
    ['"Undisclosed Recipients" <>'],
    ['undisclosed-recipients:;, (nobody)'],
  ])('%s names no recipient', (text) => {
    expect(names(text)).toEqual([]);
  });
});

describe('dates', () => {
  it.each([
    ['Tue, 1 Jul 2003 10:52:37 +0200', '2003-07-01T08:52:37.000Z'],
    ['1 Jul 03 10:52 -0500 (a comment)', '2003-07-01T15:52:00.000Z'],
    ['1 Jul 03 10:52 -0500 (a (nested) one)', '2003-07-01T15:52:00.000Z'],
    ['1 (of \\) July) Jul 03 10:52 -0500 (\\()', '2003-07-01T15:52:00.000Z'],
    ['Tue, 01 Jul 2003 10:52:37 EST', '2003-07-01T15:52:37.000Z'],
    ['Tue, 01 Jul 2003 10:52:37', '2003-07-01T10:52:37.000Z'],
    ['Fri, 02-Aug-02 07:11:02 GMT', '2002-08-02T07:11:02.000Z'],
    ['Tue Jul  1 10:52:37 2003', '2003-07-01T10:52:37.000Z'],
    ['Tue Jul  1 10:52:37 PDT 2003', '2003-07-01T17:52:37.000Z'],
    ['2003-07-01T10:52:37Z', '2003-07-01T10:52:37.000Z'],
    ['2003-07-01 10:52:37 +0200', '2003-07-01T08:52:37.000Z'],
    ['Tue, 31 Dec 2024 11:59:60 PM +0000', '2025-01-01T00:00:00.000Z'],
    ['Mon,22 Nov 2004 10:00:00 +0300', '2004-11-22T07:00:00.000Z'],
    ['Mon, 22 Nov 2004 10:00:5 +0300', '2004-11-22T07:00:05.000Z'],
    ['Mon, 22 Nov 2004 10:00:00+0300', '2004-11-22T07:00:00.000Z'],
    ['2004-11-22T10:00:00+0300', '2004-11-22T07:00:00.000Z'],
    ['2004-11-22T10:00+03', '2004-11-22T07:00:00.000Z'],
    ['2004-11-22 10:00:00.123456+03:00', '2004-11-22T07:00:00.000Z'],
    ['Mon, 22 Nov 2004 10:00:00 +0200-62495-238', '2004-11-22T08:00:00.000Z'],
    ['Mon, 22 Nov 2004 10:00:00 +0200.752_9209', '2004-11-22T08:00:00.000Z'],
    ['Mon, 22 Nov 2004 10:00:00 +0200 . 286071244', '2004-11-22T08:00:00.000Z'],
    ['\uFFFD\uFFFD, 22 Nov 2004 10:00:00', '2004-11-22T10:00:00.000Z'],
    ['пн, 22 Nov 2004 10:00:00 +0300', '2004-11-22T07:00:00.000Z'],
    ['Mon, 22 Nov 2004 10:00:00 -600', '2004-11-22T16:00:00.000Z'],
    ['Mon, 22 Nov 2004 10:00:00 GMT+0100', '2004-11-22T09:00:00.000Z'],
    ['Mon, 22 Nov 2004 10:00:00 UTC-05:30', '2004-11-22T15:30:00.000Z'],
    ['Mon, 22 Nov 2004 10:00:00 +0100 CET', '2004-11-22T09:00:00.000Z'],
    ['Mon Nov 22 2004 10:00:00 GMT+0100 (CET)', '2004-11-22T09:00:00.000Z'],
    ['Wed, 31 Dec 1969 23:59:59 +0000', '1969-12-31T23:59:59.000Z'],
    ['Sat, 29 Feb 2020 00:00:00 +0000', '2020-02-29T00:00:00.000Z'],
    ['Mon, 29 Feb 2021 00:00:00 +0000', null],
    ['Mon, 31 Feb 2022 00:00:00 +0000', null],
    ['2022-02-30T00:00:00Z', null],
    ['Mon, 22 Nov 2004 10:00:00 XYZT', null],
    ['Mon, 22 Nov 2004 10:00:00 +-0500', null],
    ['Mon, 22 Nov 2004 10:00:00 +12345', null],
    ['Mon, 22 Nov 2004 24:00:00 +0000', null],
    ['Mon, 22 Nov 2004 10:60:00 +0000', null],
    ['Wed, 99 Abc 2003 10:52:37 +0200', null],
    ['soon', null],
    ['', null],
  ])('reads %s', (text, expected) => {
    const time = readMailDate(text)?.time ?? null;
    expect(time === null ? null : new Date(time).toISOString()).toBe(expected);
  });

  it.each([
    ['jue ago 30 13:55:12 2007', '2007-08-30T13:55:12.000Z'],
    ['tors 30 augusti 2007 kl. 13:55:12 +0200', '2007-08-30T11:55:12.000Z'],
    ['Fr, 9 Mär 2007 13:55:12 +0100 (CET)', '2007-03-09T12:55:12.000Z'],
    ['Fr, 9 Mrz 2007 13:55:12 +0100', '2007-03-09T12:55:12.000Z'],
    ['Donnerstag, 20. Dezember 2007 13.55.12', '2007-12-20T13:55:12.000Z'],
    ['jeu. 30 août 2007 13:55:12 +0200', '2007-08-30T11:55:12.000Z'],
    ['ven 1 juin 2007 13:55', '2007-06-01T13:55:00.000Z'],
    ['30 de agosto de 2007 13:55:12', '2007-08-30T13:55:12.000Z'],
    ['qui, 30-Ago-07 13:55:12 -0300', '2007-08-30T16:55:12.000Z'],
    ['to elo 30 13:55:12 EEST 2007', '2007-08-30T10:55:12.000Z'],
    ['ke marras 7 13:55:12 2007', '2007-11-07T13:55:12.000Z'],
    ['czw, 30 sie 2007 13:55:12', '2007-08-30T13:55:12.000Z'],
    ['pt lis 30 12:00:00 2007', '2007-11-30T12:00:00.000Z'],
    ['uto lis 30 12:00:00 2007', '2007-10-30T12:00:00.000Z'],
    ['čt srp 30 13:55:12 2007', '2007-08-30T13:55:12.000Z'],
    ['Чт, 30 авг 2007 13:55:12 +0400', '2007-08-30T09:55:12.000Z'],
    ['30 мая 2007 г. 13:55 MSK', '2007-05-30T10:55:00.000Z'],
    ['Πέμ, 30 Αυγ 2007 13:55:12 +0300', '2007-08-30T10:55:12.000Z'],
    ['30 Ağustos 2007 Perşembe 13:55:12', '2007-08-30T13:55:12.000Z'],
    ['2007. augusztus 30., csütörtök 13:55:12', '2007-08-30T13:55:12.000Z'],
    ['الخميس, 30 أغسطس ٢٠٠٧ 13:55:12', '2007-08-30T13:55:12.000Z'],
    ['木 8月 30 13:55:12 2007', '2007-08-30T13:55:12.000Z'],
    ['2007年8月30日 下午1:55:12', '2007-08-30T13:55:12.000Z'],
    ['목, 30 8월 2007 13:55:12 +0900', '2007-08-30T04:55:12.000Z'],
    ['Thứ Năm, 30 tháng 8, 2007 13:55', '2007-08-30T13:55:00.000Z'],
    ['30.08.2007 13:55:12', '2007-08-30T13:55:12.000Z'],
    ['Mon, 22 Novenber 2004 10:00:00 +0000', '2004-11-22T10:00:00.000Z'],
    // October in Croatian, November in Polish.
    ['30 listopada 2007 12:00', null],
    ['jue feb 30 13:55:12 2007', null],
    ['jue ago 30 25:55:12 2007', null],
  ])('reads %s, and says that it is a guess', (text, expected) => {
    const date = readMailDate(text);
    expect(date && new Date(date.time).toISOString()).toBe(expected);
    expect(date?.isGuessed ?? true).toBe(true);
  });

  it('guesses nothing in the forms of mail', () => {
    for (const text of ['Tue, 1 Jul 2003 10:52:37 +0200', 'Tue Jul  1 10:52:37 2003', '2003-07-01T10:52:37Z'])
      expect(readMailDate(text)?.isGuessed).toBe(false);
  });
});
