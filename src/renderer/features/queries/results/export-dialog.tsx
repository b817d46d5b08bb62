import { Button, Checkbox } from '@blueprintjs/core';
import { Export } from '@blueprintjs/icons';
import { type JSX, useState } from 'react';
import { useBridge } from '#renderer/bridge/bridge-context.tsx';
import { Dialog, Figures } from '#renderer/ui/dialog.tsx';
import { ErrorBar } from '#renderer/ui/error-bar.tsx';
import { Kbd } from '#renderer/ui/kbd.tsx';
import { Segmented } from '#renderer/ui/segmented.tsx';
import { type BridgeError, toBridgeError } from '#shared/bridge/errors.ts';
import type { Job, LocalFilter, ResultSet } from '#shared/bridge/operations.ts';
import type { Sort } from '#shared/model/entities.ts';
import { exact } from '#shared/model/format.ts';
import { fileNameOf } from '../query-actions.ts';
import { isFiltering } from './use-rows.ts';

export interface ExportPlan {
  result: ResultSet;
  name: string;
  columns: { id: string; label: string }[];
  /** Rows that will be in the file. */
  count: number;
  filter: LocalFilter;
  /** A local order; undefined: the result's own. */
  sort: Sort[] | undefined;
}

const FORMATS = [
  { value: 'csv', label: 'CSV' },
  { value: 'ndjson', label: 'NDJSON' },
] as const;

/** What you see is what you export: the same filter, sort, columns and order. */
export function ExportDialog(props: {
  plan: ExportPlan;
  isOpen: boolean;
  offline: boolean;
  onClose: () => void;
  onStarted: (job: Job) => void;
}): JSX.Element {
  const { plan, isOpen, offline, onClose, onStarted } = props;
  const bridge = useBridge();
  const [format, setFormat] = useState<'csv' | 'ndjson'>('csv');
  const [raw, setRaw] = useState(false);
  const [bom, setBom] = useState(false);
  const [state, setState] = useState<{ busy: boolean; error: BridgeError | null }>({
    busy: false,
    error: null,
  });
  const filtering = isFiltering(plan.filter);
  const missing = filtering ? 0 : plan.result.total - plan.result.loaded;
  const start = async () => {
    setState({ busy: true, error: null });
    try {
      const grant = await bridge.call('dialogs.save', {
        suggestedName: fileNameOf(plan.name || 'results', format),
        kind: format,
      });
      if (grant !== null) {
        const job = await bridge.call('exports.start', {
          resultId: plan.result.id,
          grantId: grant.grantId,
          format,
          columns: plan.columns,
          ...(plan.sort ? { sort: plan.sort } : {}),
          ...(filtering ? { filter: plan.filter } : {}),
          raw: format === 'csv' && raw,
          bom: format === 'csv' && bom,
        });
        onStarted(job);
        onClose();
      }
      setState({ busy: false, error: null });
    } catch (reason) {
      setState({ busy: false, error: toBridgeError(reason) });
    }
  };
  const verb = `Export ${exact(plan.count)} ${plan.count === 1 ? 'row' : 'rows'}`;
  return (
    <Dialog
      isOpen={isOpen}
      title={verb}
      icon={<Export size={14} />}
      onClose={onClose}
      onConfirm={() => void start()}
      footNote="A manifest with the count and the SHA-256 comes with the file."
      actions={
        <>
          <Button text="Cancel" onClick={onClose} />
          <Button
            intent="primary"
            text={verb}
            endIcon={<Kbd keys="Ctrl Enter" />}
            loading={state.busy}
            disabled={plan.count === 0}
            onClick={() => void start()}
          />
        </>
      }
    >
      {state.error ? <ErrorBar error={state.error} onRetry={() => void start()} /> : null}
      <Figures
        figures={[
          { label: filtering ? 'rows that match the filter' : 'rows', value: plan.count, accent: true },
          { label: 'columns', value: plan.columns.length },
          { label: 'on this machine', value: plan.result.loaded },
        ]}
      />
      <div className="pp-row">
        <Segmented label="Format" options={FORMATS} value={format} onChange={setFormat} />
        <span className="pp-small pp-t2">
          {format === 'csv' ? 'For spreadsheets' : 'One JSON object per line, for scripts'}
        </span>
      </div>
      {format === 'csv' ? (
        <div className="pp-export-options">
          <Checkbox
            checked={!raw}
            label="Neutralise formulas (cells that start with = + - @)"
            onChange={() => setRaw(!raw)}
          />
          <Checkbox
            checked={bom}
            label="Byte order mark, for older spreadsheets"
            onChange={() => setBom(!bom)}
          />
        </div>
      ) : null}
      {raw && format === 'csv' ? (
        <p className="pp-caution-bar">
          Cells are written as they came. A spreadsheet may run what a sender put into a subject.
        </p>
      ) : null}
      {missing > 0 ? (
        <p className="pp-caution-bar">
          {offline
            ? `${exact(missing)} rows are not on this machine and the service cannot be asked: the file will say PARTIAL.`
            : `${exact(missing)} more rows are fetched first.`}
        </p>
      ) : null}
      <div>
        <div className="pp-caption pp-t3">Columns, in this order</div>
        <div className="pp-export-columns">
          {plan.columns.map(({ id, label }) => (
            <span key={id} className="pp-chip">
              {label}
            </span>
          ))}
        </div>
      </div>
      <p className="pp-small pp-t2">
        {plan.sort ? 'In the order on screen' : 'In the order of the result'}
        {filtering ? ', with the filter on screen.' : ', all rows.'}
      </p>
    </Dialog>
  );
}
