import { useRef } from 'react';

/** Returns the same object while its JSON is equal: for hook dependencies that are rebuilt on each render. */
export function useStable<T>(value: T): T {
  const text = JSON.stringify(value);
  const kept = useRef({ text, value });
  if (kept.current.text !== text) kept.current = { text, value };
  return kept.current.value;
}
