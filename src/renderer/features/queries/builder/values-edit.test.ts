import { describe, expect, it } from 'vitest';
import type { FieldConfig } from '#shared/model/entities.ts';
import { STANDARD_OPERATORS } from '#shared/query/operators.ts';
import { expectLinear } from '#tests/support/growth.ts';
import {
  bytesText,
  byteUnitOf,
  editorKind,
  fitValues,
  listKindOf,
  newCondition,
  pasteOf,
  splitPaste,
  typedValue,
  withField,
  withValues,
} from './values-edit.ts';

const operators = new Map(STANDARD_OPERATORS.map((operator) => [operator.id as string, operator]));
const field = (type: string, ids: string[], allowed: string[] = []): FieldConfig => ({
  id: type,
  dbId: type,
  label: type,
  type,
  operators: ids,
  ...(allowed.length > 0 ? { allowedValues: allowed.map((value) => ({ value, label: value })) } : {}),
});

describe('the editor of values', () => {
  it.each([
    ['date', 'in_the_last', [], 'span'],
    ['date', 'before', [], 'date'],
    ['date', 'between', [], 'date'],
    ['bytes', 'greater_than', [], 'bytes'],
    ['number', 'in_list', [], 'list'],
    ['text', 'contains_words', [], 'list'],
    ['text', 'matches', [], 'text'],
    ['enum', 'is', ['a'], 'choice'],
    ['enum', 'in_list', ['a'], 'choices'],
    ['enum', 'is', [], 'text'],
    ['text', 'is_empty', [], 'none'],
  ])('[spec 3] of %s %s', (type, operator, allowed, expected) =>
    expect(editorKind(field(type, [operator], allowed), operators.get(operator))).toBe(expected),
  );
});

describe('values after a change of operator or field', () => {
  it.each([
    [['a', 'b'], 'is', ['a']],
    [['a'], 'in_list', ['a']],
    [['a'], 'is_empty', []],
    [[7, 'days'], 'before', []],
    [['2026-01-01'], 'in_the_last', [7, 'days']],
    [[3, 'weeks'], 'in_the_last', [3, 'weeks']],
  ])('%j with %s', (values, operator, expected) =>
    expect(fitValues(values, operators.get(operator))).toEqual(expected),
  );
  it('are kept between fields of the same type, and dropped otherwise', () => {
    const from = field('email', ['is', 'in_list']);
    const condition = { field: 'email', operator: 'in_list', values: ['a@b.example'] };
    const other = { ...field('email', ['is', 'in_list']), id: 'to' };
    expect(withField(condition, from, other, operators)).toEqual({ ...condition, field: 'to' });
    expect(withField(condition, from, field('date', ['in_the_last']), operators)).toEqual({
      field: 'date',
      operator: 'in_the_last',
      values: [7, 'days'],
    });
  });
  it('[spec 3] a new condition uses the suggested operator if the field has it', () => {
    expect(newCondition(field('text', ['is', 'starts_with']), operators, 'starts_with').operator).toBe(
      'starts_with',
    );
    expect(newCondition(field('text', ['is']), operators, 'starts_with').operator).toBe('is');
  });
});

