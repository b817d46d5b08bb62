import { Button, ProgressBar } from '@blueprintjs/core';
import { type ClipboardEvent, type JSX, useMemo, useState } from 'react';
import { useSendRefusal } from '#renderer/state/caller.ts';
import type { ExceptionSelection } from '#renderer/state/tab-payload.ts';
import { ConfirmButton, Dialog } from '#renderer/ui/dialog.tsx';
import { AreaField, SelectField, TextField } from '#renderer/ui/form/field.tsx';
import { Segmented } from '#renderer/ui/form/segmented.tsx';
import { ListGrid } from '#renderer/ui/grid/data-grid.tsx';
import { columnsFor, type GridColumn } from '#renderer/ui/grid/grid-columns.tsx';
import { FIELD_OF_QUERY } from '#shared/exceptions/from-query.ts';
import { exceptionField } from '#shared/exceptions/types.ts';
import { listLimit } from '#shared/exceptions/words.ts';
import { exact, plural, visibleText } from '#shared/model/format.ts';
import type { Branding } from '#shared/model/white-label.ts';
import { RuleFields } from './editor-fields.tsx';
import type { Flags } from './form.ts';
import { type Bulk, type BulkRow, useBulk } from './use-bulk.ts';

const { column } = columnsFor<BulkRow>();

const COLUMNS: readonly GridColumn<BulkRow>[] = [
  column('line', 'Line', 'number', 64, ({ line }) => line),
  column('value', 'Value', 'mono', 230, ({ value, text }) => value || text),
  column('reason', 'Status', 'text', [1], ({ reason }) => reason ?? 'Ready', {
    render: ({ reason, comment }) =>
      reason === null ? (
        <span className="pp-t3">{comment ? `Ready: ${visibleText(comment)}` : 'Ready'}</span>
      ) : (
        <span className="pp-danger">{visibleText(reason)}</span>
      ),
  }),
];
const LONG_PASTE = 20_000;
const rowId = ({ line }: BulkRow): string => String(line);
type Which = 'wrong' | 'all';

/** The pasted rows: those with problems first, with their reasons. */
function Rows({ bulk }: { bulk: Bulk }): JSX.Element | null {
  const { rows, valid, isReading } = bulk;
  const [which, setWhich] = useState<Which>('wrong');
  const wrong = useMemo(() => rows.filter(({ reason }) => reason !== null), [rows]);
  if (rows.length === 0) return null;
  const shown = which === 'wrong' && wrong.length > 0 ? wrong : rows;
  return (
    <section className="pp-exc-rows" aria-busy={isReading}>
      <div className="pp-row">
        <span role="status" data-valid={valid} data-wrong={rows.length - valid}>
          <b>{exact(valid)}</b> of {exact(rows.length)} ready
          {rows.length > valid ? `, ${exact(rows.length - valid)} need fixing` : ''}
        </span>
        <span className="pp-spacer" />
        <Segmented<Which>
          label="Rows"
          compact
          options={[
            { value: 'wrong', label: 'Needs fixing', disabled: wrong.length === 0 },
            { value: 'all', label: 'All' },
          ]}
          value={wrong.length === 0 ? 'all' : which}
          onChange={setWhich}
        />
      </div>
      <div className="pp-exc-rows-grid">
        <ListGrid<BulkRow>
          label="Pasted rows"
          columns={COLUMNS}
          rows={shown}
          rowId={rowId}
          selectable={false}
        />
      </div>
    </section>
  );
}

/**
 * Browsers insert a long paste like typed text, which takes minutes. Setting the value directly is instant, but loses
 * undo.
 */
const pasteWhole = (put: (text: string) => void) => (event: ClipboardEvent<HTMLTextAreaElement>) => {
  const pasted = event.clipboardData.getData('text/plain');
  if (pasted.length < LONG_PASTE) return;
  event.preventDefault();
  const { value, selectionStart, selectionEnd } = event.currentTarget;
  put(value.slice(0, selectionStart) + pasted + value.slice(selectionEnd));
};

