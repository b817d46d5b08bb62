/** The reads behind the map: first pages of every layer for the counts, all pages of the layers in front. */
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
import { useStable } from '#renderer/ui/use-stable.ts';
import type { AnswerOf, ReadEndpoint, Request } from '#shared/api/catalogue.ts';
import type { BridgeError } from '#shared/bridge/errors.ts';
import type { Freshness } from '#shared/bridge/freshness.ts';
import {
  type Choice,
  choiceAmong,
  furtherPages,
  type Layer,
  layersOf,
  type PageOf,
  pagesOf,
  requestOf,
  type Saas,
  sameLayer,
} from './choices.ts';

type Answer = AnswerOf<'logins.heat-map'>;

export interface LayerRead extends Layer {
  /** Total rows of the service; null: not reported, or not answered. */
  total: number | null;
  /** The wanted pages; only the first one of hidden layers. */
  wanted: number;
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

/** Number of concurrent reads. More are not faster and would keep the window's core busy. */
const AT_ONCE = 4;

/** Many reads of one endpoint; reads that stay in the list are not repeated when it grows. */
function useReads(wanted: readonly ReadKey[]): readonly ReadState[] {
  const bridge = useBridge();
  const texts = wanted.map(readKeyText);
  const joined = texts.join('\n');
  const shown = useRef(new Map<string, () => void>());
  const latest = useRef({ wanted, texts });
  latest.current = { wanted, texts };
  const [version, setVersion] = useState(0);
  // A transition: dozens of answers arrive at once, and input comes first.
  const notify = useCallback(() => startTransition(() => setVersion((now) => now + 1)), []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each answer makes room for the next read.
  useEffect(() => {
    const names = joined === '' ? [] : joined.split('\n');
    let changed = false;
    let waiting = names.filter((text) => shown.current.has(text) && isWaiting(readState(text))).length;
    for (const text of names) {
      if (waiting >= AT_ONCE) break;
      const key = latest.current.wanted[latest.current.texts.indexOf(text)];
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
  }, [bridge, joined, notify, version]);
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

interface Layers {
  all: LayerRead[];
  front: LayerRead[];
  /** Modules that have logins whose outcome is not known. */
  withUnknown: ReadonlySet<string>;
}

/** Every layer of every app: its first page, and all pages of the layers shown. */
export function useLayers(apps: readonly Saas[], choice: Choice): Layers {
  const connectionId = useActiveConnectionId();
  const keyOf = useCallback(
    (layer: Layer, page: PageOf): ReadKey => ({
      connectionId: connectionId ?? '',
      endpoint: 'logins.heat-map',
      request: requestOf(layer, page) as Request<ReadEndpoint>,
    }),
    [connectionId],
  );
  const keysOf = useCallback(
    (layers: readonly Layer[]) => (connectionId === null ? [] : layers.map((layer) => keyOf(layer, 0))),
    [connectionId, keyOf],
  );
  const known = useMemo(
    () => [...layersOf('successful', apps, NONE), ...layersOf('failed', apps, NONE)],
    [apps],
  );
  const knownFirsts = useReads(useMemo(() => keysOf(known), [keysOf, known]));
  // Joined into a string so that the set keeps its identity while its members are the same.
  const unknownNames = apps
    .filter(({ module }) =>
      known.some(
        (layer, at) =>
          layer.module === module &&
          (knownFirsts[at] ? (answerOf(knownFirsts[at])?.unknown_rows ?? 0) : 0) > 0,
      ),
    )
    .map(({ module }) => module)
    .join('\n');
  const withUnknown = useMemo(
    () => new Set(unknownNames === '' ? [] : unknownNames.split('\n')),
    [unknownNames],
  );
  const unknown = useMemo(() => layersOf('unknown', apps, withUnknown), [apps, withUnknown]);
  const unknownFirsts = useReads(useMemo(() => keysOf(unknown), [keysOf, unknown]));
  const all = useMemo(() => [...known, ...unknown], [known, unknown]);
  const firsts = useMemo(() => [...knownFirsts, ...unknownFirsts], [knownFirsts, unknownFirsts]);
  const front = useMemo(
    () => layersOf(choiceAmong(choice, withUnknown), apps, withUnknown),
    [apps, choice, withUnknown],
  );
  // Page keys become known one after the other: recomputed with each answer, keeping its identity while nothing was added.
  const further = useStable(
    all.flatMap((layer, at) => {
      if (!front.some((one) => sameLayer(one, layer))) return [];
      const answerAt = (page: string) => answerOf(readState(readKeyText(keyOf(layer, page))));
      return furtherPages(firsts[at] && answerOf(firsts[at]), answerAt).map((page) => ({ at, page }));
    }),
  );
  const rest = useReads(
    useMemo(
      () => further.map(({ at, page }) => keyOf(all[at] ?? { module: '', failed: false }, page)),
      [further, all, keyOf],
    ),
  );
  const reads = useMemo(
    () =>
      all.map((layer, at) => {
        const first = firsts[at] ?? NOT_ASKED;
        const mine = further.filter((one) => one.at === at);
        const pages = [first, ...rest.filter((_, number) => further[number]?.at === at)];
        const total = answerOf(first)?.total_rows ?? null;
        const answers = pages.flatMap((page) => answerOf(page) ?? []);
        return {
          ...layer,
          total,
          wanted: Math.max(pages.length, mine.length === 0 ? 1 : pagesOf(total)),
          pages: answers,
          freshness: first.freshness,
          error: pages.find(({ error }) => error)?.error ?? null,
          loading: pages.some(isWaiting),
          refresh: () => {
            for (const page of [0, ...mine.map((one) => one.page)])
              refreshRead(readKeyText(keyOf(layer, page)));
          },
        };
      }),
    [all, firsts, rest, keyOf, further],
  );
  return useMemo(
    () => ({
      all: reads,
      front: front.flatMap((layer) => reads.find((one) => sameLayer(one, layer)) ?? []),
      withUnknown,
    }),
    [reads, front, withUnknown],
  );
}
