/**
 * A database thread: the writer, which also reads evidence, or a reader. It handles one call at a time; a reader answers
 * each call from one snapshot of the database.
 */
import { type MessagePort, Worker } from 'node:worker_threads';
import { BASE_PATH } from '#shared/api/catalogue.ts';
import { cancelled, ParapetError, toBridgeError } from '#shared/bridge/errors.ts';
import type { EmbeddedSpec } from '#shared/embedded.ts';
import { createServiceApp, NotHere, type Service } from '../app.ts';
import { type OpenedDemo, openDemo, reopenDemo } from '../demo/open-demo.ts';
import { demoSource } from '../demo/source.ts';
import type { Store } from '../store/store.ts';
import { inSnapshot, openReader, type SqliteStore, type StoreOptions } from '../store-sqlite/sqlite-store.ts';
import { dispatchRules } from './dispatch.ts';
import { EvidenceReading, loadEvidence } from './evidence-reading.ts';
import { openingFailureOf } from './failure.ts';
import { DUE, type ThreadData, type ThreadReply, type ThreadRequest } from './protocol.ts';

type Demo = Extract<EmbeddedSpec['source'], { kind: 'demo' }>;

const demoOptions = (source: Demo, options: StoreOptions) => ({
  ...source,
  ...options,
  now: Date.now(),
});

/** Buffers that no other value uses can be transferred instead of copied. */
const copyOf = (bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> =>
  bytes.byteLength === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes);

/** A call whose caller has left did not fail. */
const printed = (name: string, error: unknown): void => {
  if (error instanceof ParapetError && error.code === 'cancelled') return;
  process.stderr.write(`${name} failed: ${error instanceof Error ? error.stack : error}\n`);
};

interface Generating extends Pick<ThreadData, 'spec' | 'linkKey'> {
  entry: URL;
  signal: AbortSignal;
}

/**
 * Opens the demo tenant. A separate thread generates it, to free the memory when it ends; if that fails, openDemo
 * generates it here or says why it cannot.
 */
async function demoStore(demo: Demo, options: StoreOptions, generating: Generating): Promise<OpenedDemo> {
  const reopened = await reopenDemo(demoOptions(demo, options));
  if (reopened.store !== null) return reopened;
  const { spec, linkKey, entry, signal } = generating;
  const generator = new Worker(entry, {
    workerData: { role: 'generator', spec, linkKey } satisfies ThreadData,
    name: 'embedded-generator',
  });
  const end = () => void generator.terminate();
  signal.addEventListener('abort', end, { once: true });
  generator.on('error', () => {});
  await new Promise<void>((resolve) => generator.once('exit', () => resolve()));
  signal.removeEventListener('abort', end);
  signal.throwIfAborted();
  const { store, replaced } = await openDemo(demoOptions(demo, options));
  return { store, replaced: reopened.replaced ?? replaced };
}

/** Only the writer applies what has become due; a reader hands such a call back. */
const refuseIfDue = async ({ actions }: Store, now: number): Promise<void> => {
  if (await actions.isAnyDue(now)) throw new NotHere();
};

const serviceOf = (store: SqliteStore, data: ThreadData, flags: () => EmbeddedSpec['flags']): Service =>
  createServiceApp(store, {
    token: data.spec.token,
    caller: 'you',
    flags,
    ...(data.as === undefined ? {} : { role: data.as }),
    ...(data.prints === true ? { onError: printed } : {}),
    ...(data.role === 'writer' ? {} : { due: refuseIfDue }),
  });

/** `data` is that of this thread; `entry` is the module that starts threads of this kind. */
export async function runThread(data: ThreadData, port: MessagePort, entry: URL): Promise<void> {
  const { spec, role, linkKey } = data;
  const { source } = spec;
  const stop = new Int32Array(data.stop ?? new SharedArrayBuffer(4));
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
    if (source.kind === 'demo') (await openDemo(demoOptions(source, options))).store.close();
    return;
  }

  const abort = new AbortController();
  let { flags } = spec;
  let store: SqliteStore | null = null;
  let reading: EvidenceReading | null = null;
  let service: Service | null = null;
  let opening: Promise<unknown> = Promise.resolve();
  /** The notice to the analyst about a database that could not be used. */
  let replaced: OpenedDemo['replaced'] = null;
  const say = (reply: ThreadReply, moved: ArrayBuffer[] = []): void => port.postMessage(reply, moved);

  async function answer(opened: SqliteStore, served: Service, request: ThreadRequest): Promise<void> {
    current = request.id;
    try {
      if (request.type === 'due') {
        await opened.actions.applyDue(Date.now());
        return say({ type: 'done', id: request.id, value: null });
      }
      if (request.type !== 'call') return;
      ({ flags } = request);
      const reply =
        role === 'reader'
          ? await inSnapshot(opened, () => served.answer(request.call))
          : await served.answer(request.call);
      const value = { ...reply, body: copyOf(reply.body) };
      say({ type: 'done', id: request.id, value }, [value.body.buffer]);
    } catch (error) {
      if (error instanceof NotHere) say({ type: 'done', id: request.id, value: DUE });
      else say({ type: 'fail', id: request.id, error: toBridgeError(error) });
    } finally {
      current = 0;
    }
  }

  async function close(): Promise<void> {
    abort.abort();
    await Promise.allSettled([opening, reading?.close()]);
    store?.close();
    port.close();
  }

  async function openToRead(): Promise<SqliteStore> {
    const mails =
      source.kind === 'demo' ? demoSource : (await import('../evidence/source.ts')).evidenceSource;
    return openReader(options, mails);
  }

  async function open(): Promise<SqliteStore> {
    if (role === 'reader') return openToRead();
    if (source.kind === 'demo') {
      const demo = await demoStore(source, options, { spec, linkKey, entry, signal: abort.signal });
      replaced = demo.replaced;
      return demo.store;
    }
    const evidence = await loadEvidence();
    const { store: opened, repaired } = evidence.openIndex(source.path, options, Date.now());
    replaced = repaired;
    reading = new EvidenceReading({
      evidence,
      store: opened,
      path: source.path,
      believed: spec.believed,
      rules: spec.rules,
      threads: entry,
      stopped: abort.signal,
      onEvent: (event) => say({ type: 'event', event }),
    });
    return opened;
  }

  port.on('message', (request: ThreadRequest) => {
    if (request.type === 'close') void close();
    else if (store === null || service === null) return;
    else if (request.type === 'call' || request.type === 'due') void answer(store, service, request);
    else if (request.type !== 'cancel') reading?.obey(request);
  });
  const opened = open();
  opening = opened.then(
    (openedStore) => {
      store = openedStore;
      service = serviceOf(openedStore, data, () => flags);
      say({ type: 'open', base: BASE_PATH, rules: dispatchRules(source) });
      if (replaced !== null) say({ type: 'event', event: { type: 'replaced', ...replaced } });
    },
    (error: unknown) => {
      say({
        type: 'failed-to-open',
        error: toBridgeError(openingFailureOf(error, source.kind, spec.databasePath, abort.signal)),
      });
      port.close();
    },
  );
  await opening;
}
