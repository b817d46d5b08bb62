/** Text folding: which texts become equal, and which stay different. */
import { describe, expect, it } from 'vitest';
import { foldText, foldWithPlaces, wordsOf } from './text.ts';

const alike = (...texts: string[]) => expect(new Set(texts.map(foldText)).size).toBe(1);

describe('equal texts', () => {
  it('in Turkish, with or without dots', () => {
    alike('fatura İPTAL', 'FATURA IPTAL', 'fatura ıptal', 'Fatura i\u0307ptal', 'fatura iptal');
    alike('iletişim', 'İLETİŞİM', 'ILETISIM', 'iletişim'.normalize('NFD'));
  });

  it('in Greek, with any sigma, without accents', () => {
    alike('ΟΔΥΣΣΕΥΣ', 'οδυσσευς', 'οδυσσευσ', 'Οδυσσεύς', 'ὈΔΥΣΣΕΎΣ');
    expect(foldText('ΛΟΓΑΡΙΑΣΜΟΣ ΠΛΗΡΩΜΗΣ')).toContain(foldText('λογαριασμός'));
    expect(foldText('Λογαριασμός πληρωμής')).toContain(foldText('ΛΟΓΑΡΙΑΣΜΟΣ'));
  });

  it('in letters with several forms', () => {
    alike('STRASSE', 'Straße', 'STRAẞE', 'ſtraſſe');
    alike('ﬁle', 'file', 'ＦＩＬＥ');
    alike('Å', '\u212b', 'A\u030a', 'a');
    alike('カ\u3099', 'ガ', 'ｶﾞ');
    alike('ёлка', 'ЕЛКА');
    alike('שָׁלוֹם', 'שלום');
  });
});

it('keeps marks for vowels or voiced sounds', () => {
  for (const [a, b] of [
    ['カ', 'ガ'],
    ['กา', 'กำ'],
    ['कि', 'की'],
    ['가', '각'],
  ] as const)
    expect(foldText(a)).not.toBe(foldText(b));
  // A syllable does not match as a part of a longer one.
  expect(foldText('각')).not.toContain(foldText('가'));
});

it('is equal for every character in either case, and idempotent', () => {
  const wrong: string[] = [];
  for (let code = 1; code < 0x110000; code++) {
    if (code >= 0xd800 && code < 0xe000) continue;
    const char = String.fromCodePoint(code);
    const forms = [char.toLowerCase(), char.toUpperCase(), char.normalize('NFD'), char.normalize('NFKC')];
    if (forms.every((form) => form === char)) continue;
    const folded = foldText(char);
    if (foldText(folded) !== folded) wrong.push(`twice ${code.toString(16)}`);
    // The iota subscript of ancient Greek is a mark in lower case and a letter in upper case.
    if (char.normalize('NFD').includes('\u0345')) continue;
    for (const form of forms)
      if (foldText(form) !== folded) wrong.push(`${code.toString(16)} ${JSON.stringify(form)}`);
  }
  expect(wrong).toEqual([]);
});

it('finds words in every spelling', () => {
  for (const text of ['Fatura İPTAL edildi', 'FATURA IPTAL', 'fatura ıptal'])
    expect(wordsOf(text)).toContain(wordsOf('fatura iptal'));
});

it('maps each unit of a folded text to its position', () => {
  for (const text of [
    'İstanbul',
    'Straße ﬁn',
    'e\u0301te\u0301 İİİ here',
    'ab\ud83d\ude00cd',
    '각가\u11a8',
    'ＡＢ',
    '',
  ]) {
    const { folded, places } = foldWithPlaces(text);
    expect(folded).toBe(foldText(text));
    expect(places).toHaveLength(folded.length + 1);
    expect(places.at(-1)).toBe(text.length);
    for (let index = 0; index < folded.length; index++)
      expect(places[index]).toBeLessThanOrEqual(places[index + 1]!);
  }
  const { folded, places } = foldWithPlaces('x İİİ Été ß here');
  const index = folded.indexOf('here');
  expect('x İİİ Été ß here'.slice(places[index], places[index + 4])).toBe('here');
  const second = foldWithPlaces('Été ß');
  expect('Été ß'.slice(second.places[0], second.places[3])).toBe('Été');
  expect('Été ß'.slice(second.places[4], second.places[6])).toBe('ß');
});
