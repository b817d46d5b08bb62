import {
  createContext,
  useCallback,
  useContext,
  useEffect,
  useId,
  useMemo,
  useSyncExternalStore,
} from 'react';
import type { AnswerOf, BodyOf, ParamsOf, ReadEndpoint, Request, SearchOf } from '#shared/api/catalogue.ts';
import { type LeftOut, leftOutOf } from '#shared/api/repair.ts';
import type { Bridge } from '#shared/bridge/bridge.ts';
import type { BridgeError } from '#shared/bridge/errors.ts';
import type { Freshness } from '#shared/bridge/freshness.ts';
import { useActiveConnectionId } from './active-connection.ts';
import { useBridge } from './bridge-context.tsx';
import { IDLE, readKeyText, readState, refreshRead, renewIfAged, showRead } from './read-store.ts';

export interface ReadRequest<N extends ReadEndpoint> {
  params?: ParamsOf<N>;
  query?: SearchOf<N>;
  body?: BodyOf<N>;
}

export interface Read<N extends ReadEndpoint> {
  /** The newest answer available; it stays while a newer one is being requested. */
  data: AnswerOf<N> | undefined;
  freshness: Freshness | null;
  /** With data: the refresh failed, so the data is older. */
  error: BridgeError | null;
  loading: boolean;
  revalidating: boolean;
  /** Requests from the service, whatever the age of the data. */
  refresh: () => void;
}

/** Whether the surrounding screen is in front: a screen in the background refreshes when it comes to the front. */
export const ShownContext = createContext(true);

/** Shows what was left out of the answers that a screen reads, by reader. */
export const LeftOutContext = createContext<
  (reader: string, report: { endpoint: string; left: readonly LeftOut[] } | null) => void
>(() => undefined);
const LOOK_EVERY_MS = 30_000;

const NO_UNSUBSCRIBE = () => undefined;

/**
 * One read of the catalogue, shared by all views with the same request: the cached response at once, then the service's.
 * Requested again when one of its tags is marked stale, cancelled when no view shows it any more. Null reads nothing.
 */
export function useRead<N extends ReadEndpoint>(endpoint: N, request: ReadRequest<N> | null): Read<N> {
  const bridge = useBridge();
  const connectionId = useActiveConnectionId();
  const isActive = request !== null && connectionId !== null;
  const text = isActive
    ? readKeyText({ connectionId, endpoint, request: request as Request<ReadEndpoint> })
    : null;

  const subscribe = useCallback(
    (listener: () => void) => {
      if (text === null) return NO_UNSUBSCRIBE;
      const [id, name, asRequest] = JSON.parse(text) as [string, ReadEndpoint, Request<ReadEndpoint>];
      return showRead(bridge, text, { connectionId: id, endpoint: name, request: asRequest }, listener);
    },
    [bridge, text],
  );
  const isShown = useContext(ShownContext);
  useEffect(() => {
    if (!isShown || text === null) return undefined;
    const renew = () => {
      if (document.visibilityState === 'visible') renewIfAged(text, Date.now());
    };
    renew();
    const timer = setInterval(renew, LOOK_EVERY_MS);
    return () => clearInterval(timer);
  }, [isShown, text]);
  const state = useSyncExternalStore(subscribe, () => (text === null ? IDLE : readState(text)));
  const leftOut = leftOutOf(state.data);
  const reader = useId();
  const tellLeftOut = useContext(LeftOutContext);
  useEffect(() => {
    if (leftOut.length === 0) return undefined;
    tellLeftOut(reader, { endpoint, left: leftOut });
    return () => tellLeftOut(reader, null);
  }, [leftOut, reader, endpoint, tellLeftOut]);
  const refresh = useCallback(() => {
    if (text !== null) refreshRead(text);
  }, [text]);
  return useMemo(
    () => ({
      ...state,
      // The entry is created in the subscription's effect; until then, the read counts as loading.
      loading: text !== null && (state.loading || state === IDLE),
      data: state.data as AnswerOf<N> | undefined,
      refresh,
    }),
    [state, text, refresh],
  );
}

/**
 * The same read outside of a view: resolves with the final answer of the main process, rejects with a ParapetError
 * when there is no data at all.
 */
export async function readOnce<N extends ReadEndpoint>(
  bridge: Bridge,
  connectionId: string,
  endpoint: N,
  request: ReadRequest<N>,
  options: { signal?: AbortSignal; refresh?: boolean } = {},
): Promise<{ data: AnswerOf<N>; freshness: Freshness; error: BridgeError | null }> {
  let last: { data: AnswerOf<N>; freshness: Freshness; error: BridgeError | null } | null = null;
  const { signal, refresh } = options;
  await bridge.stream(
    'service.read',
    { connectionId, endpoint, ...request, ...(refresh ? { refresh } : {}) },
    ({ data, freshness, error }) => {
      last = { data: data as AnswerOf<N>, freshness, error };
    },
    signal ? { signal } : {},
  );
  if (last === null) throw new Error(`${endpoint} ended without an answer`);
  return last;
}
