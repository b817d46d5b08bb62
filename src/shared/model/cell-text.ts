/** A cell of a result as text, with labels in place of identifiers. Pure. */
import type { Cell } from './entities.ts';
import { digitsOf } from './exact-numbers.ts';

/** Words by value: `checkpoint_te:found` is "Sandbox: Found". */
export type CellWords = Readonly<Record<string, string>>;

export const isNested = (item: Cell | undefined): boolean =>
  typeof item === 'object' && item !== null && digitsOf(item) === null;

/** For CSV and search: a list as its items, anything nested as JSON. */
export function textOf(value: Cell | undefined): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return value;
  if (typeof value !== 'object') return String(value);
  if (!Array.isArray(value)) return JSON.stringify(value);
  if (isNested(value[0])) return JSON.stringify(value);
  return value
    .map((item) => (item !== null && typeof item === 'object' ? JSON.stringify(item) : String(item)))
    .join('; ');
}

/** Replaces identifiers by their labels, at any depth; values without a label stay. */
export function worded(value: Cell, words: CellWords): Cell {
  if (typeof value === 'string') return Object.hasOwn(words, value) ? (words[value] ?? value) : value;
  if (Array.isArray(value)) return value.map((entry) => worded(entry, words));
  if (!isNested(value)) return value;
  return Object.fromEntries(Object.entries(value ?? {}).map(([key, entry]) => [key, worded(entry, words)]));
}
