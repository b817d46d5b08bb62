import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useActiveConnectionId } from '#renderer/bridge/active-connection.ts';
import { useBridge } from '#renderer/bridge/bridge-context.tsx';
import { type Read, readOnce, useRead } from '#renderer/bridge/use-read.ts';
import { eventsRequest } from '#shared/api/profile-pages.ts';
import { type BridgeError, ParapetError, toBridgeError } from '#shared/bridge/errors.ts';
import { FILE_EVENTS_PAGE } from '#shared/model/constants.ts';
import type { EntityEvent } from '#shared/model/entities.ts';
import { exact } from '#shared/model/format.ts';
import { useListTotal } from './use-list-total.ts';

export interface Events {
  /** The newest hundred, or as many as the service returns at a time. */
  first: Read<'file.events'>;
  /** Null if not known. */
  total: number | null;
  /** The service gives no count, and there may be more than `total`. */
  isAtLeast: boolean;
  /** Events that the service returns at a time. */
  pageLength: number;
  /**
   * Events `[start, end)`, newest first, in the pages of the service; fewer only at the end. Rejects if the service repeats
   * its first page.
   */
  range: (start: number, end: number) => Promise<EntityEvent[]>;
}

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** The events of an entity: the newest page as a read, the others on request. */
export function useEvents(saas: string, entityId: string): Events {
  const bridge = useBridge();
  const connectionId = useActiveConnectionId();
  const requestOf = useCallback((page: number) => eventsRequest(saas, entityId, page), [saas, entityId]);
  const first = useRead(
    'file.events',
    useMemo(() => requestOf(0), [requestOf]),
  );
  const { data } = first;
  const { total, pageLength } = useListTotal(
    'file.events',
    data,
    FILE_EVENTS_PAGE,
    useMemo(() => requestOf(1), [requestOf]),
  );
  /** The first page, to detect a service that repeats it; with a count, identical events may begin several pages. */
  const newest = useRef<{ rows: readonly EntityEvent[]; isCounted: boolean }>({ rows: [], isCounted: false });
  newest.current = { rows: data?.rows ?? [], isCounted: total !== null };
  const range = useCallback(
    async (start: number, end: number) => {
      if (connectionId === null) throw new ParapetError('no-connection', 'No connection is open.');
      const from = Math.floor(start / pageLength);
      const to = Math.ceil(end / pageLength);
      const pages = await Promise.all(
        Array.from({ length: to - from }, async (_, index) => {
          const { data: page } = await readOnce(bridge, connectionId, 'file.events', requestOf(from + index));
          const { rows, isCounted } = newest.current;
          const isFirst = isCounted ? isSame(page.rows, rows) : isSame(page.rows[0], rows[0]);
          if (from + index > 0 && page.rows.length > 0 && isFirst)
            throw new ParapetError('server-error', 'The service returned its first events again.');
          return page.rows;
        }),
      );
      const offset = from * pageLength;
      return pages.flat().slice(start - offset, end - offset);
    },
    [bridge, connectionId, requestOf, pageLength],
  );
  return {
    first,
    total: total ?? data?.rows.length ?? null,
    isAtLeast: data !== undefined && total === null,
    pageLength,
    range,
  };
}

interface AllEvents {
  events: readonly EntityEvent[];
  done: boolean;
  error: BridgeError | null;
}

const PAGES_AT_ONCE = 4;
const NOTHING: AllEvents = { events: [], done: false, error: null };

/** All events, for a filter that the service does not offer; read while `wanted`, page after page. */
export function useAllEvents({ range, total, isAtLeast, pageLength }: Events, isNeeded: boolean): AllEvents {
  const [state, setState] = useState<AllEvents>(NOTHING);
  useEffect(() => {
    if (!isNeeded || total === null) return undefined;
    let isUnmounted = false;
    const readAll = async () => {
      let events: EntityEvent[] = [];
      const ids = new Set<string>();
      setState(NOTHING);
      const end = isAtLeast ? Number.POSITIVE_INFINITY : total;
      const atOnce = PAGES_AT_ONCE * pageLength;
      for (let index = 0; index < end && !isUnmounted; index += atOnce) {
        const more = await range(index, Math.min(end, index + atOnce));
        events = [...events, ...more];
        if (!isUnmounted) setState({ events, done: false, error: null });
        if (!isAtLeast) continue;
        // Without a count, a page that is not full shows the end, and a service that ignores the page has none.
        if (more.length < atOnce) break;
        const before = ids.size;
        for (const event of more) ids.add(JSON.stringify(event));
        if (ids.size === before)
          throw new ParapetError('server-error', 'The service returned the same events again.');
      }
      if (!isAtLeast && events.length < total && !isUnmounted)
        throw new ParapetError(
          'server-error',
          `The service returned ${exact(events.length)} of ${exact(total)} events.`,
        );
      if (!isUnmounted) setState({ events, done: true, error: null });
    };
    readAll().catch((reason: unknown) => {
      if (!isUnmounted) setState((now) => ({ ...now, error: toBridgeError(reason) }));
    });
    return () => {
      isUnmounted = true;
    };
  }, [range, total, isAtLeast, pageLength, isNeeded]);
  return state;
}
