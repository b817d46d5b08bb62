/** Imports the sign-in logs of an evidence folder as login events. */
import { basename } from 'node:path';
import Database from 'better-sqlite3';
import { plural } from '#shared/model/format.ts';
import { openRegular, type RegularFile } from '../formats/files/open-regular.ts';
import type { FilePath } from '../formats/files/paths.ts';
import { reasonOf } from '../formats/files/reason.ts';
import {
  dateOrderOf,
  formatOf,
  isLogName,
  mappingBeside,
  SigninFileError,
  signinLines,
} from '../formats/signins/signin-file.ts';
import { NO_ORDER, signinReader } from '../formats/signins/signin-row.ts';
import { forgetSignins, type ReadSignin, StoredSignins } from '../store-sqlite/evidence/stored-signins.ts';
import type { SqliteStore } from '../store-sqlite/sqlite-store.ts';
import { isSettled } from './walk.ts';

const BATCH = 5_000;
const KIND = 'sign-in log';
const UNREAD = 'unread sign-in log';
/**
 * Version of the reader of sign-in logs. Increment it when the same bytes give other sign-ins: a log read by an earlier
 * version is read again, once, each on its own, so that an interrupted import goes on with the next.
 */
export const LOG_READER = '9';
/** Logs of one evidence folder, including subfolders. */
const MAX_LOGS = 10_000;
/** Maximum bytes of one log. */
const MAX_LOG = 8 * 1024 * 1024 * 1024;

export interface SigninSummary {
  /** Logs that were read, or are unchanged. */
  seen: ReadonlySet<string>;
  /** Unreadable logs: sign-ins read from them earlier are kept. */
  unread: readonly string[];
  /** Logs whose stored sign-ins all come from this reading, even if the log broke off. */
  begun: ReadonlySet<string>;
}

interface StoredLog {
  id: number;
  size: number;
  modified_ms: number;
  changed_ms: number | null;
  columns: string;
  complete: number;
  reader: string | null;
}

interface LogFile {
  /** Relative to the root. */
  file: string;
  path: FilePath;
  size: number;
}

interface SigninOptions {
  signal?: AbortSignal;
  /** Also reads unchanged logs. */
  rereads?: boolean;
  /** Number of logs and bytes read; `file`: the current one, or null at the end. At most ten times a second. */
  onProgress?(progress: { file: string | null; files: number; bytes: number }): void;
}

const PROGRESS_MS = 100;

/** Whether the file may be a sign-in log, by its name. */
export const isLog = (file: string): boolean => isLogName(basename(file));

/**
 * Imports the logs among these files and ignores others. An unreadable log becomes a problem and does not stop the
 * import. Removes nothing. Throws on abort.
 */
export async function ingestSignins(
  store: SqliteStore,
  root: string,
  files: readonly LogFile[],
  options: SigninOptions = {},
): Promise<SigninSummary> {
  const seen = new Set<string>();
  const unread: string[] = [];
  const begun = new Set<string>();
  const logs = files.filter(({ file }) => isLog(file)).sort((a, b) => (a.file < b.file ? -1 : 1));
  const progress = { file: null as string | null, files: 0, bytes: 0 };
  let reported = 0;
  const report = (within: number): void => {
    if (performance.now() - reported < PROGRESS_MS) return;
    reported = performance.now();
    options.onProgress?.({ ...progress, bytes: progress.bytes + within });
  };
  const signins = new StoredSignins(store.db);
  for (const log of logs) {
    options.signal?.throwIfAborted();
    progress.file = log.file;
    report(0);
    try {
      if (seen.size >= MAX_LOGS)
        throw new SigninFileError(
          `more than ${MAX_LOGS} logs are in the evidence; put this one in a folder of its own`,
        );
      if (await readLog(store, root, log, { ...options, signins, report, begin: () => begun.add(log.file) }))
        seen.add(log.file);
    } catch (error) {
      // An error of the index says nothing about the log.
      if (options.signal?.aborted || error instanceof Database.SqliteError) throw error;
      unread.push(log.file);
      const reason = error instanceof SigninFileError ? error.message : reasonOf(error);
      store.db.transaction(() => {
        for (const kind of [KIND, UNREAD, 'not-mail']) silence(store, root, log.file, kind);
        complain(store, root, log.file, `a ${KIND}, but ${reason}`, UNREAD);
      })();
    }
    progress.files += 1;
    progress.bytes += log.size;
  }
  if (logs.length > 0) options.onProgress?.({ ...progress, file: null });
  // The mail reader reported these files as not being mail.
  store.db.transaction(() => {
    for (const file of seen) silence(store, root, file, 'not-mail');
  })();
  return { seen, unread, begun };
}

