/** The time that a call may take as a whole: an answer that drips is not one that comes. */
export interface Deadline {
  /** Aborts when the time is over. */
  readonly signal: AbortSignal;
  /** Bytes that were carried: they prolong it. */
  carried(bytes: number): void;
  end(): void;
}

export interface DeadlineLimits {
  callMs: number;
  slowest: number;
}

/** `callMs`, and for every byte sent or received the time it takes at `slowest` bytes a second. */
export function createDeadline({ callMs, slowest }: DeadlineLimits, sent: number): Deadline {
  const control = new AbortController();
  const began = performance.now();
  let bytes = sent;
  let timer: NodeJS.Timeout | null = null;
  const look = () => {
    const left = began + callMs + (bytes * 1_000) / slowest - performance.now();
    if (left > 0) timer = setTimeout(look, left).unref();
    else control.abort();
  };
  look();
  return {
    signal: control.signal,
    carried(more) {
      bytes += more;
    },
    end() {
      if (timer !== null) clearTimeout(timer);
    },
  };
}
