/**
 * Distinguishes pages of logins by their rows. The same rows may be compressed differently each time, and a service that
 * ignores the number of a page returns its first one again.
 */
import { decodeRows } from './decode.ts';

interface Print {
  rows: number;
  hash: number;
}

interface Page {
  data: string;
}

const prints = new WeakMap<Page, Print>();

/** cyrb53: 53 bits of a text. */
function hashOf(text: string): number {
  let [a, b] = [0xdeadbeef, 0x41c6ce57];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    a = Math.imul(a ^ code, 2654435761);
    b = Math.imul(b ^ code, 1597334677);
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  return 4294967296 * (2097151 & b) + (a >>> 0);
}

function printOf(page: Page): Print {
  const known = prints.get(page);
  if (known) return known;
  const rows = decodeRows(page.data);
  const print = { rows: rows.length, hash: hashOf(JSON.stringify(rows)) };
  prints.set(page, print);
  return print;
}

/** Whether a page has rows that differ from those of the page before it. Errors: DecodeError. */
export function hasNewRows(page: Page, before: Page): boolean {
  if (page.data === before.data || page.data === '') return false;
  const print = printOf(page);
  return print.rows > 0 && print.hash !== printOf(before).hash;
}
