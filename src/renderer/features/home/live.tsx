import { type JSX, useEffect, useRef } from 'react';
import { setPreferences, usePreferences } from '#renderer/state/preferences.ts';
import { useTab } from '#renderer/state/tab-context.ts';
import { Select } from '#renderer/ui/form/field.tsx';

const PACES = [
  { value: 0, label: 'Live: off' },
  { value: 30, label: 'Every 30 s' },
  { value: 60, label: 'Every minute' },
  { value: 300, label: 'Every 5 min' },
];

/** Refreshes Home automatically while it is visible, at the chosen interval. */
export function LiveRefresh({ refresh, paused }: { refresh: () => void; paused: boolean }): JSX.Element {
  const { homeRefreshSeconds: seconds = 0 } = usePreferences();
  const { isShown } = useTab();
  const latest = useRef(refresh);
  latest.current = refresh;
  useEffect(() => {
    if (seconds === 0 || paused || !isShown) return undefined;
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') latest.current();
    }, seconds * 1000);
    return () => clearInterval(timer);
  }, [seconds, paused, isShown]);
  return (
    <Select<number>
      aria-label="Live refresh"
      title={paused ? 'Live refresh is paused while offline' : undefined}
      options={PACES}
      value={seconds}
      onChange={(homeRefreshSeconds) => setPreferences({ homeRefreshSeconds })}
    />
  );
}
