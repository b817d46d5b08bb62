import { MenuItem } from '@blueprintjs/core';
import { Clipboard, Refresh } from '@blueprintjs/icons';
import { type JSX, useMemo } from 'react';
import { extraColumns } from '#renderer/entity/extra-facts.ts';
import { listState } from '#renderer/entity/list-state.ts';
import { copyText } from '#renderer/state/entity-actions.ts';
import { openEmail } from '#renderer/state/navigation.ts';
import { useClock } from '#renderer/ui/clock-context.ts';
import { ListGrid } from '#renderer/ui/data-grid.tsx';
import { EntityValue } from '#renderer/ui/entity-value.tsx';
import type { GridColumn } from '#renderer/ui/grid-columns.tsx';
import { Panel } from '#renderer/ui/panel.tsx';
import { type Recipient, recipient } from '#shared/model/entities.ts';
import { exact, visibleText } from '#shared/model/format.ts';
import { placeLabel } from '#shared/model/labels.ts';
import { recipientCounts, recipientKind, recipientPlace } from './labels.ts';
import type { EmailReads } from './use-email.ts';

const COLUMNS: readonly GridColumn<Recipient>[] = [
  {
    id: 'email',
    label: 'Address',
    type: 'address',
    value: (row) => row.email,
    sortId: 'email',
    flex: 2,
    minWidth: 220,
    entity: (row) => ({ kind: 'email', value: row.email, field: 'recipients' }),
  },
  { id: 'name', label: 'Name', value: (row) => row.name, sortId: 'name', flex: 1, minWidth: 120 },
  { id: 'kind', label: 'Type', value: (row) => recipientKind(row.kind), sortId: 'kind', width: 72 },
  {
    id: 'folder',
    label: 'Folder',
    value: (row) => row.folder && placeLabel(row.folder),
    sortId: 'folder',
    width: 132,
  },
  { id: 'read', label: 'Read', type: 'boolean', value: (row) => row.is_read, sortId: 'read', width: 80 },
  { id: 'clicks', label: 'Clicks', type: 'count', value: (row) => row.clicks, sortId: 'clicks', width: 80 },
  {
    id: 'department',
    label: 'Department',
    value: (row) => row.department,
    sortId: 'department',
    flex: 1,
    minWidth: 120,
  },
];

/** The key includes the index, because a recipient can be in both To and Cc, or twice in a list. */
const identify = (rows: readonly Recipient[]) => {
  const places = new Map(rows.map((row, index) => [row, `${index} ${row.kind} ${row.email}`]));
  return (row: Recipient) => places.get(row) ?? row.email;
};

const SHOWN = 8;

function Short({ rows, onAll }: { rows: readonly Recipient[]; onAll: () => void }): JSX.Element {
  const id = identify(rows);
  return (
    <>
      {rows.slice(0, SHOWN).map((row) => (
        <div className="em-recipient" key={id(row)}>
          <EntityValue truncate entity={{ kind: 'email', value: row.email, field: 'recipients' }} />
          <span className="pp-t3">{recipientKind(row.kind)}</span>
          <span className="pp-ellipsis">{recipientPlace(row)}</span>
          <span className="pp-t2 pp-ellipsis em-wide">{visibleText(row.department ?? '')}</span>
        </div>
      ))}
      {rows.length > SHOWN ? (
        <button type="button" className="pp-link en-more" onClick={onAll}>
          All {exact(rows.length)} recipients
        </button>
      ) : null}
    </>
  );
}

interface RecipientsPanelProps {
  email: EmailReads;
  full?: boolean;
  onAll?: () => void;
}

/** The delivered copies: folder, read state and clicks of each. */
export function RecipientsPanel({ email, full = false, onAll }: RecipientsPanelProps): JSX.Element {
  const { recipients } = email;
  const rows = recipients.data?.rows;
  const clock = useClock();
  const columns = useMemo(
    () => [...COLUMNS, ...extraColumns(rows ?? [], recipient.shape, clock)],
    [rows, clock],
  );
  const open = (row: Recipient) => {
    if (row.entity_id && row.entity_id !== email.entityId)
      openEmail(email.saas, row.entity_id, email.profile.data?.subject);
  };
  return (
    <Panel
      title="Recipients"
      {...(rows ? { count: recipientCounts(rows) } : {})}
      rows={4}
      noScroll={full}
      shownInstead="Showing an older list."
      notKnown="Recipients are unknown."
      className={full ? 'en-fill' : ''}
      menu={
        <>
          <MenuItem text="Refresh" icon={<Refresh size={14} />} onClick={recipients.refresh} />
          <MenuItem
            text="Copy addresses"
            icon={<Clipboard size={14} />}
            disabled={!rows?.length}
            onClick={() =>
              void copyText(
                rows?.map((row) => row.email).join('\n') ?? '',
                `${exact(rows?.length ?? 0)} addresses copied`,
              )
            }
          />
        </>
      }
      empty={
        rows?.length === 0
          ? {
              title: 'No recipients recorded',
              reason: 'The service lists no copies. Bcc recipients may not be recorded.',
            }
          : null
      }
      {...listState(recipients)}
    >
      {rows && rows.length > 0 ? (
        full ? (
          <ListGrid
            label="Recipients"
            columns={columns}
            rows={rows}
            rowId={identify(rows)}
            selectable={false}
            layoutKey="email-recipients"
            onRowOpened={open}
          />
        ) : (
          <Short rows={rows} onAll={onAll ?? (() => undefined)} />
        )
      ) : null}
    </Panel>
  );
}
