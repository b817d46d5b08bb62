import { expect, it } from 'vitest';
import { listCount, listState } from './list-state.ts';
import { sharedErrors } from './shared-problem.tsx';

const rows = (count: number) => Array.from({ length: count }, () => ({}));
const stateOf = (
  data: { rows: object[]; total_rows?: number | null } | undefined,
  error: object | null = null,
) =>
  listState({
    data,
    error,
    freshness: null,
    loading: false,
    revalidating: false,
    refresh: () => undefined,
  } as Parameters<typeof listState>[0]);

it.each([
  ['no count', { rows: rows(2) }, 2],
  ['its count', { rows: rows(2), total_rows: 2 }, 2],
  ['a count below its rows', { rows: rows(2), total_rows: 0 }, 2],
  ['nothing yet', undefined, undefined],
])('a list with %s is whole', (_, data, count) => {
  expect(listCount(data)).toBe(count);
  expect(stateOf(data)).toMatchObject({ error: null });
  expect(stateOf(data)).not.toHaveProperty('empty');
});

it.each([0, 2])('[bad input] a list of %d rows with a count of 3 is neither complete nor empty', (count) => {
  const data = { rows: rows(count), total_rows: 3 };
  expect(listCount(data)).toBe(3);
  expect(stateOf(data)).toMatchObject({
    error: { message: `The service returned ${count} of 3.` },
    count: `${count} of 3`,
    empty: null,
  });
});

it.each<[object, boolean]>([
  [{ search_after: ['x'] }, true],
  [{ searchAfter: 'x' }, true],
  [{ has_more: true, total_rows: 2 }, true],
  [{ errors: ['One mailbox failed'], total_rows: 2 }, true],
  [{ success: false }, true],
  [{ search_after: ['x'], total_rows: 2 }, false],
  [{ search_after: [], errors: [], has_more: false, error: '' }, false],
])('a list of 2 rows with %j ends there or not', (extra, isOpen) => {
  const state = stateOf({ rows: rows(2), ...extra });
  expect(listCount({ rows: rows(2), ...extra })).toBe(isOpen ? undefined : 2);
  if (!isOpen) expect(state).toMatchObject({ error: null });
  else
    expect(state).toMatchObject({
      error: { message: 'The service returned 2 and says that these are not all.' },
      count: '2 of more',
      empty: null,
    });
});

it('the error of an incomplete list is not merged with those of other panels', () => {
  const short = stateOf({ rows: rows(1), total_rows: 3 }) as { error: { code: string } };
  const same = { freshness: null, loading: false, error: short.error } as never;
  expect(sharedErrors([same, same])).toEqual([]);
});

it('an error of the read is shown rather than that the list is incomplete', () => {
  const error = { code: 'timeout', message: 'No answer.', retryable: true };
  expect(stateOf({ rows: rows(2), total_rows: 3 }, error)).toMatchObject({ error });
});
