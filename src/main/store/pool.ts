/** A database in worker threads: one writer, readers, threads that scan whole tables, and one for searches. */
import { Worker } from 'node:worker_threads';
import { cancelled, fromBridgeError, ParapetError } from '#shared/bridge/errors.ts';
import { closed } from '#workers/restarts.ts';
import { WorkerPool, type WorkerPoolSettings } from '#workers/worker-pool.ts';
import type { DatabaseKind, OpenSpec } from './connect.ts';
import type { Database, ReadOptions } from './database.ts';
import type { Opened, RequestBody, StoreReply, StoreWorkerData } from './protocol.ts';
import type { Repair } from './salvage.ts';
import type { ResultStore, ResultTasks, SearchResult } from './tasks.ts';

/** Each reader costs 18 MB; the workspace is so small that one suffices. */
const READERS: Readonly<Record<DatabaseKind, number>> = { cache: 2, workspace: 1 };
/** Threads end after this time without a request. */
const IDLE_MS = 15_000;

export interface PoolOptions extends OpenSpec {
  entry: URL;
  onSlow?: (ms: number, sql: string) => void;
  /** Milliseconds without a request after which threads end; 15 000 by default. */
  idle?: number | undefined;
  /** Called once, at the first error that shows the file to be damaged. */
  onDamaged?: () => void;
}

export interface Pool extends ResultStore {
  /** Name that a damaged file was set aside under when opening. */
  readonly setAside: string | null;
  /** How a damaged, empty or missing workspace was repaired, or null if it was intact. */
  readonly repair: Repair | null;
  /** While no window is open, the writer ends too when it is idle; otherwise it is started before it is needed. */
  rest(isResting: boolean): void;
  /** Makes and verifies today's backup in a separate thread. Rejects with ParapetError. */
  backup(now: number): Promise<void>;
}

type StorePool = WorkerPool<RequestBody, Opened>;

interface Pools {
  writer: StorePool;
  readers: StorePool;
  scanners: StorePool;
  search: StorePool;
}

/**
 * Larger pages are transferred instead of copied: copying the largest would block the main thread for a tenth of a
 * second.
 */
const MOVED_ABOVE = 1024 * 1024;
function moved(body: RequestBody): ArrayBuffer[] {
  if (body.type !== 'ingest') return [];
  const { buffer, byteLength } = body.task.bytes;
  const isWhole = buffer instanceof ArrayBuffer && buffer.byteLength === byteLength;
  return isWhole && byteLength > MOVED_ABOVE ? [buffer] : [];
}

type Settings = WorkerPoolSettings<RequestBody>;

function createPools({ entry, onSlow, onDamaged, idle = IDLE_MS, ...spec }: PoolOptions): Pools {
  let isReported = false;
  const damaged = () => {
    if (!isReported) onDamaged?.();
    isReported = true;
  };
  const urgent = new SharedArrayBuffer(4);
  const pool = (
    name: string,
    role: StoreWorkerData['role'],
    settings: Pick<Settings, 'label' | 'size'> & Partial<Settings>,
    data: Partial<StoreWorkerData> = {},
  ): StorePool =>
    new WorkerPool(
      {
        entry,
        name: `store-${spec.kind}-${name}`,
        data: { ...spec, role, urgent, ...data } satisfies StoreWorkerData,
        concurrency: 1,
        idle: null,
        moved,
        onDamaged: damaged,
        ...settings,
      },
      new Int32Array(urgent),
    );
  const reader = 'A reader of the database';
  return {
    writer: pool('writer', 'writer', { label: 'The writer of the database', size: 1, onSlow }),
    readers: pool('reader', 'reader', {
      label: reader,
      size: READERS[spec.kind],
      idle,
      onSlow,
    }),
    // For exports, which read everything once: a small page cache, and the grid keeps its readers and their cache.
    scanners: pool(
      'scan',
      'reader',
      { label: reader, size: 2, idle, resourceLimits: { maxYoungGenerationSizeMb: 3 } },
      { cacheKib: 2 * 1024 },
    ),
    search: pool('search', 'search', {
      label: 'The search',
      size: 1,
      concurrency: Number.POSITIVE_INFINITY,
    }),
  };
}

/** Opens the writer (which migrates, or sets a damaged file aside), then the readers. Rejects with ParapetError. */
export async function createPool(options: PoolOptions): Promise<Pool> {
  const pools = createPools(options);
  const { setAside, repair } = await pools.writer.open();
  const { entry, kind, path, key, idle = IDLE_MS } = options;
  const pool: Pool = {
    ...databaseOver(pools),
    ...resultTasksOver(pools),
    bound: () => pool,
    setAside,
    repair,
    rest(isResting) {
      pools.writer.setIdle(isResting ? idle : null);
      if (!isResting) pools.writer.warm();
    },
    backup: (now) => backUp(entry, { role: 'backup', kind, path, key, now }),
  };
  return pool;
}

function databaseOver({ writer, readers, scanners, search }: Pools): Database {
  let closing: Promise<void> | null = null;
  /** A single read needs no reader: if none is running, a free writer answers, sooner than a reader starts. */
  const readerFor = ({ urgency }: ReadOptions = {}): StorePool =>
    !readers.isUp && (writer.isFree || !writer.isUp) && urgency !== 'later' ? writer : readers;
  return {
    all: (sql, params, options) => readerFor(options).run({ type: 'all', sql, params }, options),
    get: (sql, params, options) => readerFor(options).run({ type: 'get', sql, params }, options),
    rows: (sql, params, options) => readerFor(options).run({ type: 'rows', sql, params }, options),
    integers: (sql, params, options) => readerFor(options).run({ type: 'integers', sql, params }, options),
    scan: (sql, params, { signal } = {}) =>
      scanners.run({ type: 'rows', sql, params }, { signal, urgency: 'now' }),
    scanIntegers: (sql, params, { signal } = {}) =>
      scanners.run({ type: 'integers', sql, params }, { signal, urgency: 'now' }),
    write: (statements, options) => writer.run({ type: 'write', statements }, options),
    maintain: (sql) => writer.run({ type: 'maintain', sql }),
    close() {
      // The writer closes last, so that pending writes are in the file and its checkpoint is not blocked by readers.
      closing ??= writer.close(Promise.all([search.close(), scanners.close(), readers.close()]));
      return closing;
    },
  };
}

const resultTasksOver = ({ writer, search }: Pools): ResultTasks => ({
  ingest: (task) => writer.run({ type: 'ingest', task }),
  async search(task, { signal } = {}) {
    const answer = await search.run<SearchResult | null>({ type: 'search', task }, { signal });
    if (answer === null) throw cancelled();
    return answer;
  },
  async askColumns(task, { signal } = {}) {
    // Its memory would be empty, and starting the thread takes longer than reading the file.
    if (!search.isUp) return 'absent';
    return search.run({ type: 'columns', task }, { signal });
  },
  forget: (n) => search.broadcast({ type: 'forget', n }),
});

/** A worker that makes one backup and ends. */
function backUp(entry: URL, workerData: StoreWorkerData): Promise<void> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(entry, { workerData, name: `store-${workerData.kind}-backup` });
    worker.on('message', (reply: StoreReply) => {
      if (reply.type === 'done') resolve();
      if (reply.type === 'failed-to-open') reject(fromBridgeError(reply.error));
    });
    worker.on('error', (error) =>
      reject(new ParapetError('internal', `A backup failed: ${error.message}`, { cause: error })),
    );
    worker.on('exit', () => reject(closed()));
  });
}
