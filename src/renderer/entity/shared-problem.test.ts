import { expect, it } from 'vitest';
import type { ErrorCode } from '#shared/bridge/errors.ts';
import { sharedErrors } from './shared-problem.tsx';

const read = (code: ErrorCode | null, loading = false) => ({
  error: code === null ? null : { code, message: code, retryable: true },
  loading,
  freshness: null,
});

it('a problem of several parts is told once, with how many', () => {
  const reads = [read('timeout'), read('timeout'), read(null), read('not-cached')];
  expect(sharedErrors(reads)).toMatchObject([{ error: { code: 'timeout' }, count: 2 }]);
});

it('what is about one part stays there, and what is being asked again is no problem yet', () => {
  expect(sharedErrors([read('forbidden'), read('forbidden')])).toEqual([]);
  expect(sharedErrors([read('timeout', true), read('timeout')])).toEqual([]);
});
