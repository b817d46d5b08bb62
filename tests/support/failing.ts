/** Databases and a keychain whose n-th call fails, so that a change can be interrupted at each await. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import type { Keychain } from '#main/kernel/ports.ts';
import type { ResultStore } from '#main/store/tasks.ts';
import { ParapetError } from '#shared/bridge/errors.ts';

export interface Failures {
  database(database: ResultStore, kind: 'cache' | 'workspace'): ResultStore;
  keychain(keychain: Keychain): Keychain;
  /** The n-th write from now on fails, before or after taking effect; `only`: writes of one database. */
  fail(n: number, after?: boolean, only?: 'cache' | 'workspace'): void;
  /** Every write from now on fails. */
  failAll(only?: 'cache' | 'workspace'): void;
  /** Ends the failures. Returns the number of writes since then. */
  stop(): number;
  /** Runs statements on the workspace of a closed profile. */
  execute(profile: string, key: string, statements: readonly string[]): void;
}

/** The databases' key as stored in `fileKeychain`. */
const KEY = 'ab'.repeat(32);

/** A keychain in a file, for processes that use a profile one after another. */
export function fileKeychain(path: string): Keychain {
  const read = (): Record<string, string> =>
    existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Record<string, string>) : {};
  return {
    get: async (account) => (account === 'database-key' ? KEY : (read()[account] ?? null)),
    set: async (account, secret) => writeFileSync(path, JSON.stringify({ ...read(), [account]: secret })),
    remove: async (account) => {
      const { [account]: _, ...others } = read();
      writeFileSync(path, JSON.stringify(others));
    },
  };
}

export function failing(onWrite: (n: number) => void = () => {}): Failures {
  let count = 0;
  let failing: number | null = null;
  let late = false;
  let all = false;
  let among: 'cache' | 'workspace' | null = null;
  let counting = false;

  const step = async <T>(kind: string, work: () => Promise<T>): Promise<T> => {
    if (!counting || (among !== null && among !== kind)) return work();
    count += 1;
    onWrite(count);
    const fails = all || count === failing;
    if (fails && !late) throw full();
    const value = await work();
    if (fails) throw full();
    return value;
  };
  const full = () => new ParapetError('disk-full', 'The disk is full. Free some space and try again.');
  const begin = (n: number | null, after: boolean, only: typeof among) => {
    count = 0;
    failing = n;
    all = n === null;
    late = after;
    among = only;
    counting = true;
  };

  return {
    database: (database, kind) => ({
      ...database,
      write: (statements, options) => step(kind, () => database.write(statements, options)),
      maintain: (sql) => step(kind, () => database.maintain(sql)),
    }),
    keychain: (keychain) => ({
      get: keychain.get,
      set: (account, secret) => step('keychain', () => keychain.set(account, secret)),
      remove: (account) => step('keychain', () => keychain.remove(account)),
    }),
    fail: (n, after = false, only) => begin(n, after, only ?? null),
    failAll: (only) => begin(null, false, only ?? null),
    stop() {
      counting = false;
      return count;
    },
    execute(profile, key, statements) {
      const db = new Sqlite(join(profile, 'workspace.sqlite'));
      db.pragma(`cipher='aegis'`);
      db.pragma(`key='raw:${key}'`);
      for (const sql of statements) db.prepare(sql).run();
      db.close();
    },
  };
}
