/** The sign-in logs of a folder: which were read, what was wrong with them, and their sign-ins. */
import type Database from 'better-sqlite3';
import type { ReadSignin, SigninLog } from '../../store/evidence.ts';
import { forgetSignins, StoredSignins } from './stored-signins.ts';

const KIND = 'sign-in log';
const UNREAD = 'unread sign-in log';

interface StoredLog {
  size: number;
  modified_ms: number;
  changed_ms: number | null;
  columns: string;
  complete: number;
  reader: string;
}

const silence = (db: Database.Database, root: string, file: string, ...kinds: string[]): void => {
  const problem = db.prepare('DELETE FROM evidence_problems WHERE root = ? AND file = ? AND kind = ?');
  for (const kind of kinds) problem.run(root, file, kind);
};

/** Removes a log with the sign-ins that no other log has, and its problems, in the caller's transaction. */
export function forgetLog(db: Database.Database, id: number): void {
  const log = db
    .prepare<unknown[], { root: string; path: string }>('SELECT root, path FROM evidence_logs WHERE id = ?')
    .get(id);
  if (log === undefined) return;
  forgetSignins(db, id);
  db.prepare('DELETE FROM evidence_logs WHERE id = ?').run(id);
  silence(db, log.root, log.path, KIND, UNREAD);
}

export class SigninLogs {
  readonly #db: Database.Database;
  readonly #root: string;
  #signins: StoredSignins | null = null;

  constructor(db: Database.Database, root: string) {
    this.#db = db;
    this.#root = root;
  }

  stateOf({ file, size, mtimeMs, ctimeMs, columns, reader }: SigninLog): 'same' | 'changed' | null {
    const stored = this.#db
      .prepare<unknown[], StoredLog>(
        'SELECT size, modified_ms, changed_ms, columns, complete, reader FROM evidence_logs WHERE root = ? AND path = ?',
      )
      .get(this.#root, file);
    if (stored?.complete !== 1) return null;
    const isSame =
      stored.reader === reader &&
      stored.size === size &&
      stored.modified_ms === mtimeMs &&
      stored.changed_ms === ctimeMs &&
      stored.columns === columns;
    return isSame ? 'same' : 'changed';
  }

  begin({ file, size, mtimeMs, ctimeMs, columns, reader }: SigninLog): number {
    return this.#db.transaction(() => {
      const old = this.#db
        .prepare<unknown[], number>('SELECT id FROM evidence_logs WHERE root = ? AND path = ?')
        .pluck()
        .get(this.#root, file);
      if (old !== undefined) forgetLog(this.#db, old);
      silence(this.#db, this.#root, file, KIND, UNREAD);
      const { lastInsertRowid } = this.#db
        .prepare(
          'INSERT INTO evidence_logs (root, path, size, modified_ms, changed_ms, columns, complete, reader) VALUES (?, ?, ?, ?, ?, ?, 0, ?)',
        )
        .run(this.#root, file, size, mtimeMs, ctimeMs, columns, reader);
      return Number(lastInsertRowid);
    })();
  }

  add(log: number, signins: readonly ReadSignin[]): void {
    this.#signins ??= new StoredSignins(this.#db);
    this.#signins.add(signins, log);
  }

  end(log: number, file: string, signins: readonly ReadSignin[], reasons: readonly string[]): void {
    this.#db.transaction(() => {
      this.add(log, signins);
      this.#db.prepare('UPDATE evidence_logs SET complete = 1 WHERE id = ?').run(log);
      for (const reason of reasons) this.#complain(file, KIND, reason);
    })();
  }

  refuse(file: string, reason: string): void {
    this.#db.transaction(() => {
      silence(this.#db, this.#root, file, KIND, UNREAD, 'not-mail');
      this.#complain(file, UNREAD, `a ${KIND}, but ${reason}`);
    })();
  }

  /** The reader of mail reported these files as not being mail. In the caller's transaction. */
  accept(files: Iterable<string>): void {
    for (const file of files) silence(this.#db, this.#root, file, UNREAD, 'not-mail');
  }

  #complain(file: string, kind: string, reason: string): void {
    this.#db
      .prepare('INSERT INTO evidence_problems (root, file, position, kind, reason) VALUES (?, ?, NULL, ?, ?)')
      .run(this.#root, file, kind, reason);
  }
}
