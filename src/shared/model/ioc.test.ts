import { describe, expect, it, test } from 'vitest';
import { expectLinear } from '#tests/support/growth.ts';
import { classifyIoc, extractIocs, iocList } from './ioc.ts';
import { isIpv4, isIpv6 } from './ip.ts';

const MD5 = 'd41d8cd98f00b204e9800998ecf8427e';
const SHA1 = 'da39a3ee5e6b4b0d3255bfef95601890afd80709';
const SHA256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

function values(text: string | string[]): string[] {
  return extractIocs(text).map(({ type, value }) => `${type} ${value}`);
}

describe('IOC clipboard: addresses, domains, IPs, URLs, hashes; deduplicated, typed, defanged or raw', () => {
  test.each<[string, string[]]>([
    ['Pay at https://Pay.A.example/x?i=1.', ['domain pay.a.example', 'url https://pay.a.example/x?i=1']],
    ['(see http://a.example/a_(b))', ['domain a.example', 'url http://a.example/a_(b)']],
    ['<http://192.0.2.1:8080/x>', ['ip 192.0.2.1', 'url http://192.0.2.1:8080/x']],
    ['http://[2001:db8::1]/', ['ip 2001:db8::1', 'url http://[2001:db8::1]/']],
    ['hxxps://a[.]example/x', ['domain a.example', 'url https://a.example/x']],
    [
      'From: "M" <M.Okafor@A.example>, m.okafor@a.EXAMPLE',
      ['address M.Okafor@a.example', 'domain a.example'],
    ],
    ['mailto:m@a.example?subject=x', ['address m@a.example', 'domain a.example']],
    [
      'a@x.example,b@y.example;c@z.example',
      [
        'address a@x.example',
        'address b@y.example',
        'address c@z.example',
        'domain x.example',
        'domain y.example',
        'domain z.example',
      ],
    ],
    ['block @a.example and mail.b.example.', ['domain a.example', 'domain mail.b.example']],
    [
      'IPs 192.0.2.1, [198.51.100.7] and 2001:DB8::25/64',
      ['ip 192.0.2.1', 'ip 198.51.100.7', 'ip 2001:db8::25'],
    ],
    [`${MD5.toUpperCase()} ${SHA1} sha256:${SHA256}`, [`md5 ${MD5}`, `sha1 ${SHA1}`, `sha256 ${SHA256}`]],
    ['søren@bücher.example', ['address søren@bücher.example', 'domain bücher.example']],
    ['see report.pdf, invoice.zip, index.html, e.g. 08:41:07, 1.2.3, v4.5.6.7.8, 999.1.1.1', []],
    ['http://evil.zip/x and m@evil.zip', ['address m@evil.zip', 'domain evil.zip', 'url http://evil.zip/x']],
    ['a..b@x.example', ['domain x.example']],
    ['', []],
  ])('%j', (text, iocs) => expect(values(text)).toEqual(iocs));

  it('lists each once over several values, hosts only when asked', () => {
    expect(values(['a.example', 'https://a.example', 'A.EXAMPLE'])).toEqual([
      'domain a.example',
      'url https://a.example',
    ]);
    expect(extractIocs('https://a.example m@b.example', { hosts: false }).map(({ type }) => type)).toEqual([
      'address',
      'url',
    ]);
    expect(extractIocs('a.example b.example c.example', { max: 2 })).toHaveLength(2);
  });
  it('gives text for the clipboard, defanged or raw, and a summary', () => {
    const iocs = extractIocs(`m@a.example https://b.example/x ${MD5} ${SHA256} 192.0.2.1`);
    expect(iocList(iocs, true).split('\n')).toEqual([
      'm[@]a[.]example',
      'a[.]example',
      'b[.]example',
      '192[.]0[.]2[.]1',
      'hxxps://b[.]example/x',
      MD5,
      SHA256,
    ]);
    expect(extractIocs(iocList(iocs, true))).toEqual(iocs);
    expect(extractIocs(iocList(iocs, false))).toEqual(iocs);
  });
  test.each([
    [' m@a.example ', 'address', 'm@a.example'],
    ['hxxp://A[.]example/X', 'url', 'http://a.example/X'],
    ['A.example', 'domain', 'a.example'],
    ['192[.]0[.]2[.]1', 'ip', '192.0.2.1'],
    [SHA1.toUpperCase(), 'sha1', SHA1],
  ])('a whole value %j is %s', (value, type, live) =>
    expect(classifyIoc(value)).toEqual({ type, value: live }),
  );
  test.each(['', 'text', 'two words.example x', 'x'.repeat(1e5), 'http://', '@', 'http:///x'])(
    '%j is none',
    (value) => {
      expect(classifyIoc(value)).toBeNull();
    },
  );

  it.each([
    'a',
    '.',
    '-',
    'a.',
    '@',
    'a@',
    'http://',
    'http://a',
    ')',
    ':',
    '::',
    '1.',
    '0',
    'é',
    '[.]',
    'a@b.',
  ])('takes %j, repeated, in linear time', async (piece) => {
    for (const before of ['', 'http://'])
      await expectLinear(100_000, (count) =>
        expect(Array.isArray(extractIocs(before + piece.repeat(count)))).toBe(true),
      );
  });
});

describe('IP addresses', () => {
  test.each([
    ['0.0.0.0', true],
    ['255.255.255.255', true],
    ['256.0.0.1', false],
    ['01.2.3.4', false],
    ['1.2.3', false],
    ['1.2.3.4.5', false],
    ['', false],
  ])('IPv4 %j: %j', (text, is) => expect(isIpv4(text)).toBe(is));
  test.each([
    ['::', true],
    ['::1', true],
    ['2001:db8::', true],
    ['1:2:3:4:5:6:7:8', true],
    ['::ffff:192.0.2.1', true],
    ['1:2:3:4:5:6:7', false],
    ['1::2::3', false],
    ['1:2:3:4:5:6::8', true],
    ['1:2:3:4:5:6:7::8', false],
    [':::', false],
    ['12345::', false],
    ['08:41:07', false],
    ['g::1', false],
  ])('IPv6 %j: %j', (text, is) => expect(isIpv6(text)).toBe(is));
});
