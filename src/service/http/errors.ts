/** A refusal as the service answers it: a status, words, and the field that is wrong. */
export class ServiceError extends Error {
  readonly status: number;
  readonly field: string | undefined;

  constructor(status: number, message: string, field?: string) {
    super(message);
    this.name = 'ServiceError';
    this.status = status;
    this.field = field;
  }

  toJSON(): Record<string, unknown> {
    return { error: this.message, ...(this.field === undefined ? {} : { field: this.field }) };
  }
}
