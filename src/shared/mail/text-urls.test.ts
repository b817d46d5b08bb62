import { describe, expect, it } from 'vitest';
import { expectLinear } from '#tests/support/growth.ts';
import { urlsInText } from './text-urls.ts';

const found = (text: string) => [...urlsInText(text)].map(({ url }) => url);
const hostOf = (url: string) => URL.parse(url)?.hostname;

describe('web addresses in text', () => {
  it('end where another one begins in their host, as in a list without spaces', () =>
    expect(found('http://a.example,https://b.example/x,y;z http://c.example;ftp://d.example')).toEqual([
      'http://a.example',
      'https://b.example/x,y;z',
      'http://c.example',
      'ftp://d.example',
    ]));

  it.each([
    ['请访问http://a.example/x。谢谢', 'http://a.example/x'],
    ['请访问http://a.example。谢谢', 'http://a.example'],
    ['点击（http://a.example/x）登录', 'http://a.example/x'],
    ['「http://a.example/x」', 'http://a.example/x'],
    ['『http://a.example/x』', 'http://a.example/x'],
    ['【http://a.example/x】', 'http://a.example/x'],
    ['《http://a.example/x》', 'http://a.example/x'],
    ['http://a.example/x，请', 'http://a.example/x'],
    ['http://a.example/x、次', 'http://a.example/x'],
    ['http://a.example/x；', 'http://a.example/x'],
    ['http://a.example/x！', 'http://a.example/x'],
    ['http://a.example/x？', 'http://a.example/x'],
    ['http://a.example/x：', 'http://a.example/x'],
    ['http://a.example/x\u3000次', 'http://a.example/x'],
    ['“http://a.example/x” he said', 'http://a.example/x'],
    ['‘http://a.example/x’ he said', 'http://a.example/x'],
    ['„http://a.example/x“', 'http://a.example/x'],
    ['«http://a.example/x»', 'http://a.example/x'],
    ['‹http://a.example/x›', 'http://a.example/x'],
    ["'http://a.example/x','b'", 'http://a.example/x'],
    ['http://a.example/it\u0027s', 'http://a.example/it\u0027s'],
    ['(http://a.example/a_(b))', 'http://a.example/a_(b)'],
    ['[http://a.example/x]', 'http://a.example/x'],
    ['http://[2001:db8::1]/x.', 'http://[2001:db8::1]/x'],
    ['http://[2001:db8::1]', 'http://[2001:db8::1]'],
    ['_http://a.example/x_', 'http://a.example/x'],
    ['http://a.example/x…', 'http://a.example/x'],
    ['http://a.example/路径/x', 'http://a.example/路径/x'],
    ['http://a.example/x\u200b.', 'http://a.example/x'],
    ['www.a.example/x)', 'www.a.example/x'],
    ['Http://A.example', 'Http://A.example'],
    ['http://a.example/x<br>', 'http://a.example/x'],
    ['http://a.example\tb', 'http://a.example'],
    ['http://evil。com/x。', 'http://evil。com/x'],
    ['http://www.evil。com', 'http://www.evil。com'],
    ['http://evil.co。uk/', 'http://evil.co。uk/'],
    ['http://ｅｖｉｌ．ｃｏｍ/x', 'http://ｅｖｉｌ．ｃｏｍ/x'],
    ['http://a.com。OK', 'http://a.com'],
    ['http://пример．пример.com/x', 'http://пример．пример.com/x'],
    ['http://www。пример.com/x', 'http://www。пример.com/x'],
    ['http://ev\u00adil.com/x', 'http://ev\u00adil.com/x'],
    ['http://ev\ufeffil.com/x', 'http://ev\ufeffil.com/x'],
  ])('%j', (text, url) => {
    expect(found(text)).toEqual([url]);
  });

  it.each(['http://', 'www.', 'www. ', 'https://)', 'shttp://a.example', 'no address', 'http://。'])(
    '%j contains none',
    (text) => {
      expect(found(text)).toEqual([]);
    },
  );

  it('have the host that a browser contacts', () => {
    const text =
      'http://evil。com/x。 http://ev\u00adil.test/ http://ev\ufeffil.test ｈ http://ｅｖｉｌ．ｃｏｍ/x';
    expect(found(text).map(hostOf)).toEqual(['evil.com', 'evil.test', 'evil.test', 'evil.com']);
  });

  it('finds several next to each other, each at its position', () => {
    const text = 'http://a.example，https://b.example/x）ftp://c.example www.d.example';
    const all = [...urlsInText(text)];
    expect(all.map(({ url }) => url)).toEqual([
      'http://a.example',
      'https://b.example/x',
      'ftp://c.example',
      'www.d.example',
    ]);
    for (const { index, url } of all) expect(text.startsWith(url, index)).toBe(true);
  });

  it('keeps one of 8 192 characters whole and cuts a longer one', () => {
    const of = (length: number) => 'http://a.example/'.padEnd(length, 'x');
    for (const length of [8191, 8192]) expect(found(of(length))).toEqual([of(length)]);
    expect(found(of(8193))[0]).toBe(of(8192));
  });

  it.each(['http://', 'www.', 'http://a。', '。', 'http://a.example。', ')', '.', "'", 'a@'])(
    'takes %j, repeated, in linear time',
    async (piece) => {
      for (const before of ['', 'http://'])
        await expectLinear(50_000, (count) =>
          expect(found(before + piece.repeat(count)).length).toBeGreaterThanOrEqual(0),
        );
    },
  );
});
