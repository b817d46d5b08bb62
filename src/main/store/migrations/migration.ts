/** One step of a database's schema. Steps are never edited once released: a change is a new step. */
export interface Migration {
  /** 1 and up, rising; the number the file is named by. */
  version: number;
  summary: string;
  statements: readonly string[];
}
