/** Imports the sign-in logs of an evidence folder as login events. */
import { basename } from 'node:path';
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
import type { Reading, ReadSignin, SigninSummary } from '../store/evidence.ts';
import type { Store } from '../store/store.ts';
import { isSettled } from './walk.ts';

const BATCH = 5_000;
/**
 * Version of the reader of sign-in logs. Increment it when the same bytes give other sign-ins: a log read by an earlier
 * version is read again, once, each on its own, so that an interrupted import goes on with the next.
 */
export const LOG_READER = '9';
/** Logs of one evidence folder, including subfolders. */
const MAX_LOGS = 10_000;
/** Maximum bytes of one log. */
const MAX_LOG = 8 * 1024 * 1024 * 1024;

interface LogFile {
  /** Relative to the root. */
  file: string;
  path: FilePath;
  size: number;
}

interface SigninOptions {
  signal?: AbortSignal;
  rereads?: boolean;
  /** The number of logs and bytes read, and the current file until the end. At most ten times a second. */
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
  store: Store,
  reading: Reading,
  files: readonly LogFile[],
  options: SigninOptions = {},
): Promise<SigninSummary> {
  const users = new Set<string>();
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
  for (const log of logs) {
    options.signal?.throwIfAborted();
    progress.file = log.file;
    report(0);
    try {
      if (users.size >= MAX_LOGS)
        throw new SigninFileError(
          `more than ${MAX_LOGS} logs are in the evidence; put this one in a folder of its own`,
        );
      if (await readLog(reading, log, { ...options, report, begin: () => begun.add(log.file) }))
        users.add(log.file);
    } catch (error) {
      // An error of the store says nothing about the log.
      if (options.signal?.aborted || store.isFailure(error)) throw error;
      unread.push(log.file);
      const reason = error instanceof SigninFileError ? error.message : reasonOf(error);
      await reading.refuseLog(log.file, reason);
    }
    progress.files += 1;
    progress.bytes += log.size;
  }
  if (logs.length > 0) options.onProgress?.({ ...progress, file: null });
  return { seen: users, unread, begun };
}

interface ReadLogOptions extends SigninOptions {
  /** Receives the number of bytes read of the log. */
  report(bytes: number): void;
  /** Called once the results of an earlier reading have been removed. */
  begin(): void;
}

/** False if it is no sign-in log. */
async function readLog(reading: Reading, log: LogFile, options: ReadLogOptions): Promise<boolean> {
  const mapping = await mappingBeside(log.path);
  const opened = await openRegular(log.path);
  try {
    return await readOpened(reading, { ...log, ...opened }, mapping, options);
  } finally {
    await opened.handle.close();
  }
}

/** Counts of a log's lines by the state of their sign-ins, and of `western` characters, which are not UTF-8. */
type LineCounts = Record<
  'lines' | 'city' | 'no' | 'coordinates' | 'isInterrupted' | 'lacksAddress' | 'guessesDate' | 'western',
  number
>;

/** Omitted and unknown data of a log, in words. `omitted` counts lines by the reason why they were left out. */
function reasonsOf(counts: LineCounts, omitted: ReadonlyMap<string, number>): string[] {
  const signins = [...omitted.values()].reduce((rest, count) => rest - count, counts.lines);
  const share = (count: number, all: number): string =>
    `${count.toLocaleString('en-GB')} of ${all.toLocaleString('en-GB')}`;
  const reasons = [...omitted].map(
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
  reading: Reading,
  log: LogFile & RegularFile,
  mapping: Awaited<ReturnType<typeof mappingBeside>>,
  { signal, rereads = false, report, begin }: ReadLogOptions,
): Promise<boolean> {
  const { file, size, mtimeMs, ctimeMs } = log;
  const state = { file, size, mtimeMs, ctimeMs, columns: JSON.stringify(mapping), reader: LOG_READER };
  const before = await reading.stateOfLog(state);
  if (before === 'same' && !rereads) return true;
  const settledMs = isSettled(log, Date.now()) ? ctimeMs : null;
  const format = await formatOf(log.handle, file, mapping, size);
  if (format === null) return false;
  if (size > MAX_LOG) throw new SigninFileError('it is larger than 8 GB; split it');
  // Stored sign-ins are only replaced when the whole log is readable.
  if (before !== null) for await (const _ of signinLines(log.handle, format, size)) signal?.throwIfAborted();
  const order = await dateOrderOf(log.handle, format, mapping, signal);
  const id = await reading.beginLog({ ...state, ctimeMs: settledMs });
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
  const omitted = new Map<string, number>();
  let batch: ReadSignin[] = [];
  const flush = async () => {
    await reading.addSignins(id, batch);
    batch = [];
  };
  try {
    for await (const { content, line } of signinLines(log.handle, format, size, reached)) {
      counts.lines += 1;
      const row = typeof content === 'string' ? content : read(content);
      if (typeof row === 'string') omitted.set(row, (omitted.get(row) ?? 0) + 1);
      else {
        counts[row.placed] += 1;
        if (row.isInterrupted) counts.isInterrupted += 1;
        if (row.lacksAddress) counts.lacksAddress += 1;
        if (row.guessesDate) counts.guessesDate += 1;
        batch.push({ ...row, line, entry: format.kind === 'json' ? counts.lines : null });
      }
      if (batch.length < BATCH) continue;
      await flush();
      signal?.throwIfAborted();
    }
  } catch (error) {
    // Sign-ins before a read error stay; the log is read again next time.
    if (error instanceof SigninFileError) await flush();
    throw error;
  }
  await reading.endLog(id, file, batch, reasonsOf(counts, omitted));
  return true;
}
