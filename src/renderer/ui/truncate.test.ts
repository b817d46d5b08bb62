import { describe, expect, it } from 'vitest';
import { ownLocalPart, shortHash, splitAddress, truncateEnd } from './truncate.ts';

describe('truncateEnd', () => {
  it.each([
    ['short', 10, 'short'],
    ['exactly ten', 11, 'exactly ten'],
    ['Invoice overdue – final notice', 16, 'Invoice overdue…'],
    ['外部共有ファイル（機密ラベル付き）', 6, '外部共有フ…'],
    ['👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦', 2, '👩‍👩‍👧‍👦…'],
    ['anything', 1, '…'],
    ['', 3, ''],
  ])('%j at %i is %j', (text, max, expected) => expect(truncateEnd(text, max)).toBe(expected));
});

describe('shortHash', () => {
  it('keeps ten and eight characters', () => {
    expect(shortHash('9c4e07d1a6f2b85530c7e4911fd2aa6e8b13d90c4f5761e2a9d8037cbe54b71f')).toBe(
      '9c4e07d1a6…be54b71f',
    );
  });
  it('does not shorten a short hash', () => expect(shortHash('abc')).toBe('abc'));
});

describe('ownLocalPart', () => {
  const domains = new Set(['aldermoor.example']);
  it('shortens only addresses in our own domains', () => {
    expect(ownLocalPart('m.okafor@Aldermoor.example', domains)).toBe('m.okafor');
    expect(ownLocalPart('m.okafor@other.example', domains)).toBe('m.okafor@other.example');
    expect(ownLocalPart('@aldermoor.example', domains)).toBe('@aldermoor.example');
  });
});

describe('splitAddress', () => {
  it('splits at the last @', () => {
    expect(splitAddress('"a@b"@c.example')).toEqual(['"a@b"', '@c.example']);
    expect(splitAddress('no-at')).toEqual(['', 'no-at']);
  });
});
