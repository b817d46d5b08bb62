import { useSyncExternalStore } from 'react';

/** One timer for the whole window: all ages update together, and it stops when nothing subscribes. */
const PERIODS = { second: 1000, minute: 15_000 } as const;
type Period = keyof typeof PERIODS;

function createTicker(periodMs: number) {
  const listeners = new Set<() => void>();
  let now = Date.now();
  let timer: ReturnType<typeof setInterval> | undefined;
  const tick = () => {
    now = Date.now();
    for (const listener of listeners) listener();
  };
  return {
    subscribe(listener: () => void) {
      if (listeners.size === 0) {
        now = Date.now();
        timer = setInterval(tick, periodMs);
      }
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) clearInterval(timer);
      };
    },
    read: () => now,
  };
}

const tickers: Record<Period, ReturnType<typeof createTicker>> = {
  second: createTicker(PERIODS.second),
  minute: createTicker(PERIODS.minute),
};

/** The shared clock, epoch milliseconds. `second` for the title bar, `minute` (every 15 s) for ages. */
export function useNow(period: Period = 'minute'): number {
  const ticker = tickers[period];
  return useSyncExternalStore(ticker.subscribe, ticker.read);
}
