/** One link found in a mail. */
export interface Link {
  /** The target as the mail gives it (entities decoded, resolved against `<base>`, without line breaks), never fetched. */
  url: string;
  /** Lowercased ASCII host, or null when the target has none (mailto:, data:, javascript:). */
  host: string | null;
  /** The visible text, white space collapsed; the URL itself for links in plain text. */
  text: string;
  /** html: a link of the HTML. text: a written-out URL, in a text part or in the HTML. */
  source: 'html' | 'text' | 'header';
  /** True when the visible text names a host that is not the target's. */
  mismatched: boolean;
}
