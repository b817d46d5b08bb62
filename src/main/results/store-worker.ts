/** Entry of a store worker: one connection, one request at a time. Combines the store with the work of result sets. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { sqlFunctions } from '#shared/query/sql-functions.ts';
import { diskCause } from '#workers/disk-cause.ts';
import { makeBackup } from '../store/backup.ts';
import { createEngine } from '../store/engine.ts';
import { StoreFailure, storeError } from '../store/errors.ts';
import { addFunctions } from '../store/functions.ts';
import { openReader, openWriter, reopenWriter } from '../store/open.ts';
import type { StoreReply, StoreRequest, StoreWorkerData } from '../store/protocol.ts';

/** Below this size copying is cheaper than transferring. */
const TRANSFER_ABOVE = 16_384;

/** How often read-ahead checks whether it may continue. */
const GIVE_WAY_MS = 5;

/** Requests whose answers are large and used once. */
const MOVES: ReadonlySet<StoreRequest['type']> = new Set(['rows', 'integers']);

const port = parentPort;
if (port === null) throw new Error('the store runs in a worker thread');
const spec: StoreWorkerData = workerData;
const reply = (message: StoreReply, transfer: ArrayBuffer[] = []) => port.postMessage(message, transfer);

const errorOf = (error: unknown) => storeError(diskCause(error, spec.path) ?? error);

function buffersOf(value: unknown): ArrayBuffer[] {
  if (value instanceof Uint32Array) return [value.buffer as ArrayBuffer];
  if (
    typeof value === 'object' &&
    value !== null &&
    'rowIndexes' in value &&
    value.rowIndexes instanceof Uint32Array
  )
    return [value.rowIndexes.buffer as ArrayBuffer];
  if (!Array.isArray(value)) return [];
  const buffers: ArrayBuffer[] = [];
  for (const row of value) {
    if (!Array.isArray(row)) continue;
    for (const cell of row) {
      if (!(cell instanceof Uint8Array) || cell.byteLength < TRANSFER_ABOVE) continue;
      if (cell.buffer instanceof ArrayBuffer && cell.buffer.byteLength === cell.byteLength)
        buffers.push(cell.buffer);
    }
  }
  return buffers;
}

const readsKept = (request: StoreRequest): boolean =>
  request.type === 'write' && request.statements.some(({ sql }) => /\bpp_kept_(?:texts|checks)\(/.test(sql));

/** Opens the connection and serves requests on it until it is closed. */
async function serve(port: MessagePort): Promise<void> {
  // A thread loads only what its role works with: most of them are readers, or have the small workspace.
  const writesCache = spec.role === 'writer' && spec.kind === 'cache';
  const createIngest = writesCache ? (await import('./ingest.ts')).createIngest : null;
  const Search = spec.role === 'search' ? (await import('./columnar/text-index.ts')).Search : null;
  const open = () => (spec.again === true ? reopenWriter(spec) : openWriter(spec));
  const opened =
    spec.role === 'writer' ? open() : { db: openReader(spec, spec.cacheKib), setAside: null, repair: null };
  const { functions, begin } = sqlFunctions();
  for (const [name, work] of Object.entries(functions))
    opened.db.function(name, { deterministic: true, varargs: true }, work);
  addFunctions(opened.db);
  // The cancellation probe of long statements: throws once the request was cancelled.
  const stop = new Int32Array(spec.stop ?? new SharedArrayBuffer(4));
  let running = 0;
  const probe = () => {
    if (Atomics.load(stop, 0) === running)
      throw new StoreFailure({ code: 'cancelled', message: 'Cancelled.', retryable: false });
    return 1;
  };
  opened.db.function('pp_probe', probe);
  const engine = createEngine(opened.db, {
    onSlow: (ms, sql) => reply({ type: 'slow', ms, sql }),
    begin,
    ...(createIngest === null ? {} : { ingest: createIngest(opened.db) }),
  });
  const urgent = new Int32Array(spec.urgent ?? new SharedArrayBuffer(4));
  const giveWay = async () => {
    while (Atomics.load(urgent, 0) > 0) await sleep(GIVE_WAY_MS);
  };
  const search = Search === null ? null : new Search(opened.db, { giveWay });
  const dropped = new Set<number>();
  const perform = (request: StoreRequest) => {
    if (request.type === 'cancel') {
      dropped.add(request.id);
      return;
    }
    if (search !== null && request.type === 'forget') {
      search.forget(request.n);
      return;
    }
    if (search !== null && (request.type === 'search' || request.type === 'columns')) {
      const isCancelled = () => dropped.has(request.id);
      const answer =
        request.type === 'search'
          ? search.run(request.task, isCancelled)
          : search.askColumns(request.task, isCancelled, begin);
      answer
        .then(
          (value) => reply({ type: 'done', id: request.id, value }, buffersOf(value)),
          (error: unknown) => reply({ type: 'fail', id: request.id, error: errorOf(error) }),
        )
        .finally(() => dropped.delete(request.id));
      return;
    }
    try {
      running = request.id;
      const value = engine.run(request);
      reply({ type: 'done', id: request.id, value }, MOVES.has(request.type) ? buffersOf(value) : []);
    } catch (error) {
      reply({ type: 'fail', id: request.id, error: errorOf(error) });
    }
    if (request.type === 'close') port.close();
  };
  // What reads saved profiles is a quarter of a start, so it is loaded for the first of them; requests behind it wait.
  let needsKept = writesCache;
  let waiting: StoreRequest[] | null = null;
  port.on('message', (request: StoreRequest) => {
    if (waiting !== null) waiting.push(request);
    else if (needsKept && readsKept(request)) {
      needsKept = false;
      const requests = [request];
      waiting = requests;
      void import('../store/kept-texts.ts').then(({ keptTexts, keptChecks }) => {
        opened.db.function('pp_kept_texts', { deterministic: true }, keptTexts);
        opened.db.function('pp_kept_checks', { deterministic: true }, keptChecks);
        waiting = null;
        requests.forEach(perform);
      });
    } else perform(request);
  });
  reply({ type: 'open', setAside: opened.setAside, repair: opened.repair });
}

try {
  if (spec.role === 'backup') {
    makeBackup(spec);
    reply({ type: 'done', id: 0, value: null });
    port.close();
  } else await serve(port);
} catch (error) {
  reply({ type: 'failed-to-open', error: errorOf(error) });
  port.close();
}
