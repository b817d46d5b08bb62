import { Button } from '@blueprintjs/core';
import { Clipboard } from '@blueprintjs/icons';
import type { JSX } from 'react';
import { menuOf } from '#renderer/commands/command.tsx';
import { currentClock } from '#renderer/state/preferences.ts';
import { attempt } from '#renderer/state/show-failure.ts';
import { windowBridge } from '#renderer/state/window-bridge.ts';
import { MenuPopover } from '#renderer/ui/menu/menu-popover.tsx';
import { showToast } from '#renderer/ui/toaster.ts';
import type { LocalFilter, ResultColumn } from '#shared/bridge/operations.ts';
import { worded } from '#shared/model/cell-text.ts';
import { type CopyFormat, copyRows } from '#shared/model/copy-as.ts';
import type { Cell, QueryConfig, Sort } from '#shared/model/entities.ts';
import { exact, plural } from '#shared/model/format.ts';
import { fieldTypeOf } from '#shared/query/operators.ts';
import { COPIED_AS, COPY_FAILED, COPY_OPTIONS } from '../labels.ts';
import { fieldsById, localSort, valueWords } from '../query-run.ts';
import { named, whileFrozen } from './frozen-rows.ts';
import { namedRows, type Selection } from './selection.ts';
import type { Browse } from './use-browse.ts';
import { copyCommands } from './use-result-keys.ts';

/** More belong in a file: a clipboard this large freezes the application it is pasted into. */
const ROWS_MOST = 20_000;
const CHUNK = 5_000;

interface CopyPlan {
  resultId: string;
  ofResult: readonly ResultColumn[];
  config: QueryConfig;
  /** The columns on screen, in their order. */
  shown: readonly { id: string; label: string }[];
  selection: Selection;
  filter: LocalFilter | undefined;
  sort: Sort[] | undefined;
}

/** The rows of a selection in the order on screen; `left` is how many were too many. */
async function readRows(plan: CopyPlan): Promise<{ rows: Cell[][]; left: number }> {
  const bridge = windowBridge();
  const which = {
    resultId: plan.resultId,
    ...(plan.sort ? { sort: plan.sort } : {}),
    ...(plan.filter ? { filter: plan.filter } : {}),
    ...namedRows(plan.selection),
  };
  const fields = fieldsById(plan.config);
  const shown = plan.shown.map(({ id }) => ({ id, words: valueWords([fields.get(id)]) ?? {} }));
  return whileFrozen(bridge, which, async ({ count, page }) => {
    const rows: Cell[][] = [];
    const end = Math.min(count, ROWS_MOST);
    for (let start = 0; start < end; start += CHUNK) {
      const entityIds = named(await page(start, Math.min(start + CHUNK, end)));
      const answer = await bridge.call('results.rows', { resultId: plan.resultId, entityIds });
      for (const row of answer.rows) rows.push(shown.map(({ id, words }) => worded(row[id] ?? null, words)));
    }
    return { rows, left: count - end };
  });
}

const copySelected = (format: CopyFormat, plan: CopyPlan): Promise<unknown> =>
  attempt(COPY_FAILED, async () => {
    const { rows, left } = await readRows(plan);
    const columns = plan.shown.map(({ id, label }) => ({
      id,
      label,
      isDate: fieldTypeOf(plan.ofResult.find((column) => column.id === id)?.type ?? 'text') === 'date',
    }));
    await windowBridge().call('clipboard.write', { text: copyRows(format, columns, rows, currentClock()) });
    showToast({
      intent: left > 0 ? 'caution' : 'success',
      title: `${plural(rows.length, 'row')} copied ${COPIED_AS[format]}`,
      ...(left > 0 ? { detail: `${exact(left)} more not copied. Export them to a file instead.` } : {}),
    });
  });

export function CopyMenu({ browse }: { browse: Browse }): JSX.Element {
  const { result, columns, selection, rows, filtering, order } = browse;
  const filter = filtering ? rows.filter : undefined;
  const copy = (format: CopyFormat) =>
    void copySelected(format, {
      resultId: result.id,
      ofResult: columns.ofResult,
      config: browse.local,
      shown: columns.shown,
      selection: selection.selection,
      filter: selection.selection.mode === 'all' ? filter : undefined,
      sort: order.isLocal ? localSort(order.sort, browse.local) : undefined,
    });
  const menu = menuOf(
    'Copy the selected rows',
    copyCommands((defanged) => browse.copy({ defanged })),
    COPY_OPTIONS.map(({ format, text, label }) => ({ text, note: label, run: () => copy(format) })),
  );
  return (
    <MenuPopover content={menu} placement="bottom-start">
      <Button size="small" icon={<Clipboard size={14} />} text="Copy" aria-haspopup="menu" />
    </MenuPopover>
  );
}
