/** Sign-in logs of an evidence folder into login events: what is new comes in, what is gone goes. */
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { reasonOf } from '../evidence/walk.ts';
import { ingestInto } from '../store/ingest.ts';
import type { LoginRecord } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import { formatOf, isLogName, mappingBeside, SigninFileError, signinLines } from './signin-file.ts';
import { signinReader } from './signin-row.ts';

const BATCH = 2_000;
const KIND = 'sign-in log';
/** Logs of one folder, wherever they lie in it; a folder of more is no case. */
const MAX_LOGS = 10_000;
const MAX_DEPTH = 64;

export interface SigninSummary {
  /** Logs that were read or are known. */
  files: number;
  logins: number;
}

/** Files below a folder, links not followed; a folder that cannot be read is named by the reading of mail. */
async function filesBelow(folder: string, depth = 0): Promise<string[]> {
  const entries = depth > MAX_DEPTH ? [] : await readdir(folder, { withFileTypes: true }).catch(() => []);
  const below = await Promise.all(
    entries.map((entry) => {
      const full = path.join(folder, entry.name);
      if (entry.isDirectory()) return filesBelow(full, depth + 1);
      return entry.isFile() && isLogName(entry.name) ? [full] : [];
    }),
  );
  return below.flat();
}

/** Order: by code unit, so that it is the same on every machine. */
async function logsUnder(root: string): Promise<{ file: string; path: string }[]> {
  const info = await stat(root);
  if (!info.isDirectory())
    return isLogName(path.basename(root)) ? [{ file: path.basename(root), path: root }] : [];
  return (await filesBelow(root))
    .map((full) => ({ file: path.relative(root, full).split(path.sep).join('/'), path: full }))
    .sort((a, b) => (a.file < b.file ? -1 : 1))
    .slice(0, MAX_LOGS);
}

/** Reads the logs under `root`. A log that cannot be read becomes a problem and stops nothing. Throws on abort. */
export async function importSignins(
  store: Store,
  root: string,
  options: { signal?: AbortSignal } = {},
): Promise<SigninSummary> {
  const base = path.resolve(root);
  const seen = new Set<string>();
  for (const log of await logsUnder(base)) {
    options.signal?.throwIfAborted();
    try {
      if (await readLog(store, base, log, options.signal)) seen.add(log.file);
    } catch (error) {
      if (options.signal?.aborted) throw error;
      seen.add(log.file);
      forget(store, base, log.file);
      const reason = error instanceof SigninFileError ? error.message : reasonOf(error);
      complain(store, base, log.file, `a ${KIND}, but ${reason}`);
    }
  }
  const known = store.db
    .prepare('SELECT path FROM evidence_logs WHERE root = ?')
    .pluck()
    .all(base) as string[];
  store.db.transaction(() => {
    for (const file of known) if (!seen.has(file)) forget(store, base, file);
    // The reading of mail knows such files as no mail.
    const told = store.db.prepare(
      "DELETE FROM evidence_problems WHERE root = ? AND file = ? AND kind = 'not-mail'",
    );
    for (const file of seen) told.run(base, file);
  })();
  const logins = Number(store.db.prepare('SELECT count(*) FROM logins').pluck().get());
  return { files: seen.size, logins };
}

const complain = (store: Store, root: string, file: string, reason: string): void => {
  store.db
    .prepare('INSERT INTO evidence_problems (root, file, position, kind, reason) VALUES (?, ?, NULL, ?, ?)')
    .run(root, file, KIND, reason);
};

function forget(store: Store, root: string, file: string): void {
  const { db } = store;
  const id = db.prepare('SELECT id FROM evidence_logs WHERE root = ? AND path = ?').pluck().get(root, file);
  if (id !== undefined) db.prepare('DELETE FROM logins WHERE file_id = ?').run(id);
  db.prepare('DELETE FROM evidence_logs WHERE root = ? AND path = ?').run(root, file);
  db.prepare('DELETE FROM evidence_problems WHERE root = ? AND file = ? AND kind = ?').run(root, file, KIND);
}

/** false: it is no sign-in log. */
async function readLog(
  store: Store,
  root: string,
  log: { file: string; path: string },
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const { db } = store;
  const { size, mtimeMs } = await stat(log.path);
  const mapping = await mappingBeside(log.path);
  const columns = JSON.stringify(mapping);
  const same = db
    .prepare(
      'SELECT 1 FROM evidence_logs WHERE root = ? AND path = ? AND size = ? AND modified_ms = ? AND columns = ? AND complete = 1',
    )
    .get(root, log.file, size, mtimeMs, columns);
  if (same !== undefined) return true;
  const format = await formatOf(log.path, mapping);
  if (format === null) return false;
  forget(store, root, log.file);
  const fileId = Number(
    db
      .prepare(
        'INSERT INTO evidence_logs (root, path, size, modified_ms, columns, complete) VALUES (?, ?, ?, ?, ?, 0)',
      )
      .run(root, log.file, size, mtimeMs, columns).lastInsertRowid,
  );
  const ingest = ingestInto(store, { evidence: true });
  const read = signinReader(mapping);
  const counts = { lines: 0, unread: 0, city: 0, no: 0, coordinates: 0 };
  let batch: LoginRecord[] = [];
  const flush = () => {
    ingest.logins(batch);
    batch = [];
  };
  for await (const values of signinLines(log.path, format, size)) {
    counts.lines += 1;
    const row = values && read(values);
    if (!row) counts.unread += 1;
    else {
      counts[row.placed] += 1;
      batch.push({ ...row.login, fileId });
    }
    if (batch.length < BATCH) continue;
    flush();
    signal?.throwIfAborted();
  }
  flush();
  db.prepare('UPDATE evidence_logs SET complete = 1 WHERE id = ?').run(fileId);
  const all = counts.lines.toLocaleString('en-GB');
  if (counts.unread > 0)
    complain(store, root, log.file, `${counts.unread} of ${all} lines are no sign-ins and were left out`);
  if (counts.no > 0)
    complain(
      store,
      root,
      log.file,
      `${counts.no} of ${all} sign-ins name no place that is known: they are listed, but not on the map`,
    );
  return true;
}
