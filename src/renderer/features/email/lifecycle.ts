/** Quarantine and restore of an email: by the restore service, else by the plain profile (section 8). */
import { type RestoreRead, restoreFieldsOf } from '#renderer/entity/restore-fields.ts';
import type { EmailProfile, PendingAction } from '#shared/model/entities.ts';
import type { RestoreState } from '#shared/model/enums.ts';
import { restoreState } from '#shared/model/restore.ts';

export interface Lifecycle {
  quarantine: EmailProfile['quarantine_info'];
  restore: EmailProfile['restore_info'];
  decline: EmailProfile['decline_info'];
  pending: readonly PendingAction[];
  held: boolean;
  state: RestoreState | null;
  /** Both restored and declined were set. */
  conflict: boolean;
}

/**
 * Restore fields that are missing, empty, or older than the restore service's failure: the profile's own values count.
 * Null if neither is known.
 */
export function lifecycleOf(profile: EmailProfile | undefined, read: RestoreRead): Lifecycle | null {
  const props = restoreFieldsOf(read, profile);
  if (!profile && !props) return null;
  const quarantine = props?.quarantine_info ?? profile?.quarantine_info;
  const restore = props?.restore_info ?? profile?.restore_info;
  const decline = props?.decline_info ?? profile?.decline_info;
  const word = props?.restore_state?.toLowerCase();
  const { state, conflict } = restoreState({
    requested: restore?.requested === true || word === 'requested',
    restored: restore?.restored === true || word === 'restored',
    declined: decline?.declined === true || word === 'declined',
  });
  return {
    quarantine,
    restore,
    decline,
    pending: props?.pending_actions ?? profile?.pending_actions ?? [],
    held: quarantine?.quarantined === true,
    state,
    conflict,
  };
}
