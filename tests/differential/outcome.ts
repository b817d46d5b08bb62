/** What a run against a witness came to. */
interface Difference {
  input: string;
  ours: string;
  theirs: string;
}

export interface Outcome {
  /** Answers held against the witness's. */
  compared: number;
  /** Inputs that one of the two refuses. */
  skipped: number;
  /** Those that nobody has explained. */
  differences: Difference[];
  /** Those that stay, by their reason, with how often they were met. */
  explained?: Record<string, number>;
}
