// @vitest-environment happy-dom
import { afterEach, expect, test, vi } from 'vitest';
import { whenIdle } from './idle.ts';

afterEach(() => vi.unstubAllGlobals());

test.each([
  ['idle callbacks', (work: () => void) => setTimeout(work)],
  ['none, as in Safari', undefined],
])('a browser with %s does the work, unless it is cancelled first', async (_, request) => {
  vi.stubGlobal('requestIdleCallback', request);
  vi.stubGlobal('cancelIdleCallback', request && clearTimeout);
  const calls: string[] = [];
  const cancel = whenIdle(() => calls.push('cancelled'));
  whenIdle(() => calls.push('done'));
  cancel();
  await expect.poll(() => calls).toEqual(['done']);
});
