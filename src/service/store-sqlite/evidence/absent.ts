/** Records of evidence that were read before and are missing now: kept, removed, or left to the analyst. */
import type { EvidenceReport } from '#shared/embedded.ts';
import type { Reached } from '../../store/evidence.ts';
import { EMAIL_CHILDREN } from '../schema.ts';
import type { SqliteStore } from '../sqlite-store.ts';
import { nameCampaigns } from './campaigns.ts';
import { forgetLog } from './signin-logs.ts';

const MAX_REPORTED = 10_000;
/** Removing more than this many records and more than a tenth of all, or all of them, needs the analyst's decision. */
const GONE_UNASKED = 10;
const GONE_SHARE = 0.1;
/** `evidence_files.complete` of a file that was missing at the last reading, or could not be fully read. */
const ABSENT = 2;

export function resolveAbsent(store: SqliteStore, answer: 'keep' | 'remove'): number {
  if (answer === 'remove') return removeGone(store);
  store.db.prepare("UPDATE evidence_absent SET state = 'kept' WHERE state = 'gone'").run();
  return 0;
}

function removeGone(store: SqliteStore): number {
  const { db } = store;
  return db.transaction(() => {
    const { gone } = absentOf(store);
    const idsOf = (kind: string) =>
      db
        .prepare<unknown[], number>("SELECT id FROM evidence_absent WHERE state = 'gone' AND kind = ?")
        .pluck()
        .all(kind);
    const drops = [...EMAIL_CHILDREN, 'tags', 'evidence_places'].map((table) =>
      db.prepare(`DELETE FROM ${table} WHERE email_id = ?`),
    );
    const parted = db.prepare('DELETE FROM evidence_places WHERE parent_id = ? AND parent_id > 0');
    const mail = db.prepare('DELETE FROM emails WHERE id = ?');
    for (const id of idsOf('mail')) {
      for (const drop of drops) drop.run(id);
      parted.run(id);
      mail.run(id);
    }
    for (const id of idsOf('log')) forgetLog(db, id);
    db.prepare("DELETE FROM evidence_absent WHERE state = 'gone'").run();
    nameCampaigns(store);
    // Remove files without any remaining mail.
    const emptied = `FROM evidence_files WHERE complete = ${ABSENT} AND NOT EXISTS (SELECT 1 FROM evidence_places p WHERE p.file_id = evidence_files.id AND p.file_id > 0)`;
    db.prepare(
      `DELETE FROM evidence_problems WHERE EXISTS (SELECT 1 ${emptied} AND evidence_files.root = evidence_problems.root AND (evidence_problems.file = evidence_files.path
        OR evidence_problems.file > evidence_files.path || '/' AND evidence_problems.file < evidence_files.path || '0'))`,
    ).run();
    db.prepare(`DELETE ${emptied}`).run();
    return gone;
  })();
}

/** Removes what is gone, unless it is many of the records that were there, or all of them. Returns how many it removed. */
export function removeFew(store: SqliteStore, before: number): number {
  const { gone } = absentOf(store);
  const many = gone >= before || (gone > GONE_UNASKED && gone > before * GONE_SHARE);
  return many ? 0 : removeGone(store);
}

/**
 * Counts emails and logins that were read before and are missing now. A login in several logs is missing if all of them
 * are: gone if each of them is gone, else unreachable.
 */
function absentOf(store: SqliteStore): { gone: number; unreachable: number } {
  const count = store.db
    .prepare(
      `SELECT (SELECT count(*) FROM evidence_absent WHERE kind = 'mail' AND state = @state)
        + (SELECT count(*) FROM logins l JOIN evidence_absent a ON a.kind = 'log' AND a.id = l.file_id WHERE a.state = @state
          AND NOT EXISTS (
            SELECT 1 FROM logins c LEFT JOIN evidence_absent b ON b.kind = 'log' AND b.id = c.file_id
            WHERE c.event = l.event AND c.listed IN (0, 1) AND coalesce(c.country = l.country, 1)
              AND (coalesce(b.state, '') NOT IN ('gone', @state) OR (b.state = @state AND c.id < l.id))))`,
    )
    .pluck();
  return {
    gone: Number(count.get({ state: 'gone' })),
    unreachable: Number(count.get({ state: 'unreachable' })),
  };
}

export const recordsIn = (store: SqliteStore): number =>
  Number(
    store.db
      .prepare(
        'SELECT (SELECT count(*) FROM emails) + (SELECT count(*) FROM logins WHERE file_id IS NOT NULL AND listed = 1)',
      )
      .pluck()
      .get(),
  );

/**
 * Folders that were mount points of another disk or share at an earlier reading and are not now: the mail read there is
 * not gone, its disk is disconnected. An unmounted disk leaves an empty folder.
 */
