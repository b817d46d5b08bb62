import { Button } from '@blueprintjs/core';
import { Export } from '@blueprintjs/icons';
import { type JSX, useState } from 'react';
import { useConnection } from '#renderer/state/connection.ts';
import { useClockSetting } from '#renderer/state/preferences.ts';
import { Dialog, Figures } from '#renderer/ui/dialog.tsx';
import { ErrorBar } from '#renderer/ui/error-bar.tsx';
import { Kbd } from '#renderer/ui/kbd.tsx';
import type { Job } from '#shared/bridge/operations.ts';
import { FormatChoice, ScopeChoice } from './export-options.tsx';
import {
  columnsOf,
  countOf,
  type ExportOptions,
  type ExportPlan,
  missingWords,
  promiseOf,
  scopeWords,
  zoneOf,
} from './export-plan.ts';
import { useExport } from './export-start.ts';
import './export.css';

/** What you see is what you export: the same filter, sort, columns, order and clock; or everything, or a selection. */
export function ExportDialog(props: {
  plan: ExportPlan;
  isOpen: boolean;
  offline: boolean;
  onClose: () => void;
  onStarted: (job: Job) => void;
}): JSX.Element {
  const { plan, isOpen, offline, onClose, onStarted } = props;
  const { connection } = useConnection();
  const zone = zoneOf(useClockSetting());
  const zones = [...new Set([zone, connection?.timezone ?? 'UTC', 'UTC'])];
  const [options, setOptions] = useState<ExportOptions>({
    scope: 'screen',
    format: 'csv',
    raw: false,
    bom: false,
    zone,
    zip: false,
    password: '',
  });
  const change = (part: Partial<ExportOptions>) => setOptions((before) => ({ ...before, ...part }));
  const { busy, error, start } = useExport((job) => {
    onStarted(job);
    onClose();
  });
  const count = countOf(plan, options.scope, offline);
  const columns = columnsOf(plan, options.scope);
  const { verb, label } = promiseOf(plan, options.scope, offline);
  const missing = missingWords(plan, options.scope, offline);
  const go = () => {
    if (count > 0 && !busy) void start(plan, options);
  };
  return (
    <Dialog
      isOpen={isOpen}
      title={verb}
      icon={<Export size={14} />}
      onClose={onClose}
      onConfirm={go}
      footNote="A manifest with the count and the SHA-256 comes with the file."
      actions={
        <>
          <Button text="Cancel" onClick={onClose} />
          <Button
            intent="primary"
            text={verb}
            endIcon={<Kbd keys="Ctrl Enter" />}
            loading={busy}
            disabled={count === 0}
            onClick={go}
          />
        </>
      }
    >
      {error ? <ErrorBar error={error} onRetry={go} /> : null}
      <Figures
        figures={[
          { label, value: count, accent: true },
          { label: 'columns', value: columns.length },
          { label: 'on this machine', value: plan.result.loaded },
        ]}
      />
      <ScopeChoice plan={plan} options={options} onChange={change} />
      <FormatChoice plan={plan} options={options} onChange={change} zones={zones} />
      {missing ? <p className="pp-caution-bar">{missing}</p> : null}
      <div>
        <div className="pp-caption pp-t3">Columns, in this order</div>
        <div className="pp-export-columns">
          {columns.map(({ id, label }) => (
            <span key={id} className="pp-chip">
              {label}
            </span>
          ))}
        </div>
      </div>
      <p className="pp-small pp-t2">{scopeWords(plan, options.scope)}</p>
    </Dialog>
  );
}

export type { ExportPlan } from './export-plan.ts';
