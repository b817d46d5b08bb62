/** The outcome of a run against a witness. */
interface Difference {
  input: string;
  ours: string;
  theirs: string;
}

export interface Outcome {
  /** Compared answers. */
  compared: number;
  /** Inputs that ours or the witness refuses. */
  skipped: number;
  /** Unexplained differences. */
  differences: Difference[];
  /** Accepted differences: counts by reason. */
  explained?: Record<string, number>;
}
