/** One step of a database's schema. Released steps are never edited: a change is a new step. */
export interface Migration {
  /** Ascending from 1; the number in the file's name. */
  version: number;
  summary: string;
  statements: readonly string[];
}
