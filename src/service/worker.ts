/** The embedded service in a worker thread; its messages are in src/shared/embedded.ts. */
import { existsSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { parentPort, Worker, workerData } from 'node:worker_threads';
import { ParapetError, toBridgeError } from '#shared/bridge/errors.ts';
import type { EmbeddedCommand, EmbeddedMessage, EmbeddedSpec, EvidenceReport } from '#shared/embedded.ts';
import { createServiceApp } from './app.ts';
import { openDemo, reopenDemo } from './demo/open-demo.ts';
import { reasonOf } from './evidence/reader/walk.ts';
import { type Listening, listen } from './server.ts';
import { isDamaged, NewerStoreError, removeDatabase, type Store } from './store/store.ts';

/** The report before the database is open. */
const NOTHING: EvidenceReport = {
  imported: 0,
  unchanged: 0,
  removed: 0,
  notMail: 0,
  problems: [],
  unreadable: 0,
  known: 0,
  gone: 0,
  unreachable: 0,
};

/** The reader of mail is not loaded for the demo tenant. */
const loadEvidence = async () => ({
  ...(await import('./evidence/source.ts')),
  ...(await import('./evidence/ingest/ingest-evidence.ts')),
});
type Evidence = Awaited<ReturnType<typeof loadEvidence>>;

/** `generates`: this thread only generates the demo tenant, and ends. */
type Spec = EmbeddedSpec & { generates?: true };

const port = parentPort;
if (!port) throw new Error('The embedded service runs in a worker thread.');
const spec = workerData as Spec;
const say = (message: EmbeddedMessage): void => port.postMessage(message);
const abort = new AbortController();
let store: Store | null = null;
let server: Listening | null = null;
let report: EvidenceReport | null = null;
let evidence: Evidence | null = null;
let { flags } = spec;
let running: Promise<void> = Promise.resolve();

/** A damaged index is rebuilt from the mail itself. */
function openOrReadAgain({ openEvidence }: Evidence): Store {
  const options = { path: spec.databasePath, key: spec.databaseKey };
  try {
    return openEvidence(options);
  } catch (error) {
    if (!isDamaged(error)) throw error;
    if (spec.source.kind === 'evidence' && !existsSync(spec.source.path))
      throw new ParapetError(
        'path-missing',
        `What was read of this evidence is damaged, and the evidence is not at ${spec.source.path} to be read again. Nothing was removed. Put it back there and open the connection again.`,
        { cause: error },
      );
    removeDatabase(spec.databasePath);
    return openEvidence(options);
  }
}

function describe(error: unknown, path: string): ParapetError {
  if (abort.signal.aborted)
    return new ParapetError('cancelled', 'The import was cancelled. What had been read stays.');
  if (error instanceof ParapetError) return error;
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

async function runImport({ ingestEvidence }: Evidence, opened: Store, path: string): Promise<void> {
  try {
    // The path contained no link when it was chosen: one that is there now leads somewhere else.
    if ((await realpath(path)) !== path)
      throw new ParapetError(
        'bad-file',
        `A link stands where the evidence was: ${path}. It was not followed. What was read earlier stays. Choose the folder or file again to read what the link leads to.`,
      );
    report = await ingestEvidence(opened, path, {
      signal: abort.signal,
      believed: spec.believed,
      onProgress: ({ bytes, totalBytes, file, files, totalFiles }) =>
        say({
          type: 'progress',
          done: Math.min(bytes, totalBytes),
          total: totalBytes,
          unit: 'bytes',
          file,
          files,
          totalFiles: file === null && files === 0 ? null : totalFiles,
        }),
    });
    say({ type: 'imported', report });
  } catch (error) {
    say({ type: 'failed', error: toBridgeError(describe(error, path)) });
  }
}

type Demo = Extract<EmbeddedSpec['source'], { kind: 'demo' }>;
const demoOptions = (source: Demo) => ({
  ...source,
  path: spec.databasePath,
  key: spec.databaseKey,
  now: Date.now(),
});

/**
 * The demo tenant. It is generated in a thread of its own, whose memory goes when it ends; should that fail, openDemo
 * generates it here, or says why it cannot.
 */
async function demoStore(source: Demo): Promise<Store> {
  const known = reopenDemo(demoOptions(source));
  if (known !== null) return known;
  const workerData: Spec = { ...spec, generates: true };
  const generator = new Worker(new URL(import.meta.url), {
    workerData,
    name: 'embedded-generator',
  });
  const end = () => void generator.terminate();
  abort.signal.addEventListener('abort', end, { once: true });
  generator.on('error', () => {});
  await new Promise<void>((resolve) => generator.once('exit', () => resolve()));
  abort.signal.removeEventListener('abort', end);
  abort.signal.throwIfAborted();
  return openDemo(demoOptions(source));
}

async function openSource(source: EmbeddedSpec['source']): Promise<Store> {
  if (source.kind === 'demo') return demoStore(source);
  evidence = await loadEvidence();
  return openOrReadAgain(evidence);
}

async function start(): Promise<void> {
  const { source } = spec;
  const opened = await openSource(source);
  store = opened;
  server = await listen(
    createServiceApp(opened, { token: spec.token, caller: 'you', flags: () => flags }),
    0,
  );
  say({ type: 'ready', port: server.port });
  if (evidence !== null && source.kind === 'evidence') await runImport(evidence, opened, source.path);
}

async function stop(): Promise<void> {
  abort.abort();
  await running;
  await server?.close();
  store?.close();
  port?.close();
}

function obey(command: EmbeddedCommand): void {
  if (command.type === 'cancel-import') abort.abort();
  else if (command.type === 'flags') flags = command.flags;
  else if (command.type === 'report')
    say({ type: 'report', report: report ?? (store && evidence ? evidence.reportOf(store) : NOTHING) });
  else if (command.type === 'resolve' && store !== null && evidence !== null) {
    evidence.resolveAbsent(store, command.answer);
    report = evidence.reportOf(store);
    say({ type: 'resolved', report });
  } else if (command.type === 'stop') void stop();
}

if (spec.generates) {
  if (spec.source.kind === 'demo') openDemo(demoOptions(spec.source)).close();
} else {
  port.on('message', obey);
  running = start().catch((error: unknown) => {
    say({ type: 'failed', error: toBridgeError(describe(error, spec.databasePath)) });
  });
}
