import { expect, it } from 'vitest';
import { storeError } from './errors.ts';

const failed = (code: string, errno?: number) =>
  Object.assign(new Error('disk I/O error'), { code, ...(errno === undefined ? {} : { errno }) });

it.each([
  ['SQLITE_FULL', 'disk-full', 'The disk is full'],
  ['SQLITE_IOERR_SHMSIZE', 'internal', 'the disk reports an error'],
  ['SQLITE_IOERR_SHMMAP', 'permission-denied', 'does not let files be mapped into memory'],
  ['SQLITE_IOERR_WRITE', 'internal', 'the disk reports an error'],
  ['ENODEV', 'internal', 'its disk was removed'],
  ['ENOENT', 'internal', 'its folder is no longer there'],
  ['EMFILE', 'internal', 'too many files open'],
  ['SQLITE_CORRUPT', 'damaged', 'is damaged'],
])('%s becomes %s with a message', (code, shown, words) => {
  expect(storeError(failed(code))).toMatchObject({ code: shown, message: expect.stringContaining(words) });
});

it('[bad input] an exceeded quota, for which Node has no code, is reported as a full disk', () => {
  expect(storeError(failed('Unknown system error -122', -122))).toMatchObject({ code: 'disk-full' });
});

it('a folder that SQLite cannot access is reported as such', () => {
  const error = new TypeError('Cannot open database because the directory does not exist');
  expect(storeError(error)).toMatchObject({
    retryable: true,
    message: expect.stringContaining('its folder is not there'),
  });
});