const complain = (store: SqliteStore, root: string, file: string, reason: string, kind = KIND): void => {
  store.db
    .prepare('INSERT INTO evidence_problems (root, file, position, kind, reason) VALUES (?, ?, NULL, ?, ?)')
    .run(root, file, kind, reason);
};

const silence = (store: SqliteStore, root: string, file: string, kind: string): void => {
  store.db
    .prepare('DELETE FROM evidence_problems WHERE root = ? AND file = ? AND kind = ?')
    .run(root, file, kind);
};

/** Removes a log with the sign-ins that no other log has, and its problems, in its own transaction or the caller's. */
export function forgetLog(store: SqliteStore, id: number): void {
  const { db } = store;
  db.transaction(() => {
    const log = db
      .prepare<unknown[], { root: string; path: string }>('SELECT root, path FROM evidence_logs WHERE id = ?')
      .get(id);
    if (log === undefined) return;
    forgetSignins(db, id);
    db.prepare('DELETE FROM evidence_logs WHERE id = ?').run(id);
    for (const kind of [KIND, UNREAD]) silence(store, log.root, log.path, kind);
  })();
}

interface ReadLogOptions extends SigninOptions {
  signins: StoredSignins;
  /** Receives the number of bytes read of the log. */
  report(bytes: number): void;
  /** Called once the results of an earlier reading have been removed. */
  begin(): void;
}

/** false: not a sign-in log. */
async function readLog(
  store: SqliteStore,
  root: string,
  log: LogFile,
  options: ReadLogOptions,
): Promise<boolean> {
  const mapping = await mappingBeside(log.path);
  const opened = await openRegular(log.path);
  try {
    return await readOpened(store, root, { ...log, ...opened }, mapping, options);
  } finally {
    await opened.handle.close();
  }
}

/** Counts of a log's lines by the state of their sign-ins; `western`: characters that are not UTF-8. */
type LineCounts = Record<
  'lines' | 'city' | 'no' | 'coordinates' | 'isInterrupted' | 'lacksAddress' | 'guessesDate' | 'western',
  number
>;

/** Omitted and unknown data of a log, in words. `left`: omitted lines, by reason. */
function reasonsOf(counts: LineCounts, left: ReadonlyMap<string, number>): string[] {
  const signins = [...left.values()].reduce((rest, count) => rest - count, counts.lines);
  const share = (count: number, all: number): string =>
    `${count.toLocaleString('en-GB')} of ${all.toLocaleString('en-GB')}`;
  const reasons = [...left].map(
    ([reason, count]) => `${share(count, counts.lines)} lines ${reason} and were left out`,
  );
  if (counts.western > 0)
    reasons.push(
      `it is not UTF-8: ${plural(counts.western, 'character was', 'characters were')} read as Windows-1252`,
    );
  if (counts.guessesDate > 0)
    reasons.push(
      `${share(counts.guessesDate, signins)} sign-ins ${NO_ORDER}, and were read with the month first, as times with AM or PM usually have it`,
    );
  if (counts.isInterrupted > 0)
    reasons.push(
      `${share(counts.isInterrupted, signins)} sign-ins were interrupted, as to ask for a second factor: they are listed as neither successful nor failed`,
    );
  if (counts.lacksAddress > 0)
    reasons.push(
      `${share(counts.lacksAddress, signins)} sign-ins have an address that cannot be read, and are listed without it`,
    );
  if (counts.no > 0)
    reasons.push(
      `${share(counts.no, signins)} sign-ins name no place that is known: they are listed, but not on the map`,
    );
  return reasons;
}

