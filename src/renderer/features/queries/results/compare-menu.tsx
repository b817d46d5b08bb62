import { MenuDivider, MenuItem } from '@blueprintjs/core';
import { Comparison, Pin } from '@blueprintjs/icons';
import type { JSX } from 'react';
import { useBridge } from '#renderer/bridge/bridge-context.tsx';
import { menuOf } from '#renderer/commands/command.tsx';
import { useClock } from '#renderer/ui/clock-context.ts';
import { MenuPopover } from '#renderer/ui/menu/menu-popover.tsx';
import { useAnswer } from '#renderer/ui/use-answer.ts';
import type { OutputOf, ResultSet } from '#shared/bridge/operations.ts';
import { profileTime } from '#shared/model/clock.ts';
import { formatGridCount, plural } from '#shared/model/format.ts';
import { RUN_LABELS } from '../labels.ts';
import { signed } from './compare-columns.tsx';
import { afterFirstRows } from './first-rows.ts';
import { BarButton } from './results-bar.tsx';

type EarlierRun = OutputOf<'results.history'>['runs'][number];

/** Earlier runs of the same query, newest first, or null while loading. */
function useEarlierRuns(result: ResultSet): readonly EarlierRun[] | null {
  const bridge = useBridge();
  const { id, connectionId, queryKey, startedAt } = result;
  const { data } = useAnswer([id, connectionId, queryKey], async (signal) => {
    await afterFirstRows(id);
    return bridge.call('results.history', { connectionId, queryKey }, { signal });
  });
  return data?.runs.filter((run) => run.resultId !== id && run.startedAt <= startedAt) ?? null;
}

/** Chooses the earlier run to compare with; the button shows the difference to the last run's total. */
export function CompareMenu(props: { result: ResultSet; onCompare: (baseId: string) => void }): JSX.Element {
  const { result, onCompare } = props;
  const clock = useClock();
  const runs = useEarlierRuns(result);
  const last = runs?.[0];
  const more =
    last && last.total !== result.total ? ` ${signed(result.total - last.total, formatGridCount)}` : '';
  const earlier = (runs ?? []).map((run) => ({
    text: profileTime(run.startedAt, clock),
    icon: run.pinned ? <Pin size={12} /> : undefined,
    note: `${plural(run.loaded, 'row')}, ${RUN_LABELS[run.state]}`,
    run: () => onCompare(run.resultId),
  }));
  const none = 'No earlier runs on this machine. This run is kept for later comparison.';
  const menu = menuOf('Compare with an earlier run', [
    <MenuDivider key="title" title="Compare with run from" />,
    earlier.length === 0 && <MenuItem key="none" disabled text={none} multiline />,
    ...earlier,
  ]);
  return (
    <MenuPopover content={menu} placement="bottom-end">
      <BarButton icon={<Comparison size={14} />} text={`Compare runs${more}`} />
    </MenuPopover>
  );
}
