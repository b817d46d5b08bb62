import { expect, test } from 'vitest';
import { foldText } from '#shared/query/text.ts';
import { cellText, excerptOf, type Sought } from './excerpt.ts';

const text = (value: string): Sought => ({ kind: 'text', value: foldText(value) });
const words = (value: string): Sought => ({ kind: 'words', value: ` ${value} ` });
const excerpt = (sought: Sought, shown: string) => excerptOf([sought], foldText(shown), () => shown);
const LONG = 'lorem ipsum dolor '.repeat(40);

test.each([
  ['a text', text('overdue'), 'The Invoice is OVERDUE now', 'The Invoice is OVERDUE now'],
  ['words, not a part of one', words('voice'), `${LONG}invoice ${LONG}Voice mail`, /Voice mail$/],
  ['words with marks between', words('final notice'), `${LONG}FINAL — notice: pay`, /FINAL — notice: pay$/],
  ['Chinese words in a row', words('发 票'), `${LONG}请付款发票。谢谢`, /请付款发票。谢谢$/],
  ['behind letters that fold to two', text('strasse'), `${'ß'.repeat(300)} Straße 5`, /Straße 5$/],
  ['behind letters that fold to nothing', text('pay'), `${'e\u0301'.repeat(300)} Pay`, /Pay$/],
])('a line around %s', (_, sought, shown, line) => {
  const shortened = excerpt(sought, shown) ?? '';
  expect(shortened).toMatch(line);
  expect(shortened.length).toBeLessThan(190);
});

test.each([
  ['words before it', `${LONG}please confirm your password now`],
  ['one long word before it', `${LONG}${'x'.repeat(60)}password now`],
  ['a word that begins just too early', `${LONG}${'x'.repeat(27)} password now`],
  ['nothing before it', 'password now'],
])('the hit begins within the first characters of the line: %s', (_, shown) => {
  const index = (excerpt(text('password'), shown) ?? '').indexOf('password');
  expect(index).toBeGreaterThanOrEqual(0);
  expect(index).toBeLessThan(30);
});

test('marks omitted text before and after', () => {
  expect(excerpt(text('pay here'), `${LONG}pay here ${LONG}`)).toMatch(/^… .*pay here.* …$/);
  expect(excerpt(text('nowhere'), LONG)).toBeNull();
  expect(cellText('short')).toBe('short');
  expect(cellText('x'.repeat(5_234))).toMatch(/^x{4000} … \(1,234 more characters\)$/);
});
