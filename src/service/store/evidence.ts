/** What an import gives to the store. */

/** The fields of a mail that determine its conversation. */
export interface ThreadFacts {
  /** Keys that it shares with the other mails of its conversation. */
  keys: string[];
  /** Without reply prefixes; null: too little is known to match by subject. */
  subject: { base: string; isOrphan: boolean; from: string; at: number } | null;
}
