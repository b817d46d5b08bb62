import { describe, expect, it, test } from 'vitest';
import { expectLinear } from '#tests/support/growth.ts';
import { defang, defangEmail, defangText, defangUrl, refang } from './defang.ts';

describe('copy defanged', () => {
  test.each([
    ['https://a.example/pay?i=20931', 'hxxps://a[.]example/pay?i=20931'],
    ['HTTP://A.example', 'hxxp://A[.]example'],
    ['ftp://files.a.example/x.zip', 'fxp://files[.]a[.]example/x.zip'],
    ['http://user:pw@a.example:8080/x.html', 'hxxp://user:pw[@]a[.]example:8080/x.html'],
    ['https://a.example(x)@b.example/', 'hxxps://a[.]example(x)[@]b[.]example/'],
    ['https://a.example/?u=http://b.example/c.d', 'hxxps://a[.]example/?u=hxxp://b[.]example/c.d'],
    ['https://a.example,https://b.example/x', 'hxxps://a[.]example,hxxps://b[.]example/x'],
    ['https://u:https://b.example/', 'hxxps://u:hxxps://b[.]example/'],
    ['https://a.examplehttps://b.example/', 'hxxps://a[.]examplehxxps://b[.]example/'],
    ['http://[2001:db8::1]:80/', 'hxxp://[2001[:]db8[:][:]1][:]80/'],
    ['//a.example/x.js', '//a[.]example/x.js'],
    ['http:\\\\a.example', 'http[:]\\\\a[.]example'],
    ['mailto:m@a.example', 'mailto[:]m[@]a[.]example'],
    ['javascript:alert(1)', 'javascript[:]alert(1)'],
    ['java\tscript:alert(1)', 'java\tscript[:]alert(1)'],
    ['\x01javascript:alert(1)', '\x01javascript[:]alert(1)'],
    ['javascript://a.example/%0aalert(1)', 'javascript[:]//a[.]example/%0aalert(1)'],
    ['https://a.example/?q=(at)z', 'hxxps://a[.]example/?q=(at)z'],
    ['a.example:8080/x.html', 'a[.]example:8080/x.html'],
    ['a.example/x.html', 'a[.]example/x.html'],
    ['a.example', 'a[.]example'],
    ['http://a.example./x', 'hxxp://a[.]example./x'],
    ['http://a.example.:80/x', 'hxxp://a[.]example.:80/x'],
    ['a.example.', 'a[.]example.'],
    ['http://u@%65vil.test/', 'hxxp://u[@]%65vil[.]test/'],
    ['http://a.%65vil.test/', 'hxxp://a[.]%65vil[.]test/'],
    ['http://a.\u00adb.test/', 'hxxp://a[.]\u00adb[.]test/'],
    ['a。example', 'a[。]example'],
    ['m@a.example', 'm[@]a[.]example'],
    ['192.0.2.1', '192[.]0[.]2[.]1'],
    ['2001:db8::1', '2001[:]db8[:][:]1'],
    ['fe80::1%eth0', 'fe80[:][:]1%eth0'],
    ['', ''],
    ['no indicator', 'no indicator'],
  ])('%j is %j, and back', (live, safe) => {
    expect(defang(live)).toBe(safe);
    expect(defang(safe)).toBe(safe);
    expect(refang(safe).toLowerCase()).toBe(live.toLowerCase());
  });
  test.each([
    ['hxxps[://]a[.]example', 'https://a.example'],
    ['hXXp://a(.)example', 'http://a.example'],
    ['h**p://a{.}example', 'http://a.example'],
    ['m[at]a[dot]example', 'm@a.example'],
    ['192[.]0.2[.]1', '192.0.2.1'],
    ['fxp[:]//a.example', 'ftp://a.example'],
    ['[a.example]', '[a.example]'],
    ['?q=(at)z', '?q=(at)z'],
    ['Re: pay (at) once [.] thanks {dot}', 'Re: pay (at) once [.] thanks {dot}'],
    ['see (hxxps://a[.]example/b[.]c)', 'see (https://a.example/b.c)'],
    ['hxxps://a[.]cc/login[.]x[.]com', 'https://a.cc/login.x.com'],
    ['hxxps://a[.]cc/x?u=b[dot]com[.]au#c', 'https://a.cc/x?u=b.com.au#c'],
    ['https://a.example/b[.]c', 'https://a.example/b[.]c'],
    ['evil\\.example\\.com', 'evil.example.com'],
    ['198\\.51\\.100\\.7', '198.51.100.7'],
    ['m@evil\\.example\\.com', 'm@evil.example.com'],
    ['http://198\\.51\\.100\\.7/a\\.php', 'http://198.51.100.7/a.php'],
    ['http:\\/\\/a.example\\/b', 'http://a.example/b'],
    ['http://evil[.example.com/a', 'http://evil.example.com/a'],
    ['http://evil.]example[.com/a', 'http://evil.example.com/a'],
    ['198[.51[.100[.7', '198.51.100.7'],
    // A path of Windows, the brackets of code, and the address that a browser takes for "evil.com/.bank.com".
    ['C:\\Users\\ann\\.aws', 'C:\\Users\\ann\\.aws'],
    ['\\\\a.example\\.x', '\\\\a.example\\.x'],
    ['http://evil.com\\.bank.com/', 'http://evil.com\\.bank.com/'],
    ['evil[.co]m', 'evil[.co]m'],
    ['[a-z.]x', '[a-z.]x'],
    ['a[.]example/b(at)c', 'a.example/b(at)c'],
    ['m[@]a[.]example,n(at)b[dot]example', 'm@a.example,n@b.example'],
    ['shxxp is a word', 'shxxp is a word'],
  ])('refang %j is %j', (safe, live) => expect(refang(safe)).toBe(live));
  it('encodes the brackets of a live path, which would not come back', () => {
    expect(defang('https://a.example/x[.]html')).toBe('hxxps://a[.]example/x%5B.%5Dhtml');
    expect(refang(defang('https://a.example/x[.]html'))).toBe('https://a.example/x%5B.%5Dhtml');
  });
  test.each([
    [
      'See https://a.example/x.html or write to m@b.example. Thanks.',
      'See hxxps://a[.]example/x[.]html or write to m[@]b[.]example. Thanks.',
    ],
    ['version 1.2, end.', 'version 1[.]2, end.'],
    ['https://a.example/@b', 'hxxps://a[.]example/[@]b'],
  ])('text %j', (text, safe) => {
    expect(defangText(text)).toBe(safe);
    expect(defangText(safe)).toBe(safe);
  });

  it.each([
    'a',
    '.',
    '[',
    '[.',
    '(',
    ':',
    '/',
    '@',
    'http://',
    'a.',
    ' ',
    'h',
    '[:]',
    '\0',
    '\\.',
    '\\/',
    'a\\.',
    'a[.',
    ':\\/\\/',
  ])('takes %j, repeated, in linear time', async (piece) => {
    for (const rule of [defang, defangUrl, defangEmail, defangText, refang])
      await expectLinear(200_000, (count) => expect(typeof rule(piece.repeat(count))).toBe('string'));
  });
});
