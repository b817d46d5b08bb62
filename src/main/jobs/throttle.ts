/** How often a window hears of progress at most. */
const EVENT_MS = 100;

/** Calls at once, then at most once per interval, and never drops the last call. */
export interface Throttle {
  ask(): void;
  cancel(): void;
}

export function createThrottle(now: () => number, send: () => void): Throttle {
  let sentAt = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | null = null;
  const go = () => {
    timer = null;
    sentAt = now();
    send();
  };
  return {
    ask() {
      if (timer !== null) return;
      const wait = sentAt + EVENT_MS - now();
      if (wait <= 0) return go();
      // A clock that was set back must not delay the event for long.
      timer = setTimeout(go, Math.min(wait, EVENT_MS));
      timer.unref();
    },
    cancel() {
      if (timer !== null) clearTimeout(timer);
      timer = null;
    },
  };
}
