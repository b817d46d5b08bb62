import { expect, it } from 'vitest';
import { storeError } from './errors.ts';

const failed = (code: string) => Object.assign(new Error('disk I/O error'), { code });

it.each([
  ['SQLITE_FULL', 'disk-full', 'The disk is full'],
  ['SQLITE_IOERR_SHMSIZE', 'disk-full', 'The disk is full'],
  ['SQLITE_IOERR_SHMMAP', 'permission-denied', 'does not let files be mapped into memory'],
  ['SQLITE_IOERR_WRITE', 'internal', 'the disk reports an error'],
  ['ENODEV', 'internal', 'its disk was removed'],
  ['SQLITE_CORRUPT', 'damaged', 'is damaged'],
])('%s is told as %s, in words', (code, shown, words) => {
  expect(storeError(failed(code))).toMatchObject({ code: shown, message: expect.stringContaining(words) });
});