/** Where the values come from, when there is a selection. */
function SourceField({ bulk, selection }: { bulk: Bulk; selection: ExceptionSelection }): JSX.Element {
  const noun = { email: 'selected email', file: 'selected file', rows: 'selected row' }[
    selection.entityType ?? 'rows'
  ];
  const valuesOf = (column: string) => {
    const count = selection.values[column]?.length ?? 0;
    return plural(count, 'value');
  };
  return (
    <SelectField
      label={`From ${plural(selection.entityIds.length, noun)}`}
      fill
      value={bulk.source}
      options={[
        ...bulk.columns.map((column) => ({
          value: column,
          label: `${exceptionField(FIELD_OF_QUERY[column] ?? '')?.label ?? column}: ${valuesOf(column)}`,
        })),
        { value: 'paste', label: 'Other values' },
      ]}
      onChange={bulk.choose}
    />
  );
}

function PastedFields({ bulk, autoFocus }: { bulk: Bulk; autoFocus: boolean }): JSX.Element {
  const { form, setForm } = bulk;
  return (
    <>
      <AreaField
        label="Values, one per line"
        note="Optional comment after a tab. Defanged values are accepted."
        className="pp-mono-input"
        rows={5}
        spellCheck={false}
        autoFocus={autoFocus}
        disabled={bulk.sending !== null}
        value={bulk.text}
        onText={bulk.setText}
        onPaste={pasteWhole(bulk.setText)}
      />
      <TextField
        label="Default comment"
        value={form.comment}
        onValueChange={(comment) => setForm({ ...form, comment })}
      />
      <Rows bulk={bulk} />
    </>
  );
}

/** Many exceptions at once: a pasted column of values, or a selection. Each is checked and sent on its own. */
export function BulkDialog(props: {
  connectionId: string;
  branding: Branding;
  flags: Flags;
  selection: ExceptionSelection | null;
  onClose: () => void;
  onSaved: () => void;
}): JSX.Element {
  const { branding, flags, selection } = props;
  const bulk = useBulk({ ...props, onDone: props.onClose });
  const { form, setForm, choices, sending, count } = bulk;
  const cannotSend = useSendRefusal()('exceptions.create-external');
  const verb = form.list === 'allow' ? 'Allow' : 'Block';
  const limit = listLimit(form);
  /** Closing stops the sending first; the remaining rows stay in the dialog, marked as not sent. */
  const onClose = sending ? bulk.stop : props.onClose;
  const send = () => {
    if (cannotSend === null) void bulk.send();
  };
  return (
    <Dialog
      size="wide"
      title={selection ? 'Exceptions from selection' : 'Paste values'}
      onClose={onClose}
      onConfirm={send}
      footNote={
        sending ? (
          <span className="pp-exc-progress" role="status">
            <ProgressBar
              value={sending.total === 0 ? 1 : sending.done / sending.total}
              animate={false}
              stripes={false}
            />
            {exact(sending.done)} of {exact(sending.total)}
          </span>
        ) : (
          <span role="status">
            {cannotSend ??
              bulk.outcome ??
              'Logged in Activity, then sent one by one. Exceptions can’t be deleted.'}
          </span>
        )
      }
      actions={
        <>
          {sending ? <Button text="Stop" onClick={bulk.stop} /> : <Button text="Close" onClick={onClose} />}
          <ConfirmButton
            text={`${verb} ${exact(count)}${limit}`}
            loading={sending !== null}
            aria-busy={bulk.isReading}
            disabled={!bulk.canSend || cannotSend !== null}
            onClick={send}
          />
        </>
      }
    >
      <div className="pp-exc-bulk">
        {selection ? <SourceField bulk={bulk} selection={selection} /> : null}
        <RuleFields
          editor={{ form, choices, change: setForm, problem: () => null }}
          branding={branding}
          flags={flags}
        />
        <PastedFields bulk={bulk} autoFocus={selection === null} />
      </div>
    </Dialog>
  );
}
