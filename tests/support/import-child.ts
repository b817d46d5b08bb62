/**
 * An evidence import in a separate process, so that its memory can be measured apart from the tests':
 * import-child.ts DATABASE PATH [as-nobody|''] [KILL-AT]. Dies by SIGKILL at write number KILL-AT. Sends progress and, at
 * the end, its report with the peak of resident memory; accepts the message `cancel`.
 */

import { evidenceSource, prepareEvidence } from '#service/evidence/source.ts';
import { ingestEvidence } from '#service/import/ingest-evidence.ts';
import { openStore } from '#service/store-sqlite/sqlite-store.ts';
import { peakRss, resetPeak } from '../bench/support.ts';
import { dyingAt } from './dying-store.ts';

export type ImportChildMessage =
  | { type: 'progress'; bytes: number; totalBytes: number; messages: number }
  | {
      type: 'end';
      imported: number | null;
      stored: number;
      problems: { file: string; reason: string }[];
      error: string | null;
      /** MiB. */
      before: number;
      peak: number;
    };

const NOBODY = 65_534;
const [database = ':memory:', folder = '', who = '', killAt = '0'] = process.argv.slice(2);
const say = (message: ImportChildMessage) => void process.send?.(message);
const abort = new AbortController();
process.on('message', () => abort.abort());

const store = openStore({ path: database, key: 'c3'.repeat(32) }, evidenceSource);
if (killAt !== '0') dyingAt(store, Number(killAt), () => process.kill(process.pid, 'SIGKILL'));
prepareEvidence(store);
// The super-user can read every file, so testing an unreadable one needs another user.
if (who === 'as-nobody' && process.getuid?.() === 0) process.seteuid?.(NOBODY);
resetPeak();
const before = peakRss() ?? 0;
let imported: number | null = null;
let failure: string | null = null;
let problems: { file: string; reason: string }[] = [];
try {
  const report = await ingestEvidence(store, folder, {
    signal: abort.signal,
    onProgress: ({ bytes, totalBytes, messages }) => say({ type: 'progress', bytes, totalBytes, messages }),
  });
  imported = report.imported;
  problems = report.problems.map(({ file, reason }) => ({ file, reason }));
} catch (error) {
  if (!abort.signal.aborted) failure = String((error as NodeJS.ErrnoException).code ?? error);
}
const stored = Number(store.db.prepare('SELECT count(*) FROM emails').pluck().get());
say({ type: 'end', imported, stored, problems, error: failure, before, peak: peakRss() ?? 0 });
store.close();
process.disconnect();
