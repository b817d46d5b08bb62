import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { foldText, wordsOf } from '#shared/query/text.ts';
import { textFunctions } from './texts.ts';

const { pp_has_words } = textFunctions();
const has = (folded: string, words: string[], signs: string[]) =>
  pp_has_words(folded, JSON.stringify({ words, signs }));

describe('words in a line', () => {
  it('all words must be in one line; a token that begins with a line feed matches none, without looping', () => {
    const lines = '\nsubject: pay now\n😀: pay\n';
    expect(has(lines, [' pay now '], [])).toBe(1);
    expect(has(lines, [' now '], ['😀'])).toBe(0);
    expect(has(lines, [' pay '], ['😀'])).toBe(1);
    expect(has(lines, [], ['\n😀'])).toBe(0);
  });

  it('are those that wordsOf finds, in any script', () => {
    const pieces = [
      ...[
        'pay',
        'now',
        'p',
        'é',
        'e\u0301',
        '1',
        'ß',
        '发',
        '票',
        'カ',
        'ー',
        'が',
        '\u3099',
        'รหัส',
        '각',
        'चा',
        '\u0345',
      ],
      ...[
        ' ',
        ' ',
        '.',
        '-',
        ' — ',
        '_',
        '💳',
        '⺀',
        '〇',
        '々',
        '\u200b',
        '\ud83d',
        '𝓲',
        '𠮷',
        '\u{16d63}',
        '\ufffd',
      ],
    ];
    const text = fc.array(fc.constantFrom(...pieces), { maxLength: 14 }).map((many) => many.join(''));
    fc.assert(
      fc.property(
        text,
        fc.nat({ max: 12 }),
        fc.integer({ min: 1, max: 9 }),
        text,
        (body, from, length, other) => {
          const folded = foldText(body.toWellFormed());
          for (const sought of [folded.slice(from, from + length), other]) {
            const words = wordsOf(sought);
            if (words === '') continue;
            const label = JSON.stringify([folded, words]);
            expect(has(folded, [words], []), label).toBe(wordsOf(folded).includes(words) ? 1 : 0);
          }
        },
      ),
      { numRuns: process.env['PARAPET_LONG'] === '1' ? 5_000 : 200 },
    );
  });
});
