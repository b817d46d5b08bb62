/** A profile as a build before 1.0.0 left it, with its schema of the workspace. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';

const KEY = 'e4'.repeat(32);
const WORKSPACE = `
CREATE TABLE connections (id TEXT PRIMARY KEY, settings TEXT NOT NULL, source TEXT,
  has_credential INTEGER NOT NULL DEFAULT 0, created_at INTEGER NOT NULL, activated_at INTEGER,
  generation INTEGER NOT NULL DEFAULT 0, credential_key TEXT);
CREATE TABLE kv (key TEXT PRIMARY KEY, value TEXT NOT NULL, updated_at INTEGER NOT NULL);
CREATE TABLE journal (id INTEGER PRIMARY KEY, at INTEGER NOT NULL, connection_id TEXT NOT NULL, endpoint TEXT NOT NULL,
  request TEXT NOT NULL, outcome TEXT NOT NULL, who TEXT, action TEXT, run TEXT);
INSERT INTO connections (id, settings, created_at) VALUES ('c', '{"name":"Old tenant"}', 1);
PRAGMA user_version = 4;
`;
const CACHE = `
CREATE TABLE answers (id INTEGER PRIMARY KEY, connection_id TEXT NOT NULL, key TEXT NOT NULL, data TEXT NOT NULL);
PRAGMA user_version = 9;
`;
const SERVICE = `
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
PRAGMA application_id = 885171236;
PRAGMA user_version = 19;
`;

function database(path: string, sql: string): void {
  const db = new Database(path);
  db.pragma("cipher = 'aegis'");
  db.pragma(`key = 'raw:${KEY}'`);
  db.exec(sql);
  db.close();
}

/** The names of what is set aside, with the id last. */
export function makeEarlierProfile(profile: string): string[] {
  mkdirSync(join(profile, 'evidence'), { recursive: true });
  mkdirSync(join(profile, 'run-7-0a1b'));
  const databases = {
    'workspace.sqlite': WORKSPACE,
    'workspace.sqlite.backup-000001-20261101': WORKSPACE,
    'cache.sqlite': CACHE,
    'cache.sqlite.damaged-20261101T080000Z': CACHE,
    'demo-40-1.sqlite': SERVICE,
  };
  for (const [name, sql] of Object.entries(databases)) database(join(profile, name), sql);
  database(join(profile, 'evidence', 'a.sqlite'), SERVICE);
  writeFileSync(join(profile, 'run-7-0a1b', 'adopting'), '');
  writeFileSync(join(profile, 'key-check'), '{"kind":"parapet-key-check"}\n');
  writeFileSync(join(profile, 'secrets.sealed'), 'sealed\n');
  writeFileSync(join(profile, 'profile-id'), '0f8fad5b-d9cb-469f-a165-70867728950e\n');
  return [...Object.keys(databases), 'evidence', 'run-7-0a1b', 'key-check', 'secrets.sealed', 'profile-id'];
}
