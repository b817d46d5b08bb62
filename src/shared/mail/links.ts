/** One link found in a mail. */
export interface Link {
  /** The target as the mail gives it (entities decoded, resolved against `<base>`, without line breaks), never fetched. */
  url: string;
  /** Lowercased ASCII host, or null when the target has none (mailto:, data:, javascript:). */
  host: string | null;
  /** The domain one would register (public suffix list), or null. */
  registrableDomain: string | null;
  /** What the reader sees, white space squeezed; the URL itself for links in plain text. */
  text: string;
  /** html: what the HTML makes a link. text: written out, in a text part or in the HTML. */
  source: 'html' | 'text' | 'header';
  /** True when the visible text names a host that is not the target's. */
  mismatched: boolean;
}
