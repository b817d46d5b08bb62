/** What the map shows: layers loaded into the worker, and the linked views under the filter in force. */
import { startTransition, useCallback, useEffect, useRef, useState } from 'react';
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
  /** The worker ended or failed; nothing can be shown. */
  problem: string | null;
}

/** Loads the visible layers and keeps the summary of the filter. Previous views stay until new ones are ready. */
export function useLogins(layers: readonly LayerRead[], filter: LoginFilter, clock: ClockSetting): Logins {
  const [client, setClient] = useState<LoginClient | null>(null);
  const [state, setState] = useState<Omit<Logins, 'client' | 'busy'>>({
    loaded: null,
    summary: null,
    ask: null,
    problem: null,
  });
  useEffect(() => {
    const made = new LoginClient();
    setClient(made);
    return () => made.close();
  }, []);

  const [counting, setCounting] = useState(false);
  const wanted = useRef(filter);
  wanted.current = filter;
  const fail = useCallback(
    (error: unknown) =>
      setState((now) => ({ ...now, problem: error instanceof Error ? error.message : String(error) })),
    [],
  );
  const load = useCallback(
    async (inputs: LayerInput[]) => {
      if (!client) return;
      setCounting(true);
      try {
        await client.ask('begin', { now: Date.now() });
        for (const input of inputs) await client.ask('page', input);
        const loaded = await client.ask('load', { clock });
        const asked = wanted.current;
        const summary = await client.ask('summary', { filter: asked });
        // A transition: all panels at once would block the window for longer than a frame.
        startTransition(() => {
          setState({ loaded, summary, ask: asker(client, asked), problem: null });
          setCounting(false);
        });
      } catch (error) {
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

  // Only when every read has finished or failed: a partial load would look complete.
  const settled = layers.length > 0 && layers.every(({ loading }) => !loading);
  const answers = layers.flatMap(({ module, failed, pages }) =>
    pages.map(({ data }) => ({ module, failed, data })),
  );
  const sent = useRef<{ answers: LayerInput[]; load: unknown }>({ answers: [], load: null });
  useEffect(() => {
    if (!settled || !client) return;
    const { answers: before, load: by } = sent.current;
    const same =
      by === loadNewest &&
      before.length === answers.length &&
      before.every(
        (one, at) =>
          one.data === answers[at]?.data &&
          one.module === answers[at]?.module &&
          one.failed === answers[at]?.failed,
      );
    if (same) return;
    sent.current = { answers, load: loadNewest };
    loadNewest(answers);
  });
  const isLoaded = state.loaded !== null;
  useEffect(() => {
    if (isLoaded) summariseNewest(filter);
  }, [filter, isLoaded, summariseNewest]);
  return { client, ...state, busy: layers.length > 0 && (!settled || counting || !isLoaded) };
}

/** Runs one call at a time; of the calls made meanwhile, only the last one is run. */
export function useLatest<I>(work: (input: I) => Promise<void>): (input: I) => void {
  const state = useRef<{ busy: boolean; waiting: { input: I } | null }>({ busy: false, waiting: null });
  return useCallback(
    (input: I) => {
      const run = (next: I) => {
        state.current.busy = true;
        void work(next).finally(() => {
          state.current.busy = false;
          const { waiting } = state.current;
          state.current.waiting = null;
          if (waiting) run(waiting.input);
        });
      };
      if (state.current.busy) state.current.waiting = { input };
      else run(input);
    },
    [work],
  );
}
