import { describe, expect, it } from 'vitest';
import { searchTerms } from '#shared/query/text.ts';
import { termSpans } from './highlights.ts';

describe('the words of a quick search', () => {
  it('are split at spaces, except in quoted phrases, without duplicates', () => {
    expect(searchTerms('  Invoice "Final  Notice" invoice ')).toEqual(['invoice', 'final  notice']);
    expect(searchTerms('\u201cFinal Notice\u201d a@b.example\u200b')).toEqual([
      'final notice',
      'a@b.example',
    ]);
    expect(searchTerms('   ')).toEqual([]);
    expect(searchTerms('""')).toEqual(['""']);
  });
  it('are found in any script and case', () => {
    expect(termSpans('Счёт просрочен: СЧЁТ 7', searchTerms('счёт'))).toEqual([
      [0, 4],
      [16, 20],
    ]);
    expect(termSpans('請求書の支払期限超過', ['支払'])).toEqual([[4, 6]]);
  });
  it('are merged where they overlap or touch', () => {
    expect(termSpans('invoice', ['inv', 'voice', 'ice'])).toEqual([[0, 7]]);
    expect(termSpans('abab', ['ab'])).toEqual([[0, 4]]);
  });
  it('keep their positions after letters that become longer in lower case', () => {
    expect(termSpans('İİ pay', ['pay'])).toEqual([[3, 6]]);
  });
});
