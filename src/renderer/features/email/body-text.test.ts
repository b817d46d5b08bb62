import { describe, expect, it } from 'vitest';
import { readableText } from './body-text.ts';

describe('the text of a body', () => {
  it.each([
    ['See http://a.example/x.', 'See hxxp://a[.]example/x.'],
    ['请访问http://a.example/x。谢谢b.c', '请访问hxxp://a[.]example/x。谢谢b.c'],
    ['“http://a.example/x” 「https://b.example」', '“hxxp://a[.]example/x” 「hxxps://b[.]example」'],
    ['www.a.example/x.html', 'www[.]a[.]example/x.html'],
    ['no address', 'no address'],
  ])('%j is shown as %j', (text, shown) => {
    expect(readableText(text)).toBe(shown);
  });
});
