import { describe, expect, it } from 'vitest';
import { furtherPages, requestOf } from './choices.ts';

describe('the further pages of a layer', () => {
  const chain: Record<string, { next: string | null }> = { a: { next: 'b' }, b: { next: 'c' } };
  const answerAt = (page: string) => chain[page];

  it('are known as far as pages have answered, each by the key that the one before gave', () => {
    expect(furtherPages({ total_rows: 99_999, next: 'a' }, answerAt)).toEqual(['a', 'b', 'c']);
    expect(furtherPages({ total_rows: 5_000, next: null }, answerAt)).toEqual([]);
    expect(furtherPages({ next: 'x' }, () => ({ next: 'x' }))).toEqual(['x']);
  });

  it('reach the last of 857 142 rows', () => {
    const pages = Math.ceil(857_142 / 5_000);
    const at = (page: string) => ({ next: Number(page) + 1 < pages ? String(Number(page) + 1) : null });
    expect(furtherPages({ total_rows: 857_142, next: '1' }, at)).toHaveLength(pages - 1);
  });

  it('are numbered where the service gives no key', () => {
    expect(furtherPages({ total_rows: 10_001 }, answerAt)).toEqual([1, 2]);
    expect(furtherPages({ total_rows: 10_000 }, answerAt)).toEqual([1]);
    expect(furtherPages({}, answerAt)).toEqual([]);
    expect(furtherPages(undefined, answerAt)).toEqual([]);
  });

  it('are asked for by number or by key', () => {
    const layer = { module: 'slack', failed: null };
    expect(requestOf(layer, 0).query).toEqual({ module: 'slack', fail: 'unknown' });
    expect(requestOf(layer, 2).query).toEqual({ module: 'slack', fail: 'unknown', page: 2 });
    expect(requestOf(layer, '5.1').query).toEqual({ module: 'slack', fail: 'unknown', after: '5.1' });
  });
});
