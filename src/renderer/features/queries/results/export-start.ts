import { useState } from 'react';
import { useBridge } from '#renderer/bridge/bridge-context.tsx';
import type { Bridge } from '#shared/bridge/bridge.ts';
import { type BridgeError, toBridgeError } from '#shared/bridge/errors.ts';
import type { Job } from '#shared/bridge/operations.ts';
import { fileNameOf } from '../query-files.ts';
import { columnsOf, type ExportOptions, type ExportPlan } from './export-plan.ts';
import { namedRows } from './selection.ts';
import { isFiltering } from './use-rows.ts';

/** Freezes the selected rows in the order on screen: what is meant now is what the file has. */
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

/** Asks where to, then starts the job; null: the analyst thought better of it. */
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
    columns: columnsOf(plan, scope),
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

export interface Exporting {
  busy: boolean;
  error: BridgeError | null;
  start(plan: ExportPlan, options: ExportOptions): Promise<void>;
}

/** The start of an export, with what went wrong at it. */
export function useExport(onStarted: (job: Job) => void): Exporting {
  const bridge = useBridge();
  const [state, setState] = useState<{ busy: boolean; error: BridgeError | null }>({
    busy: false,
    error: null,
  });
  return {
    ...state,
    async start(plan, options) {
      setState({ busy: true, error: null });
      try {
        const job = await startExport(bridge, plan, options);
        setState({ busy: false, error: null });
        if (job !== null) onStarted(job);
      } catch (reason) {
        setState({ busy: false, error: toBridgeError(reason) });
      }
    },
  };
}
