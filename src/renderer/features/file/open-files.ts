/** New queries on a file's values. */
import { readOnce } from '#renderer/bridge/use-read.ts';
import { currentConnection } from '#renderer/state/connection.ts';
import { blankQuery } from '#renderer/state/drafts.ts';
import { conditionFor } from '#renderer/state/entity-actions.ts';
import { openQuery } from '#renderer/state/navigation.ts';
import { windowBridge } from '#renderer/state/window-bridge.ts';
import type { EntityRef } from '#renderer/ui/entity-value.tsx';
import { showToast } from '#renderer/ui/toaster.ts';
import { toBridgeError } from '#shared/bridge/errors.ts';

/** Opens a query over files that asks for this value; a toast says so when the service cannot ask for it. */
export async function openFilesWith(entity: EntityRef): Promise<void> {
  try {
    const connection = currentConnection();
    if (!connection) throw new Error('No connection is open.');
    const request = { query: { saas_id: 'all', query_domain: 'file' } };
    const { data } = await readOnce(windowBridge(), connection.id, 'query.config', request);
    const condition = conditionFor(data, entity);
    if (!condition) throw new Error('This service has no field to look for such a value among files.');
    openQuery({
      ...blankQuery('file'),
      name: `Files: ${entity.value.slice(0, 80)}`,
      filter: { operator: 'and', conditions: [condition] },
    });
  } catch (error) {
    showToast({ intent: 'error', title: 'No query for this value', detail: toBridgeError(error).message });
  }
}
