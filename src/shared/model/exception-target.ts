export type ExceptionTarget = 'email' | 'domain';

/**
 * "An exception target with '@' at a position after the first character counts as an email. Otherwise it is a
 * domain." So `@x.example` is a domain (specification, section 5).
 */
export function exceptionTarget(value: string): ExceptionTarget {
  return value.indexOf('@') > 0 ? 'email' : 'domain';
}
