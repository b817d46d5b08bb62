/** The outcome of a run against a witness. */
interface Difference {
  input: string;
  ours: string;
  theirs: string;
}

export interface Outcome {
  /** Number of compared results. */
  compared: number;
  /** Number of inputs that Parapet or the witness refuses. */
  skipped: number;
  /** Unexplained differences. */
  differences: Difference[];
  /** Accepted differences: counts by reason. */
  explained?: Record<string, number>;
}
