import { Button, Checkbox } from '@blueprintjs/core';
import { Cross, Export } from '@blueprintjs/icons';
import { type JSX, useState } from 'react';
import { type Command, useCommands } from '#renderer/commands/command.tsx';
import { RESULTS } from '#renderer/commands/keys.ts';
import { useClearFilesOff } from '#renderer/state/app-info.ts';
import { useConnection } from '#renderer/state/connection.ts';
import { useClockSetting } from '#renderer/state/preferences.ts';
import { ConfirmDialog, Figures } from '#renderer/ui/dialog.tsx';
import { ErrorBar } from '#renderer/ui/error-bar.tsx';
import type { Job } from '#shared/bridge/operations.ts';
import {
  columnsOf,
  countOf,
  type ExportOptions,
  type ExportPlan,
  FORMATS,
  missingNote,
  promiseOf,
  type Scope,
  scopeNote,
  zoneOf,
} from './export-plan.ts';
import './export.css';
import { useBridge } from '#renderer/bridge/bridge-context.tsx';
import { useAct } from '#renderer/bridge/use-call.ts';
import { onJobControl, useJobs } from '#renderer/state/jobs.ts';
import { openScreen } from '#renderer/state/navigation.ts';
import { Segmented } from '#renderer/ui/form/segmented.tsx';
import { IconButton } from '#renderer/ui/icon-button.tsx';
import { JobRow } from '#renderer/ui/job-row.tsx';
import type { Bridge } from '#shared/bridge/bridge.ts';
import type { QueryConfig } from '#shared/model/entities.ts';
import { exact } from '#shared/model/format.ts';
import { fitsZip } from '#shared/model/password-strength.ts';
import { totalText } from '../labels.ts';
import { fileNameOf } from '../query-files.ts';
import { localSort } from '../query-run.ts';
import { ExportPassword } from './export-password.tsx';
import { namedRows } from './selection.ts';
import type { Browse } from './use-browse.ts';
import { isFiltering } from './use-rows.ts';

/** Progress and cancel of the export started here, until it is closed. */
function ExportToast({ jobId, onClose }: { jobId: string; onClose: () => void }): JSX.Element | null {
  const job = useJobs().find(({ id }) => id === jobId);
  if (!job) return null;
  return (
    <section className="pp-toasts pp-export-toast" aria-label="Export">
      <div className="pp-toast pp-toast-info" role="status">
        <div className="pp-toast-text">
          <JobRow job={job} onControl={onJobControl} />
          {job.state === 'done' || job.state === 'partial' ? (
            <small>
              {job.note ?? (typeof job.outcome?.['file'] === 'string' ? job.outcome['file'] : '')}
            </small>
          ) : null}
        </div>
        <Button variant="minimal" size="small" text="Activity" onClick={() => openScreen('activity')} />
        <IconButton small icon={<Cross size={12} />} label="Close" onClick={onClose} />
      </div>
    </section>
  );
}

/** Freezes the selected rows in the order on screen, so that later changes do not affect the file. */
async function freeze(bridge: Bridge, plan: ExportPlan): Promise<string> {
  const { selection, result, sort, filter } = plan;
  const frozen = await bridge.call('results.matching', {
    resultId: result.id,
    ...(sort ? { sort } : {}),
    ...(selection ? namedRows(selection) : {}),
    ...(selection?.mode === 'all' && isFiltering(filter) ? { filter } : {}),
  });
  return frozen.selectionId;
}

/** Asks for the file, then starts the job, or null if cancelled. */
async function startExport(bridge: Bridge, plan: ExportPlan, options: ExportOptions): Promise<Job | null> {
  const { scope, format, raw, bom, zone, zip, password } = options;
  const base = fileNameOf(plan.name || 'results', format);
  const grant = await bridge.call('dialogs.save', {
    suggestedName: zip ? `${base}.zip` : base,
    kind: zip ? 'zip' : format,
  });
  if (grant === null) return null;
  const selectionId = scope === 'selection' ? await freeze(bridge, plan) : null;
  return bridge.call('exports.start', {
    resultId: plan.result.id,
    grantId: grant.grantId,
    format,
    columns: columnsOf(plan, options),
    ...(scope !== 'everything' && plan.sort ? { sort: plan.sort } : {}),
    ...(scope === 'screen' && isFiltering(plan.filter) ? { filter: plan.filter } : {}),
    ...(selectionId === null ? {} : { selectionId }),
    ...(plan.words ? { words: plan.words } : {}),
    raw: format === 'csv' && raw,
    bom: format === 'csv' && bom,
    zone,
    ...(zip ? { zip: { password: password === '' ? null : password } } : {}),
  });
}

interface OptionsProps {
  plan: ExportPlan;
  options: ExportOptions;
  onChange: (change: Partial<ExportOptions>) => void;
}

const Line = ({ caption, children }: { caption: string; children: React.ReactNode }) => (
  <div className="pp-export-line">
    <span className="pp-caption pp-t3">{caption}</span>
    <div className="pp-row">{children}</div>
  </div>
);

function ScopeChoice({ plan, options, onChange }: OptionsProps): JSX.Element {
  const scopes: { value: Scope; label: string }[] = [
    {
      value: 'screen',
      label: `Current view (${isFiltering(plan.filter) ? exact(plan.count) : totalText(plan.result)})`,
    },
    { value: 'everything', label: `Everything (${totalText(plan.result)})` },
    ...((plan.selected ?? 0) > 0
      ? [{ value: 'selection' as const, label: `Selection (${exact(plan.selected ?? 0)})` }]
      : []),
  ];
  return (
    <Line caption="Rows">
      <Segmented
        label="Rows"
        options={scopes}
        value={options.scope}
        onChange={(scope) => onChange({ scope })}
      />
    </Line>
  );
}

