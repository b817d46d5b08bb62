/** The deadline of a whole call: a response that arrives byte by byte must not last for ever. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** Bytes transferred extend the deadline. */
  carried(bytes: number): void;
  end(): void;
}

export interface DeadlineLimits {
  callMs: number;
  slowest: number;
}

/** How often to look whether the process stood still. */
const LOOK_EVERY_MS = 5_000;
/** No busy event loop delays a timer for this long. */
const STOOD_STILL_MS = 2_000;

/** `callMs`, plus the time that each byte sent or received takes at `slowest` bytes per second. */
export function createDeadline({ callMs, slowest }: DeadlineLimits, sent: number): Deadline {
  const control = new AbortController();
  const began = performance.now();
  let bytes = sent;
  let timer: NodeJS.Timeout | null = null;
  let stoodStill = 0;
  let due = 0;
  const check = () => {
    // A timer that is this late means that the process or the machine stood still: neither could receive meanwhile.
    const late = performance.now() - due;
    if (timer !== null && late > STOOD_STILL_MS) stoodStill += late;
    const rest = began + stoodStill + callMs + (bytes * 1_000) / slowest - performance.now();
    if (rest <= 0) return control.abort();
    const wait = Math.min(rest, LOOK_EVERY_MS);
    due = performance.now() + wait;
    timer = setTimeout(check, wait).unref();
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