function unmounted(store: SqliteStore, root: string, mounts: readonly string[]): string[] {
  const name = `mounts:${root}`;
  const earlier = JSON.parse(store.meta(name) ?? '[]') as string[];
  const has = store.db.prepare(
    `SELECT 1 FROM (SELECT root, path FROM evidence_files UNION ALL SELECT root, path FROM evidence_logs)
     WHERE root = ? AND path > ? AND (? = '' OR path < ?)`,
  );
  const missing = earlier.filter(
    (folder) =>
      !mounts.includes(folder) &&
      has.get(root, folder === '' ? '' : `${folder}/`, folder, `${folder}0`) !== undefined,
  );
  store.setMeta(name, JSON.stringify([...mounts, ...missing]));
  const problem = store.db.prepare(
    "INSERT INTO evidence_problems (root, file, position, kind, reason) VALUES (?, ?, NULL, 'unreadable', ?)",
  );
  for (const folder of missing)
    problem.run(root, folder || '.', 'the disk or share that was read here is not connected');
  return missing;
}

/** Tests whether a path or a folder above it is in the list. '' is the root. */
function blockedBy(places: readonly string[]): (file: string) => boolean {
  const blocked = new Set(places);
  return (file) => {
    if (blocked.has('') || blocked.has(file)) return true;
    for (let end = file.lastIndexOf('/'); end > 0; end = file.lastIndexOf('/', end - 1))
      if (blocked.has(file.slice(0, end))) return true;
    return false;
  };
}

/** Marks what this reading (`run`) did not reach, in the caller's transaction. */
export function markAbsent(
  store: SqliteStore,
  root: string,
  run: number,
  { seen, blocked, mounts, logs }: Reached,
): void {
  const { db } = store;
  const present = new Set(seen);
  const outOfReach = blockedBy([...blocked, ...logs.unread, ...unmounted(store, root, mounts)]);
  const rowsOf = (table: string) =>
    db
      .prepare<unknown[], { id: number; path: string }>(`SELECT id, path FROM ${table} WHERE root = ?`)
      .all(root);
  const unfinished = db.prepare(`UPDATE evidence_files SET complete = ${ABSENT} WHERE id = ?`);
  const missing = db.prepare(
    'UPDATE evidence_places SET absent = ? WHERE file_id = ? AND file_id > 0 AND run <> ?',
  );
  for (const { id, path } of rowsOf('evidence_files')) {
    if (present.has(path)) continue;
    // If the file returns, it is compared message by message.
    unfinished.run(id);
    missing.run(outOfReach(path) ? 'unreachable' : 'gone', id, run);
  }
  markMail(store);
  const isThere = db.prepare("DELETE FROM evidence_absent WHERE kind = 'log' AND id = ?");
  // The analyst's decision 'kept' is never overwritten.
  const isAbsent = db.prepare(
    "INSERT INTO evidence_absent (kind, id, state) VALUES ('log', ?, ?) ON CONFLICT DO UPDATE SET state = excluded.state WHERE state <> 'kept'",
  );
  for (const { id, path } of rowsOf('evidence_logs'))
    if (logs.seen.has(path) || logs.begun.has(path)) isThere.run(id);
    else isAbsent.run(id, outOfReach(path) ? 'unreachable' : 'gone');
}

/** A mail is gone when its last place, and the last mail that it is attached to, is gone. */
function markMail({ db }: SqliteStore): void {
  // Follows attachments from mail to mail, starting from the files that contain or may contain the outermost ones.
  for (const [table, state] of [
    ['present', 'absent IS NULL'],
    ['possible', "(absent IS NULL OR absent = 'unreachable')"],
  ])
    db.exec(`CREATE TEMP TABLE IF NOT EXISTS ${table} (id INTEGER PRIMARY KEY); DELETE FROM ${table};
      INSERT INTO ${table} WITH RECURSIVE reached (id) AS (
        SELECT email_id FROM evidence_places WHERE file_id > 0 AND ${state}
        UNION SELECT p.email_id FROM reached r JOIN evidence_places p ON p.parent_id = r.id AND p.parent_id > 0)
      SELECT id FROM reached`);
  db.exec(`
    DELETE FROM evidence_absent WHERE kind = 'mail' AND id IN present;
    INSERT INTO evidence_absent (kind, id, state)
      SELECT 'mail', id, iif(id IN possible, 'unreachable', 'gone') FROM emails
      WHERE file_id IS NOT NULL AND id NOT IN present
      ON CONFLICT DO UPDATE SET state = excluded.state WHERE state <> 'kept';
    DELETE FROM evidence_places WHERE file_id > 0 AND absent = 'gone' AND email_id IN present;
    DROP TABLE temp.present; DROP TABLE temp.possible`);
}

export function reportOf(store: SqliteStore): EvidenceReport {
  const { db } = store;
  const count = (sql: string) => Number(db.prepare(sql).pluck().get());
  const problems = db
    .prepare<unknown[], EvidenceReport['problems'][number]>(
      "SELECT file, position AS \"offset\", reason FROM evidence_problems ORDER BY kind IN ('not-mail', 'other entry'), id LIMIT ?",
    )
    .all(MAX_REPORTED);
  return {
    imported: 0,
    unchanged: count('SELECT count(*) FROM emails'),
    removed: 0,
    notMail: count("SELECT count(*) FROM evidence_problems WHERE kind IN ('not-mail', 'other entry')"),
    problems,
    unreadable: count(
      "SELECT count(DISTINCT file) FROM evidence_problems WHERE kind IN ('unreadable', 'unopened', 'too-large', 'unread entry', 'unread sign-in log')",
    ),
    known: recordsIn(store),
    ...absentOf(store),
  };
}
