import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createLogFile, LOG_FOLDER, LOG_MAX, logLine, readLogs } from './log-file.ts';

const AT = '2026-01-02T03:04:05.000Z';
const line = (message: string, data: Record<string, unknown> = {}) =>
  JSON.parse(logLine(AT, 'warn', message, data)) as Record<string, unknown>;

describe('a line', () => {
  test('keeps sentences, numbers and words of the program', () => {
    expect(line('an operation failed unexpectedly', { operation: 'results.rows', ms: 12 })).toEqual({
      at: AT,
      level: 'warn',
      message: 'an operation failed unexpectedly',
      operation: 'results.rows',
      ms: 12,
    });
  });

  test('keeps the class, codes and place of an error, and not a word of its message', () => {
    const error = new Error('no invoice of anna@victim.example in C:\\cases\\secret.eml');
    error.stack = [
      `SqliteError: ${error.message}`,
      '    at read (file:///home/anna/parapet/out/main/store-worker.js:12:34)',
      '    at /home/anna/parapet/src/main/app.ts:5:6',
      '    at evil (/cases/invoice.js:1:1)',
    ].join('\n');
    const { reason } = line('it failed', { reason: `${error.stack} SQLITE_FULL ENOSPC EINVOICE` });
    expect(reason).toMatch(
      /^SqliteError SQLITE_FULL ENOSPC main\/store-worker\.js:12:34 main\/app\.ts:5:6 \(\d+ characters left out\)$/,
    );
  });

  test.each([
    ['a message with something put into it', 'Cannot open /home/anna/case.eml', {}],
    ['an address', 'Mail of anna@victim.example', {}],
    ['a text under a key that takes words', 'it failed', { code: 'two words of anna' }],
    ['a list', 'it failed', { files: ['anna.eml'] }],
    ['a key', 'it failed', { 'anna was here': 1 }],
    ['a text', 'it failed', { title: 'anna' }],
  ])('leaves %s out', (_what, message, data) => {
    expect(JSON.stringify(line(message, data))).not.toContain('anna');
  });
});

describe('the file', () => {
  let profile: string;
  beforeEach(() => {
    profile = mkdtempSync(path.join(os.tmpdir(), 'parapet-log-'));
  });
  afterEach(() => rmSync(profile, { recursive: true }));
  const folder = () => path.join(profile, LOG_FOLDER);

  test('is readable by its owner only, bounded, and continues after a restart', () => {
    const long = logLine(AT, 'warn', 'a'.repeat(200));
    for (let run = 0; run < 2; run++) {
      const log = createLogFile(profile);
      for (let n = 0; n < (1.6 * LOG_MAX) / long.length; n++) log.write(long);
    }
    const names = readdirSync(folder()).sort();
    expect(names).toEqual(['parapet.1.log', 'parapet.log']);
    for (const name of names) {
      const { size, mode } = statSync(path.join(folder(), name));
      expect(size).toBeLessThanOrEqual(LOG_MAX);
      expect(mode & 0o077).toBe(process.platform === 'win32' ? mode & 0o077 : 0);
    }
    expect(readLogs(profile).map(({ name }) => name)).toEqual(['parapet.1.log', 'parapet.log']);
  });

  test('that others wrote to yields only what a line may contain', () => {
    const log = createLogFile(profile);
    log.write(logLine(AT, 'info', 'started'));
    const file = path.join(folder(), 'parapet.log');
    writeFileSync(file, `not json anna\n{"at":"anna","level":"x","message":"m"}\n`, { flag: 'a' });
    writeFileSync(file, `{"at":"${AT}","level":"anna","message":"x","reason":"anna"}\n`, { flag: 'a' });
    const [newest] = readLogs(profile);
    expect(newest?.text).not.toContain('anna');
    expect(newest?.text.split('\n')).toHaveLength(3);
  });

  test('that cannot be written causes no error', () => {
    writeFileSync(folder(), 'a file in its place');
    chmodSync(folder(), 0o400);
    expect(() => createLogFile(profile).write('x')).not.toThrow();
    expect(readLogs(profile)).toEqual([]);
  });
});

test('no message in the source contains an inserted value: whatever varies is data', () => {
  const src = path.resolve(import.meta.dirname, '..');
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.ts') && !name.endsWith('.test.ts'),
  );
  const offenders = files.filter((name) =>
    /\blog\.(?:info|warn)\(\s*`/.test(readFileSync(path.join(src, name), 'utf8')),
  );
  expect(offenders).toEqual([]);
});
