/** Data that are not damaged, but packed in a way that is not read here. The message says what to do. */
export class UnknownMethodError extends Error {
  override readonly name = 'UnknownMethodError';
}
