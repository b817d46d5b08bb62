import { type RefObject, useEffect, useRef, useState } from 'react';

/** An element's inner size in px; 0 before it is laid out. Stays while its tab is hidden. */
export function useSize(): [RefObject<HTMLDivElement | null>, { width: number; height: number }] {
  const ref = useRef<HTMLDivElement>(null);
  const [size, setSize] = useState({ width: 0, height: 0 });
  useEffect(() => {
    const node = ref.current;
    if (!node) return undefined;
    const observer = new ResizeObserver(() => {
      if (node.clientWidth > 0) setSize({ width: node.clientWidth, height: node.clientHeight });
    });
    observer.observe(node);
    return () => observer.disconnect();
  }, []);
  return [ref, size];
}

const BLOCK = 60;

/**
 * Loads the rows of a worker's list around those in view (`first` to before `last`). `rows` requests a range; a
 * new function reloads. Rows not loaded yet are undefined.
 */
export function useRowsInView<T>(
  rows: (start: number, end: number) => Promise<T[]>,
  first: number,
  last: number,
): (at: number) => T | undefined {
  const [state, setState] = useState<{ start: number; rows: T[] }>({ start: 0, rows: [] });
  const start = Math.max(0, Math.floor((first - BLOCK / 2) / BLOCK) * BLOCK);
  const end = Math.ceil((last + BLOCK / 2) / BLOCK) * BLOCK;
  useEffect(() => {
    let left = false;
    rows(start, end).then(
      (found) => {
        if (!left) setState({ start, rows: found });
      },
      () => undefined,
    );
    return () => {
      left = true;
    };
  }, [rows, start, end]);
  return (at) => state.rows[at - state.start];
}
