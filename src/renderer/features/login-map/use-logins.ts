/** What the map shows: layers loaded into the worker, and the linked views under the filter in force. */
import { useCallback, useEffect, useRef, useState } from 'react';
import type { LoginFilter } from '#shared/logins/summary.ts';
import type { ClockSetting } from '#shared/model/clock.ts';
import type { LayerInput, Loaded, MapSummary } from './engine.ts';
import { LoginClient } from './login-client.ts';
import type { LayerRead } from './use-layers.ts';

/** The newest of several askings wins; while one is answered, only the last of the others waits. */
function useNewest<I>(work: (input: I) => Promise<void>): (input: I) => void {
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

export interface Logins {
  client: LoginClient | null;
  loaded: Loaded | null;
  summary: MapSummary | null;
  /** Of the rows that `summary` is about: lists that show rows ask again with a new one. */
  version: number;
  /** The worker ended or refused; nothing can be shown. */
  problem: string | null;
}

/** Loads the layers in front and keeps the summary of the filter. Older views stay until newer ones are there. */
export function useLogins(layers: readonly LayerRead[], filter: LoginFilter, clock: ClockSetting): Logins {
  const [client, setClient] = useState<LoginClient | null>(null);
  const [state, setState] = useState<Omit<Logins, 'client'>>({
    loaded: null,
    summary: null,
    version: 0,
    problem: null,
  });
  useEffect(() => {
    const made = new LoginClient();
    setClient(made);
    return () => made.close();
  }, []);

  const wanted = useRef(filter);
  wanted.current = filter;
  const fail = (error: unknown) =>
    setState((now) => ({ ...now, problem: error instanceof Error ? error.message : String(error) }));
  const load = useCallback(
    async (inputs: LayerInput[]) => {
      if (!client) return;
      try {
        const loaded = await client.ask('load', { inputs, clock, now: Date.now() });
        const summary = await client.ask('summary', { filter: wanted.current });
        setState(({ version }) => ({ loaded, summary, version: version + 1, problem: null }));
      } catch (error) {
        fail(error);
      }
    },
    [client, clock],
  );
  const summarise = useCallback(
    async (next: LoginFilter) => {
      if (!client) return;
      try {
        const summary = await client.ask('summary', { filter: next });
        setState((now) => ({ ...now, summary, version: now.version + 1 }));
      } catch (error) {
        fail(error);
      }
    },
    [client],
  );
  const loadNewest = useNewest(load);
  const summariseNewest = useNewest(summarise);

  // Once all that was asked has answered or failed: a part would look like the whole.
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
  return { client, ...state };
}
