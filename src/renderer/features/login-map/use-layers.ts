/**
 * The reads behind the map: first pages of every layer for the counts, and of the layers in front all pages, or those of
 * the users who match the filter.
 */

import { startTransition, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useActiveConnectionId } from '#renderer/bridge/active-connection.ts';
import { useBridge } from '#renderer/bridge/bridge-context.tsx';
import {
  type ReadKey,
  type ReadState,
  readKeyText,
  readState,
  refreshRead,
  showRead,
} from '#renderer/bridge/read-store.ts';
import { useConnection } from '#renderer/state/connection.ts';
import { useTab } from '#renderer/state/tab-context.ts';
import { useSettled } from '#renderer/ui/use-settled.ts';
import { useStable } from '#renderer/ui/use-stable.ts';
import type { AnswerOf, ReadEndpoint, Request } from '#shared/api/catalogue.ts';
import { TELLS_NOTHING } from '#shared/api/numbered-pages.ts';
import type { BridgeError } from '#shared/bridge/errors.ts';
import type { Freshness } from '#shared/bridge/freshness.ts';
import type { LoginFilter } from '#shared/logins/login-filter.ts';
import {
  type Choice,
  choiceAmong,
  type FurtherPage,
  type Layer,
  layersOf,
  matchAskOf,
  type Numbered,
  type PageOf,
  type PageState,
  type Plan,
  pagesOf,
  planOf,
  requestOf,
  type Saas,
  sameLayer,
  usersAlone,
  usersOf,
} from './choices.ts';
import { hasNewRows } from './page-print.ts';

type Answer = AnswerOf<'logins.heat-map'>;

export interface LayerRead extends Layer {
  /** Total rows of the service, or null if not reported, or not answered. */
  total: number | null;
  /** The wanted pages; only the first one of hidden layers. */
  requested: number;
  /** The users whose logins alone are loaded beyond the first page, or null for everybody's. */
  users: readonly string[] | null;
  /** A page that was read names a further one, which is not read. */
  isOpen: boolean;
  /** The service does not count the layer, and its last page was found by asking for the next one. */
  isEnded?: boolean;
  /** Answers of the wanted pages, in their order. */
  pages: Answer[];
  freshness: Freshness | null;
  error: BridgeError | null;
  loading: boolean;
  refresh: () => void;
}

const answerOf = (state: ReadState) =>
  state.error && !state.freshness?.fetchedAt ? undefined : (state.data as Answer | undefined);

/** A read that has not started counts as waiting, so that it is not mistaken for an answer without rows. */
const isWaiting = ({ loading, freshness, error }: ReadState) =>
  loading || (freshness === null && error === null);

/** No data, and no pending request. */
const isUnread = (state: ReadState): boolean => !answerOf(state) && !isWaiting(state);

/** Number of concurrent reads. More are not faster and would keep the window's core busy. */
const AT_ONCE = 4;

/**
 * Many reads of one endpoint; reads that stay in the list are not repeated when it grows. Those that leave it are
 * cancelled, and while the tab is covered none begins.
 */
