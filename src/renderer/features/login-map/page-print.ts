/**
 * Distinguishes pages of logins by their rows. The same rows may be compressed differently each time, and a service that
 * ignores the number of a page returns its first one again.
 */
import { textHash } from '#shared/model/text-hash.ts';
import { decodeRows } from './decode.ts';

interface Print {
  rows: number;
  hash: number;
}

interface Page {
  data: string;
}

const prints = new WeakMap<Page, Print>();

function printOf(page: Page): Print {
  const existingPrint = prints.get(page);
  if (existingPrint) return existingPrint;
  const rows = decodeRows(page.data);
  const print = { rows: rows.length, hash: textHash(JSON.stringify(rows)) };
  prints.set(page, print);
  return print;
}

/** Whether a page has rows that differ from those of the page before it. Errors: DecodeError. */
export function hasNewRows(page: Page, before: Page): boolean {
  if (page.data === before.data || page.data === '') return false;
  const print = printOf(page);
  return print.rows > 0 && print.hash !== printOf(before).hash;
}
