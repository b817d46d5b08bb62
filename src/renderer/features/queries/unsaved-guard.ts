/** A tab closed with unsaved changes is told at once, with the way back: its draft stays in the workspace. */
import { currentDraft } from '#renderer/state/drafts.ts';
import { openQuery } from '#renderer/state/navigation.ts';
import { useTabs } from '#renderer/state/tabs.ts';
import { showToast } from '#renderer/ui/toaster.ts';

let watching = false;

/** Watches the tabs from now on; once per window. */
export function guardUnsaved(): void {
  if (watching) return;
  watching = true;
  useTabs.subscribe((now, before) => {
    // Another connection has tabs of its own: those before are not closed.
    if (now.connectionId !== before.connectionId || now.tabs === before.tabs) return;
    for (const { id, route } of before.tabs) {
      if (route.screen !== 'query' || !before.dirty.has(id) || now.tabs.some((tab) => tab.id === id))
        continue;
      tell(route.draftId);
    }
  });
}

function tell(draftId: string): void {
  const draft = currentDraft(draftId);
  if (!draft) return;
  showToast({
    intent: 'caution',
    stays: true,
    title: `Closed “${draft.query.name || 'New query'}” with unsaved changes`,
    detail: 'They are kept on this machine.',
    action: { label: 'Open it again', run: () => void openQuery(currentDraft(draftId) ?? draft) },
  });
}
