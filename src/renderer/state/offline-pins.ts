/** Offline pins: profiles of a list that main fetches and pins as a job. */

import { useEffect, useState } from 'react';
import { useActiveConnectionId } from '#renderer/bridge/active-connection.ts';
import { attempt } from '#renderer/state/show-failure.ts';
import { showToast } from '#renderer/ui/toaster.ts';
import { useAnswer } from '#renderer/ui/use-answer.ts';
import type { ProfileRef } from '#shared/api/profile-pages.ts';
import { KEEP_MOST, type KeptProfiles } from '#shared/bridge/operations.ts';
import { plural } from '#shared/model/format.ts';
import { onAppEvent } from './app-events.ts';
import { currentConnection } from './connection.ts';
import { useJobs } from './jobs.ts';
import type { ListPlace } from './neighbours.ts';
import { windowBridge } from './window-bridge.ts';

export const pinCount = ({ source, index }: ListPlace): number => Math.min(KEEP_MOST, source.count - index);

/** Pins the profiles from a row of a list onwards; a toast reports success or failure. */
export async function pinFrom(place: ListPlace): Promise<void> {
  const connection = currentConnection();
  if (!connection) return;
  await attempt('Not saved for offline use', async () => {
    const { source, index } = place;
    const rows = await source.rows(index, index + pinCount(place));
    const ids = new Set<string>();
    const profiles = rows.flatMap((row) => {
      // Several clicks may belong to one email.
      if (row === null || ids.has(`${row.kind} ${row.entityId}`)) return [];
      ids.add(`${row.kind} ${row.entityId}`);
      return [{ kind: row.kind, saas: row.saas, entityId: row.entityId }];
    });
    await windowBridge().call('offline.keep', {
      connectionId: connection.id,
      label: source.label.slice(0, 500),
      profiles,
    });
    showToast({
      intent: 'info',
      title: `Saving ${plural(profiles.length, 'profile')} for offline use`,
      detail: 'See Jobs for progress.',
    });
  });
}

export async function unpinAll(): Promise<void> {
  const connection = currentConnection();
  if (!connection) return;
  await attempt('Not released', async () => {
    const { profiles } = await windowBridge().call('offline.release', { connectionId: connection.id });
    showToast({
      intent: 'success',
      title: `${plural(profiles, 'offline profile')} released`,
      detail: 'They stay cached until space is needed.',
    });
  });
}

/** Changes whenever profiles were saved for offline or released, in any window. With `detail` also while a job proceeds. */
export function usePinChanges(detail = false): string {
  const [releases, setReleases] = useState(0);
  useEffect(() => onAppEvent('pins', () => setReleases((before) => before + 1)), []);
  return useJobs()
    .filter((job) => job.kind === 'keep')
    .map(({ id, state, done }) => `${id} ${state} ${detail ? done : ''}`)
    .concat(String(releases))
    .join(' ');
}

/** The connection's offline pins and the time of this profile's copy, as they are now; null until known. */
export function useOfflinePins(profile: ProfileRef | null): KeptProfiles | null {
  const { kind = null, saas = '', entityId = '' } = profile ?? {};
  const connectionId = useActiveConnectionId();
  const changes = usePinChanges();
  const { last, error } = useAnswer(
    connectionId === null || changes === '' ? null : [connectionId, kind, saas, entityId, changes],
    (signal) =>
      windowBridge().call(
        'offline.kept',
        { connectionId: connectionId ?? '', profile: kind === null ? null : { kind, saas, entityId } },
        { signal },
      ),
  );
  // An unreadable cache is reported elsewhere; here nothing is shown as pinned.
  return error === null ? last : null;
}
