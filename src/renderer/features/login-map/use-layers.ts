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
import type { AnswerOf, ReadEndpoint, Request } from '#shared/api/catalogue.ts';
import type { BridgeError } from '#shared/bridge/errors.ts';
import type { Freshness } from '#shared/bridge/freshness.ts';
import {
  type Choice,
  choiceAmong,
  type Layer,
  layersOf,
  pagesOf,
  requestOf,
  type Saas,
  sameLayer,
} from './choices.ts';

type Answer = AnswerOf<'logins.heat-map'>;

export interface LayerRead extends Layer {
  /** Rows that the service has; null: it does not tell, or did not answer. */
  total: number | null;
  /** Pages that are wanted; only the first of layers that are not in front. */
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

/** Not yet asked counts: what nobody shows yet is idle, and would pass for an answer without rows. */
const isWaiting = ({ loading, freshness, error }: ReadState) =>
  loading || (freshness === null && error === null);

/** Reads under way at once: more are not sooner here, and the window waits for its core meanwhile. */
const AT_ONCE = 4;

/** Many reads of one endpoint. What stays wanted is not asked again when the list grows. */
function useReads(wanted: readonly ReadKey[]): readonly ReadState[] {
  const bridge = useBridge();
  const texts = wanted.map(readKeyText);
  const joined = texts.join('\n');
  const shown = useRef(new Map<string, () => void>());
  const latest = useRef({ wanted, texts });
  latest.current = { wanted, texts };
  const [version, setVersion] = useState(0);
  // Dozens of answers come at once: whoever types or points meanwhile goes first, and several are shown together.
  const tell = useCallback(() => startTransition(() => setVersion((now) => now + 1)), []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: an answer makes room for the next of them.
  useEffect(() => {
    const names = joined === '' ? [] : joined.split('\n');
    let changed = false;
    let waiting = names.filter((text) => shown.current.has(text) && isWaiting(readState(text))).length;
    for (const text of names) {
      if (waiting >= AT_ONCE) break;
      const key = latest.current.wanted[latest.current.texts.indexOf(text)];
      if (!key || shown.current.has(text)) continue;
      shown.current.set(text, showRead(bridge, text, key, tell));
      changed = true;
      if (isWaiting(readState(text))) waiting += 1;
    }
    for (const [text, leave] of shown.current) {
      if (names.includes(text)) continue;
      shown.current.delete(text);
      changed = true;
      leave();
    }
    if (changed) tell();
  }, [bridge, joined, tell, version]);
  useEffect(
    () => () => {
      for (const leave of shown.current.values()) leave();
      shown.current.clear();
    },
    [],
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: the version stands for what the states now say.
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
  /** Modules that have logins whose outcome is not said. */
  silent: ReadonlySet<string>;
}

/** Every layer of every SaaS: what it has, and all of its pages where it is in front. */
export function useLayers(apps: readonly Saas[], choice: Choice): Layers {
  const connectionId = useActiveConnectionId();
  const keyOf = useCallback(
    (layer: Layer, page: number): ReadKey => ({
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
  const said = useMemo(
    () => [...layersOf('successful', apps, NONE), ...layersOf('failed', apps, NONE)],
    [apps],
  );
  const saidFirsts = useReads(useMemo(() => keysOf(said), [keysOf, said]));
  // Joined, so that the set stays the same while its members do.
  const silentNames = apps
    .filter(({ module }) =>
      said.some(
        (layer, at) =>
          layer.module === module && (saidFirsts[at] ? (answerOf(saidFirsts[at])?.unknown_rows ?? 0) : 0) > 0,
      ),
    )
    .map(({ module }) => module)
    .join('\n');
  const silent = useMemo(() => new Set(silentNames === '' ? [] : silentNames.split('\n')), [silentNames]);
  const unsaid = useMemo(() => layersOf('unknown', apps, silent), [apps, silent]);
  const unsaidFirsts = useReads(useMemo(() => keysOf(unsaid), [keysOf, unsaid]));
  const all = useMemo(() => [...said, ...unsaid], [said, unsaid]);
  const firsts = useMemo(() => [...saidFirsts, ...unsaidFirsts], [saidFirsts, unsaidFirsts]);
  const front = useMemo(() => layersOf(choiceAmong(choice, silent), apps, silent), [apps, choice, silent]);
  const further = useMemo(
    () =>
      all.flatMap((layer, at) => {
        const isFront = front.some((one) => sameLayer(one, layer));
        const total = firsts[at] && answerOf(firsts[at])?.total_rows;
        return isFront
          ? Array.from({ length: pagesOf(total) - 1 }, (_, page) => ({ at, page: page + 1 }))
          : [];
      }),
    [all, firsts, front],
  );
  const rest = useReads(further.map(({ at, page }) => keyOf(all[at] ?? { module: '', failed: false }, page)));
  const reads = useMemo(
    () =>
      all.map((layer, at) => {
        const first = firsts[at] ?? NOT_ASKED;
        const pages = [first, ...rest.filter((_, number) => further[number]?.at === at)];
        const answers = pages.flatMap((page) => answerOf(page) ?? []);
        return {
          ...layer,
          total: answerOf(first)?.total_rows ?? null,
          wanted: pages.length,
          pages: answers,
          freshness: first.freshness,
          error: pages.find(({ error }) => error)?.error ?? null,
          loading: pages.some(isWaiting),
          refresh: () => {
            for (let page = 0; page < pages.length; page += 1) refreshRead(readKeyText(keyOf(layer, page)));
          },
        };
      }),
    [all, firsts, rest, keyOf, further],
  );
  return useMemo(
    () => ({
      all: reads,
      front: front.flatMap((layer) => reads.find((one) => sameLayer(one, layer)) ?? []),
      silent,
    }),
    [reads, front, silent],
  );
}