function useReads(keys: readonly ReadKey[]): readonly ReadState[] {
  const { isShown } = useTab();
  const bridge = useBridge();
  const texts = keys.map(readKeyText);
  const joined = texts.join('\n');
  const shown = useRef(new Map<string, () => void>());
  const latest = useRef({ requested: keys, texts });
  latest.current = { requested: keys, texts };
  const [version, setVersion] = useState(0);
  // A transition: dozens of responses arrive at once, and user input takes precedence.
  const notify = useCallback(() => startTransition(() => setVersion((now) => now + 1)), []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each response frees a slot for the next read.
  useEffect(() => {
    const names = joined === '' ? [] : joined.split('\n');
    let changed = false;
    let waiting = names.filter((text) => shown.current.has(text) && isWaiting(readState(text))).length;
    for (const text of names) {
      if (waiting >= AT_ONCE || !isShown) break;
      const key = latest.current.requested[latest.current.texts.indexOf(text)];
      if (!key || shown.current.has(text)) continue;
      shown.current.set(text, showRead(bridge, text, key, notify));
      changed = true;
      if (isWaiting(readState(text))) waiting += 1;
    }
    for (const [text, leave] of shown.current) {
      if (names.includes(text)) continue;
      shown.current.delete(text);
      changed = true;
      leave();
    }
    if (changed) notify();
  }, [bridge, joined, notify, version, isShown]);
  useEffect(
    () => () => {
      for (const leave of shown.current.values()) leave();
      shown.current.clear();
    },
    [],
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: the version represents the current states.
  return useMemo(() => (joined === '' ? [] : joined.split('\n').map(readState)), [joined, version]);
}

const NONE: ReadonlySet<string> = new Set();

const NOT_ASKED: ReadState = {
  data: undefined,
  freshness: null,
  error: null,
  loading: true,
  revalidating: false,
};

const FIRST_PAGE: Plan = { shown: [], requested: [], users: null, isOpen: false };

interface Layers {
  all: LayerRead[];
  front: LayerRead[];
  /** Modules that have logins with an unknown outcome. */
  withUnknown: ReadonlySet<string>;
}

/** Modules whose first pages count logins of an unknown outcome. */
function useWithUnknown(
  apps: readonly Saas[],
  layers: readonly Layer[],
  firsts: readonly ReadState[],
): ReadonlySet<string> {
  // Joined into a string so that the set keeps its identity while its members are the same.
  const unknownNames = apps
    .filter(({ module }) =>
      layers.some(
        (layer, index) =>
          layer.module === module && (firsts[index] ? (answerOf(firsts[index])?.unknown_rows ?? 0) : 0) > 0,
      ),
    )
    .map(({ module }) => module)
    .join('\n');
  return useMemo(() => new Set(unknownNames === '' ? [] : unknownNames.split('\n')), [unknownNames]);
}

/** Debounce of the search words. */
const TYPING_MS = 300;

/**
 * The users whose logins are enough for a filter: those that it names, or that the service finds for it; null:
 * everybody's are needed. `layers` are the visible ones, with the state of their first pages.
 */
function useUsersAlone(
  filter: LoginFilter | null,
  layers: readonly { layer: Layer; first: ReadState }[],
  isWhole: boolean,
): readonly string[] | 'asking' | null {
  const connectionId = useActiveConnectionId();
  const named = useStable(usersAlone(filter?.users));
  const question = useStable(filter === null || isWhole ? null : matchAskOf(filter));
  const isTyping = useSettled(question?.text, TYPING_MS) !== question?.text;
  // A layer that cannot be read has no rows that could match.
  const readable = layers.filter(({ first }) => !isUnread(first));
  const answers = readable.flatMap(({ first }) => answerOf(first) ?? []);
  const canAsk = answers.length > 0 && answers.every(({ finds_users }) => finds_users === true);
  const asks = useStable(
    question === null || isTyping || connectionId === null || !canAsk || answers.length < readable.length
      ? []
      : readable.map(
          ({ layer: { module, failed } }): ReadKey => ({
            connectionId,
            endpoint: 'logins.users',
            request: { body: { module, fail: failed ?? 'unknown', ...question } } as Request<ReadEndpoint>,
          }),
        ),
  );
  const states = useReads(asks);
  const foundUsers = useStable(
    states.map((state): readonly string[] | 'asking' | null => {
      if (isWaiting(state)) return 'asking';
      // An older answer may lack users that match by now.
      return state.error ? null : ((state.data as AnswerOf<'logins.users'> | undefined)?.users ?? null);
    }),
  );
  return useMemo(() => {
    if (question === null || (answers.length > 0 && !canAsk)) return named;
    const here = foundUsers.filter((users) => users !== 'asking');
    return asks.length === 0 || here.length < asks.length ? 'asking' : usersOf(here);
  }, [named, question, answers.length, canAsk, asks, foundUsers]);
}

/**
 * Loads the first page of every layer of every app. Visible layers load all pages, or only those of the users who match
 * the filter if the service can filter by user; without one everybody's. A layer that fits on its first page, or was
 * loaded completely before, always has everybody's logins.
 */
export function useLayers(apps: readonly Saas[], choice: Choice, filter: LoginFilter | null): Layers {
  const connectionId = useActiveConnectionId();
  const keyOf = useCallback(
    (layer: Layer, page: PageOf, user: string | null = null): ReadKey => ({
      connectionId: connectionId ?? '',
      endpoint: 'logins.heat-map',
      request: requestOf(layer, page, user) as Request<ReadEndpoint>,
    }),
    [connectionId],
  );
  const keysOf = useCallback(
    (layers: readonly Layer[]) => (connectionId === null ? [] : layers.map((layer) => keyOf(layer, 0))),
    [connectionId, keyOf],
  );
  const layers = useMemo(
    () => [...layersOf('successful', apps, NONE), ...layersOf('failed', apps, NONE)],
    [apps],
  );
  const knownFirsts = useReads(useMemo(() => keysOf(layers), [keysOf, layers]));
  const withUnknown = useWithUnknown(apps, layers, knownFirsts);
  const unknown = useMemo(() => layersOf('unknown', apps, withUnknown), [apps, withUnknown]);
  const unknownFirsts = useReads(useMemo(() => keysOf(unknown), [keysOf, unknown]));
  const all = useMemo(() => [...layers, ...unknown], [layers, unknown]);
  const firsts = useMemo(() => [...knownFirsts, ...unknownFirsts], [knownFirsts, unknownFirsts]);
  const front = useMemo(
    () => layersOf(choiceAmong(choice, withUnknown), apps, withUnknown),
    [apps, choice, withUnknown],
  );
  const stateOf = (layer: Layer, page: string, user: string | null): PageState => {
    const state = readState(readKeyText(keyOf(layer, page, user)));
    return answerOf(state) ?? (state.error?.code === 'not-cached' ? { missing: true } : undefined);
  };
  const { connection } = useConnection();
  // Parapet's own service counts the whole layer.
  const isForeign = connection?.kind === 'tenant';
  const numberedAt = (layer: Layer, first: Answer | undefined, page: number): Numbered => {
    const { error, ...state } = readState(readKeyText(keyOf(layer, page)));
    const answer = answerOf({ ...state, error });
    const before = page === 1 ? first : answerOf(readState(readKeyText(keyOf(layer, page - 1))));
    if (answer === undefined)
      return error === null ? 'waiting' : TELLS_NOTHING.has(error.code) ? 'none' : 'failed';
    try {
      return before !== undefined && hasNewRows(answer, before) ? 'more' : 'none';
    } catch {
      return 'failed';
    }
  };
  const planned = (layer: Layer, index: number, users: Parameters<typeof planOf>[1]) => {
    const first = firsts[index] && answerOf(firsts[index]);
    const mayGoOn = isForeign && first !== undefined && first.data !== '';
    return planOf(
      first,
      users,
      (page, user) => stateOf(layer, page, user),
      mayGoOn ? (page) => numberedAt(layer, first, page) : null,
    );
  };
  const inFront = all.flatMap((layer, index) =>
    front.some((other) => sameLayer(other, layer))
      ? [{ layer, at: index, first: firsts[index] ?? NOT_ASKED }]
      : [],
  );
  // Rows that are all here are filtered without a call.
  const isWhole = inFront.every(({ layer, at, first }) => {
    if (!answerOf(first)) return isUnread(first);
    const last = planned(layer, at, null).shown.at(-1)?.page;
    return last === undefined || (typeof last === 'string' && stateOf(layer, last, null)?.next === null);
  });
  const alone = useUsersAlone(filter, inFront, isWhole);
  // Page keys become known one after the other: recomputed with each answer, keeping its identity while nothing changed.
  const plans = useStable(
    all.map((layer, index) =>
      inFront.some((other) => other.at === index) ? planned(layer, index, alone) : FIRST_PAGE,
    ),
  );
  const isInFront = useCallback((layer: Layer) => front.some((other) => sameLayer(other, layer)), [front]);
  const keyAt = useCallback(
    (index: number, { page, user }: FurtherPage) =>
      keyOf(all[index] ?? { module: '', failed: false }, page, user),
    [all, keyOf],
  );
  const rest = useReads(
    useMemo(
      () => plans.flatMap(({ requested }, index) => requested.map((page) => keyAt(index, page))),
      [plans, keyAt],
    ),
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: `rest` changes whenever the state of a further page does.
  const reads = useMemo(
    () =>
      all.map((layer, index) => {
        const first = firsts[index] ?? NOT_ASKED;
        const plan = plans[index] ?? FIRST_PAGE;
        const { shown, requested, users: only, isOpen, isUncounted = false, isAsking = false } = plan;
        const pages = [first, ...shown.map((page) => readState(readKeyText(keyAt(index, page))))];
        const total = isUncounted ? null : (answerOf(first)?.total_rows ?? null);
        const answers = pages.flatMap((page) => answerOf(page) ?? []);
        return {
          ...layer,
          total,
          users: only,
          isOpen,
          ...(isUncounted && !isOpen && !isAsking ? { isEnded: true } : {}),
          requested: Math.max(pages.length, shown.length === 0 || only !== null ? 1 : pagesOf(total)),
          pages: answers,
          freshness: first.freshness,
          error: pages.find(({ error }) => error)?.error ?? null,
          loading: pages.some(isWaiting) || isAsking || (alone === 'asking' && isInFront(layer)),
          refresh: () => {
            for (const page of [{ page: 0, user: null }, ...requested])
              refreshRead(readKeyText(keyAt(index, page)));
          },
        };
      }),
    [all, firsts, rest, plans, keyAt, alone, isInFront],
  );
  return useMemo(
    () => ({
      all: reads,
      front: front.flatMap((layer) => reads.find((read) => sameLayer(read, layer)) ?? []),
      withUnknown,
    }),
    [reads, front, withUnknown],
  );
}
