/** The embedded service in a worker thread: see src/shared/embedded.ts for what it says and hears. */
import { parentPort, workerData } from 'node:worker_threads';
import { ParapetError, toBridgeError } from '#shared/bridge/errors.ts';
import type { EmbeddedCommand, EmbeddedMessage, EmbeddedSpec, EvidenceReport } from '#shared/embedded.ts';
import { createServiceApp } from './app.ts';
import { reasonOf } from './evidence/walk.ts';
import { importInto, prepareEvidence, reportOf } from './import/evidence.ts';
import { type Listening, listen } from './server.ts';
import { isDamaged, NewerStoreError, openStore, type Store } from './store/store.ts';
import { openDemo, removeDatabase } from './tenant.ts';

/** What is known before the database is open. */
const NOTHING: EvidenceReport = { imported: 0, unchanged: 0, removed: 0, notMail: 0, problems: [] };

const port = parentPort;
if (!port) throw new Error('The embedded service runs in a worker thread.');
const spec = workerData as EmbeddedSpec;
const say = (message: EmbeddedMessage): void => port.postMessage(message);
const abort = new AbortController();
let store: Store | null = null;
let server: Listening | null = null;
let report: EvidenceReport | null = null;

function openEvidence(): Store {
  const options = { path: spec.databasePath, key: spec.databaseKey };
  const open = (): Store => {
    const opened = openStore(options);
    try {
      prepareEvidence(opened);
    } catch (error) {
      opened.close();
      throw error;
    }
    return opened;
  };
  try {
    return open();
  } catch (error) {
    if (!isDamaged(error)) throw error;
    // The index can be made again from the mail itself.
    removeDatabase(spec.databasePath);
    return open();
  }
}

function describe(error: unknown, path: string): ParapetError {
  if (abort.signal.aborted)
    return new ParapetError('cancelled', 'The import was cancelled. What had been read stays.');
  const code = (error as NodeJS.ErrnoException | null)?.code;
  if (code === 'ENOENT' || code === 'ENOTDIR')
    return new ParapetError('path-missing', `There is nothing at ${path}. Choose the folder or file again.`);
  if (code === 'EACCES' || code === 'EPERM')
    return new ParapetError('permission-denied', `${path} cannot be read: access is denied.`);
  if (error instanceof NewerStoreError)
    return new ParapetError('newer-schema', 'The index of this evidence was made by a newer version.');
  if (/^E[A-Z]+$/.test(code ?? ''))
    return new ParapetError('bad-file', `${path} cannot be read: ${reasonOf(error)}.`);
  const reason = error instanceof Error ? error.message : String(error);
  return new ParapetError('internal', `The embedded service failed: ${reason}`, { cause: error });
}

async function runImport(opened: Store, path: string): Promise<void> {
  try {
    report = await importInto(opened, path, {
      signal: abort.signal,
      onProgress: ({ bytes, totalBytes, file }) =>
        say({ type: 'progress', done: Math.min(bytes, totalBytes), total: totalBytes, unit: 'bytes', file }),
    });
    say({ type: 'imported', report });
  } catch (error) {
    say({ type: 'failed', error: toBridgeError(describe(error, path)) });
  }
}

async function start(): Promise<void> {
  const { source } = spec;
  const opened =
    source.kind === 'demo'
      ? openDemo({ path: spec.databasePath, key: spec.databaseKey, ...source, now: Date.now() })
      : openEvidence();
  store = opened;
  server = await listen(createServiceApp(opened, { token: spec.token, caller: 'you' }), 0);
  say({ type: 'ready', port: server.port });
  if (source.kind === 'evidence') await runImport(opened, source.path);
}

async function stop(): Promise<void> {
  abort.abort();
  await running;
  await server?.close();
  store?.close();
  port?.close();
}

port.on('message', (command: EmbeddedCommand) => {
  if (command.type === 'cancel-import') abort.abort();
  else if (command.type === 'report')
    say({ type: 'report', report: report ?? (store ? reportOf(store) : NOTHING) });
  else if (command.type === 'stop') void stop();
});

const running = start().catch((error: unknown) => {
  say({ type: 'failed', error: toBridgeError(describe(error, spec.databasePath)) });
});
