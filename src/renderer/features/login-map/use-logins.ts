/** What the map shows: layers loaded into the worker, and the linked views under the filter in force. */
import { startTransition, useCallback, useEffect, useRef, useState } from 'react';
import { useDelayed } from '#renderer/ui/skeleton.tsx';
import type { LoginFilter } from '#shared/logins/login-filter.ts';
import type { Ranked } from '#shared/logins/summary.ts';
import type { ClockSetting } from '#shared/model/clock.ts';
import type { LayerInput, Loaded, LoginRow, MapSummary, TravelAnswer } from './engine.ts';
import type { Part } from './filter-state.ts';
import { LoginClient } from './login-client.ts';
import type { LayerRead } from './use-layers.ts';

export interface SummaryRows {
  rows: (start: number, end: number) => Promise<LoginRow[]>;
  ranked: (part: Part, start: number, end: number) => Promise<Ranked[]>;
  travel: (limit: number) => Promise<TravelAnswer>;
}

const asker = (client: LoginClient, filter: LoginFilter): SummaryRows => ({
  rows: (start, end) => client.ask('rows', { start, end }),
  ranked: (part, start, end) => client.ask('ranked', { part, start, end }),
  travel: (limit) => client.ask('travel', { filter, limit }),
});

interface Logins {
  client: LoginClient | null;
  loaded: Loaded | null;
  summary: MapSummary | null;
  /** The summary's rows in order, and its travel pairs; both functions change with each summary. */
  ask: SummaryRows | null;
  /** The choice is still loading or being counted. */
  busy: boolean;
  /** This choice is shown, but some of its pages are missing so far. */
  isPartial: boolean;
  /** The worker ended or failed; nothing can be shown. */
  problem: string | null;
}

/** A choice that is loaded by then is shown once, whole. */
const PARTIAL_AFTER_MS = 400;

interface Scope {
  layers: string;
  users: string;
}

const scopeOf = (layers: readonly LayerRead[]): Scope => ({
  layers: JSON.stringify(layers.map(({ module, failed }) => [module, failed])),
  users: JSON.stringify(layers.map(({ users }) => users)),
});
const sameScope = (a: Scope | null, b: Scope) => a?.layers === b.layers && a.users === b.users;

interface Load extends Scope {
  inputs: LayerInput[];
  isWhole: boolean;
  /** The users of `LoadAsk`. */
  only: readonly string[] | null;
}

const sameInput = (a: LayerInput, b: LayerInput | undefined) =>
  a.data === b?.data && a.module === b.module && a.failed === b.failed;

/** The inputs that are not among those sent, or null if one that was sent is no longer wanted. */
function added(inputs: readonly LayerInput[], sent: readonly LayerInput[]): LayerInput[] | null {
  const rest = [...inputs];
  for (const message of sent) {
    const index = rest.findIndex((other) => sameInput(message, other));
    if (index < 0) return null;
    rest.splice(index, 1);
  }
  return rest;
}

/**
 * Preparing a picture takes time in proportion to its rows. Shown at twice as many each time, and none beyond half of
 * all pages, all partial pictures together cost no more than the whole one.
 */
function isWorthShowing(pages: number, before: number, layers: readonly LayerRead[]): boolean {
  const total = layers.reduce((sum, layer) => sum + layer.requested, 0);
  return pages >= 2 * before && 2 * pages <= total;
}

/** The worker behind the map, or null if it is being started. */
function useLoginClient(): LoginClient | null {
  const [client, setClient] = useState<LoginClient | null>(null);
  useEffect(() => {
    const client = new LoginClient();
    setClient(client);
    return () => client.close();
  }, []);
  return client;
}

/**
 * Loads the visible layers and keeps the summary of the filter. Previous views stay until new ones are ready; what loads
 * for long is shown in part meanwhile, unless the same choice is already shown whole.
 */
