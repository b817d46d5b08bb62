/** The links that the anti-phishing tool examined in a demo mail: those of the mail and those they led to. */
import { DEBUG_LINKS_MAX } from '#shared/model/constants.ts';
import { detailOf, type EmailRow, type LinkRow } from '../store/emails.ts';
import type { DebugLink } from '../store/mail-source.ts';
import { hashOf, random } from './prng.ts';

const KINDS = ['redirect', 'image', 'script', 'form', 'image', 'redirect'] as const;
const WORDS = ['login', 'assets', 'session', 'open', 'track', 'view', 'static', 'account', 'doc', 'pay'];

/** At most 100 000; the links of the mail come first. */
export function debugLinks(row: EmailRow, links: readonly LinkRow[]): DebugLink[] {
  const { entity_id: entityId, verdict } = row;
  const count = detailOf(row).debugLinks;
  const bad = verdict === 'found';
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
