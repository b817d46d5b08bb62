import { useEffect, useState } from 'react';

const BLOCK = 60;

/**
 * Loads the rows of a worker's list around those in view (`first` to before `last`). `rows` requests a range; a
 * new function reloads. Rows not loaded yet are undefined.
 */
export function useRowsInView<T>(
  rows: (start: number, end: number) => Promise<T[]>,
  first: number,
  last: number,
): (index: number) => T | undefined {
  const [state, setState] = useState<{ start: number; rows: T[] }>({ start: 0, rows: [] });
  const start = Math.max(0, Math.floor((first - BLOCK / 2) / BLOCK) * BLOCK);
  const end = Math.ceil((last + BLOCK / 2) / BLOCK) * BLOCK;
  useEffect(() => {
    let isUnmounted = false;
    rows(start, end).then(
      (rows) => {
        if (!isUnmounted) setState({ start, rows });
      },
      () => undefined,
    );
    return () => {
      isUnmounted = true;
    };
  }, [rows, start, end]);
  return (position) => state.rows[position - state.start];
}
