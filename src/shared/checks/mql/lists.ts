/** The named lists of MQL, such as `$url_shorteners`, as far as this machine has them. */
import data from '../data/brands.json' with { type: 'json' };
import kinds from '../data/file-kinds.json' with { type: 'json' };
import mailers from '../data/free-mailers.json' with { type: 'json' };
import hosting from '../data/hosting.json' with { type: 'json' };
import type { MqlLists } from './compile.ts';

/** Domains from which well-known organisations send mail. */
const trusted = (): string[] => [
  ...data.brands.flatMap(({ labels, domains }) => [...domains, ...labels.map((label) => `${label}.com`)]),
  ...hosting.senders,
];

/** Lists of the product itself; those that the rules' authors keep may have further entries. */
export const OWN_LISTS: MqlLists = new Map(
  Object.entries({
    $free_email_providers: mailers.domains,
    $url_shorteners: hosting.shorteners,
    $free_file_hosts: hosting.hosting,
    $free_subdomain_hosts: hosting.hosting,
    $suspicious_tlds: hosting.riskyTlds,
    $high_trust_sender_root_domains: trusted(),
    $file_extensions_common_archives: kinds.archives,
    $file_extensions_macros: kinds.macros,
    $file_extensions_executables: kinds.programs,
    $file_types_images: kinds.images,
  }).map(([name, entries]) => [name, new Set(entries)]),
);

/** The name of the list that a file holds, by the file's own name: `url_shorteners.txt` is `$url_shorteners`. */
export const listName = (file: string): string =>
  `$${file
    .replace(/^.*[\\/]/, '')
    .replace(/\.(?:txt|csv)$/i, '')
    .toLowerCase()}`;

const MAX_ENTRIES = 1_100_000;

/** One entry a line; of a ranking (`1,example.com`) the name. `isCut`: there are more than are read. */
export function listEntries(text: string): { entries: Set<string>; isCut: boolean } {
  const entries = new Set<string>();
  for (const [line] of text.matchAll(/[^\r\n]+/g)) {
    const entry = line.replace(/^\d+,/, '').trim();
    if (entry === '' || entry.startsWith('#')) continue;
    if (entries.size >= MAX_ENTRIES) return { entries, isCut: true };
    entries.add(entry.toLowerCase());
  }
  return { entries, isCut: false };
}
