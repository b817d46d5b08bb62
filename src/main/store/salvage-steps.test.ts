/**
 * A repair and a backup in which each file system call in turn fails, alone or with all that follow: what the workspace
 * and its backups held survives. PARAPET_LONG=1: every call; otherwise every fourth.
 */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { makeBackup } from './backup.ts';
import type { OpenSpec } from './connect.ts';
import { openWriter } from './open.ts';

/** Counts calls while armed; the chosen one, or it and all later ones, fail. */
const fault = vi.hoisted(() => {
  const counted = new Set(['openSync', 'fsyncSync', 'renameSync', 'rmSync', 'writeFileSync', 'readFileSync']);
  const state = { armed: false, at: 0, dead: false, calls: 0 };
  const wrap = <T extends object>(module: T): T =>
    Object.fromEntries(
      Object.entries(module).map(([name, value]) =>
        counted.has(name) && typeof value === 'function'
          ? [
              name,
              (...parameters: unknown[]) => {
                if (state.armed) {
                  state.calls += 1;
                  if (state.calls === state.at || (state.dead && state.calls > state.at))
                    throw Object.assign(new Error(`EIO: made to fail, ${name}`), { code: 'EIO' });
                }
                return (value as (...args: unknown[]) => unknown)(...parameters);
              },
            ]
          : [name, value],
      ),
    ) as T;
  return { state, wrap };
});
vi.mock('node:fs', async (original) => fault.wrap(await original<typeof import('node:fs')>()));

const STRIDE = process.env['PARAPET_LONG'] === '1' ? 1 : 4;
const ROWS = 120;
let directory: string;
let path: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'parapet-salvage-steps-'));
  path = join(directory, 'at');
});
afterEach(() => rmSync(directory, { recursive: true }));

const spec = (): OpenSpec => ({
  kind: 'workspace',
  path: join(path, 'workspace.sqlite'),
  key: 'ab'.repeat(32),
  now: Date.UTC(2026, 0, 20),
  keyFits: true,
  expected: true,
});
const keys = (): number => {
  const { db } = openWriter(spec());
  const count = Number(db.prepare('SELECT count(*) FROM kv').pluck().get());
  expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
  db.close();
  return count;
};

/** A folder with a workspace whose rows are all in its backup. */
function makeOrigin(damaged: boolean): string {
  const origin = join(directory, 'origin');
  cpSync(mkdtempSync(join(directory, 'empty-')), path, { recursive: true });
  const { db } = openWriter({ ...spec(), expected: false });
  const insert = db.prepare('INSERT INTO kv (key, value, updated_at) VALUES (?, ?, 1)');
  for (let n = 0; n < ROWS; n++) insert.run(`draft:${n}`, 'v'.repeat(500));
  db.close();
  makeBackup(spec());
  if (damaged) {
    const bytes = readFileSync(spec().path);
    const middle = 4096 * Math.floor(bytes.length / 8192) + 100;
    bytes[middle] = (bytes[middle] ?? 0) ^ 4;
    writeFileSync(spec().path, bytes);
  }
  cpSync(path, origin, { recursive: true });
  return origin;
}

it.each([
  ['a repair', true, () => openWriter(spec()).db.close()],
  ['a backup', false, () => makeBackup({ ...spec(), now: Date.UTC(2026, 0, 21) })],
] as const)('%s that fails or ends anywhere loses nothing', (_, damaged, work) => {
  const origin = makeOrigin(damaged);
  const run = (call: number, dead: boolean): number => {
    rmSync(path, { recursive: true });
    cpSync(origin, path, { recursive: true });
    Object.assign(fault.state, { armed: true, at: call, dead, calls: 0 });
    try {
      work();
    } catch (error) {
      expect(String(error)).toMatch(/made to fail|SQLITE|database/i);
    } finally {
      fault.state.armed = false;
    }
    const { calls } = fault.state;
    expect(keys(), `call ${call}, ${dead ? 'the last' : 'failed'}`).toBe(ROWS);
    // What is left when the workspace itself is lost afterwards.
    rmSync(spec().path);
    expect(keys(), `call ${call}, from the backup`).toBe(ROWS);
    return calls;
  };
  const calls = run(Number.POSITIVE_INFINITY, false);
  expect(calls).toBeGreaterThan(5);
  for (const dead of [true, false]) for (let call = 1; call <= calls; call += STRIDE) run(call, dead);
});
