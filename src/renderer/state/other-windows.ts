/** Workspace values that all windows share, changed in another window. */
import type { WorkspaceKind, WorkspaceValue } from '#shared/bridge/workspace.ts';
import { onAppEvent } from './app-events.ts';
import { isBeingSaved, loadValue } from './workspace.ts';

/**
 * Calls back with a value of this kind after another window has changed it. Values are replaced as a whole, so without
 * this the next change here would undo the other one. A change that is not written yet takes precedence.
 */
export function onOtherWindow<K extends WorkspaceKind>(
  kind: K,
  handler: (id: string | null, value: WorkspaceValue<K> | null) => void,
): () => void {
  return onAppEvent('workspace', ({ key }) => {
    if (key.split(':', 1)[0] !== kind) return;
    const id = key === kind ? null : key.slice(kind.length + 1);
    if (isBeingSaved(kind, id)) return;
    loadValue(kind, id).then(
      (value) => {
        if (!isBeingSaved(kind, id)) handler(id, value);
      },
      () => undefined,
    );
  });
}
