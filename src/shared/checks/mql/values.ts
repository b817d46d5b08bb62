/** Values of MQL: null is what the mail does not have, UNKNOWN what cannot be told. */

/** Neither true nor false: a rule must not hit because something could not be looked at, not even through `not`. */
export const UNKNOWN: unique symbol = Symbol('unknown');

export interface Sequence {
  items: readonly Value[];
  /** There may be further elements that could not be looked at. */
  isPartial: boolean;
}

/** `object`: what a shape of the model describes. */
export type Value = string | number | boolean | null | typeof UNKNOWN | Sequence | object;

export const sequence = (items: readonly Value[], isPartial = false): Sequence => ({ items, isPartial });

/** Elements of a list that rules look at; if there are more, no rule can say that none of them is so. */
const MAX_ITEMS = 500;
export const bounded = (all: readonly Value[]): Sequence =>
  all.length <= MAX_ITEMS ? sequence(all) : sequence(all.slice(0, MAX_ITEMS), true);

/** Why something cannot be told without leaving this machine or the mail. */
export const LACKS = {
  network: 'the network',
  learning: 'a trained model',
  history: 'the earlier mail of the sender or the mailbox',
  list: 'a list that is not here',
  content: 'what is inside attachments',
  field: 'a field that is not read',
  function: 'a function that is not available',
} as const;
export type Lack = keyof typeof LACKS;

export type Type =
  | 'text'
  | 'number'
  | 'boolean'
  | 'null'
  /** Only known when a mail is read, as in a map of query parameters. */
  | 'any'
  /** Nothing of it can be told: every operation on it is unknown. */
  | 'lack'
  | { items: Type }
  | Shape
  /** Any name, each with a value of this type. */
  | { values: Type };

/** An object of the model: its fields by name. */
export interface Shape {
  fields: Readonly<Record<string, Field>>;
}

interface Field {
  type: Type;
  // biome-ignore lint/suspicious/noExplicitAny: a shape and its values belong together, which the model's declarations check.
  get: (value: any) => Value;
  /** What is needed to tell it, if it cannot be told. */
  lack?: Lack;
}

export const isItems = (type: Type): type is { items: Type } => typeof type === 'object' && 'items' in type;
export const isShape = (type: Type): type is Shape => typeof type === 'object' && 'fields' in type;
export const isMap = (type: Type): type is { values: Type } => typeof type === 'object' && 'values' in type;

/** A shape whose getters are checked against the values it describes. */
export const shape = <T>(
  fields: Readonly<Record<string, { type: Type; get: (value: T) => Value; lack?: Lack }>>,
): Shape => ({ fields });

export const text = <T>(get: (value: T) => string | null | typeof UNKNOWN) => ({
  type: 'text' as const,
  get,
});
export const number = <T>(get: (value: T) => number | null | typeof UNKNOWN) => ({
  type: 'number' as const,
  get,
});
export const truth = <T>(get: (value: T) => boolean | null | typeof UNKNOWN) => ({
  type: 'boolean' as const,
  get,
});
export const object = <T, U extends object>(type: Shape, get: (value: T) => U | null | typeof UNKNOWN) => ({
  type,
  get,
});
/** The elements of a list, of which at most `MAX_ITEMS` are looked at. */
export const items = <T>(of: Type, get: (value: T) => readonly Value[]) => ({
  type: { items: of },
  get: (value: T): Value => bounded(get(value)),
});
export const lacking = (lack: Lack) => ({ type: 'lack' as const, get: (): Value => UNKNOWN, lack });
