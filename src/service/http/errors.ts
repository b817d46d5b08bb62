/** A refusal by the service: status, message, and the invalid field. */
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
