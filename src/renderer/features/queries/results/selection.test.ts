import { describe, expect, it } from 'vitest';
import { boxState, countOf, EVERYTHING, isSelected, NOTHING, namedRows, withRows } from './selection.ts';

describe('selected rows', () => {
  it('can be individual rows', () => {
    const two = withRows(NOTHING, ['a', 'b'], true, 1_000);
    expect([countOf(two, 1_000), isSelected(two, 'a'), isSelected(two, 'c')]).toEqual([2, true, false]);
    expect(withRows(two, ['a'], false, 1_000).ids).toEqual(new Set(['b']));
    expect(namedRows(two)).toEqual({ entityIds: ['a', 'b'] });
    expect(boxState(two, 1_000, 0)).toBe('some');
    expect(boxState(two, 2, 0)).toBe('all');
    // Rows that the filter hides, or may hide, are not all of the rows it shows.
    expect([boxState(two, 1, 1), boxState(two, 2, 1), boxState(two, 2, null)]).toEqual([
      'all',
      'some',
      'some',
    ]);
  });
  it('can be all but some, loaded in the grid or not', () => {
    const most = withRows(EVERYTHING, ['a', 'b'], false, 1_000);
    expect([countOf(most, 1_000), isSelected(most, 'a'), isSelected(most, 'z')]).toEqual([998, false, true]);
    expect(namedRows(most)).toEqual({ except: ['a', 'b'] });
    // Rows that arrive later are selected as well.
    expect(countOf(most, 1_500)).toBe(1_498);
    const again = withRows(most, ['a', 'b'], true, 1_000);
    expect([countOf(again, 1_000), boxState(again, 1_000, 0)]).toEqual([1_000, 'all']);
    expect(namedRows(again)).toEqual({});
  });
  it('are none once all are excluded', () => {
    expect(withRows(EVERYTHING, ['a', 'b'], false, 2)).toBe(NOTHING);
    expect(boxState(NOTHING, 0, 0)).toBe('none');
  });
});
