import { useCallback, useRef } from 'react';

/** The newest of several askings wins; while one is answered, only the last of the others waits. */
export function useNewest<I>(work: (input: I) => Promise<void>): (input: I) => void {
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
