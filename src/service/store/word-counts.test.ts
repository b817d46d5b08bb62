import { describe, expect, it } from 'vitest';
import { foldText, wordsOf } from '#shared/query/text.ts';
import { WordCounts } from './word-counts.ts';

/** A plain count, one word after another. */
function plainly(texts: readonly string[], longest: number): string[] {
  const counts = new Map<string, number>();
  for (const text of texts)
    for (const word of wordsOf(text).split(' '))
      if (word !== '' && word.length <= longest) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a).map(([word]) => word);
}

function counted(texts: readonly string[], longest: number) {
  const counts = new WordCounts(longest);
  const long = texts.map((text) => {
    const isAscii = /^[\0-\x7f]*$/.test(text);
    return isAscii ? counts.addAscii(Buffer.from(text)) : counts.addWords(wordsOf(text));
  });
  return { sorted: counts.sorted(), long };
}

describe('words of many texts', () => {
  it('are counted correctly, ASCII or not', () => {
    // Enough to outgrow the first table, with shared words.
    const texts = Array.from({ length: 3_000 }, (_, index) =>
      foldText(
        `Re: ${index % 7} w${index} x${index * 31}y  z${index % 97}-${index % 3 === 0 ? 'Grüße żółw 发票' : 'regards'} v${index ** 3}.`,
      ),
    );
    expect(new Set(plainly(texts, 256)).size).toBeGreaterThan(8_192);
    expect(counted(texts, 256).sorted).toEqual(plainly(texts, 256));
  });

  it('are omitted if too long, which is reported', () => {
    const texts = ['abcd abcde', 'abc', 'żółwie żółw', '', 'abcdefgh'];
    expect(counted(texts, 4)).toEqual({ sorted: plainly(texts, 4), long: [true, false, true, false, true] });
  });

  it('with equal hashes are counted separately', () => {
    // 31 times the code of "a" plus the code of "n" equals the same sum for "c" and "0".
    const same = ['an', 'c0', 'bo', 'd1', 'c0', 'xan', 'xc0'];
    expect(counted(same, 9).sorted).toEqual(plainly(same, 9));
  });

  it.each([
    [63, []],
    [64, [64]],
    [65, [65]],
  ])('are common in a block from the 64th mail on: %d', (mails, wanted) => {
    const counts = new WordCounts(256);
    for (const block of [0, 3]) {
      for (let at = 0; at < mails; at++) {
        counts.begin(block * 1_024 + at * 7);
        // Twice in the same mail, and in both forms of text.
        if (at % 2 === 0) counts.addAscii(Buffer.from(`invoice w${block}x${at} invoice`));
        else counts.addWords(wordsOf(foldText(`Invoice Grüße${block * 100 + at}`)));
      }
      const common = counts.takeCommon();
      expect(common.map(({ word }) => word)).toEqual(wanted.map(() => 'invoice'));
      const bits = common.map(({ mails: own }) =>
        Array.from({ length: 1_024 }, (_, at) => at).filter((at) => (own[at >> 3]! & (1 << (at & 7))) !== 0),
      );
      expect(bits).toEqual(wanted.map(() => Array.from({ length: mails }, (_, at) => at * 7)));
    }
  });
});
