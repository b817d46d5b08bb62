import type { RestoreState } from './enums.ts';

export const RESTORE_LABELS: Readonly<Record<RestoreState, string>> = {
  requested: 'Requested',
  restored: 'Restored',
  declined: 'Declined',
};

/** Flags as a service reports them; they can contradict each other. */
export interface RestoreFlags {
  requested?: boolean | null | undefined;
  restored?: boolean | null | undefined;
  declined?: boolean | null | undefined;
}

export interface RestoreReading {
  state: RestoreState | null;
  /** Both restored and declined were set; being requested before either is no conflict. */
  conflict: boolean;
}

/** "Restore request: requested, restored, declined" (section 4). In conflict declined > restored > requested. */
export function restoreState(flags: RestoreFlags): RestoreReading {
  const declined = flags.declined === true;
  const restored = flags.restored === true;
  const requested = flags.requested === true;
  const state = declined ? 'declined' : restored ? 'restored' : requested ? 'requested' : null;
  return { state, conflict: declined && restored };
}
