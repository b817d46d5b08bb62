import { Disable, TickCircle } from '@blueprintjs/icons';
import type { JSX } from 'react';
import type { GridColumn } from '#renderer/ui/grid-columns.tsx';
import type { ExceptionList } from '#shared/exceptions/types.ts';
import { type ClockSetting, profileTime } from '#shared/model/clock.ts';
import { visibleText } from '#shared/model/format.ts';
import { type Branding, toolLabel } from '#shared/model/white-label.ts';
import { type EntryRow, entityOf } from './entry.ts';

/** Which list, as shape, colour and word. */
export function ListMark({ list }: { list: ExceptionList }): JSX.Element {
  return (
    <span className={`pp-word pp-exc-list pp-exc-${list}`}>
      {list === 'allow' ? <TickCircle size={12} /> : <Disable size={12} />}
      {list === 'allow' ? 'Allow' : 'Block'}
    </span>
  );
}

/** Columns of the list; match, comment and authorship where there is room, the tool where the list is of all. */
export function entryColumns(options: {
  wide: boolean;
  everyTool: boolean;
  branding: Branding;
  clock: ClockSetting;
}): GridColumn<EntryRow>[] {
  const { wide, everyTool, branding, clock } = options;
  const when = (shown: boolean, column: GridColumn<EntryRow>) => (shown ? [column] : []);
  return [
    {
      id: 'list',
      label: 'List',
      value: ({ list }) => list,
      width: 78,
      tooltip: () => null,
      render: ({ list }) => <ListMark list={list} />,
    },
    ...when(everyTool, {
      id: 'tool',
      label: 'Tool',
      value: ({ tool }) => toolLabel(tool, branding),
      width: wide ? 150 : 112,
    }),
    {
      id: 'type',
      label: 'Type',
      value: ({ type }) => type,
      width: wide ? 124 : 114,
      tooltip: ({ type, rule }) =>
        rule ? visibleText(type) : `${visibleText(type)}: a type that this version does not know`,
      render: ({ type, rule }) => <span className={rule ? '' : 'pp-t3'}>{visibleText(type)}</span>,
    },
    ...when(wide, {
      id: 'matching',
      label: 'Match',
      value: ({ matching }) => matching,
      notApplicable: ({ matching }) => matching === null,
      width: 84,
    }),
    {
      id: 'value',
      label: 'Value',
      type: 'mono',
      value: ({ value }) => value,
      flex: 1,
      minWidth: 180,
      entity: entityOf,
    },
    ...when(wide, {
      id: 'comment',
      label: 'Comment',
      value: ({ entry }) => entry.comment ?? '',
      notApplicable: ({ entry }) => !entry.comment,
      width: 124,
    }),
    {
      id: 'hits',
      label: 'Hits 6M',
      type: 'count',
      value: ({ entry }) => entry.hits ?? null,
      width: 84,
      headerTooltip: 'Emails of the last six months that the entry holds for, as the service counts them',
    },
    ...when(wide, {
      id: 'exclusive',
      label: 'Exclusive',
      type: 'boolean',
      value: ({ entry }) => entry.is_exclusive ?? null,
      width: 78,
    }),
    ...when(wide, { id: 'by', label: 'By', value: ({ entry }) => entry.created_by ?? null, width: 92 }),
    ...when(wide, {
      id: 'added',
      label: 'Added',
      value: ({ entry }) => (entry.created_at ? profileTime(entry.created_at, clock).slice(0, 10) : null),
      tooltip: ({ entry }) => (entry.created_at ? profileTime(entry.created_at, clock) : null),
      width: 108,
    }),
  ];
}
