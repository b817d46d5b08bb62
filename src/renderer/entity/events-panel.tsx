import { InputGroup } from '@blueprintjs/core';
import { Refresh, Search } from '@blueprintjs/icons';
import { type JSX, useCallback, useDeferredValue, useMemo, useState } from 'react';
import { DataGrid, ListGrid } from '#renderer/ui/grid/data-grid.tsx';
import { columnsFor, type GridColumn, optional } from '#renderer/ui/grid/grid-columns.tsx';
import { useZoned } from '#renderer/ui/grid/zoned-columns.ts';
import { Panel } from '#renderer/ui/panel.tsx';
import { type BridgeError, toBridgeError } from '#shared/bridge/errors.ts';
import type { EntityEvent } from '#shared/model/entities.ts';
import { exact } from '#shared/model/format.ts';
import type { Branding } from '#shared/model/white-label.ts';
import {
  actorWords,
  detailWords,
  EVENT_KINDS,
  type EventKind,
  eventsIn,
  type KindChoice,
  kindCounts,
  labelOf,
} from './events.ts';
import { KindFilter } from './kind-filter.tsx';
import { defangedText } from './labels.ts';
import { panelMenu } from './panel-menu.tsx';
import { panelState } from './panel-state.ts';
import { useBranding } from './use-entity-stack.ts';
import { type Events, useAllEvents } from './use-events.ts';
import './entity.css';

interface Row {
  event: EntityEvent;
  /** Newest: 0. */
  place: number;
}

const { column } = columnsFor<Row>();

function columnsOf(branding: Branding): GridColumn<Row>[] {
  return [
    column('time', 'Time', 'time', 168, ({ event }) => event.time),
    column('type', 'Event', 'name', 150, ({ event }) => labelOf(event)),
    column('re-evaluated', 'Re-evaluated', 'text', 128, ({ event }) => event.re_evaluated === true, {
      notApplicable: ({ event }) => event.re_evaluated !== true,
      render: () => (
        <span className="pp-caution en-flag">
          <Refresh size={12} />
          Re-evaluated
        </span>
      ),
    }),
    column('actor', 'By', 'text', 220, ({ event }) => actorWords(event, branding), {
      notApplicable: ({ event }) => actorWords(event, branding) === null,
      entity: ({ event }) =>
        event.actor?.includes('@') ? { kind: 'email', value: event.actor, field: 'from_email' } : null,
    }),
    column('summary', 'What happened', 'text', [1, 160], ({ event }) => defangedText(event.summary)),
    optional(
      column('detail', 'Detail', 'text', [1, 120], ({ event }) => {
        const words = detailWords(event, branding);
        return words && defangedText(words);
      }),
    ),
  ];
}

const rowId = ({ place }: Row) => String(place);
const ALL: KindChoice = new Set();

/** Kinds are listed without counts until every event has been read. */
function offered(events: readonly EntityEvent[], whole: boolean): ReadonlyMap<EventKind, number | null> {
  return whole ? kindCounts(events) : new Map(EVENT_KINDS.map((kind) => [kind, null]));
}

/** The service may give no count; the total is known once all events have been read. */
function totalWords(
  total: number,
  isAtLeast: boolean,
  { done, events }: ReturnType<typeof useAllEvents>,
): string {
  if (!isAtLeast) return exact(total);
  return done ? exact(events.length) : `at least ${exact(total)}`;
}

/** All events, loaded a hundred per page while scrolling; filtering and searching load all of them first. */
export function EventsPanel({ events, noun }: { events: Events; noun: string }): JSX.Element {
  const { first, total, isAtLeast, range } = events;
  const branding = useBranding();
  const columns = useZoned(useMemo(() => columnsOf(branding), [branding]));
  const [kinds, setKinds] = useState<KindChoice>(ALL);
  const [text, setText] = useState('');
  const [blockError, setBlockError] = useState<BridgeError | null>(null);
  const filter = useDeferredValue(text).trim();
  const narrowing = kinds.size > 0 || filter !== '';
  const all = useAllEvents(events, narrowing);
  const shown = useMemo(
    () =>
      narrowing
        ? eventsIn(all.events, kinds, filter, branding).map((event, place): Row => ({ event, place }))
        : [],
    [all.events, kinds, filter, branding, narrowing],
  );
  const newest = first.data?.rows ?? [];
  const counts = all.done
    ? offered(all.events, true)
    : offered(newest, newest.length === total && !isAtLeast);
  const fetchedAt = first.freshness?.fetchedAt;
  const getRows = useCallback(
    async (start: number, end: number) => {
      const rows = await range(start, end);
      setBlockError(null);
      return { rows: rows.map((event, index): Row => ({ event, place: start + index })) };
    },
    [range],
  );
  const totalText = total === null ? undefined : totalWords(total, isAtLeast, all);
  const read = all.done ? '' : `, ${exact(all.events.length)} read`;
  const count = narrowing && totalText ? `${exact(shown.length)} of ${totalText}${read}` : totalText;
  const state = panelState(first);
  return (
    <Panel
      title="Events"
      {...(count === undefined ? {} : { count })}
      {...state}
      error={state.error ?? (narrowing ? all.error : blockError)}
      rows={12}
      noScroll
      className="en-fill"
      shownInstead="The list of events is incomplete."
      notKnown="Events are unknown."
      actions={
        <>
          <KindFilter counts={counts} chosen={kinds} onChange={setKinds} />
          <InputGroup
            size="small"
            aria-label="Search events"
            placeholder="Search events"
            data-search
            leftIcon={<Search size={12} className="en-search-icon" />}
            value={text}
            onValueChange={setText}
          />
        </>
      }
      menu={panelMenu(first.refresh)}
      empty={total === 0 ? { title: 'No events', reason: `The service counts 0 for this ${noun}.` } : null}
    >
      {total === null || total === 0 ? null : narrowing ? (
        <ListGrid<Row>
          label="Events"
          columns={columns}
          rows={shown}
          rowId={rowId}
          selectable={false}
          empty={
            all.done && shown.length === 0
              ? { title: 'No matching events', reason: `0 of ${totalText} events.` }
              : null
          }
        />
      ) : (
        <DataGrid<Row>
          // A new grid, because a grid does not drop a row count that it was given.
          key={isAtLeast ? 'uncounted' : 'counted'}
          label="Events"
          columns={columns}
          rowCount={isAtLeast ? null : total}
          getRows={getRows}
          rowId={rowId}
          selectable={false}
          {...(typeof fetchedAt === 'number' ? { version: fetchedAt } : {})}
          onBlockError={(error) => setBlockError(toBridgeError(error))}
        />
      )}
    </Panel>
  );
}
