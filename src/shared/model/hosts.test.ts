import { describe, expect, it } from 'vitest';
import { expectLinear } from '#tests/support/growth.ts';
import { sameOrigin, webHost } from './hosts.ts';
import { hostNamedIn, readLink } from './link-reading.ts';

describe('webHost', () => {
  it.each([
    ['https://bank.example@evil.example/x', 'evil.example'],
    ['https://bank.example%2F@evil.example', 'evil.example'],
    ['https:\\\\evil.example\\bank.example', 'evil.example'],
    ['ht\ntps://evil.example/', 'evil.example'],
    ['https://EVIL.example:8443/', 'evil.example'],
    ['https://bücher.example/', 'xn--bcher-kva.example'],
    ['http://0x7f.1/', '127.0.0.1'],
    ['mailto:a@evil.example', null],
    ['javascript:alert(1)//evil.example', null],
    ['data:text/html,x', null],
    ['not a link', null],
    ['https://', null],
  ])('reads %s as %s', (url, host) => {
    expect(webHost(url)).toBe(host);
  });
});

describe('readLink', () => {
  it.each([
    ['https://www.paypal.com/signin', 'javascript:alert(1)', 'javascript'],
    ['https://www.paypal.com/signin', 'javascript://paypal.com/%0aalert(1)', 'javascript'],
    ['https://www.paypal.com/signin', 'java\tscript:alert(1)', 'javascript'],
    ['https://www.paypal.com/signin', '\x01javascript:alert(1)', 'javascript'],
    ['https://www.paypal.com/signin', 'data:text/html,x', 'data'],
    ['https://www.paypal.com/signin', 'file:///c:/x', 'file'],
    ['https://www.paypal.com/signin', '\\\\paypal.com\\share', 'file'],
    ['https://www.paypal.com/signin', 'ms-word:ofe|u|https://evil.test', 'ms-word'],
    ['https://www.paypal.com/signin', 'mailto:a@evil.test', 'mailto'],
    ['paypal.com', 'https://paypal.com@evil.test/', null],
    ['PayPal。com', 'https://evil.test/', null],
    ['support@paypal.com', 'mailto:a@evil.test', 'mailto'],
    ['Sign in at https://paypal.com/ now', 'https://evil.test/', null],
    ['请访问https://paypal.com。谢谢', 'https://evil.test/', null],
    ['（https://paypal.com/x）', 'https://evil.test/', null],
    ['see https://paypal.com(secure) now', 'https://evil.test/', null],
    ['www.paypal.com.', 'https://evil.test/', null],
    ['paypal.com', 'no link', null],
    ['pay\u00adpal.com', 'https://evil.test/', null],
    ['p\u200bay\u2060pal\ufeff.com', 'https://evil.test/', null],
    ['\u202emoc.lapyap', 'https://evil.test/', null],
    ['\u202emoc.lapyap\u202c', 'https://evil.test/', null],
    ['»paypal.com«', 'https://evil.test/', null],
  ])('%s as the text of %s names another host', (text, url, scheme) => {
    expect(readLink(url, text)).toMatchObject({ says: 'paypal.com', scheme, differs: true });
  });
  it.each([
    ['https://www.paypal.com/signin', 'https://paypal.com/x'],
    ['bücher.example', 'https://xn--bcher-kva.example/'],
    ['a@x.example', 'mailto:a@x.example?subject=1'],
    ['x.example', '//x.example/'],
    ['Click here', 'javascript:alert(1)'],
    ['invoice.pdf', 'https://evil.test/'],
    ['österreich.at', 'https://österreich.at/'],
    ['österreich.at', 'https://xn--sterreich-z7a.at/'],
    ['банк.рф', 'https://банк.рф/'],
    ['日本語.jp', 'https://日本語.jp/'],
    ['ñandú.cl', 'https://ñandú.cl/'],
    ['भारत.भारत', 'https://भारत.भारत/'],
    ['عربي.امارات', 'https://عربي.امارات/'],
    ['«österreich.at»', 'https://österreich.at/'],
    ['éa.fr', 'https://éa.fr/x'],
    ['', 'https://evil.test/'],
  ])('%s as the text of %s does not name another host', (text, url) => {
    expect(readLink(url, text).differs).toBe(false);
  });
  it.each([
    ['аррle.com', 'https://le.com/'],
    ['öbb.at', 'https://bb.at/'],
    ['日本語.jp', 'https://語.jp/'],
  ])('%s as the text of %s names another host', (text, url) => {
    expect(readLink(url, text).differs).toBe(true);
  });
  it('compares a rewritten link by its original, and says nothing where only the rewriter knows it', () => {
    const to = (url: string) =>
      `https://eur01.safelinks.protection.outlook.com/?url=${encodeURIComponent(url)}`;
    const opaque = 'https://url.us.m.mimecastprotect.com/s/abc';
    const read = (text: string, url: string) => {
      const { host, differs } = readLink(url, text);
      return [host, differs];
    };
    expect(read('bank.com', to('https://bank.com/x'))).toEqual(['bank.com', false]);
    expect(read('bank.com', to('https://evil.test/x'))).toEqual(['evil.test', true]);
    expect(read(to('https://evil.test/x'), to('https://evil.test/x'))).toEqual(['evil.test', false]);
    expect(read('bank.com', opaque)).toEqual(['url.us.m.mimecastprotect.com', null]);
    expect(read('Open', opaque)).toEqual(['url.us.m.mimecastprotect.com', false]);
    expect(read('bank.com', to('https://bank.com/x').replace('.com/', '.com.evil.test/'))[1]).toBe(true);
  });
  it.each(['a.', 'www.', '\u202e', '@', 'https://', '.', ' '])(
    'takes %j, repeated, in linear time',
    (piece) => expectLinear(100_000, (count) => hostNamedIn(piece.repeat(count))),
  );
});

describe('sameOrigin', () => {
  it.each([
    ['https://a.example/x', 'https://A.example/y', true],
    ['https://a.example', 'https://a.example:444', false],
    ['https://a.example', 'http://a.example', false],
    ['https://a.example', null, false],
    [null, null, false],
    ['nothing', 'nothing', false],
    ['data:,', 'data:,', false],
  ])('%j and %j: %s', (a, b, same) => expect(sameOrigin(a, b)).toBe(same));
});
