/**
 * Facts about all texts of a column, collected while rows are stored, so that exports need not inspect the cells again.
 * A fact is a mask with one bit per column: where the bit is clear the fact holds, where it is set it may not.
 */
import type { StoredColumn } from './columns.ts';
import type { Bound } from './encode.ts';

/** Columns with a bit; nothing is known of later ones. */
export const FACT_BITS = 48;

export interface TextFacts {
  /** Columns with a cell that CSV or JSON escapes; for lists, with one that is not all plain texts. */
  escapes: number;
  /** Columns with a missing value. */
  gaps: number;
}

/** What JSON escapes; CSV only doubles the quote. */
const ESCAPED = /["\\\p{Cc}]/u;
/** A JSON list of texts without an escape in them. */
const PLAIN_LIST = /^\[(?:"[^"\\]*"(?:,"[^"\\]*")*)?\]$/;

const maskOf = (flags: Uint8Array): number =>
  flags.reduce((mask, flag, index) => (flag === 0 ? mask : mask + 2 ** index), 0);

export interface FactsOfPage {
  /** The cells of one row as stored; column values start at `lead`. */
  see(values: readonly Bound[], lead: number): void;
  facts(): TextFacts;
}

/** `escaped` says whether the page's JSON contains a backslash. Without one, none of its texts needs an escape. */
export function factsOfPage(columns: readonly StoredColumn[], escaped: boolean): FactsOfPage {
  const count = Math.min(columns.length, FACT_BITS);
  const storages = columns.map(({ storage }) => storage);
  const gaps = new Uint8Array(count);
  const escapes = new Uint8Array(count);
  return {
    see(values, lead) {
      for (let index = 0; index < count; index++) {
        const cell = values[lead + index];
        if (cell === null) gaps[index] = 1;
        else if (escapes[index] === 1) continue;
        else if (typeof cell !== 'string') {
          // Numbers among the texts of an untyped column.
          if (storages[index] === 'any') escapes[index] = 1;
        } else if (storages[index] === 'json') {
          if (cell !== '[]' && !PLAIN_LIST.test(cell)) escapes[index] = 1;
        } else if (escaped && ESCAPED.test(cell)) escapes[index] = 1;
      }
    },
    facts: () => ({ escapes: maskOf(escapes), gaps: maskOf(gaps) }),
  };
}