async function readOpened(
  store: SqliteStore,
  root: string,
  log: LogFile & RegularFile,
  mapping: Awaited<ReturnType<typeof mappingBeside>>,
  { signins, signal, rereads = false, report, begin }: ReadLogOptions,
): Promise<boolean> {
  const { db } = store;
  const { size, mtimeMs, ctimeMs } = log;
  const changed = isSettled(log, Date.now()) ? ctimeMs : null;
  const columns = JSON.stringify(mapping);
  const before = db
    .prepare<unknown[], StoredLog>(
      'SELECT id, size, modified_ms, changed_ms, columns, complete, reader FROM evidence_logs WHERE root = ? AND path = ?',
    )
    .get(root, log.file);
  if (
    !rereads &&
    before?.complete === 1 &&
    before.reader === LOG_READER &&
    before.size === size &&
    before.modified_ms === mtimeMs &&
    before.changed_ms === ctimeMs &&
    before.columns === columns
  ) {
    silence(store, root, log.file, UNREAD);
    return true;
  }
  const format = await formatOf(log.handle, log.file, mapping, size);
  if (format === null) return false;
  if (size > MAX_LOG) throw new SigninFileError('it is larger than 8 GB; split it');
  // Stored sign-ins are only replaced when the whole log is readable.
  if (before?.complete === 1)
    for await (const _ of signinLines(log.handle, format, size)) signal?.throwIfAborted();
  const order = await dateOrderOf(log.handle, format, mapping, signal);
  const fileId = db.transaction(() => {
    if (before !== undefined) forgetLog(store, before.id);
    for (const kind of [KIND, UNREAD]) silence(store, root, log.file, kind);
    return Number(
      db
        .prepare(
          'INSERT INTO evidence_logs (root, path, size, modified_ms, changed_ms, columns, complete, reader) VALUES (?, ?, ?, ?, ?, ?, 0, ?)',
        )
        .run(root, log.file, size, mtimeMs, changed, columns, LOG_READER).lastInsertRowid,
    );
  })();
  begin();
  const read = signinReader(mapping, order);
  const counts: LineCounts = {
    lines: 0,
    city: 0,
    no: 0,
    coordinates: 0,
    isInterrupted: 0,
    lacksAddress: 0,
    guessesDate: 0,
    western: 0,
  };
  const reached = (bytes: number, western: number): void => {
    counts.western = western;
    report(bytes);
  };
  const left = new Map<string, number>();
  let batch: ReadSignin[] = [];
  const flush = () => {
    signins.add(batch, fileId);
    batch = [];
  };
  try {
    for await (const { content, line } of signinLines(log.handle, format, size, reached)) {
      counts.lines += 1;
      const row = typeof content === 'string' ? content : read(content);
      if (typeof row === 'string') left.set(row, (left.get(row) ?? 0) + 1);
      else {
        counts[row.placed] += 1;
        if (row.isInterrupted) counts.isInterrupted += 1;
        if (row.lacksAddress) counts.lacksAddress += 1;
        if (row.guessesDate) counts.guessesDate += 1;
        batch.push({ ...row, line, entry: format.kind === 'json' ? counts.lines : null });
      }
      if (batch.length < BATCH) continue;
      flush();
      signal?.throwIfAborted();
    }
  } catch (error) {
    // Sign-ins before a read error stay; the log is read again next time.
    if (error instanceof SigninFileError) flush();
    throw error;
  }
  db.transaction(() => {
    flush();
    db.prepare('UPDATE evidence_logs SET complete = 1 WHERE id = ?').run(fileId);
    for (const reason of reasonsOf(counts, left)) complain(store, root, log.file, reason);
  })();
  return true;
}