export function useLogins(layers: readonly LayerRead[], filter: LoginFilter, clock: ClockSetting): Logins {
  const client = useLoginClient();
  const [state, setState] = useState<Omit<Logins, 'client' | 'busy' | 'isPartial'> & { of: Load | null }>({
    loaded: null,
    summary: null,
    ask: null,
    problem: null,
    of: null,
  });
  const [counting, setCounting] = useState(false);
  const latest = useRef(filter);
  latest.current = filter;
  const fail = useCallback(
    (error: unknown) =>
      setState((now) => ({ ...now, problem: error instanceof Error ? error.message : String(error) })),
    [],
  );
  /** Inputs that the worker's current load already has, or null if it has none, or was shown whole. */
  const fed = useRef<LayerInput[] | null>(null);
  const load = useCallback(
    async (next: Load) => {
      if (!client) return;
      setCounting(true);
      try {
        const more = fed.current && added(next.inputs, fed.current);
        if (!more) await client.ask('begin', { now: Date.now() });
        fed.current = next.isWhole ? null : next.inputs;
        for (const input of more ?? next.inputs) await client.ask('page', input);
        const loaded = await client.ask('load', { clock, isWhole: next.isWhole, users: next.only });
        const request = latest.current;
        const summary = await client.ask('summary', { filter: request });
        // A transition: all panels at once would block the window for longer than a frame.
        startTransition(() => {
          setState({ loaded, summary, ask: asker(client, request), problem: null, of: next });
          setCounting(false);
        });
      } catch (error) {
        fed.current = null;
        fail(error);
        setCounting(false);
      }
    },
    [client, clock, fail],
  );
  const summarise = useCallback(
    async (next: LoginFilter) => {
      if (!client) return;
      try {
        const summary = await client.ask('summary', { filter: next });
        setState((now) => ({ ...now, summary, ask: asker(client, next) }));
      } catch (error) {
        fail(error);
      }
    },
    [client, fail],
  );
  const loadNewest = useLatest(load);
  const summariseNewest = useLatest(summarise);

  // A load is whole only when every read has finished or failed.
  const settled = layers.length > 0 && layers.every(({ loading }) => !loading);
  const isLate = useDelayed(layers.length > 0 && !settled, PARTIAL_AFTER_MS);
  const scope = scopeOf(layers);
  const inputs = layers.flatMap(({ module, failed, pages }) =>
    pages.map(({ data }) => ({ module, failed, data })),
  );
  const sent = useRef<{ load: Load | null; by: unknown }>({ load: null, by: null });
  useEffect(() => {
    if (!client) return;
    const { load: before, by } = sent.current;
    const isSame = by === loadNewest && sameScope(before, scope);
    if (settled) {
      const isSent =
        before?.isWhole &&
        before.inputs.length === inputs.length &&
        before.inputs.every((input, index) => sameInput(input, inputs[index]));
      if (isSame && isSent) return;
    } else {
      if (!isLate || inputs.length === 0 || (isSame && before?.isWhole)) return;
      if (isSame && before && !isWorthShowing(inputs.length, before.inputs.length, layers)) return;
    }
    // Where pages are missing for good, nobody's logins are known to be all here.
    const isLacking = layers.some(({ pages, requested: all, isOpen }) => pages.length < all || isOpen);
    const only = isLacking ? [] : (layers.find(({ users }) => users !== null)?.users ?? null);
    const next = { ...scope, inputs, isWhole: settled, only };
    sent.current = { load: next, by: loadNewest };
    loadNewest(next);
  });
  const isLoaded = state.loaded !== null;
  useEffect(() => {
    if (isLoaded) summariseNewest(filter);
  }, [filter, isLoaded, summariseNewest]);
  const { of, ...views } = state;
  // After a failure nothing more arrives by itself.
  const busy = layers.length > 0 && views.problem === null && (!settled || counting || !isLoaded);
  const isPartial = of !== null && of.layers === scope.layers && !(of.isWhole && of.users === scope.users);
  return { client, ...views, isPartial, busy };
}

/** Runs one call at a time; of the calls made meanwhile, only the last one is run. */
export function useLatest<I>(work: (input: I) => Promise<void>): (input: I) => void {
  const state = useRef<{ busy: boolean; waiting: (() => void) | null }>({ busy: false, waiting: null });
  return useCallback(
    (input: I) => {
      const run = () => {
        state.current.busy = true;
        void work(input).finally(() => {
          state.current.busy = false;
          const { waiting } = state.current;
          state.current.waiting = null;
          waiting?.();
        });
      };
      if (state.current.busy) state.current.waiting = run;
      else run();
    },
    [work],
  );
}
