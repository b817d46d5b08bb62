/**
 * A record that has its own entries only. In an object literal a key from outside, such as the element, charset or tool
 * "constructor", finds what every object inherits.
 */
export const dictionary = <T>(entries: Readonly<Record<string, T>>): Readonly<Record<string, T>> =>
  Object.assign(Object.create(null) as Record<string, T>, entries);
