/** Recorded events of entities: what people and tools did after they arrived. */
export interface Happening {
  entityId: string;
  /** Milliseconds since the epoch. */
  at: number;
  type: string;
  actor: string | null;
  /** A label of specification section 6, or null for a tool. */
  actorLabel: string | null;
  summary: string;
  detail?: string | null;
  reEvaluated?: boolean;
}
