import type { JSX } from 'react';
import type { Read } from '#renderer/bridge/use-read.ts';
import { EntityList } from '#renderer/entity/entity-list.tsx';
import { listState } from '#renderer/entity/list-state.ts';
import { copying, panelMenu } from '#renderer/entity/panel-menu.tsx';
import { openPivot } from '#renderer/state/navigation.ts';
import type { EntityRef } from '#renderer/ui/entity-value.tsx';
import type { CellType } from '#renderer/ui/grid/cells.tsx';
import { columnsFor, type GridColumn } from '#renderer/ui/grid/grid-columns.tsx';
import { defang } from '#shared/model/defang.ts';
import type { CampaignProfile, CountedValue } from '#shared/model/entities.ts';
import { exact } from '#shared/model/format.ts';
import { campaignQuery } from './campaign-query.ts';
import { PART_LABELS, type Part } from './labels.ts';

type ListPart = Exclude<Part, 'overview'>;

const { sorted } = columnsFor<CountedValue>();

interface ListOf {
  field: string;
  type: CellType;
  kind: EntityRef['kind'] | null;
  label?: string;
}

const LISTS: Readonly<Record<ListPart, ListOf>> = {
  subjects: { field: 'subject', type: 'name', kind: null },
  senders: { field: 'from_email', type: 'address', kind: 'email', label: 'Name' },
  recipients: { field: 'recipients', type: 'address', kind: 'email', label: 'Name' },
  hosts: { field: 'link_domains', type: 'domain', kind: 'domain' },
  attachments: { field: 'attachment_sha256', type: 'hash', kind: 'hash', label: 'Name' },
};

const columnsOf = (title: string, { field, type, kind, label }: ListOf): GridColumn<CountedValue>[] => [
  sorted('value', title, type, [3, 240], (row) => row.value, {
    entity: (row) => (kind === null ? null : { kind, value: row.value, field }),
  }),
  ...(label === undefined ? [] : [sorted('label', label, 'name', [2, 160], (row) => row.label)]),
  sorted('emails', 'Emails', 'count', 96, (row) => row.emails),
];

const COLUMNS = Object.fromEntries(
  Object.entries(LISTS).map(([part, list]) => [part, columnsOf(PART_LABELS[part as ListPart], list)]),
);

/** Values of one kind that the emails of a campaign have; Enter opens the emails with one. */
export function ValueList(props: { part: ListPart; read: Read<'campaigns.get'> }): JSX.Element {
  const { part, read } = props;
  const { data } = read;
  const list: CampaignProfile[ListPart] | undefined = data?.[part];
  const title = PART_LABELS[part];
  const { field } = LISTS[part];
  return (
    <EntityList
      panel={{
        title,
        ...(list ? { count: exact(list.total_rows) } : {}),
        shownInstead: 'Showing an older list.',
        notKnown: 'Whether there are any is unknown.',
        menu: panelMenu(
          read.refresh,
          copying(
            'Copy all, defanged',
            list?.rows.map(({ value }) => defang(value)),
            `${title} copied, defanged`,
          ),
        ),
        empty:
          list?.rows.length === 0
            ? { title: `No ${title.toLowerCase()}`, reason: 'Its emails have none.' }
            : null,
        ...listState({ ...read, data: list }),
      }}
      rows={list?.rows}
      grid={{
        columns: COLUMNS[part] ?? [],
        rowId: ({ value }) => value,
        layoutKey: `campaign-${part}`,
        onRowOpened: ({ value }) =>
          data && openPivot(campaignQuery(data.name, { field, operator: 'is', values: [value] })),
      }}
    />
  );
}
