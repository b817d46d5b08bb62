import type { JSX } from 'react';
import { useRoleRefusal } from '#renderer/state/caller.ts';
import { isDraftDirty } from '#renderer/state/drafts.ts';
import { LinkButton } from '#renderer/ui/link-button.tsx';
import type { Draft } from '#shared/bridge/workspace.ts';
import { saveDraft } from './query-actions.ts';
import { useSaving } from './saves-underway.ts';

/** What is done with a saved query takes the saved version: says so where the one on screen differs, and saves it. */
export function UnsavedNote({ draft }: { draft: Draft }): JSX.Element | null {
  const saving = useSaving(draft.id);
  const roleRefusal = useRoleRefusal();
  if (draft.saved === null || !isDraftDirty(draft)) return null;
  const refusal = roleRefusal('query.update', { query: draft.saved });
  return (
    <p className="pp-caution pp-schedule-line" role="status">
      This takes the saved version, without your unsaved changes.{' '}
      <LinkButton
        disabled={saving || refusal !== null}
        title={refusal ?? undefined}
        onClick={() => void saveDraft(draft.id)}
      >
        Save changes first
      </LinkButton>
    </p>
  );
}
