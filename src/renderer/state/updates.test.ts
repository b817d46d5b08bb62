// @vitest-environment happy-dom
import { expect, test } from 'vitest';
import { readToasts } from '#renderer/ui/toaster.ts';
import type { AppEvent, UpdateState } from '#shared/bridge/operations.ts';
import { fakeBridge } from '#tests/support/reads.ts';
import { startAppEvents } from './app-events.ts';
import { startUpdateNews } from './updates.ts';

test('a version found in the background is announced once; a failure or a requested check is not announced', () => {
  let publish: (event: AppEvent) => void = () => {};
  const bridge = fakeBridge({
    stream: (_name: string, _input: unknown, listener: (event: AppEvent) => void) => {
      publish = listener;
      return new Promise(() => {});
    },
  });
  startAppEvents(bridge, false);
  startUpdateNews();
  const problem = { code: 'unreachable' as const, message: 'No network.', retryable: true };
  const tell = (over: Partial<UpdateState>) =>
    publish({
      type: 'updates',
      state: {
        unavailable: null,
        on: true,
        channel: 'stable',
        managed: { on: false, channel: false, by: null },
        phase: 'idle',
        checkedAt: 1,
        problem: null,
        newest: { version: '2.0.0', date: '2026-11-02', notes: '', bytes: 1 },
        done: 0,
        kind: null,
        ...over,
      },
    });
  tell({ newest: null, problem });
  tell({ on: false });
  expect(readToasts()).toEqual([]);
  tell({});
  tell({ phase: 'fetching' });
  expect(readToasts().map(({ title }) => title)).toEqual(['Version 2.0.0 is available']);
});
