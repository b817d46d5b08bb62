import { useRef } from 'react';

/** The same object for as long as its value, compared as JSON, stays the same: for dependencies that are built anew with each render. */
export function useStable<T>(value: T): T {
  const text = JSON.stringify(value);
  const kept = useRef({ text, value });
  if (kept.current.text !== text) kept.current = { text, value };
  return kept.current.value;
}
