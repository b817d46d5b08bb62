/** IOCs of rows to the clipboard: deduplicated, typed, defanged; the toast offers them raw. */
import { windowBridge } from '#renderer/state/window-bridge.ts';
import { showToast } from '#renderer/ui/toaster.ts';
import { toBridgeError } from '#shared/bridge/errors.ts';
import type { LocalFilter, ResultColumn } from '#shared/bridge/operations.ts';
import type { Cell } from '#shared/model/entities.ts';
import { exact } from '#shared/model/format.ts';
import { extractIocs, iocList, iocSummary } from '#shared/model/ioc.ts';
import { fieldTypeOf } from '#shared/query/operators.ts';

/** Which rows an action is about. */
export type Selection =
  | { mode: 'some'; ids: readonly string[] }
  /** Every row on this machine that matches the local filter. */
  | { mode: 'all' };

const KINDS: readonly string[] = ['email', 'domain', 'url', 'ip', 'hash'];
/** Whom it was sent to is no indicator. */
const OWN_SIDE: readonly string[] = ['to', 'cc', 'bcc', 'recipients', 'owner', 'user'];
const CHUNK = 5000;

const indicatorColumns = (columns: readonly ResultColumn[]) =>
  columns.flatMap((column, index) =>
    KINDS.includes(fieldTypeOf(column.type)) && !OWN_SIDE.includes(column.id) ? [{ ...column, index }] : [],
  );

function* texts(value: Cell | undefined): Generator<string> {
  if (typeof value === 'string') yield value;
  else if (Array.isArray(value)) for (const one of value) yield* texts(one);
}

async function collect(
  resultId: string,
  columns: readonly ResultColumn[],
  selection: Selection,
  filter: LocalFilter,
): Promise<{ found: string[]; rows: number }> {
  const bridge = windowBridge();
  const wanted = indicatorColumns(columns);
  const found: string[] = [];
  let rows = 0;
  if (selection.mode === 'some') {
    for (let start = 0; start < selection.ids.length; start += CHUNK) {
      const entityIds = selection.ids.slice(start, start + CHUNK);
      const answer = await bridge.call('results.rows', { resultId, entityIds });
      rows += answer.rows.length;
      for (const row of answer.rows) for (const column of wanted) found.push(...texts(row[column.id]));
    }
    return { found, rows };
  }
  for (let start = 0; ; start += CHUNK) {
    const page = await bridge.call('results.page', { resultId, start, end: start + CHUNK, filter });
    rows += page.rows.length;
    for (const row of page.rows) for (const column of wanted) found.push(...texts(row[column.index + 1]));
    if (page.rows.length < CHUNK || start + CHUNK >= page.loaded) return { found, rows };
  }
}

/** Copies the IOCs of the selected rows. */
export async function copyIocs(
  resultId: string,
  columns: readonly ResultColumn[],
  selection: Selection,
  filter: LocalFilter,
): Promise<void> {
  const bridge = windowBridge();
  try {
    const { found, rows } = await collect(resultId, columns, selection, filter);
    const iocs = extractIocs(found);
    if (iocs.length === 0) {
      showToast({ intent: 'caution', title: `No IOCs in the columns of ${exact(rows)} rows` });
      return;
    }
    await bridge.call('clipboard.write', { text: iocList(iocs, true) });
    showToast({
      intent: 'success',
      title: `${exact(iocs.length)} ${iocs.length === 1 ? 'IOC' : 'IOCs'} copied, defanged`,
      detail: `${iocSummary(iocs)}, from ${exact(rows)} ${rows === 1 ? 'row' : 'rows'}`,
      action: {
        label: 'Copy raw',
        run: () =>
          void bridge.call('clipboard.write', { text: iocList(iocs, false) }).then(
            () => showToast({ intent: 'success', title: `${exact(iocs.length)} IOCs copied as they are` }),
            (error: unknown) =>
              showToast({
                intent: 'error',
                title: 'Nothing was copied',
                detail: toBridgeError(error).message,
              }),
          ),
      },
    });
  } catch (error) {
    showToast({ intent: 'error', title: 'Nothing was copied', detail: toBridgeError(error).message });
  }
}
