import { Checkbox } from '@blueprintjs/core';
import { SendMessage } from '@blueprintjs/icons';
import { type JSX, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useRead } from '#renderer/bridge/use-read.ts';
import { useClock } from '#renderer/ui/clock-context.ts';
import { ConfirmDialog, Figures, useOpenDialog } from '#renderer/ui/dialog.tsx';
import { ErrorBar } from '#renderer/ui/error-bar.tsx';
import { cellText } from '#renderer/ui/grid/cells.tsx';
import { SkeletonRows } from '#renderer/ui/skeleton.tsx';
import { type BridgeError, toBridgeError } from '#shared/bridge/errors.ts';
import type { ClockSetting } from '#shared/model/clock.ts';
import type { Cell, FieldConfig, NewQuery, Query, QueryConfig, Row } from '#shared/model/entities.ts';
import { exact, plural, visibleText } from '#shared/model/format.ts';
import { hasPassword } from '#shared/model/query-status.ts';
import { changedFields } from '#shared/query/import-plan.ts';
import { fieldTypeOf } from '#shared/query/operators.ts';
import { SEND_WORDS } from './labels.ts';
import { fieldsById, queryColumns, runPayload, shownQuery, sortOf } from './query-run.ts';
import { connectionId } from './query-send.ts';
import { readNow } from './replace-query.ts';
import { valueLabel } from './results/result-columns.tsx';
import { sendNow, useIsSending } from './schedule-actions.ts';
import { useQueryConfig } from './use-config.ts';

const PASSWORD_FIGURES = { true: 'Yes', false: 'No', null: 'Unknown' };
const NO_OWN = new Set<string>();
/** Rows of the preview. */
const SHOWN = 5;

/** A cell as it appears in the file; lists are separated by semicolons. */
export function fileText(field: FieldConfig | undefined, cell: Cell, clock: ClockSetting): string {
  if (Array.isArray(cell)) return cell.map((entry) => fileText(field, entry, clock)).join('; ');
  if (cell === null) return '';
  if (field?.allowedValues) return visibleText(valueLabel(field, cell));
  const type = fieldTypeOf(field?.type ?? 'text');
  return cellText(cell, type === 'date' ? 'time' : type === 'bytes' ? 'bytes' : 'text', {
    clock,
    ownDomains: NO_OWN,
  });
}

/** Whether the same file would go to the same recipients. */
const isSameResult = (a: Query, b: Query): boolean =>
  changedFields(a, b).length === 0 && hasPassword(a.scheduledExport) === hasPassword(b.scheduledExport);

/**
 * The query as it is on the service, which is sent its id alone: the copy on screen may be minutes old. Reading it again
 * tells whether somebody changed it since it was shown. `copy` is the one on screen, which saving it here replaces.
 */
function useSaved(id: string, copy: NewQuery, connection: string) {
  const [read, setRead] = useState<{ copy: NewQuery; query: Query } | null>(null);
  const saved = read?.copy === copy ? read.query : null;
  const [error, setError] = useState<BridgeError | null>(null);
  const [isChanged, setChanged] = useState(false);
  const shown = useRef(saved);
  shown.current = saved;
  /** The query if it still is as shown; else null, and the new version or the error is shown. */
  const check = useCallback(async (): Promise<Query | null> => {
    try {
      const now = await readNow(id, connection);
      const before = shown.current;
      const isSame = before !== null && isSameResult(before, now);
      setError(null);
      setChanged(before !== null && !isSame);
      if (!isSame) setRead({ copy, query: now });
      return isSame ? now : null;
    } catch (reason) {
      setError(toBridgeError(reason));
      return null;
    }
  }, [id, copy, connection]);
  useEffect(() => void check(), [check]);
  return { saved, error, isChanged, check };
}

/** Preview of the file: its first rows and their total. */
function useFirstRows(query: NewQuery | null, config: QueryConfig | undefined) {
  const plan = useMemo(() => {
    if (!config || query === null) return null;
    const fields = fieldsById(config);
    const columns = queryColumns(shownQuery({ query, asReport: true }), config).filter(({ id }) =>
      fields.has(id),
    );
    const payload = runPayload(
      { query, asReport: true },
      columns.map(({ id }) => id),
      sortOf(query, config, null),
    );
    return { columns, fields, request: { body: { ...payload, size: SHOWN, count_only: false } } };
  }, [query, config]);
  return { plan, read: useRead('query.execute', plan?.request ?? null) };
}

