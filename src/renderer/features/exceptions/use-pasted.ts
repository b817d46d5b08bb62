import { useEffect, useState } from 'react';
import { type PasteDefaults, type PastedRow, pastedRows } from '#shared/exceptions/paste.ts';
import type { Flags } from './form.ts';

const TYPING_MS = 150;
/** A part of a frame: ten thousand rows take half a second, and the window stays usable meanwhile. */
const SLICE_MS = 8;

const NONE: readonly PastedRow[] = [];

/** The rows of a paste, each checked on its own, a slice of a frame at a time. The rows before stay until then. */
export function usePasted(
  text: string,
  defaults: PasteDefaults,
  flags: Flags,
): { pasted: readonly PastedRow[]; isReading: boolean } {
  const [read, setRead] = useState<{ of: unknown[]; rows: readonly PastedRow[] }>({
    of: ['', defaults, flags],
    rows: NONE,
  });
  const isReading = read.of[0] !== text || read.of[1] !== defaults || read.of[2] !== flags;
  useEffect(() => {
    if (!isReading) return undefined;
    const rows: PastedRow[] = [];
    const source = pastedRows(text, defaults, flags);
    const slice = () => {
      const until = performance.now() + SLICE_MS;
      for (let next = source.next(); !next.done; next = source.next()) {
        rows.push(next.value);
        if (performance.now() < until) continue;
        timer = setTimeout(slice);
        return;
      }
      setRead({ of: [text, defaults, flags], rows });
    };
    let timer = setTimeout(slice, text === '' ? 0 : TYPING_MS);
    return () => clearTimeout(timer);
  }, [isReading, text, defaults, flags]);
  return { pasted: read.rows, isReading };
}
