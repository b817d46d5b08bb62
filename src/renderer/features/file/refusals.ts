/** Why an action on a file is currently not possible, or needs care. */
import type { FileProfile } from '#shared/model/entities.ts';
import { exact } from '#shared/model/format.ts';
import type { ResponseKind } from '#shared/model/responses.ts';

/** Responses that services support for files. */
export const FILE_RESPONSES: readonly ResponseKind[] = [
  'quarantine',
  'restore',
  'delete',
  'rescan',
  'report',
  'identify',
];

interface FileState {
  profile: Pick<FileProfile, 'is_deleted'>;
  held: boolean;
  /** Why it cannot be restored, or null if it can, or is not known. */
  notRestorable: string | null;
}

/** Why the state of the file rules the response out, or null if it does not. */
export function stateRefusal(kind: ResponseKind, state: FileState): string | null {
  const deleted = state.profile.is_deleted === true ? 'The file is deleted.' : null;
  switch (kind) {
    case 'quarantine':
      return deleted ?? (state.held ? 'Already in quarantine.' : null);
    case 'restore':
      return deleted ?? (state.held ? state.notRestorable : 'Not in quarantine.');
    case 'delete':
      return deleted;
    case 'decline':
    case 'request_restore':
      return 'Only emails can have a release request.';
    default:
      return null;
  }
}

/** Above this number of permission entries, a warning is shown. */
const MANY = 50;

/** What taking the file away means for those with access, whose number may be unknown. Null if few have it. */
export function accessWarning(people: number | null): string | null {
  if (people === null) return 'How many permission entries lose access is unknown.';
  return people > MANY ? `${exact(people)} permission entries lose access at once.` : null;
}
