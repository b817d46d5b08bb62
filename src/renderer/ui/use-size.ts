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
