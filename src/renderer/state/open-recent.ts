import { readOnce } from '#renderer/bridge/use-read.ts';
import { showToast } from '#renderer/ui/toaster.ts';
import { toBridgeError } from '#shared/bridge/errors.ts';
import { currentConnection } from './connection.ts';
import { openQuery } from './navigation.ts';
import type { RecentQuery } from './recent.ts';
import { windowBridge } from './window-bridge.ts';
import { loadValues } from './workspace.ts';

/** Opens a query run before: the saved one, or the draft that ran it. */
export async function openRecent(recent: RecentQuery): Promise<void> {
  const connection = currentConnection();
  if (!connection) return;
  try {
    const drafts = await loadValues('draft');
    const ran = [...drafts.values()]
      .filter(({ connectionId }) => connectionId === connection.id)
      .sort((a, b) => b.updatedAt - a.updatedAt)
      .find((draft) => recent.resultId !== null && draft.resultId === recent.resultId);
    if (ran) return void openQuery(ran);
    if (recent.queryId === null) {
      showToast({ intent: 'info', title: `“${recent.name}” was not saved and its tab is gone` });
      return;
    }
    const request = { params: { id: recent.queryId } };
    openQuery((await readOnce(windowBridge(), connection.id, 'query.get', request)).data);
  } catch (error) {
    showToast({
      intent: 'error',
      title: `“${recent.name}” did not open`,
      detail: toBridgeError(error).message,
    });
  }
}
