import { ChevronLeft, ChevronRight, Tick } from '@blueprintjs/icons';
import { type JSX, useCallback, useMemo, useState } from 'react';
import { useRead } from '#renderer/bridge/use-read.ts';
import { useConnection } from '#renderer/state/connection.ts';
import { EntityValue } from '#renderer/ui/entity-value.tsx';
import { IconButton } from '#renderer/ui/icon-button.tsx';
import { LinkButton } from '#renderer/ui/link-button.tsx';
import { Panel } from '#renderer/ui/panel.tsx';
import { permissionsRequest } from '#shared/api/profile-pages.ts';
import type { BridgeError } from '#shared/bridge/errors.ts';
import { PERMISSION_PAGE_SIZE } from '#shared/model/constants.ts';
import type { Permission } from '#shared/model/entities.ts';
import { PERMISSION_FLAGS } from '#shared/model/enums.ts';
import { exact, visibleText } from '#shared/model/format.ts';
import { panelState } from './panel-state.ts';
import { FLAG_LABELS, nobodyListed, outsideOf, rightsOf } from './permissions.ts';
import { useListTotal } from './use-list-total.ts';
import './permissions.css';

function Identity({ permission }: { permission: Permission }): JSX.Element {
  const { username, email, userId } = permission;
  const outside = outsideOf(permission);
  const who = visibleText(username || email || userId);
  const tone = outside === 'anyone' ? 'pp-danger' : 'pp-caution';
  const word = outside === 'anyone' ? 'anyone with the link' : 'external';
  const saysIt = outside !== null && who.toLowerCase() === word;
  return (
    <>
      <b className={`en-permission-who${saysIt ? ` ${tone}` : ''}`}>{who}</b>
      {outside === null || saysIt ? null : <span className={tone}> {word}</span>}
      {email && email !== username ? (
        <span className="en-line">
          <EntityValue entity={{ kind: 'email', value: email }} />
        </span>
      ) : null}
    </>
  );
}

function Flag({ on, label }: { on: boolean | null; label: string }): JSX.Element {
  const word = on === null ? 'Not recorded' : on ? 'Yes' : 'No';
  return (
    <td className="en-permission" title={`${label}: ${word.toLowerCase()}`}>
      {on ? <Tick size={14} /> : <span className="pp-t3">{on === null ? '?' : '–'}</span>}
      <span className="pp-visually-hidden">{word}</span>
    </td>
  );
}

/** A user who has access in several ways is listed once for each. */
function keyed(rows: readonly Permission[]): { key: string; permission: Permission }[] {
  const turns = new Map<string, number>();
  return rows.map((permission) => {
    const turn = (turns.get(permission.userId) ?? 0) + 1;
    turns.set(permission.userId, turn);
    return { key: `${permission.userId} ${turn}`, permission };
  });
}

