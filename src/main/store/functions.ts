/** Custom SQL functions for result sets and exports, registered in every store worker. */
import type Sqlite from 'better-sqlite3';
import { type CellWords, textOf, worded } from '#shared/model/cell-text.ts';
import type { Cell } from '#shared/model/entities.ts';
import { parseExact } from '#shared/model/exact-numbers.ts';
import { asciiDomain, canonicalAddress } from '#shared/model/hosts.ts';
import { neutraliseCell } from '#shared/model/spreadsheet-safe.ts';
import { keptFunctions } from './kept-parts.ts';

/** Renders a cell with its labels; `form` is what the cell is: a text, a list as JSON, or a list to be joined. */
export const WORDS = 'pp_words';

/** The labels of one column, passed with every cell as the same text, and the cells rendered so far. */
interface Words {
  source: string;
  words: CellWords;
  cells: Map<string, string | null>;
}
const MOST_COLUMNS = 16;
const MOST_CELLS = 4_000;
let existingWords: Words[] = [];

function wordsOf(source: string): Words {
  const entry = existingWords.find((words) => words.source === source);
  if (entry) return entry;
  const words: Words = { source, words: JSON.parse(source), cells: new Map() };
  existingWords = [...existingWords, words].slice(-MOST_COLUMNS);
  return words;
}

function wordedCell(cell: string, source: string, form: string): string | null {
  const { words, cells } = wordsOf(source);
  if (form === 'text') return worded(cell, words) as string;
  const key = form + cell;
  const before = cells.get(key);
  if (before !== undefined) return before;
  const value = worded(parseExact(cell) as Cell, words);
  const shown = form === 'json' ? JSON.stringify(value) : textOf(value) || null;
  if (cells.size >= MOST_CELLS) cells.clear();
  cells.set(key, shown);
  return shown;
}

/** neutraliseCell() for texts; other values unchanged. */
export const NEUTRALISE = 'pp_neutralise';

/** Hosts in the ASCII form that exceptions compare: of an address, a host, or a JSON list of hosts. */
export const HOSTS = 'pp_hosts';
function hostsOf(text: string): string {
  if (text.startsWith('[')) {
    const hosts: unknown[] = JSON.parse(text);
    return JSON.stringify(hosts.map((host) => hostsOf(String(host))));
  }
  return text.includes('@') ? canonicalAddress(text) : asciiDomain(text);
}

export function addFunctions(db: Sqlite.Database): void {
  db.function(WORDS, { deterministic: true }, (cell: unknown, words: unknown, form: unknown) =>
    typeof cell === 'string' ? wordedCell(cell, String(words), String(form)) : cell,
  );
  db.function(NEUTRALISE, { deterministic: true }, (value: unknown) =>
    typeof value === 'string' ? neutraliseCell(value) : value,
  );
  for (const [name, run] of Object.entries(keptFunctions()))
    db.function(name, { deterministic: true }, run as (...values: unknown[]) => unknown);
  db.function(HOSTS, { deterministic: true }, (value: unknown) =>
    typeof value === 'string' ? hostsOf(value) : value,
  );
}
