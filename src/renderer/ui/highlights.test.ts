// @vitest-environment happy-dom
import { beforeEach, describe, expect, it } from 'vitest';
import { termRanges } from './highlights.ts';

const root = document.createElement('div');
const texts = (html: string, terms: string[], most?: Parameters<typeof termRanges>[2]) => {
  root.innerHTML = html;
  const { ranges, count, isCut } = termRanges(root, terms, most);
  return { texts: ranges.map(String), count, isCut };
};
beforeEach(() => document.body.replaceChildren(root));

describe('terms in rendered text', () => {
  it('are found across the elements of one block, but not across blocks', () => {
    expect(
      texts('<p>pay the <b>INV</b><i>OI</i>CE or invoice</p><p>in</p><p>voice</p>', ['invoice']),
    ).toEqual({
      texts: ['INVOICE', 'invoice'],
      count: 2,
      isCut: false,
    });
  });

  it('[limit 4 000 matches] are counted beyond the limit of highlighted ones', () => {
    const html = '<p>a b</p>'.repeat(5);
    for (const [most, marked] of [
      [4, 4],
      [5, 5],
      [6, 5],
    ] as const)
      expect(texts(html, ['a'], { ranges: most })).toMatchObject({
        texts: Array(marked).fill('a'),
        count: 5,
      });
  });

  it('[limit 100 000 characters] are searched up to a limit of characters, and a longer text is reported as cut', () => {
    const html = `<p>${'x'.repeat(8)}${'a'}</p>`;
    expect(texts(html, ['a'], { characters: 8 })).toEqual({ texts: [], count: 0, isCut: true });
    expect(texts(html, ['a'], { characters: 9 })).toEqual({ texts: ['a'], count: 1, isCut: false });
    expect(texts(html, ['a'], { characters: 10 })).toEqual({ texts: ['a'], count: 1, isCut: false });
    expect(texts(`${html}<p>a</p>`, ['a'], { characters: 9 })).toEqual({
      texts: ['a'],
      count: 1,
      isCut: true,
    });
  });
});
