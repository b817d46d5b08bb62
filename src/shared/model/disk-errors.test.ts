import { expect, it } from 'vitest';
import { diskFailure, isDiskFull, withheld } from './disk-errors.ts';

const failed = (code: string, errno: number) => Object.assign(new Error(code), { code, errno });

it.each([
  ['EIO', -5, 'the disk reports an error'],
  ['EBADMSG', -74, 'the file system of its disk is damaged'],
  ['Unknown system error -117', -117, 'the file system of its disk is damaged'],
  ['ENODEV', -19, 'its disk was removed'],
  ['ENXIO', -6, 'its disk was removed'],
  ['Unknown system error -123', -123, 'its disk was removed'],
  ['ENOTCONN', -107, 'the connection to its disk or share was lost'],
  ['Unknown system error -116', -116, 'the connection to its disk or share was lost'],
  ['ETIMEDOUT', -110, 'the connection to its disk or share was lost'],
])('[bad input] an error of the disk is explained: %s', (code, errno, words) => {
  expect(diskFailure(failed(code, errno))).toBe(words);
});

it.each([failed('ENOENT', -2), failed('constructor', 0), new Error('x'), 'EIO', null])(
  '%s is not explained',
  (error) => expect(diskFailure(error)).toBeNull(),
);

it.each([
  ['ENOSPC', -28, true],
  ['UNKNOWN', -122, true],
  ['UNKNOWN', -116, false],
])('%s (%i) is a full disk: %s', (code, errno, expected) => {
  expect(isDiskFull(failed(code, errno))).toBe(expected);
});

it.each([
  ['EBUSY', -4082, /another program has it open/],
  ['UNKNOWN', -4094, /virus scanner/],
])('%s, which Windows reports for a locked file, is explained', (code, errno, words) => {
  expect(withheld(failed(code, errno))).toMatch(words);
});

it.each([failed('ENOENT', -2), failed('EIO', -5), failed('constructor', 0), new Error('EBUSY'), null])(
  '%s does not mean a locked file',
  (error) => expect(withheld(error)).toBeNull(),
);