describe('pasting', () => {
  it('[promise] splits a column, dropping duplicates and quotes', () =>
    expect(splitPaste('"a@b.example"\r\nc d\n\na@b.example;e', 'values')).toEqual([
      'a@b.example',
      'c d',
      'e',
    ]));
  it('[spec 3] splits words at spaces', () =>
    expect(splitPaste('invoice  "overdue; now"', 'words')).toEqual(['invoice', 'overdue', 'now']));
  it.each([
    ['a quoted cell with separators', '"Invoice, overdue"\tb;"x;y"', ['Invoice, overdue', 'b', 'x;y']],
    ['a quoted cell with line breaks', 'a\r\n"two\r\nlines"\r\nb', ['a', 'two\r\nlines', 'b']],
    ['quotes within a quoted cell', '"say ""hi"", Ann",b', ['say "hi", Ann', 'b']],
    ['quotes within a value', '6" pipe, the "best" one', ['6" pipe', 'the "best" one']],
    ['a quote that is never closed', '"a,b\nc', ['"a', 'b', 'c']],
    ['old line ends and empty columns', 'a,,,\rb,,,\r', ['a', 'b']],
  ])('[bad input] reads the cells of a spreadsheet: %s', (_, text, values) =>
    expect(splitPaste(text, 'values')).toEqual(values),
  );
  it.each([
    ['1,5\r\n2,25', ['1,5', '2,25']],
    ['1,5;2,25', ['1,5', '2,25']],
    ['1, 2, 3', ['1', '2', '3']],
    ['10\n20', ['10', '20']],
  ])('keeps the decimal comma of a column of numbers: %j', (text, values) =>
    expect(splitPaste(text, 'numbers')).toEqual(values),
  );
  it('values written as text are read back unchanged', () => {
    let seed = 7;
    const random = () => {
      seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
      return seed / 2 ** 31;
    };
    const pick = (list: string) => list[Math.floor(random() * list.length)] ?? '';
    for (let round = 0; round < 2_000; round++) {
      const values = [
        ...new Set(
          Array.from({ length: 4 }, () =>
            Array.from({ length: 1 + Math.floor(random() * 5) }, () => pick('ab ,;"\'\t\n\r')).join(''),
          ).filter((value) => value.trim() !== ''),
        ),
      ];
      expect(splitPaste(pasteOf(values), 'values')).toEqual(values);
    }
  });
  it.each([
    ['"', 1_000_000],
    ['"a\n', 300_000],
    ['"a""', 300_000],
  ])('reads %j, repeated, in linear time', (piece, most) =>
    expectLinear(most, (count) => splitPaste(piece.repeat(count), 'values')),
  );
  it('reads a word of many quotes in linear time', () =>
    expectLinear(50_000, (count) => splitPaste(`a${'"'.repeat(count)}b`, 'words')));
  it('reads a pasted column in linear time', () =>
    expectLinear(40_000, (count) => {
      const column = Array.from({ length: count }, (_, index) => `d${index}.example`).join('\n');
      expect(withValues([], splitPaste(column, 'values'))).toHaveLength(count);
    }));
  it('[promise] reads recipients as mail programs copy them', () => {
    const email = field('email', []);
    const copied = '"Example, Ann" <a@b.example>; Doe, Jo <jo[@]b[.]example>;\r\nx@b.example\u200b';
    expect(listKindOf(email, false)).toBe('addresses');
    expect(splitPaste(copied, 'addresses').map((text) => typedValue(text, email))).toEqual([
      'a@b.example',
      'jo@b.example',
      'x@b.example',
    ]);
    expect(splitPaste('a@b.example, "c@d.example"\te', 'addresses')).toEqual([
      'a@b.example',
      'c@d.example',
      'e',
    ]);
  });
  it('strips the characters around a pasted indicator, but not around text', () => {
    expect(typedValue(' d41d8cd98f00b204e9800998ecf8427e\u00a0', field('hash', []))).toBe(
      'd41d8cd98f00b204e9800998ecf8427e',
    );
    expect(typedValue('mailto:a@b.example', field('email', []))).toBe('a@b.example');
    expect(typedValue('\u201cInvoice\u201d ', field('text', []))).toBe('\u201cInvoice\u201d ');
  });
  it('[promise] converts numeric text only for numeric fields', () => {
    expect(typedValue('12', field('number', []))).toBe(12);
    expect(typedValue('12', field('text', []))).toBe('12');
    expect(typedValue('x', field('number', []))).toBe('x');
    expect(typedValue('1.000,5', field('bytes', []))).toBe(1000.5);
  });
  it.each([
    ['10 MB', 10 * 1024 ** 2, '10 MB'],
    ['1,5gb', 1.5 * 1024 ** 3, '1536 MB'],
    ['512 KiB', 512 * 1024, '512 KB'],
    ['2k', 2048, '2 KB'],
    ['100 bytes', 100, '100 bytes'],
    ['many MB', 'many MB', 'many MB'],
  ])('reads %s as a size, and shows it with a unit', (text, value, shown) => {
    expect(typedValue(text, field('bytes', []))).toBe(value);
    expect(bytesText(value)).toBe(shown);
    expect(splitPaste('10 MB, 2 GB', 'numbers')).toEqual(['10 MB', '2 GB']);
  });
  it('[promise] refangs pasted indicators, but not other text', () => {
    expect(typedValue('harbour-freight[.]example', field('domain', []))).toBe('harbour-freight.example');
    expect(typedValue('hxxps://a[.]example/b', field('url', []))).toBe('https://a.example/b');
    expect(typedValue('m[@]a[.]example', field('email', []))).toBe('m@a.example');
    expect(typedValue('see a[.]example', field('text', []))).toBe('see a[.]example');
  });
  it.each([
    [1024, 1024],
    [1536, 1],
    [5 * 1024 ** 2, 1024 ** 2],
    [undefined, 1024 ** 2],
  ])('shows %j bytes in its unit', (value, unit) => expect(byteUnitOf(value)).toBe(unit));
});
