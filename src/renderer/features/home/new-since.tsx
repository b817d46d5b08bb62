import type { JSX } from 'react';
import { useRead } from '#renderer/bridge/use-read.ts';
import { ageOf } from '#renderer/entity/panel-state.ts';
import { openPivot, openScreen } from '#renderer/state/navigation.ts';
import { useFavourites } from '#renderer/state/recent.ts';
import { rowsPayload } from '#renderer/state/rows-payload.ts';
import { useLastVisit } from '#renderer/state/visits.ts';
import { FreshnessMark } from '#renderer/ui/freshness-mark.tsx';
import { LinkButton } from '#renderer/ui/link-button.tsx';
import { Panel } from '#renderer/ui/panel.tsx';
import { useNow } from '#renderer/ui/use-now.ts';
import type { ExecutePayload } from '#shared/api/catalogue/queries.ts';
import type { NewQuery, Query } from '#shared/model/entities.ts';
import { exact, shortAge, visibleText } from '#shared/model/format.ts';
import { effective, emptyGroup } from '#shared/query/tree.ts';
import { negationRefusal } from '#shared/query/validate.ts';
import { figureQuery, openFigureQuery, sinceCondition } from './figure-query.ts';

const SHOWN = 8;
const DAY_MS = 86_400_000;

const countOf = (query: NewQuery): ExecutePayload => ({
  ...rowsPayload(query.domain, effective(query.filter ?? emptyGroup()), 0),
  saas_id: query.saas || 'all',
  query_entity_type: query.entityType,
});

function Row(props: {
  label: string;
  query: NewQuery | null;
  /** Why the count cannot be opened as a query. */
  without: string;
  onOpen: () => void;
}): JSX.Element {
  const { label, query, without, onOpen } = props;
  const read = useRead('query.execute', query ? { body: countOf(query) } : null);
  const count = read.data?.total_rows;
  const name = visibleText(label);
  return (
    <button type="button" className="pp-panel-row pp-home-recent" disabled={!query} onClick={onOpen}>
      <span className="pp-ellipsis pp-spacer" title={query ? name : `${name}: ${without}`}>
        {name}
      </span>
      <b className={count === 0 ? 'pp-t3' : undefined}>{count === undefined ? '–' : exact(count)}</b>
      <FreshnessMark {...ageOf(read)} short />
    </button>
  );
}

function Favourite({ query, since }: { query: Query; since: string }): JSX.Element {
  const config = useRead('query.config', {
    query: { saas_id: query.saas || 'all', query_domain: query.domain },
  });
  const time = config.data ? sinceCondition(config.data, since) : null;
  const refusal = config.data ? negationRefusal(query.filter ?? emptyGroup(), config.data) : null;
  const newer: NewQuery | null =
    time && refusal === null
      ? {
          ...query,
          id: undefined,
          name: `New in ${query.name}`,
          filter: { operator: 'and', conditions: [time, ...(query.filter ? [query.filter] : [])] },
        }
      : null;
  return (
    <Row
      label={query.name}
      query={newer}
      without={refusal ?? 'no time field to compare'}
      onOpen={() => newer && openPivot(newer)}
    />
  );
}

function Waiting(): JSX.Element {
  const config = useRead('query.config', { query: { saas_id: 'all', query_domain: 'email' } });
  const request = {
    domain: 'email',
    name: 'Pending restore requests',
    what: { is: 'restore-waiting' },
  } as const;
  return (
    <Row
      label={request.name}
      query={config.data ? figureQuery(config.data, request) : null}
      without="not supported by this service"
      onOpen={() => void openFigureQuery(request)}
    />
  );
}

/** Pending requests, and new results of favourite queries since the last visit. */
export function NewSince(): JSX.Element {
  const now = useNow();
  const last = useLastVisit();
  const favourites = useFavourites();
  const list = useRead('query.list', { query: {} });
  const queries = favourites.flatMap((id) => list.data?.queries.find((query) => query.id === id) ?? []);
  // On the first visit everything would be new, so the last day is shown instead.
  const since = last ?? Math.floor(now / DAY_MS) * DAY_MS - DAY_MS;
  return (
    <Panel title="Needs attention">
      <Waiting />
      {last === undefined || queries.length === 0 ? null : (
        <div className="pp-panel-row pp-t3 pp-small">
          {last === null
            ? 'New in favourites since yesterday'
            : `New in favourites since the last visit (${shortAge(last, now)})`}
        </div>
      )}
      {last === undefined
        ? null
        : queries
            .slice(0, SHOWN)
            .map((query) => <Favourite key={query.id} query={query} since={new Date(since).toISOString()} />)}
      {queries.length === 0 ? (
        <div className="pp-panel-row pp-t3">
          <span className="pp-ellipsis pp-spacer">No favourites yet</span>
          <LinkButton className="pp-small" onClick={() => openScreen('queries')}>
            Add favourites
          </LinkButton>
        </div>
      ) : null}
    </Panel>
  );
}
