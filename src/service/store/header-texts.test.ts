import { expect, it } from 'vitest';
import { headerFunctions } from './header-texts.ts';

const { pp_has_line } = headerFunctions();
const has = (folded: string, words: string[], signs: string[]) =>
  pp_has_line(folded, JSON.stringify({ words, signs }));

it('all words must be in one line; a token that begins with a line feed matches none, without looping', () => {
  const lines = '\nsubject: pay now\n😀: pay\n';
  expect(has(lines, [' pay now '], [])).toBe(1);
  expect(has(lines, [' now '], ['😀'])).toBe(0);
  expect(has(lines, [' pay '], ['😀'])).toBe(1);
  expect(has(lines, [], ['\n😀'])).toBe(0);
});
