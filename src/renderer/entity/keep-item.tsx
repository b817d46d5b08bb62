import { MenuItem } from '@blueprintjs/core';
import { Disable, Download } from '@blueprintjs/icons';
import type { JSX } from 'react';
import { useConnection } from '#renderer/state/connection.ts';
import { keepCount, keepFrom, releaseKept, useKept } from '#renderer/state/keep-offline.ts';
import type { ListPlace } from '#renderer/state/neighbours.ts';
import type { ProfileRef } from '#shared/api/profile-pages.ts';
import { bytes, exact } from '#shared/model/format.ts';

/** Keeps this profile and those after it in its list for offline; lets go of what is kept. Evidence is on this machine. */
export function KeepItems(props: { profile: ProfileRef; place: ListPlace | null }): JSX.Element | null {
  const { profile, place } = props;
  const { connection, reach } = useConnection();
  const kept = useKept(profile);
  if (connection?.kind === 'evidence') return null;
  const count = place === null ? 0 : keepCount(place);
  const offline = reach === 'online' ? null : 'You are offline.';
  return (
    <>
      {place === null ? null : (
        <MenuItem
          text={count === 1 ? 'Keep this one for offline' : `Keep these ${exact(count)} for offline`}
          icon={<Download size={14} />}
          disabled={offline !== null}
          title={offline ?? `From this one on, of “${place.source.label}”`}
          onClick={() => void keepFrom(place)}
        />
      )}
      {kept !== null && kept.profiles > 0 ? (
        <MenuItem
          text={`Let go of the ${exact(kept.profiles)} kept`}
          labelElement={<span className="pp-t3">{bytes(kept.bytes)}</span>}
          icon={<Disable size={14} />}
          onClick={() => void releaseKept()}
        />
      ) : null}
    </>
  );
}
