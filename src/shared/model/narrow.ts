/** Type guards for words and values from outside. */

export const isOneOf = <T extends string>(words: readonly T[], word: string): word is T =>
  words.some((item) => item === word);

/** Own keys only: "constructor" names nothing in a table. */
export const hasKey = <T extends object>(table: T, key: PropertyKey): key is keyof T =>
  Object.hasOwn(table, key);

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
