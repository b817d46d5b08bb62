// @vitest-environment happy-dom
import { afterEach, expect, it, vi } from 'vitest';
import { profileTime } from '#shared/model/clock.ts';
import { fakeBridge } from '#tests/support/reads.ts';
import { currentClock, setPreferences, startPreferences } from './preferences.ts';
import { setWindowBridge } from './window-bridge.ts';

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
});

it('local times follow the machine when its time zone changes, by the name of the zone', async () => {
  vi.useFakeTimers();
  setWindowBridge(fakeBridge({ call: async () => ({ values: [] }) }));
  await startPreferences();
  const AT = Date.UTC(2026, 10, 19, 8, 41, 7);
  setPreferences({ clock: 'local' });
  vi.stubEnv('TZ', 'America/St_Johns');
  dispatchEvent(new Event('focus'));
  expect(currentClock()).toEqual({ tenant: 'America/St_Johns' });
  expect(profileTime(AT, currentClock())).toBe('2026-11-19 05:11:07 UTC-03:30');
  // Without any action in the window.
  vi.stubEnv('TZ', 'Australia/Lord_Howe');
  await vi.advanceTimersByTimeAsync(15_000);
  expect(profileTime(AT, currentClock())).toBe('2026-11-19 19:41:07 UTC+11:00');
  // A rule instead of a name: exports of the host have the same offset as the window.
  for (const [rule, clock] of [
    ['UTC+3', { tenant: '-03:00' }],
    ['UTC-12', { tenant: '+12:00' }],
    ['', 'utc'],
  ] as const) {
    vi.stubEnv('TZ', rule);
    dispatchEvent(new Event('focus'));
    expect(currentClock(), rule).toEqual(clock);
  }
  expect(profileTime(AT, { tenant: '-03:00' })).toBe('2026-11-19 05:41:07 UTC-03:00');
});
