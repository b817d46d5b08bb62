import { Disable, Download, Pin } from '@blueprintjs/icons';
import type { JSX } from 'react';
import { menuItems } from '#renderer/commands/command.tsx';
import { useConnection } from '#renderer/state/connection.ts';
import type { ListPlace } from '#renderer/state/neighbours.ts';
import { pinCount, pinFrom, unpinAll, useOfflinePins } from '#renderer/state/offline-pins.ts';
import { useClock } from '#renderer/ui/clock-context.ts';
import type { ProfileRef } from '#shared/api/profile-pages.ts';
import { profileTime } from '#shared/model/clock.ts';
import { bytes, exact, form, plural } from '#shared/model/format.ts';

export function OfflinePinMark({ profile }: { profile: ProfileRef }): JSX.Element | null {
  const clock = useClock();
  const since = useOfflinePins(profile)?.since ?? null;
  if (since === null) return null;
  return (
    <span className="pp-t3 en-kept" title={`Available offline, as of ${profileTime(since, clock)}`}>
      <Pin size={12} /> offline
    </span>
  );
}

/**
 * Pins this profile and those after it in its list for offline use, or releases the pins. Evidence is local: it needs
 * none.
 */
export function OfflinePinItems(props: { profile: ProfileRef; place: ListPlace | null }): JSX.Element | null {
  const { profile, place } = props;
  const { connection, reach } = useConnection();
  const kept = useOfflinePins(profile);
  if (connection?.kind === 'evidence') return null;
  const count = place === null ? 0 : pinCount(place);
  return menuItems([
    place !== null && {
      text: form(count, 'Make available offline', `Make ${exact(count)} available offline`),
      icon: Download,
      title: `From here on in “${place.source.label}”`,
      why: reach === 'online' ? null : 'You are offline.',
      run: () => pinFrom(place),
    },
    kept !== null &&
      kept.profiles > 0 && {
        text: `Release ${plural(kept.profiles, 'offline profile')}`,
        icon: Disable,
        note: <span className="pp-t3">{bytes(kept.bytes)}</span>,
        run: () => unpinAll(),
      },
  ]);
}
