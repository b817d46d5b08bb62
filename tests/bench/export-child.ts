/**
 * Exports of one profile in a process of their own, so that their memory can be measured alone:
 * export-child.ts PROFILE encrypted|plain. Takes orders as messages, answers each with milliseconds and peak memory.
 */
import { rmSync } from 'node:fs';
import type { ExportFormat } from '#shared/bridge/operations/exports.ts';
import { type DataHarness, openData } from '../support/data-services.ts';
import { BUILT } from '../support/threads.ts';
import { benchColumns, peakRss, resetPeak } from './support.ts';

export interface ExportOrder {
  file: string;
  format: ExportFormat;
  /** Columns to sort by; omitted: the order of the set. */
  sort: readonly string[];
  /** The grid already has that order. */
  known: boolean;
}

export interface ExportDone {
  ms: number;
  /** Processor time of all threads. */
  cpu: number | null;
  /** MiB. */
  peak: number | null;
  error: string | null;
}

/** Address of a service that is never called. */
const NO_SERVICE = 'http://127.0.0.1:9';
/** Interval of checking for the end of an export, long enough to cost nothing. */
const LOOK_MS = 5;

async function exportOnce(data: DataHarness, resultId: string, order: ExportOrder): Promise<void> {
  const { file, format, sort } = order;
  const { id } = await data.export(resultId, file, {
    format,
    columns: [...benchColumns],
    ...(sort.length === 0 ? {} : { sort: sort.map((dbId) => ({ dbId, direction: 'asc' as const })) }),
  });
  await new Promise<void>((resolve, reject) => {
    const poll = setInterval(() => {
      const job = data.jobs.list().find((job) => job.id === id);
      if (job?.state === 'running') return;
      clearInterval(poll);
      if (job?.state === 'done') resolve();
      else reject(new Error(`the export ended ${job?.state}: ${job?.error?.message ?? job?.note}`));
    }, LOOK_MS);
  });
}

/** Prepares the set as the grid does by showing this order. */
async function lookAt(data: DataHarness, resultId: string, sort: readonly string[]): Promise<void> {
  const used = await data.sets.acquire(resultId);
  const order = sort.map((dbId) => ({ dbId, direction: 'asc' as const }));
  const rows = used.lease();
  (await used.sorted.lease(rows, order, null)).release();
  rows.release();
  used.release();
}

async function measured(data: DataHarness, resultId: string, order: ExportOrder): Promise<ExportDone> {
  if (order.known) await lookAt(data, resultId, order.sort);
  globalThis.gc?.();
  resetPeak();
  const cpu = process.cpuUsage();
  const began = performance.now();
  const error = await exportOnce(data, resultId, order).then(
    () => null,
    (reason: unknown) => String(reason),
  );
  const ms = performance.now() - began;
  const { user, system } = process.cpuUsage(cpu);
  const peak = peakRss();
  rmSync(order.file, { force: true });
  rmSync(`${order.file}.manifest.json`, { force: true });
  return { ms, cpu: (user + system) / 1000, peak, error };
}

const [profile = '', store = 'encrypted'] = process.argv.slice(2);
const data = await openData(profile, NO_SERVICE, store === 'plain' ? null : undefined, null, BUILT);
const [record] = await data.sets.list();
if (record === undefined) throw new Error('the store of the bench has no result set');
const tell = (outcome: ExportDone) => void process.send?.(outcome);
process.on('message', (order: ExportOrder) => void measured(data, record.id, order).then(tell));
process.on('disconnect', () => void data.close().then(() => process.exit()));
tell({ ms: 0, cpu: null, peak: peakRss(), error: null });
