import { useEffect, useState } from 'react';
import { type PasteDefaults, type PastedRow, pastedRows } from '#shared/exceptions/paste.ts';
import type { ExceptionRule } from '#shared/exceptions/rule.ts';
import type { Flags } from './form.ts';

const TYPING_MS = 150;
/** A part of a frame: ten thousand rows take half a second, and the window stays usable meanwhile. */
const SLICE_MS = 8;

const NONE: readonly PastedRow[] = [];

/** Rows with the text and the rule that they were read from. */
export interface Pasted {
  text: string;
  defaults: PasteDefaults;
  flags: Flags;
  rows: readonly PastedRow[];
}

/** What may be sent: the rows of this very text, read by this very rule. null: those on show are of something else. */
export const sendableRows = (
  read: Pasted,
  text: string,
  defaults: PasteDefaults,
  flags: Flags,
): readonly (PastedRow & { rule: ExceptionRule })[] | null =>
  read.text === text && read.defaults === defaults && read.flags === flags
    ? read.rows.flatMap((row) => (row.rule === null ? [] : [{ ...row, rule: row.rule }]))
    : null;

/** The rows of a paste, each checked on its own, a slice of a frame at a time. The rows before stay until then. */
export function usePasted(text: string, defaults: PasteDefaults, flags: Flags): Pasted {
  const [read, setRead] = useState<Pasted>({ text: '', defaults, flags, rows: NONE });
  const isReading = sendableRows(read, text, defaults, flags) === null;
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
      setRead({ text, defaults, flags, rows });
    };
    let timer = setTimeout(slice, text === '' ? 0 : TYPING_MS);
    return () => clearTimeout(timer);
  }, [isReading, text, defaults, flags]);
  return read;
}
