/** Functions of Parapet's own that the statements of result sets and exports call, in every store worker. */
import type Sqlite from 'better-sqlite3';
import { canonicalAddress } from '#shared/exceptions/match.ts';
import { asciiDomain } from '#shared/model/hosts.ts';
import { neutraliseCell } from '#shared/model/spreadsheet-safe.ts';

/** neutraliseCell() of a text; anything else as it is. */
export const NEUTRALISE = 'pp_neutralise';

/** Hosts as exceptions compare them, in ASCII: of an address, of a host, or of a JSON list of hosts. */
export const HOSTS = 'pp_hosts';
function hostsOf(text: string): string {
  if (text.startsWith('['))
    return JSON.stringify((JSON.parse(text) as unknown[]).map((one) => hostsOf(String(one))));
  return text.includes('@') ? canonicalAddress(text) : asciiDomain(text);
}

export function addFunctions(db: Sqlite.Database): void {
  db.function(NEUTRALISE, { deterministic: true }, (value: unknown) =>
    typeof value === 'string' ? neutraliseCell(value) : value,
  );
  db.function(HOSTS, { deterministic: true }, (value: unknown) =>
    typeof value === 'string' ? hostsOf(value) : value,
  );
}
