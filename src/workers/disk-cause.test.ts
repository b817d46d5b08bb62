import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { diskCause } from './disk-cause.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parapet-cause-'));
  writeFileSync(join(folder, 'x.sqlite'), '');
});
afterEach(() => rmSync(folder, { recursive: true }));

const failed = (code: string) => Object.assign(new Error('of SQLite'), { code });

it.each(['SQLITE_CANTOPEN', 'SQLITE_IOERR_WRITE'])(
  '[bad input] the cause of %s is the error of the operating system',
  (code) => {
    expect(diskCause(failed(code), join(folder, 'gone', 'x.sqlite'))).toMatchObject({ code: 'ENOENT' });
  },
);

it('on a working disk there is no cause, and no file is left behind', () => {
  expect(diskCause(failed('SQLITE_IOERR_WRITE'), join(folder, 'x.sqlite'))).toBeNull();
  expect(readdirSync(folder)).toEqual(['x.sqlite']);
});

it.each(['SQLITE_BUSY', 'SQLITE_CORRUPT', 'SQLITE_IOERR_SHMMAP', 'ENOENT'])('%s is not checked', (code) => {
  expect(diskCause(failed(code), join(folder, 'gone', 'x.sqlite'))).toBeNull();
});
