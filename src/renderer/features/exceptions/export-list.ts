/** The list as a file: which format, where to, and what came of it. */
import { windowBridge } from '#renderer/state/window-bridge.ts';
import { showToast } from '#renderer/ui/toaster.ts';
import { toBridgeError } from '#shared/bridge/errors.ts';
import { bytes, exact } from '#shared/model/format.ts';
import { type Search, searchBody } from './search.ts';

export type ListFormat = 'csv' | 'json';

/** Asks where to and writes what the search finds, or the chosen entries of it. A toast says what came of it. */
export async function exportList(
  connectionId: string,
  search: Search,
  ids: readonly string[] | null,
  format: ListFormat,
): Promise<void> {
  const bridge = windowBridge();
  try {
    const grant = await bridge.call('dialogs.save', { suggestedName: `exceptions.${format}`, kind: format });
    if (grant === null) return;
    const { page: _, size: __, ...asked } = searchBody(search, 0, Date.now());
    const written = await bridge.call('exceptions.export', {
      connectionId,
      search: asked,
      ...(ids === null ? {} : { ids: [...ids] }),
      format,
      grantId: grant.grantId,
    });
    showToast({
      intent: 'success',
      title: `Exported ${exact(written.count)} ${written.count === 1 ? 'exception' : 'exceptions'}`,
      detail: `${written.name}, ${bytes(written.bytes)}`,
    });
  } catch (error) {
    const { code, message } = toBridgeError(error);
    if (code !== 'cancelled')
      showToast({ intent: 'error', title: 'The exceptions were not exported', detail: message });
  }
}
