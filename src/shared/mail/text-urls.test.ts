import { describe, expect, it } from 'vitest';
import { expectLinear } from '#tests/support/growth.ts';
import { defangUrlsIn, urlsInText } from './text-urls.ts';

const urlsOf = (text: string) => [...urlsInText(text)].map(({ url }) => url);
const hostOf = (url: string) => URL.parse(url)?.hostname;

describe('web addresses in text', () => {
  it('end where another one begins in their host, as in a list without spaces', () =>
    expect(urlsOf('http://a.example,https://b.example/x,y;z http://c.example;ftp://d.example')).toEqual([
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
    expect(urlsOf(text)).toEqual([url]);
  });

  it.each(['http://', 'www.', 'www. ', 'https://)', 'no address', 'http://。', 'sftp://a.example'])(
    '%j contains none',
    (text) => {
      expect(urlsOf(text)).toEqual([]);
    },
  );

  it.each([
    // As in Chinese, Japanese, Korean, Thai and Arabic text, which goes on without a space.
    ['詳細はhttps://evil-login.topをご確認ください。', 'https://evil-login.top'],
    ['こちらhttp://evil-login.cloud★☆', 'http://evil-login.cloud'],
    ['请打开https://evil-login.top查看，谢谢', 'https://evil-login.top'],
    ['请打开https://evil-login.com.cn:8443查看', 'https://evil-login.com.cn:8443'],
    ['https://evil-login.top에서 확인', 'https://evil-login.top'],
    ['https://evil-login.topที่นี่', 'https://evil-login.top'],
    ['https://evil-login.topهنا', 'https://evil-login.top'],
    ['https://evil-login.topздесь', 'https://evil-login.top'],
    ['https://evil-login.top👉', 'https://evil-login.top'],
    ['https://evil-login.top.查看', 'https://evil-login.top'],
    ['www.evil-login.topへ', 'www.evil-login.top'],
    ['https://公司.中国查看', 'https://公司.中国'],
    ['https://198.51.100.7を', 'https://198.51.100.7'],
    ['https://[2001:db8::1]を', 'https://[2001:db8::1]'],
    ['https://bank.example@evil-login.topを', 'https://bank.example@evil-login.top'],
    // Glued to a word before it.
    ['websitehttps://evil-login.top/a to see', 'https://evil-login.top/a'],
    ['Link1http://evil-login.top/a', 'http://evil-login.top/a'],
    ['HereHTTPS://evil-login.top', 'HTTPS://evil-login.top'],
    ['shttp://a.example', 'http://a.example'],
  ])('%j: its bounds are a guess', (text, url) =>
    expect([...urlsInText(text)].map((of) => [of.url, of.isGuessed])).toEqual([[url, true]]),
  );

  it.each([
    // A name beyond ASCII that can exist is one, and one look-alike letter does not end it.
    ['http://日本語.jp/', 'http://日本語.jp/'],
    ['http://bücher.example', 'http://bücher.example'],
    ['http://evil.comと.jp', 'http://evil.comと.jp'],
    ['http://paypal.coм/', 'http://paypal.coм/'],
    ['http://ev\u00adil.com/', 'http://ev\u00adil.com/'],
    ['詳細はhttp://evil-login.top。', 'http://evil-login.top'],
    ['こちら━━http://evil-login.cloud━━■', 'http://evil-login.cloud'],
    ['→http://evil-login.top/a→', 'http://evil-login.top/a'],
    ['http://http://evil-login.top/a', 'http://evil-login.top/a'],
    ['view-source:http://evil-login.top', 'http://evil-login.top'],
  ])('%j: its bounds are read', (text, url) =>
    expect([...urlsInText(text)].map((of) => [of.url, of.isGuessed])).toEqual([[url, false]]),
  );

  it('are both there when one follows the host of the other directly, or after words', () => {
    expect(urlsOf('http://evil-login.tophttps://b.example/x')).toEqual([
      'http://evil-login.top',
      'https://b.example/x',
    ]);
    expect(urlsOf('http://evil-login.topとhttps://b.example/x')).toEqual([
      'http://evil-login.top',
      'https://b.example/x',
    ]);
  });

  it('have the host that a browser contacts', () => {
    const text =
      'http://evil。com/x。 http://ev\u00adil.test/ http://ev\ufeffil.test ｈ http://ｅｖｉｌ．ｃｏｍ/x';
    expect(urlsOf(text).map(hostOf)).toEqual(['evil.com', 'evil.test', 'evil.test', 'evil.com']);
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

  it('are defanged where they stand, and nothing else is', () => {
    expect(defangUrlsIn('See (https://a.example/x), www.b.test or a@c.example, 3.5 times.')).toBe(
      'See (hxxps://a[.]example/x), www[.]b[.]test or a@c.example, 3.5 times.',
    );
    expect(defangUrlsIn('no address: a.example')).toBe('no address: a.example');
  });

  it('[limit 8 192 characters] keeps one of 8 192 characters whole and cuts a longer one', () => {
    const of = (length: number) => 'http://a.example/'.padEnd(length, 'x');
    for (const length of [8191, 8192]) expect(urlsOf(of(length))).toEqual([of(length)]);
    expect(urlsOf(of(8193))[0]).toBe(of(8192));
  });

  it.each(['http://', 'www.', 'http://a。', 'http://a.あ', '。', 'http://a.example。', ')', '.', "'", 'a@'])(
    'takes %j, repeated, in linear time',
    async (piece) => {
      for (const before of ['', 'http://'])
        await expectLinear(50_000, (count) =>
          expect(urlsOf(before + piece.repeat(count)).length).toBeGreaterThanOrEqual(0),
        );
    },
  );
});
