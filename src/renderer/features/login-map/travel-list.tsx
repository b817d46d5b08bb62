import { type JSX, useEffect, useRef, useState } from 'react';
import { useClock } from '#renderer/ui/clock-context.ts';
import { EmptyState } from '#renderer/ui/empty-state.tsx';
import { EntityValue } from '#renderer/ui/entity-value.tsx';
import { AEROPLANE_KMH, NEAR_KM } from '#shared/logins/travel.ts';
import { profileTime } from '#shared/model/clock.ts';
import { exact, visibleText } from '#shared/model/format.ts';
import type { LoginRow, TravelAnswer } from './engine.ts';
import { arithmetic } from './labels.ts';
import { placeWords } from './map-controls.tsx';
import type { SummaryRows } from './use-logins.ts';
import { useRowKeys } from './use-row-keys.ts';

const MOST = 500;
/** Delay after a filter change: the scan reads every login, and the map needs the worker first. */
const QUIET_MS = 150;

/** Pairs under the filter, or null if not counted yet. */
export function useTravel(ask: SummaryRows | null): TravelAnswer | null {
  const [travel, setTravel] = useState<TravelAnswer | null>(null);
  useEffect(() => {
    let isUnmounted = false;
    const quiet = setTimeout(
      () =>
        ask?.travel(MOST).then(
          (answer) => {
            if (!isUnmounted) setTravel(answer);
          },
          () => undefined,
        ),
      QUIET_MS,
    );
    return () => {
      isUnmounted = true;
      clearTimeout(quiet);
    };
  }, [ask]);
  return travel;
}

function End({ row }: { row: LoginRow }): JSX.Element {
  const clock = useClock();
  return (
    <div className="pp-travel-end">
      <span className="pp-ellipsis">{placeWords(row)}</span>
      <EntityValue entity={{ kind: 'ip', value: row.ip, field: 'ips' }} />
      <span className="pp-t3">
        {row.time === null ? 'Unknown' : profileTime(row.time, clock)}
        {row.failed === null ? ' · unknown outcome' : ''}
      </span>
    </div>
  );
}

/** Impossible travel: each pair with the arithmetic that makes it so. */
export function TravelList({
  travel,
  isPartial,
}: {
  travel: TravelAnswer | null;
  /** More logins follow. */
  isPartial: boolean;
}): JSX.Element | null {
  const list = useRef<HTMLOListElement>(null);
  const keys = useRowKeys({ scroller: list, count: travel?.pairs.length ?? 0, rowHeight: null });
  if (travel === null) return null;
  const { pairs, total } = travel;
  if (pairs.length === 0)
    return (
      <EmptyState
        small
        title={isPartial ? 'No impossible travel so far' : 'No impossible travel'}
        reason={`No user in this filter moved more than ${NEAR_KM} km faster than ${exact(AEROPLANE_KMH)} km/h. Failed logins and logins without a time or location are excluded.`}
      />
    );
  return (
    <div className="pp-travel">
      <p className="pp-t3">
        Consecutive logins of one user, failed ones excluded, over {NEAR_KM} km apart and faster than{' '}
        {exact(AEROPLANE_KMH)} km/h. Great-circle distances.
        {total > pairs.length ? ` The fastest ${exact(pairs.length)} of ${exact(total)} are shown.` : ''}
      </p>
      <ol ref={list}>
        {pairs.map((pair, index) => (
          <li
            key={`${pair.from.row} ${pair.to.row}`}
            data-at={index}
            onFocus={() => keys.onFocus(index)}
            onKeyDown={keys.onKeyDown}
          >
            <EntityValue
              entity={{ kind: 'email', value: visibleText(pair.to.user), field: 'users' }}
              plain
              truncate
            />
            <End row={pair.from} />
            <End row={pair.to} />
            <div className="pp-travel-sum">{arithmetic(pair)}</div>
          </li>
        ))}
      </ol>
    </div>
  );
}
