import { type JSX, useCallback, useEffect, useMemo, useState } from 'react';
import { useRead } from '#renderer/bridge/use-read.ts';
import { mailPayload } from '#renderer/entity/mail-payload.ts';
import { quietState } from '#renderer/entity/panel-state.ts';
import { openPivot, openScreen } from '#renderer/state/navigation.ts';
import { LinkButton } from '#renderer/ui/link-button.tsx';
import { Panel } from '#renderer/ui/panel.tsx';
import type { Query } from '#shared/model/entities.ts';
import { exact, visibleText } from '#shared/model/format.ts';
import { emptyGroup } from '#shared/query/tree.ts';

interface HuntProps {
  hunt: Query;
  isHidden: boolean;
  onCount: (id: string, count: number | undefined) => void;
}

/** One hunt with the number of emails it finds; opens as a query. */
function Hunt({ hunt, isHidden, onCount }: HuntProps): JSX.Element | null {
  const { id, filter } = hunt;
  const request = useMemo(() => ({ body: mailPayload(filter ?? emptyGroup(), 0) }), [filter]);
  const { data, error } = useRead('query.execute', request);
  const count = data?.total_rows;
  useEffect(() => onCount(id, count), [onCount, id, count]);
  if (isHidden) return null;
  const name = visibleText(hunt.name);
  return (
    <button
      type="button"
      className="pp-panel-row pp-home-recent"
      title={visibleText(hunt.description || hunt.name)}
      onClick={() => openPivot(hunt)}
    >
      <span className="pp-ellipsis pp-spacer">{name}</span>{' '}
      {count === undefined ? (
        <span className="pp-t3" title={error ? 'Count unavailable' : 'Being counted'}>
          –
        </span>
      ) : (
        <b className={count === 0 ? 'pp-t3' : undefined}>{exact(count)}</b>
      )}
    </button>
  );
}

/** The templates of the library as hunts, each with its count; those that find nothing are behind a button. */
export function Hunts({ isPartial }: { isPartial: boolean }): JSX.Element {
  const list = useRead('query.list', { query: {} });
  const [counts, setCounts] = useState<ReadonlyMap<string, number | undefined>>(new Map());
  const [showsEmpty, setShowsEmpty] = useState(false);
  const onCount = useCallback(
    (id: string, count: number | undefined) => setCounts((before) => new Map(before).set(id, count)),
    [],
  );
  const hunts = (list.data?.queries ?? []).filter(
    ({ subType, domain }) => subType === 'template' && domain === 'email',
  );
  const empty = hunts.filter(({ id }) => counts.get(id) === 0).length;
  return (
    <Panel
      title="Hunts"
      {...quietState(list)}
      actions={
        <LinkButton className="pp-small" onClick={() => openScreen('queries')}>
          Library
        </LinkButton>
      }
      empty={
        list.data && hunts.length === 0
          ? { title: 'No hunts', reason: 'Queries saved as templates appear here.' }
          : null
      }
    >
      {hunts.map((hunt) => (
        <Hunt
          key={hunt.id}
          hunt={hunt}
          isHidden={counts.get(hunt.id) === 0 && !showsEmpty}
          onCount={onCount}
        />
      ))}
      {empty > 0 ? (
        <button
          type="button"
          className="pp-panel-row pp-home-recent pp-t3"
          aria-expanded={showsEmpty}
          onClick={() => setShowsEmpty(!showsEmpty)}
        >
          {showsEmpty ? `Hide ${exact(empty)} that find nothing` : `${exact(empty)} more find nothing`}
          {isPartial ? ' so far' : ''}
        </button>
      ) : null}
    </Panel>
  );
}
