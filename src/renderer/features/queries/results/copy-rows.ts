/** Selected rows to the clipboard, as they are on screen: the same columns, order and clock. */
import { currentClock } from '#renderer/state/preferences.ts';
import { windowBridge } from '#renderer/state/window-bridge.ts';
import { showToast } from '#renderer/ui/toaster.ts';
import { toBridgeError } from '#shared/bridge/errors.ts';
import type { LocalFilter, ResultColumn } from '#shared/bridge/operations.ts';
import { type CopyFormat, copyRows } from '#shared/model/copy-as.ts';
import type { Cell, Sort } from '#shared/model/entities.ts';
import { exact } from '#shared/model/format.ts';
import { fieldTypeOf } from '#shared/query/operators.ts';
import { namedRows, type Selection } from './selection.ts';

/** More are a file's business: a clipboard that holds them all freezes what it is pasted into. */
const ROWS_MOST = 20_000;
const CHUNK = 5_000;

const NAMES: Readonly<Record<CopyFormat, string>> = {
  tsv: 'for a spreadsheet',
  csv: 'as CSV',
  json: 'as JSON',
  markdown: 'as a Markdown table',
};

export interface CopyPlan {
  resultId: string;
  /** The columns of the result. */
  own: readonly ResultColumn[];
  /** The columns on screen, in their order. */
  shown: readonly { id: string; label: string }[];
  selection: Selection;
  filter: LocalFilter | undefined;
  sort: Sort[] | undefined;
}

/** The rows of a selection in the order on screen; `left`: how many were too many. */
async function readRows(plan: CopyPlan): Promise<{ rows: Cell[][]; left: number }> {
  const bridge = windowBridge();
  const { selectionId, count } = await bridge.call('results.matching', {
    resultId: plan.resultId,
    ...(plan.sort ? { sort: plan.sort } : {}),
    ...(plan.filter ? { filter: plan.filter } : {}),
    ...namedRows(plan.selection),
  });
  try {
    const rows: Cell[][] = [];
    const end = Math.min(count, ROWS_MOST);
    for (let start = 0; start < end; start += CHUNK) {
      const page = await bridge.call('results.selection', {
        selectionId,
        start,
        end: Math.min(start + CHUNK, end),
      });
      const entityIds = page.entityIds.filter((id) => id !== null);
      const answer = await bridge.call('results.rows', { resultId: plan.resultId, entityIds });
      for (const row of answer.rows) rows.push(plan.shown.map(({ id }) => row[id] ?? null));
    }
    return { rows, left: count - end };
  } finally {
    void bridge.call('results.release', { selectionId }).catch(() => undefined);
  }
}

/** Copies the rows; says what it did. */
export async function copySelected(format: CopyFormat, plan: CopyPlan): Promise<void> {
  try {
    const { rows, left } = await readRows(plan);
    const columns = plan.shown.map(({ id, label }) => ({
      id,
      label,
      isDate: fieldTypeOf(plan.own.find((column) => column.id === id)?.type ?? 'text') === 'date',
    }));
    await windowBridge().call('clipboard.write', { text: copyRows(format, columns, rows, currentClock()) });
    showToast({
      intent: left > 0 ? 'caution' : 'success',
      title: `${exact(rows.length)} ${rows.length === 1 ? 'row' : 'rows'} copied ${NAMES[format]}`,
      ...(left > 0 ? { detail: `${exact(left)} more were left out: export them to a file.` } : {}),
    });
  } catch (error) {
    showToast({ intent: 'error', title: 'Nothing was copied', detail: toBridgeError(error).message });
  }
}
