import { Pin } from '@blueprintjs/icons';
import type { JSX } from 'react';
import { useKept } from '#renderer/state/keep-offline.ts';
import { useClock } from '#renderer/ui/clock-context.ts';
import type { ProfileRef } from '#shared/api/profile-pages.ts';
import { profileTime } from '#shared/model/clock.ts';

/** That a profile is kept on this machine, and since when. */
export function KeptMark({ profile }: { profile: ProfileRef }): JSX.Element | null {
  const clock = useClock();
  const since = useKept(profile)?.since ?? null;
  if (since === null) return null;
  return (
    <span className="pp-t3 en-kept" title={`Kept for offline, as of ${profileTime(since, clock)}`}>
      <Pin size={12} /> kept
    </span>
  );
}
