import { type CSSProperties, type JSX, useRef, useState } from 'react';
import { useBridge } from '#renderer/bridge/bridge-context.tsx';
import { useCall } from '#renderer/bridge/use-call.ts';
import { readOnce } from '#renderer/bridge/use-read.ts';
import { openActionOutcome } from '#renderer/state/action-order.ts';
import { useSendRefusal } from '#renderer/state/caller.ts';
import { ConfirmDialog, useOpenDialog } from '#renderer/ui/dialog.tsx';
import { ErrorBar } from '#renderer/ui/error-bar.tsx';
import { AreaField } from '#renderer/ui/form/field.tsx';
import { ListGrid } from '#renderer/ui/grid/data-grid.tsx';
import { columnsFor, type GridColumn, optional } from '#renderer/ui/grid/grid-columns.tsx';
import { useAnswer } from '#renderer/ui/use-answer.ts';
import { fromBridgeError } from '#shared/bridge/errors.ts';
import type { Query } from '#shared/model/entities.ts';
import { exact, plural } from '#shared/model/format.ts';
import {
  hasPassword,
  isOperated,
  POLICY_OPERATIONS,
  type PolicyOperator,
} from '#shared/model/query-status.ts';
import { scheduleWords } from './library/library-facets.ts';
import { connectionId } from './query-send.ts';

const { column } = columnsFor<Query>();

const NO_QUERIES: readonly Query[] = [];
const COLUMNS: readonly GridColumn<Query>[] = [
  column('name', 'Name', 'name', [1, 160], ({ name }) => name),
  column('status', 'Status', 'status', 96, ({ status }) => status ?? 'unknown'),
  column('schedule', 'Schedule (server time)', 'text', 180, ({ scheduledExport: schedule }) =>
    schedule === undefined ? 'Not listed by the service' : (scheduleWords(schedule) ?? 'None'),
  ),
  optional(
    column('recipients', 'Recipients', 'text', 200, ({ scheduledExport }) =>
      scheduledExport?.emails.join(', '),
    ),
  ),
];

/** The queries that a change concerns, each with its status and schedule. */
export function QueryTargets({
  queries,
  loading = false,
}: {
  queries: readonly Query[];
  loading?: boolean;
}): JSX.Element {
  return (
    <div
      className="pp-action-preview"
      data-targets={queries.length}
      style={{ '--targets': Math.min(queries.length, 100) } as CSSProperties}
    >
      <ListGrid<Query>
        label="Targets"
        columns={COLUMNS}
        rows={queries}
        rowId={({ id }) => id}
        selectable={false}
        loading={loading}
      />
    </div>
  );
}

/** The queries as they are on the service now: a list on screen may be minutes old. */
function useCurrent(queries: readonly Query[], connection: string) {
  const bridge = useBridge();
  return useAnswer([], async () => {
    const { data, error } = await readOnce(
      bridge,
      connection,
      'query.list',
      { query: {} },
      { refresh: true },
    );
    if (error) throw fromBridgeError(error);
    const byId = new Map(data.queries.map((query) => [query.id, query]));
    return queries.flatMap(({ id }) => byId.get(id) ?? []);
  });
}

/** An operation on the selected queries: exactly those listed are sent, as they are on the service now. */
export function OperateDialog(props: {
  operator: PolicyOperator;
  queries: readonly Query[];
  /** Sent by this call, which owners may make. */
  call?: 'query.update';
  onClose: () => void;
}): JSX.Element {
  const { operator, queries, call = 'policies.operation', onClose } = props;
  const { label, effect, status } = POLICY_OPERATIONS[operator];
  const sendRefusal = useSendRefusal();
  const refusal =
    call === 'query.update'
      ? (queries.map((query) => sendRefusal(call, { query })).find((reason) => reason !== null) ?? null)
      : sendRefusal(call);
  const { run, pending, error } = useCall('queries.operate');
  const { close } = useOpenDialog(onClose);
  const [connection] = useState(connectionId);
  const [reason, setReason] = useState('');
  const [tried, setTried] = useState(false);
  const reasonBox = useRef<HTMLTextAreaElement>(null);
  const { data: current, error: unread, again } = useCurrent(queries, connection);
  const listed = current ?? NO_QUERIES;
  const targets = listed.filter((query) => !isOperated(operator, query));
  const unchanged = listed.length - targets.length;
  const gone = current === null ? 0 : queries.length - current.length;
  const sealed = targets.filter(
    ({ scheduledExport }) => scheduledExport === undefined || hasPassword(scheduledExport) !== false,
  ).length;
  const missing = reason.trim() === '';
  const title = current === null ? `${label} …` : `${label} ${plural(targets.length, 'query', 'queries')}`;
  const send = () => {
    setTried(true);
    if (missing) reasonBox.current?.focus();
    if (missing || refusal !== null || pending || targets.length === 0) return;
    void run({
      connectionId: connection,
      operator,
      ...(call === 'query.update' ? { call } : {}),
      queries: targets.map((query) => ({
        id: query.id,
        name: query.name,
        status: query.status,
        scheduledExport: query.scheduledExport,
      })),
      reason,
    }).then((sent) => {
      if (!sent) return;
      close();
      openActionOutcome(sent.journalId);
    });
  };
  return (
    <ConfirmDialog
      size="wide"
      title={title}
      onClose={onClose}
      onConfirm={send}
      footNote="Sent immediately, even if this window is closed; logged in Activity, where it can be undone."
      confirm={{
        intent: operator === 'unschedule' ? 'danger' : 'primary',
        text: title,
        loading: pending,
        disabled: refusal !== null || targets.length === 0 || (tried && missing),
        title: refusal ?? undefined,
      }}
    >
      {refusal ? <p className="pp-caution">{refusal}</p> : null}
      {unread ? <ErrorBar error={unread} onRetry={again} /> : null}
      {error ? <ErrorBar error={error} /> : null}
      <p className="pp-t2 pp-action-note">
        {effect}
        {unchanged > 0
          ? ` ${exact(unchanged)} of the ${exact(queries.length)} selected ${unchanged === 1 ? 'is' : 'are'} left out: ${status ?? 'not scheduled'} already.`
          : ''}
      </p>
      {gone > 0 ? (
        <p className="pp-caution">
          {`${exact(gone)} of the ${exact(queries.length)} selected ${gone === 1 ? 'is' : 'are'} no longer on the service.`}
        </p>
      ) : null}
      {operator === 'unschedule' && sealed > 0 ? (
        <p className="pp-caution">
          {`Passwords are not kept. ${exact(sealed)} ${sealed === 1 ? 'has one, or may: Undo brings it' : 'have one, or may: Undo brings them'} back stopped.`}
        </p>
      ) : null}
      <QueryTargets queries={targets} loading={current === null && unread === null} />
      <AreaField
        label="Reason (logged)"
        problem={tried && missing ? 'Enter a reason (logged).' : null}
        inputRef={reasonBox}
        rows={2}
        maxLength={2000}
        value={reason}
        onText={setReason}
      />
    </ConfirmDialog>
  );
}