function FirstRows({
  plan,
  rows,
}: {
  plan: NonNullable<ReturnType<typeof useFirstRows>['plan']>;
  rows: readonly Row[];
}): JSX.Element {
  const clock = useClock();
  return (
    <div className="pp-send-rows">
      <table>
        <thead>
          <tr>
            {plan.columns.map(({ id, label }) => (
              <th key={id} scope="col">
                {visibleText(label || (plan.fields.get(id)?.label ?? id))}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={String(row['entity_id'])}>
              {plan.columns.map(({ id }) => {
                const text = fileText(plan.fields.get(id), row[id] ?? null, clock);
                return (
                  <td key={id} className="pp-ellipsis" title={text}>
                    {text}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Confirmation before sending: recipients, file, first rows and exact count. */
export function SendDialog({
  id,
  query,
  note,
  onClose,
}: {
  id: string;
  query: NewQuery;
  /** About the version of the query that it takes. */
  note?: JSX.Element;
  onClose: () => void;
}): JSX.Element {
  const [connection] = useState(connectionId);
  const { saved, error: unread, isChanged, check } = useSaved(id, query, connection);
  const { close } = useOpenDialog(onClose);
  const { domain, saas } = saved ?? query;
  const config = useQueryConfig(domain, saas);
  const { read, plan } = useFirstRows(saved, config.data);
  const rows = read.data?.rows ?? [];
  const [isChecking, setChecking] = useState(false);
  const busy = useIsSending(id) || isChecking;
  /** The version that replaced the one shown first, which a second click must not send unseen. */
  const [accepted, setAccepted] = useState<Query | null>(null);
  const isUnseen = isChanged && accepted !== saved;
  const schedule = saved?.scheduledExport;
  const recipients = schedule?.emails ?? [];
  const total = read.data?.total_rows ?? null;
  const error = config.error ?? read.error;
  const send = async () => {
    if (busy || isUnseen || recipients.length === 0) return;
    setChecking(true);
    const checked = await check();
    setChecking(false);
    if (checked === null) return;
    await sendNow(checked, connection);
    close();
  };
  const to = plural(recipients.length, 'recipient');
  return (
    <ConfirmDialog
      size="wide"
      title={SEND_WORDS.title}
      icon={<SendMessage size={14} />}
      onClose={onClose}
      onConfirm={() => void send()}
      footNote={<span className="pp-t2">{SEND_WORDS.note}</span>}
      confirm={{
        text:
          saved === null
            ? 'Send …'
            : total === null
              ? `Send to ${to}`
              : `Send ${plural(total, 'row')} to ${to}`,
        loading: busy,
        disabled: isUnseen || recipients.length === 0,
      }}
    >
      {note}
      {unread ? <ErrorBar error={unread} onRetry={() => void check()} /> : null}
      {isChanged ? (
        <>
          <p className="pp-caution" role="alert">
            {SEND_WORDS.changed}
          </p>
          <Checkbox
            label={SEND_WORDS.accept}
            checked={!isUnseen}
            onChange={({ currentTarget }) => setAccepted(currentTarget.checked ? saved : null)}
          />
        </>
      ) : null}
      {saved && !schedule ? <p className="pp-caution">{SEND_WORDS.unscheduled}</p> : null}
      <p className="pp-wrap-anywhere">
        <b>{visibleText((saved ?? query).name)}</b>
      </p>
      <Figures
        figures={[
          { label: SEND_WORDS.rows, value: total ?? '–', accent: true },
          { label: SEND_WORDS.columns, value: plan?.columns.length ?? '–' },
          { label: SEND_WORDS.format, value: (schedule?.format ?? '').toUpperCase() || '–' },
          {
            label: SEND_WORDS.password,
            value: saved === null ? '–' : PASSWORD_FIGURES[`${hasPassword(schedule)}`],
          },
        ]}
      />
      <p className="pp-wrap-anywhere">
        <span className="pp-t3">{SEND_WORDS.to} </span>
        {recipients.map(visibleText).join(', ')}
      </p>
      {error ? (
        <ErrorBar error={error} shownInstead={SEND_WORDS.unseen} onRetry={read.refresh} />
      ) : read.data && plan ? (
        <>
          <FirstRows plan={plan} rows={rows} />
          <p className="pp-small pp-t3">
            {rows.length === 0
              ? SEND_WORDS.empty
              : `${SEND_WORDS.first} ${exact(rows.length)} of ${plural(total ?? 0, 'row')}.`}
          </p>
        </>
      ) : unread ? null : (
        <SkeletonRows rows={SHOWN} labelWidth={96} />
      )}
    </ConfirmDialog>
  );
}
