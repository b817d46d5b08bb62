/**
 * A record with only its own entries. In an object literal a key from outside, such as the element, charset or tool
 * "constructor", would find a property that every object inherits.
 */
export const dictionary = <T>(entries: Readonly<Record<string, T>>): Readonly<Record<string, T>> =>
  Object.assign(Object.create(null) as Record<string, T>, entries);
