/**
 * A database thread: the writer, which also reads evidence, or a reader. It handles one call at a time; a reader answers
 * each call from one snapshot of the database.
 */
import { existsSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { type MessagePort, Worker } from 'node:worker_threads';
import { BASE_PATH } from '#shared/api/catalogue.ts';
import { cancelled, ParapetError, toBridgeError } from '#shared/bridge/errors.ts';
import type { EmbeddedSpec, EvidenceReport } from '#shared/embedded.ts';
import { createServiceApp, NotHere, type Service } from '../app.ts';
import { openDemo, reopenDemo } from '../demo/open-demo.ts';
import { demoSource } from '../demo/source.ts';
import { reasonOf } from '../evidence/reader/walk.ts';
import { applyDue, isAnythingDue } from '../store/due.ts';
import {
  inSnapshot,
  isDamaged,
  NewerStoreError,
  openReader,
  removeDatabase,
  type Store,
  type StoreOptions,
} from '../store/store.ts';
import { type Ask, DUE, type ThreadData, type ThreadReply, type ThreadRequest } from './protocol.ts';
import { waysOf } from './ways.ts';

/** Loaded only for evidence: the demo tenant needs no mail parser. */
const loadEvidence = async () => ({
  ...(await import('../evidence/source.ts')),
  ...(await import('../evidence/ingest/ingest-evidence.ts')),
  ...(await import('../evidence/watch.ts')),
});
type Evidence = Awaited<ReturnType<typeof loadEvidence>>;

type Demo = Extract<EmbeddedSpec['source'], { kind: 'demo' }>;

const demoOptions = (source: Demo, options: StoreOptions) => ({
  ...source,
  ...options,
  now: Date.now(),
});

/** A damaged index is rebuilt from the mail itself. */
function openOrReadAgain({ openEvidence }: Evidence, path: string, options: StoreOptions): Store {
  try {
    return openEvidence(options);
  } catch (error) {
    if (!isDamaged(error)) throw error;
    if (!existsSync(path))
      throw new ParapetError(
        'path-missing',
        `What was read of this evidence is damaged, and the evidence is not at ${path} to be read again. Nothing was removed. Put it back there and open the connection again.`,
        { cause: error },
      );
    removeDatabase(options.path);
    return openEvidence(options);
  }
}

function describe(error: unknown, path: string, signal: AbortSignal): ParapetError {
  if (signal.aborted)
    return new ParapetError('cancelled', 'The import was cancelled. What had been read stays.');
  if (error instanceof ParapetError) return error;
  const code = (error as NodeJS.ErrnoException | null)?.code;
  if (code === 'ENOENT' || code === 'ENOTDIR')
    return new ParapetError('path-missing', `There is nothing at ${path}. Choose the folder or file again.`);
  if (code === 'EACCES' || code === 'EPERM')
    return new ParapetError('permission-denied', `${path} cannot be read: access is denied.`);
  if (error instanceof NewerStoreError)
    return new ParapetError('newer-schema', 'The index of this evidence was made by a newer version.');
  if (code === 'SQLITE_FULL' || code === 'ENOSPC')
    return new ParapetError(
      'disk-full',
      'The disk is full: no more of this evidence can be kept. What was read stays. Free some space and read on.',
      { retryable: true, cause: error },
    );
  if (/^E[A-Z]+$/.test(code ?? ''))
    return new ParapetError('bad-file', `${path} cannot be read: ${reasonOf(error)}.`);
  const reason = error instanceof Error ? error.message : String(error);
  return new ParapetError('internal', `The embedded service failed: ${reason}`, { cause: error });
}

/** Buffers that no other value uses can be transferred instead of copied. */
const own = (bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> =>
  bytes.byteLength === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes);

/** A call whose caller has left did not fail. */
const printed = (name: string, error: unknown): void => {
  if (error instanceof ParapetError && error.code === 'cancelled') return;
  process.stderr.write(`${name} failed: ${error instanceof Error ? error.stack : error}\n`);
};

/** `data`: this thread's; `entry`: the module that starts threads of this kind. */
export async function runThread(data: ThreadData, port: MessagePort, entry: URL): Promise<void> {
  const { spec, role, linkKey } = data;
  const { source } = spec;
  const stop = new Int32Array(data.stop ?? new SharedArrayBuffer(4));
  /** The id of the current call. */
  let current = 0;
  const options: StoreOptions = {
    path: spec.databasePath,
    key: spec.databaseKey,
    linkKey,
    probe: () => {
      if (current !== 0 && Atomics.load(stop, 0) === current) throw cancelled();
    },
  };
  if (role === 'generator') {
    if (source.kind === 'demo') openDemo(demoOptions(source, options)).close();
    return;
  }

  const abort = new AbortController();
  let { flags } = spec;
  let store: Store | null = null;
  let evidence: Evidence | null = null;
  let service: Service | null = null;
  let report: EvidenceReport | null = null;
  let opening: Promise<unknown> = Promise.resolve();
  let importing: Promise<void> | null = null;
  let reading = new AbortController();
  /** The next reading compares everything by hash. */
  let isToVerify = false;
  let watching: { close(): void } | null = null;
  const say = (reply: ThreadReply, moved: ArrayBuffer[] = []): void => port.postMessage(reply, moved);

  async function answer(opened: Store, served: Service, request: ThreadRequest): Promise<void> {
    current = request.id;
    try {
      if (request.type === 'due') {
        applyDue(opened, Date.now());
        return say({ type: 'done', id: request.id, value: null });
      }
      if (request.type !== 'call') return;
      flags = request.flags;
      const reply =
        role === 'reader'
          ? await inSnapshot(opened, () => served.answer(request.call))
          : await served.answer(request.call);
      const value = { ...reply, body: own(reply.body) };
      say({ type: 'done', id: request.id, value }, [value.body.buffer]);
    } catch (error) {
      if (error instanceof NotHere) say({ type: 'done', id: request.id, value: DUE });
      else say({ type: 'fail', id: request.id, error: toBridgeError(error) });
    } finally {
      current = 0;
    }
  }

  async function runImport({ ingestEvidence }: Evidence, opened: Store, path: string, verifies: boolean) {
    say({ type: 'event', event: { type: 'reading' } });
    try {
      // The path contained no link when it was chosen; a link now would lead somewhere else.
      if ((await realpath(path)) !== path)
        throw new ParapetError(
          'bad-file',
          `A link stands where the evidence was: ${path}. It was not followed. What was read earlier stays. Choose the folder or file again to read what the link leads to.`,
        );
      report = await ingestEvidence(opened, path, {
        signal: reading.signal,
        believed: spec.believed,
        verifies,
        threads: entry,
        onProgress: ({ bytes, totalBytes, file, files, totalFiles }) =>
          say({
            type: 'event',
            event: {
              type: 'progress',
              done: Math.min(bytes, totalBytes),
              total: totalBytes,
              unit: 'bytes',
              file,
              files,
              totalFiles: file === null && files === 0 ? null : totalFiles,
            },
          }),
      });
      say({ type: 'event', event: { type: 'imported', report } });
    } catch (error) {
      const failure = toBridgeError(describe(error, path, reading.signal));
      say({ type: 'event', event: { type: 'failed', error: failure } });
    }
  }

  /** Reads the evidence, and reads it again whenever it changes. */
  async function read(mail: Evidence, opened: Store, path: string, verifies: boolean): Promise<void> {
    watching?.close();
    reading = new AbortController();
    // A file that changes during the reading may have been read already.
    let isChanged = false;
    watching = await mail.watchEvidence(path, () => {
      if (importing === null) begin(mail, opened, path);
      else isChanged = true;
    });
    await runImport(mail, opened, path, verifies);
    importing = null;
    // A cancelled reading is only resumed on request.
    if (reading.signal.aborted || abort.signal.aborted) watching.close();
    else if (isChanged || isToVerify) begin(mail, opened, path);
  }

  function begin(mail: Evidence, opened: Store, path: string): void {
    if (abort.signal.aborted || importing !== null) return;
    const verifies = isToVerify;
    isToVerify = false;
    importing = read(mail, opened, path, verifies);
  }

  async function close(): Promise<void> {
    abort.abort();
    reading.abort();
    watching?.close();
    await Promise.allSettled([opening, importing]);
    store?.close();
    port.close();
  }

  function obey(mail: Evidence, opened: Store, request: Ask): void {
    if (request.type === 'import' && source.kind === 'evidence') {
      isToVerify ||= request.verifies === true;
      begin(mail, opened, source.path);
    } else if (request.type === 'cancel-import') {
      isToVerify = false;
      reading.abort();
    } else if (request.type === 'report')
      say({ type: 'event', event: { type: 'report', report: report ?? mail.reportOf(opened) } });
    else if (request.type === 'resolve') {
      mail.resolveAbsent(opened, request.answer);
      report = mail.reportOf(opened);
      say({ type: 'event', event: { type: 'resolved', report } });
    }
  }

  /**
   * Opens the demo tenant. A separate thread generates it, to free the memory when it ends; if that fails, openDemo
   * generates it here or says why it cannot.
   */
  async function demoStore(demo: Demo): Promise<Store> {
    const known = reopenDemo(demoOptions(demo, options));
    if (known !== null) return known;
    const generator = new Worker(entry, {
      workerData: { role: 'generator', spec, linkKey } satisfies ThreadData,
      name: 'embedded-generator',
    });
    const end = () => void generator.terminate();
    abort.signal.addEventListener('abort', end, { once: true });
    generator.on('error', () => {});
    await new Promise<void>((resolve) => generator.once('exit', () => resolve()));
    abort.signal.removeEventListener('abort', end);
    abort.signal.throwIfAborted();
    return openDemo(demoOptions(demo, options));
  }

  async function open(): Promise<Store> {
    if (source.kind === 'demo')
      return role === 'reader' ? openReader(options, demoSource) : demoStore(source);
    if (role === 'reader') return openReader(options, (await import('../evidence/source.ts')).evidenceSource);
    evidence = await loadEvidence();
    return openOrReadAgain(evidence, source.path, options);
  }

  port.on('message', (request: ThreadRequest) => {
    if (request.type === 'close') void close();
    else if (store === null || service === null) return;
    else if (request.type === 'call' || request.type === 'due') void answer(store, service, request);
    else if (request.type !== 'cancel' && evidence !== null) obey(evidence, store, request);
  });
  const opened = open();
  opening = opened.then(
    (made) => {
      store = made;
      service = createServiceApp(made, {
        token: spec.token,
        caller: 'you',
        ...(data.as === undefined ? {} : { role: data.as }),
        ...(data.prints === true ? { onError: printed } : {}),
        flags: () => flags,
        ...(role === 'writer'
          ? {}
          : {
              due: (of: Store, now: number) => {
                if (isAnythingDue(of, now)) throw new NotHere();
              },
            }),
      });
      say({ type: 'open', base: BASE_PATH, ways: waysOf(source) });
    },
    (error: unknown) => {
      say({
        type: 'failed-to-open',
        error: toBridgeError(describe(error, spec.databasePath, abort.signal)),
      });
      port.close();
    },
  );
  await opening;
}
