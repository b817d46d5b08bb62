/** The links that the anti-phishing tool checked: up to 100 000, searched on this machine. */

import type { AnswerOf } from '#shared/api/catalogue.ts';
import { dictionary } from '#shared/dictionary.ts';
import { defangUrl, refang } from '#shared/model/defang.ts';

export type DebugLink = AnswerOf<'scan.debug-links'>['rows'][number];

/** A tool's verdict on a link; an unknown word is kept as it is. */
const VERDICTS: Readonly<Record<string, string>> = dictionary({
  phishing: 'found',
  malware: 'found',
  malicious: 'found',
  found: 'found',
  suspicious: 'suspicious',
  spam: 'spam',
  clean: 'clean',
  benign: 'clean',
});

export function linkVerdict(link: Pick<DebugLink, 'verdict'>): string {
  const word = link.verdict?.trim().toLowerCase() ?? '';
  if (word === '') return 'not-scanned';
  return VERDICTS[word] ?? word;
}

const haystack = ({ url, host, kind, status, verdict }: DebugLink): string =>
  `${url} ${host ?? ''} ${kind ?? ''} ${status ?? ''} ${verdict ?? ''}`.toLowerCase();

interface LinkSearch {
  /** Matches all words in any order; addresses may be entered defanged. */
  text: string;
  notClean: boolean;
}

/** Creates a search over all links; the searched text is built once. */
export function linkSearch(links: readonly DebugLink[]): (search: LinkSearch) => readonly DebugLink[] {
  let texts: string[] | null = null;
  return ({ text, notClean }) => {
    const words = refang(text).toLowerCase().split(/\s+/).filter(Boolean);
    if (words.length === 0 && !notClean) return links;
    texts ??= links.map(haystack);
    const all = texts;
    return links.filter(
      (link, index) =>
        words.every((word) => all[index]?.includes(word)) && (!notClean || linkVerdict(link) !== 'clean'),
    );
  };
}

/** One address per line, defanged so that pasted text contains no live link. */
export const linkList = (links: readonly DebugLink[]): string =>
  links.map(({ url }) => defangUrl(url)).join('\n');
