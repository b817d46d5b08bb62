import { createContext, useContext, useSyncExternalStore } from 'react';

interface Breakpoint {
  /** 1600 px or wider. */
  wide: boolean;
  /** 1440 px or wider: saved widths of columns are pixels. */
  full: boolean;
  /** Lower than 900 px. */
  short: boolean;
  /** Lower than 760 px: the bars above a result would leave room for only four rows. */
  low: boolean;
  /** Lower than 560 px, such as a usual window at 200 %: leaves room for one line of notices. */
  tiny: boolean;
}

const WIDE = '(min-width: 1600px)';
const FULL = '(min-width: 1440px)';
const SHORT = '(max-height: 899px)';
const LOW = '(max-height: 759px)';
const TINY = '(max-height: 559px)';
let current: Breakpoint = { wide: false, full: false, short: false, low: false, tiny: false };

function read(): Breakpoint {
  const wide = matchMedia(WIDE).matches;
  const full = matchMedia(FULL).matches;
  const short = matchMedia(SHORT).matches;
  const low = matchMedia(LOW).matches;
  const tiny = matchMedia(TINY).matches;
  const isSame =
    wide === current.wide &&
    full === current.full &&
    short === current.short &&
    low === current.low &&
    tiny === current.tiny;
  if (!isSame) current = { wide, full, short, low, tiny };
  return current;
}

function subscribe(listener: () => void): () => void {
  const lists = [WIDE, FULL, SHORT, LOW, TINY].map((query) => matchMedia(query));
  for (const list of lists) list.addEventListener('change', listener);
  return () => {
    for (const list of lists) list.removeEventListener('change', listener);
  };
}

/** Marks content that has only part of the window's width, so it never counts as wide. */
export const NarrowContext = createContext(false);

/** Re-renders when the window crosses a breakpoint. */
export function useBreakpoint(): Breakpoint {
  const isNarrow = useContext(NarrowContext);
  const { wide, ...heights } = useSyncExternalStore(subscribe, read);
  return { wide: wide && !isNarrow, ...heights };
}
