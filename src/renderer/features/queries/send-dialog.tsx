import { SendMessage } from '@blueprintjs/icons';
import { type JSX, useMemo, useState } from 'react';
import { useRead } from '#renderer/bridge/use-read.ts';
import { cellText } from '#renderer/ui/cells.tsx';
import { useClock } from '#renderer/ui/clock-context.ts';
import { ConfirmDialog, Figures } from '#renderer/ui/dialog.tsx';
import { ErrorBar } from '#renderer/ui/error-bar.tsx';
import { SkeletonRows } from '#renderer/ui/skeleton.tsx';
import type { ClockSetting } from '#shared/model/clock.ts';
import type { Cell, FieldConfig, NewQuery, QueryConfig, Row } from '#shared/model/entities.ts';
import { exact, plural, visibleText } from '#shared/model/format.ts';
import { fieldTypeOf } from '#shared/query/operators.ts';
import { SEND_WORDS } from './labels.ts';
import { fieldsById, queryColumns, runPayload, shownQuery, sortOf } from './query-run.ts';
import { valueLabel } from './results/result-columns.tsx';
import { sendNow } from './schedule-actions.ts';
import { useQueryConfig } from './use-config.ts';

const NO_OWN = new Set<string>();
/** Rows of the preview. */
const SHOWN = 5;

/** A cell as it appears in the file; lists are separated by semicolons. */
export function fileText(field: FieldConfig | undefined, cell: Cell, clock: ClockSetting): string {
  if (Array.isArray(cell)) return cell.map((one) => fileText(field, one, clock)).join('; ');
  if (cell === null) return '';
  if (field?.allowedValues) return visibleText(valueLabel(field, cell));
  const type = fieldTypeOf(field?.type ?? 'text');
  return cellText(cell, type === 'date' ? 'time' : type === 'bytes' ? 'bytes' : 'text', {
    clock,
    ownDomains: NO_OWN,
  });
}

/** Preview of the file: its first rows and their total. */
function useFirstRows(query: NewQuery, config: QueryConfig | undefined) {
  const plan = useMemo(() => {
    if (!config) return null;
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
  query,
  onClose,
}: {
  query: NewQuery & { id: string };
  onClose: () => void;
}): JSX.Element {
  const config = useQueryConfig(query.domain, query.saas);
  const { read, plan } = useFirstRows(query, config.data);
  const rows = read.data?.rows ?? [];
  const [busy, setBusy] = useState(false);
  const schedule = query.scheduledExport;
  const recipients = schedule?.emails ?? [];
  const total = read.data?.total_rows ?? null;
  const error = config.error ?? read.error;
  const send = () => {
    if (busy || recipients.length === 0) return;
    setBusy(true);
    void sendNow(query).finally(onClose);
  };
  const to = plural(recipients.length, 'recipient');
  return (
    <ConfirmDialog
      isOpen
      size="wide"
      title={SEND_WORDS.title}
      icon={<SendMessage size={14} />}
      onClose={onClose}
      onConfirm={send}
      footNote={<span className="pp-t2">{SEND_WORDS.note}</span>}
      confirm={{
        text: total === null ? `Send to ${to}` : `Send ${plural(total, 'row')} to ${to}`,
        loading: busy,
        disabled: recipients.length === 0,
      }}
    >
      <p className="pp-wrap-anywhere">
        <b>{visibleText(query.name)}</b>
      </p>
      <Figures
        figures={[
          { label: SEND_WORDS.rows, value: total ?? '–', accent: true },
          { label: SEND_WORDS.columns, value: plan?.columns.length ?? '–' },
          { label: SEND_WORDS.format, value: (schedule?.format ?? '').toUpperCase() || '–' },
          { label: SEND_WORDS.password, value: schedule?.['has_password'] === true ? 'Yes' : 'No' },
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
      ) : (
        <SkeletonRows rows={SHOWN} labelWidth={96} />
      )}
    </ConfirmDialog>
  );
}
