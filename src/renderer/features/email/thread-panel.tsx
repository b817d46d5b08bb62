import type { JSX } from 'react';
import type { Read } from '#renderer/bridge/use-read.ts';
import { receivedDoubt } from '#renderer/entity/date-doubt.ts';
import { EntityList } from '#renderer/entity/entity-list.tsx';
import { listState } from '#renderer/entity/list-state.ts';
import { panelMenu } from '#renderer/entity/panel-menu.tsx';
import { openEmail } from '#renderer/state/navigation.ts';
import type { EmptyInfo } from '#renderer/ui/empty-state.tsx';
import { columnsFor, type GridColumn } from '#renderer/ui/grid/grid-columns.tsx';
import { useZoned } from '#renderer/ui/grid/zoned-columns.ts';
import type { ConversationEmail } from '#shared/model/entities.ts';
import { exact } from '#shared/model/format.ts';
import type { EmailReads } from './use-email.ts';

const { sorted } = columnsFor<ConversationEmail>();

const COLUMNS: readonly GridColumn<ConversationEmail>[] = [
  sorted('received', 'Received', 'time', 136, (row) => row.received, { doubt: receivedDoubt }),
  sorted('verdict', 'Verdict', 'verdict', 150, (row) =>
    row.verdict ? { verdict: row.verdict, code: row.verdict_code ?? null } : null,
  ),
  sorted('subject', 'Subject', 'name', [3, 200], (row) => row.subject),
  sorted('from', 'From', 'address', [2, 180], (row) => row.from, { menu: ['email', 'from_email'] }),
  sorted('to', 'To', 'address', [2, 180], (row) => row.to),
  sorted('direction', 'Direction', 'text', 104, (row) => row.direction),
];

interface ThreadPanelProps {
  title: string;
  read: Read<'email.conversation'> | Read<'email.splits'>;
  /** The email whose profile this is: it is listed and does not open again. */
  email: Pick<EmailReads, 'saas' | 'entityId'>;
  empty: EmptyInfo;
  /** If not, an empty list means unknown. */
  isRecorded?: boolean;
}

/** Related emails; Enter opens one. */
export function ThreadPanel(props: ThreadPanelProps): JSX.Element {
  const { title, read, isRecorded = true } = props;
  const { saas, entityId } = props.email;
  const columns = useZoned(COLUMNS);
  const rows = read.data?.rows;
  return (
    <EntityList
      panel={{
        title,
        ...(rows && isRecorded ? { count: exact(rows.length) } : {}),
        shownInstead: 'Showing an older list.',
        notKnown: 'Whether there are any is unknown.',
        menu: panelMenu(read.refresh),
        empty: rows?.length === 0 ? props.empty : null,
        ...listState(read),
      }}
      rows={rows}
      grid={{
        columns,
        rowId: (row) => row.entity_id,
        layoutKey: `email-${title}`,
        peekedId: entityId,
        onRowOpened: (row) => {
          if (row.entity_id !== entityId) openEmail(saas, row.entity_id, row.subject);
        },
      }}
    />
  );
}