function Table({ rows, full }: { rows: readonly Permission[]; full: boolean }): JSX.Element {
  return (
    <table className="en-permissions">
      <thead>
        <tr>
          <th scope="col">User</th>
          {full ? <th scope="col">User ID</th> : null}
          <th scope="col">Roles</th>
          {full ? (
            PERMISSION_FLAGS.map((flag) => (
              <th key={flag} scope="col" className="en-permission">
                {FLAG_LABELS[flag]}
              </th>
            ))
          ) : (
            <th scope="col">Rights</th>
          )}
        </tr>
      </thead>
      <tbody>
        {keyed(rows).map(({ key, permission }) => (
          <tr key={key} data-user={permission.userId}>
            <td className="pp-wrap-anywhere">
              <Identity permission={permission} />
            </td>
            {full ? (
              <td className="pp-mono pp-t3 pp-wrap-anywhere">{visibleText(permission.userId)}</td>
            ) : null}
            <td className="pp-t2 pp-wrap-anywhere">
              {permission.roles.length === 0 ? (
                <span className="pp-unknown">None listed</span>
              ) : (
                visibleText(permission.roles.map((role) => role.replaceAll('_', ' ')).join(', '))
              )}
            </td>
            {full ? (
              PERMISSION_FLAGS.map((flag) => (
                <Flag key={flag} on={permission[flag]} label={FLAG_LABELS[flag]} />
              ))
            ) : (
              <td className="pp-t2">{rightsOf(permission, FLAG_LABELS)}</td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface PagerProps {
  page: number;
  /** Rows of each page but the last. */
  length: number;
  /** Rows of this page; null while it is read. */
  rows: number | null;
  /** Null if the service gives no count. */
  total: number | null;
  onPage: (page: number) => void;
}

function Pager({ page, length, rows, total, onPage }: PagerProps): JSX.Element {
  const first = page * length;
  const last = total === null ? first + (rows ?? 0) : Math.min(total, first + length);
  const of = total === null ? 'total unknown' : `of ${exact(total)}`;
  return (
    <nav className="pp-row" aria-label="Permission pages">
      <span className="pp-t3 pp-num">
        {last > first ? `${exact(first + 1)}–${exact(last)}` : `Page ${exact(page + 1)}`}
        {total === null ? ', ' : ' '}
        {of}
      </span>
      <IconButton
        small
        icon={<ChevronLeft size={14} />}
        label={`Previous ${exact(length)}`}
        disabled={page === 0}
        onClick={() => onPage(page - 1)}
      />
      <IconButton
        small
        icon={<ChevronRight size={14} />}
        label={`Next ${exact(length)}`}
        disabled={total === null ? (rows ?? 0) < length : last >= total}
        onClick={() => onPage(page + 1)}
      />
    </nav>
  );
}

const REPEATED: BridgeError = {
  code: 'server-error',
  message: 'The service returned its first page again.',
  retryable: true,
};

interface PermissionsPanelProps {
  of: { type: 'file' | 'email'; saas: string; entityId: string };
  full?: boolean;
  onAll?: () => void;
}

/** Permissions of a file or an email, twenty per page, or as many as the service returns. */
export function PermissionsPanel(props: PermissionsPanelProps): JSX.Element {
  const { of, full = false, onAll } = props;
  const { type, saas, entityId } = of;
  const [page, setPage] = useState(0);
  const isFurther = full && page > 0;
  const requestOf = useCallback(
    (offset: number) => permissionsRequest(type, saas, entityId, offset),
    [type, saas, entityId],
  );
  const first = useRead(
    'entity.permissions',
    useMemo(() => requestOf(0), [requestOf]),
  );
  const further = useRead(
    'entity.permissions',
    useMemo(() => (isFurther ? requestOf(page) : null), [requestOf, isFurther, page]),
  );
  const read = isFurther ? further : first;
  const listed = read.data?.rows;
  const isRepeated =
    isFurther && listed?.length !== 0 && JSON.stringify(first.data?.rows ?? null) === JSON.stringify(listed);
  const rows = isRepeated ? [] : listed;
  const { total, pageLength } = useListTotal(
    'entity.permissions',
    first.data,
    PERMISSION_PAGE_SIZE,
    useMemo(() => requestOf(1), [requestOf]),
  );
  const isUncounted = first.data !== undefined && total === null;
  const isEvidence = useConnection().connection?.kind === 'evidence';
  const isUnknown = isEvidence && total === 0;
  return (
    <Panel
      title="Permissions"
      {...(total === null || isUnknown ? {} : { count: exact(total) })}
      {...panelState(read)}
      {...(isRepeated ? { error: REPEATED } : {})}
      rows={full ? PERMISSION_PAGE_SIZE : 4}
      className={full ? 'en-fill' : ''}
      shownInstead="Showing an older list."
      notKnown="Who has access is unknown."
      actions={
        full && (isUncounted || isFurther || (total !== null && total > pageLength)) ? (
          <Pager page={page} length={pageLength} rows={rows?.length ?? null} total={total} onPage={setPage} />
        ) : null
      }
      empty={rows?.length === 0 && !isFurther ? nobodyListed(type, isEvidence) : null}
    >
      {rows && rows.length > 0 ? (
        <>
          <Table rows={full ? rows : rows.slice(0, 5)} full={full} />
          {!full && (isUncounted || isFurther || (total !== null && total > 5)) ? (
            <LinkButton className="en-more" onClick={onAll}>
              All {total === null ? 'permissions' : exact(total)}
            </LinkButton>
          ) : null}
        </>
      ) : null}
    </Panel>
  );
}
