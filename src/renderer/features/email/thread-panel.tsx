import { MenuItem } from '@blueprintjs/core';
import { Refresh } from '@blueprintjs/icons';
import type { JSX } from 'react';
import type { Read } from '#renderer/bridge/use-read.ts';
import { receivedDoubt } from '#renderer/entity/date-doubt.ts';
import { listState } from '#renderer/entity/list-state.ts';
import { openEmail } from '#renderer/state/navigation.ts';
import { ListGrid } from '#renderer/ui/data-grid.tsx';
import type { GridColumn } from '#renderer/ui/grid-columns.tsx';
import { Panel } from '#renderer/ui/panel.tsx';
import { useZoned } from '#renderer/ui/zoned-columns.ts';
import type { ConversationEmail } from '#shared/model/entities.ts';
import { exact } from '#shared/model/format.ts';

const COLUMNS: readonly GridColumn<ConversationEmail>[] = [
  {
    id: 'received',
    label: 'Received',
    type: 'time',
    value: (row) => row.received,
    doubt: receivedDoubt,
    sortId: 'received',
    width: 136,
  },
  {
    id: 'verdict',
    label: 'Verdict',
    type: 'verdict',
    value: (row) => (row.verdict ? { verdict: row.verdict, code: row.verdict_code ?? null } : null),
    sortId: 'verdict',
    width: 150,
  },
  {
    id: 'subject',
    label: 'Subject',
    type: 'name',
    value: (row) => row.subject,
    sortId: 'subject',
    flex: 3,
    minWidth: 200,
  },
  {
    id: 'from',
    label: 'From',
    type: 'address',
    value: (row) => row.from,
    sortId: 'from',
    flex: 2,
    minWidth: 180,
    entity: (row) => (row.from ? { kind: 'email', value: row.from, field: 'from_email' } : null),
  },
  { id: 'to', label: 'To', type: 'address', value: (row) => row.to, sortId: 'to', flex: 2, minWidth: 180 },
  { id: 'direction', label: 'Direction', value: (row) => row.direction, sortId: 'direction', width: 104 },
];

interface ThreadPanelProps {
  title: string;
  read: Read<'email.conversation'> | Read<'email.splits'>;
  saas: string;
  /** The email whose profile this is: it is listed and does not open again. */
  own: string;
  emptyTitle: string;
  emptyReason: string;
  /** An empty list means unknown. */
  notRecorded?: boolean;
}

/** Related emails; Enter opens one. */
export function ThreadPanel(props: ThreadPanelProps): JSX.Element {
  const { title, read, saas, own } = props;
  const columns = useZoned(COLUMNS);
  const rows = read.data?.rows;
  return (
    <Panel
      title={title}
      {...(rows && !props.notRecorded ? { count: exact(rows.length) } : {})}
      rows={6}
      noScroll
      className="en-fill"
      shownInstead="Showing an older list."
      notKnown="Whether there are any is unknown."
      menu={<MenuItem text="Refresh" icon={<Refresh size={14} />} onClick={read.refresh} />}
      empty={rows?.length === 0 ? { title: props.emptyTitle, reason: props.emptyReason } : null}
      {...listState(read)}
    >
      {rows && rows.length > 0 ? (
        <ListGrid
          label={title}
          columns={columns}
          rows={rows}
          rowId={(row) => row.entity_id}
          selectable={false}
          layoutKey={`email-${title}`}
          peekedId={own}
          onRowOpened={(row) => {
            if (row.entity_id !== own) openEmail(saas, row.entity_id, row.subject);
          }}
        />
      ) : null}
    </Panel>
  );
}
