/** Facts about entities that have no column of their own. */
import type { ScanRecord } from './records.ts';

export interface EntityState {
  identifier?: string;
  /** Tool results since a rescan; before one, the generator provides them. */
  scans?: ScanRecord[];
  quarantine?: { at: number; by: string; reason: string };
  restored?: { at: number; by: string; reason: string };
}
