import { type JSX, useMemo } from 'react';
import { extraColumns } from '#renderer/entity/extra-facts.ts';
import { listState } from '#renderer/entity/list-state.ts';
import { copying, panelMenu } from '#renderer/entity/panel-menu.tsx';
import { openEmail } from '#renderer/state/navigation.ts';
import { useClock } from '#renderer/ui/clock-context.ts';
import { EntityValue } from '#renderer/ui/entity-value.tsx';
import { ListGrid } from '#renderer/ui/grid/data-grid.tsx';
import { columnsFor, type GridColumn } from '#renderer/ui/grid/grid-columns.tsx';
import { LinkButton } from '#renderer/ui/link-button.tsx';
import { Panel } from '#renderer/ui/panel.tsx';
import { type Recipient, recipient } from '#shared/model/entities.ts';
import { exact, visibleText } from '#shared/model/format.ts';
import { placeLabel } from '#shared/model/labels.ts';
import { recipientCounts, recipientKind, recipientPlace } from './labels.ts';
import type { EmailReads } from './use-email.ts';

const { sorted } = columnsFor<Recipient>();

const COLUMNS: readonly GridColumn<Recipient>[] = [
  sorted('email', 'Address', 'address', [2, 220], (row) => row.email, { menu: ['email', 'recipients'] }),
  sorted('name', 'Name', 'text', [1, 120], (row) => row.name),
  sorted('kind', 'Type', 'text', 96, (row) => recipientKind(row.kind)),
  sorted('folder', 'Folder', 'text', 132, (row) => row.folder && placeLabel(row.folder)),
  sorted('read', 'Read', 'boolean', 80, (row) => row.is_read),
  sorted('clicks', 'Clicks', 'count', 80, (row) => row.clicks),
  sorted('department', 'Department', 'text', [1, 120], (row) => row.department),
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
        <LinkButton className="en-more" onClick={onAll}>
          All {exact(rows.length)} recipients
        </LinkButton>
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
      menu={panelMenu(
        recipients.refresh,
        copying(
          'Copy addresses',
          rows?.map((row) => row.email),
          `${exact(rows?.length ?? 0)} addresses copied`,
        ),
      )}
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
