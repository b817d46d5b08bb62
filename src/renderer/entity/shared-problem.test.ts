import { expect, it } from 'vitest';
import type { ErrorCode } from '#shared/bridge/errors.ts';
import { sharedErrors } from './shared-problem.tsx';

const read = (code: ErrorCode | null, loading = false) => ({
  error: code === null ? null : { code, message: code, retryable: true },
  loading,
  freshness: null,
});

it('[promise] an error of several parts is shown once, with their number', () => {
  const reads = [read('timeout'), read('timeout'), read(null), read('not-cached')];
  expect(sharedErrors(reads)).toMatchObject([{ error: { code: 'timeout' }, count: 2 }]);
});

it('an error that concerns one part stays there, and one that is being retried is not shown yet', () => {
  expect(sharedErrors([read('forbidden'), read('forbidden')])).toEqual([]);
  expect(sharedErrors([read('timeout', true), read('timeout')])).toEqual([]);
});
