/** The deadline of a whole call: a response that arrives byte by byte must not last for ever. */
export interface Deadline {
  /** Aborts at the deadline. */
  readonly signal: AbortSignal;
  /** Bytes transferred extend the deadline. */
  carried(bytes: number): void;
  end(): void;
}

export interface DeadlineLimits {
  callMs: number;
  slowest: number;
}

/** `callMs`, plus the time that each byte sent or received takes at `slowest` bytes per second. */
export function createDeadline({ callMs, slowest }: DeadlineLimits, sent: number): Deadline {
  const control = new AbortController();
  const began = performance.now();
  let bytes = sent;
  let timer: NodeJS.Timeout | null = null;
  const check = () => {
    const left = began + callMs + (bytes * 1_000) / slowest - performance.now();
    if (left > 0) timer = setTimeout(check, left).unref();
    else control.abort();
  };
  check();
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