function FormatChoice({
  plan,
  options,
  onChange,
  zones,
  sealedReason,
}: OptionsProps & { zones: string[]; sealedReason: string | null }): JSX.Element {
  const { format, raw, bom, zip } = options;
  const hasDates = plan.result.columns.some(({ type }) => /date|time/i.test(type));
  return (
    <>
      <Line caption="Format">
        <Segmented
          label="Format"
          options={FORMATS}
          value={format}
          onChange={(value) => onChange({ format: value })}
        />
        <span className="pp-small pp-t2">{FORMATS.find(({ value }) => value === format)?.note}</span>
      </Line>
      {hasDates ? (
        <Line caption="Time zone">
          {zones.length > 1 ? (
            <Segmented
              label="Time zone"
              options={zones.map((zone) => ({ value: zone, label: zone }))}
              value={options.zone}
              onChange={(zone) => onChange({ zone })}
            />
          ) : (
            <span>{options.zone}</span>
          )}
          <span className="pp-small pp-t2">
            {format === 'xlsx' ? 'Date cells in this time zone' : 'ISO 8601 with offset'}
          </span>
        </Line>
      ) : null}
      <div className="pp-export-options">
        {format === 'csv' ? (
          <>
            <Checkbox
              checked={!raw}
              label="Neutralise formulas (text that spreadsheets would evaluate)"
              onChange={() => onChange({ raw: !raw })}
            />
            <Checkbox
              checked={bom}
              label="Byte order mark, for older spreadsheets"
              onChange={() => onChange({ bom: !bom })}
            />
          </>
        ) : null}
        <Checkbox
          checked={zip}
          disabled={sealedReason !== null}
          label="Zip, password-protected (AES-256)"
          onChange={() => onChange({ zip: !zip })}
        />
      </div>
      {sealedReason === null ? null : <p className="pp-small pp-t2 pp-wrap-anywhere">{sealedReason}</p>}
      {zip ? (
        <ExportPassword
          password={options.password}
          {...(sealedReason === null ? {} : { empty: 'Enter a password: without one no file is written.' })}
          onChange={(password) => onChange({ password })}
        />
      ) : null}
      {raw && format === 'csv' ? (
        <p className="pp-caution-bar">
          Cells are written unmodified. A spreadsheet may run a formula that a sender put into a subject.
        </p>
      ) : null}
    </>
  );
}

export const rowsOnScreen = (browse: Browse, config: QueryConfig) => ({
  result: browse.result,
  config,
  count: browse.total,
  filter: browse.rows.filter,
  sort: browse.order.isLocal ? localSort(browse.order.sort, config) : undefined,
  selection: browse.selection.selection,
  selected: browse.selected,
});

/** Opens the export dialog and follows the job that it starts; `parts` draws both. */
export function useExporting(offline: boolean) {
  const [isOpen, setOpen] = useState(false);
  const [jobId, setJobId] = useState<string | null>(null);
  const command: Command = {
    ...RESULTS.exportRows,
    title: 'Export results',
    icon: Export,
    run: () => setOpen(true),
  };
  useCommands([command]);
  return {
    command,
    parts: (plan: () => ExportPlan): JSX.Element => (
      <>
        {isOpen ? (
          <ExportDialog
            offline={offline}
            plan={plan()}
            onClose={() => setOpen(false)}
            onStarted={(job) => setJobId(job.id)}
          />
        ) : null}
        {jobId ? <ExportToast jobId={jobId} onClose={() => setJobId(null)} /> : null}
      </>
    ),
  };
}

/** What you see is what you export: the same filter, sort, columns, order and clock; or everything, or a selection. */
function ExportDialog(props: {
  plan: ExportPlan;
  offline: boolean;
  onClose: () => void;
  onStarted: (job: Job) => void;
}): JSX.Element {
  const { plan, offline, onClose, onStarted } = props;
  const { connection } = useConnection();
  const zone = zoneOf(useClockSetting());
  const zones = [...new Set([zone, connection?.timezone ?? 'UTC', 'UTC'])];
  const [chosen, setOptions] = useState<ExportOptions>({
    scope: 'screen',
    format: 'csv',
    raw: false,
    bom: false,
    zone,
    zip: false,
    password: '',
  });
  const sealedReason = useClearFilesOff();
  const options = sealedReason === null ? chosen : { ...chosen, zip: true };
  const change = (part: Partial<ExportOptions>) => setOptions((before) => ({ ...before, ...part }));
  const bridge = useBridge();
  const { run, pending, error } = useAct(async () => {
    const job = await startExport(bridge, plan, options);
    if (job === null) return;
    onStarted(job);
    onClose();
  });
  const count = countOf(plan, options.scope, offline);
  const columns = columnsOf(plan, options);
  const { verb, label } = promiseOf(plan, options.scope, offline);
  const missing = missingNote(plan, options.scope, offline);
  const isReady =
    count > 0 &&
    (sealedReason === null || options.password !== '') &&
    (!options.zip || fitsZip(options.password));
  const go = () => {
    if (isReady && !pending) void run();
  };
  return (
    <ConfirmDialog
      title={verb}
      icon={<Export size={14} />}
      onClose={onClose}
      onConfirm={go}
      footNote="Includes a manifest with the row count and SHA-256."
      confirm={{ text: verb, loading: pending, disabled: !isReady }}
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
      <FormatChoice
        plan={plan}
        options={options}
        onChange={change}
        zones={zones}
        sealedReason={sealedReason}
      />
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
      <p className="pp-small pp-t2">{scopeNote(plan, options.scope)}</p>
    </ConfirmDialog>
  );
}
