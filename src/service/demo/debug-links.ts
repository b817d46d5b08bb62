/** The links that the anti-phishing tool looked at in a mail of the demo tenant: those of the mail and what they led to. */
import { DEBUG_LINKS_MAX } from '#shared/model/constants.ts';
import { hashOf, random } from './prng.ts';

export type DebugLink = {
  url: string;
  host: string;
  /** href, redirect, image, form or script. */
  kind: string;
  depth: number;
  status: number;
  verdict: string;
  score: number;
};

const KINDS = ['redirect', 'image', 'script', 'form', 'image', 'redirect'] as const;
const WORDS = ['login', 'assets', 'session', 'open', 'track', 'view', 'static', 'account', 'doc', 'pay'];

/** `count` links in all, at most 100 000; `links` are the URLs of the mail, and come first. */
export function debugLinksOf(
  mail: { entityId: string; verdict: string; links: readonly { url: string; host: string | null }[] },
  count: number | undefined,
): DebugLink[] {
  const { entityId, links } = mail;
  const bad = mail.verdict === 'found';
  const rng = random(`${entityId}/debug-links`);
  const total = links.length === 0 ? 0 : Math.min(DEBUG_LINKS_MAX, count ?? links.length * rng.int(2, 7));
  const out: DebugLink[] = links.slice(0, total).map(({ url, host }) => ({
    url,
    host: host ?? '',
    kind: 'href',
    depth: 0,
    status: 200,
    verdict: bad ? 'phishing' : 'clean',
    score: bad ? 97 : hashOf(url) & 15,
  }));
  for (let i = out.length; i < total; i += 1) {
    const from = links[i % links.length]?.host ?? 'links.example';
    const host = `${WORDS[i % WORDS.length]}${i % 97}.${from}`;
    const score = Math.floor(rng.next() ** 3 * 60) + (bad && i % 11 === 0 ? 40 : 0);
    out.push({
      url: `https://${host}/${WORDS[(i * 7) % WORDS.length]}/${rng.hex(8)}?n=${i}`,
      host,
      kind: KINDS[i % KINDS.length] ?? 'redirect',
      depth: 1 + (i % 4),
      status: i % 29 === 0 ? 404 : i % 6 === 0 ? 302 : 200,
      verdict: score >= 80 ? 'phishing' : score >= 50 ? 'suspicious' : 'clean',
      score,
    });
  }
  return out;
}
