import { useRef } from 'react';

/** Returns the same object while its JSON is equal: for hook dependencies that are rebuilt on each render. */
export function useStable<T>(value: T): T {
  const text = JSON.stringify(value);
  const last = useRef({ text, value });
  if (last.current.text !== text) last.current = { text, value };
  return last.current.value;
}
