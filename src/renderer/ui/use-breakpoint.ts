import { createContext, useContext, useSyncExternalStore } from 'react';

/** The window's two breakpoints of design.md, Layout. */
interface Breakpoint {
  /** 1600 px or wider. */
  wide: boolean;
  /** Lower than 900 px. */
  short: boolean;
}

const WIDE = '(min-width: 1600px)';
const SHORT = '(max-height: 899px)';
let current: Breakpoint = { wide: false, short: false };

function read(): Breakpoint {
  const wide = matchMedia(WIDE).matches;
  const short = matchMedia(SHORT).matches;
  if (wide !== current.wide || short !== current.short) current = { wide, short };
  return current;
}

function subscribe(listener: () => void): () => void {
  const lists = [matchMedia(WIDE), matchMedia(SHORT)];
  for (const list of lists) list.addEventListener('change', listener);
  return () => {
    for (const list of lists) list.removeEventListener('change', listener);
  };
}

/** What is inside has a part of the window's width only: it is never wide. */
export const NarrowContext = createContext(false);

/** Re-renders when the window crosses a breakpoint. */
export function useBreakpoint(): Breakpoint {
  const isNarrow = useContext(NarrowContext);
  const { wide, short } = useSyncExternalStore(subscribe, read);
  return { wide: wide && !isNarrow, short };
}
