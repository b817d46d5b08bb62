export interface LinkReplacement {
  /** Plural words are about the email, singular ones about one link (product.md, section 1). */
  scope: 'email' | 'link';
  replaced: boolean;
}

const STATUSES: ReadonlyMap<string, LinkReplacement> = new Map([
  ['links_replaced', { scope: 'email', replaced: true }],
  ['no_links_replaced', { scope: 'email', replaced: false }],
  ['link_replaced', { scope: 'link', replaced: true }],
  ['no_link_replaced', { scope: 'link', replaced: false }],
]);

/** "Link replacement: links_replaced, no_links_replaced, link_replaced, no_link_replaced." null for other words. */
export function parseLinkReplacement(value: unknown): LinkReplacement | null {
  return typeof value === 'string' ? (STATUSES.get(value.trim().toLowerCase()) ?? null) : null;
}

/** The status in words; an unknown word as it is. */
export function linkReplacementLabel(value: unknown): string {
  const status = parseLinkReplacement(value);
  if (status === null) return typeof value === 'string' && value.trim() !== '' ? value : 'Unknown';
  if (status.scope === 'email') return status.replaced ? 'Links replaced' : 'No links replaced';
  return status.replaced ? 'Link replaced' : 'Link not replaced';
}
