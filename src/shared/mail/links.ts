/**
 * html: a link of the HTML, or of an attached page. text: a written-out URL, in a text part, in the HTML or in an attached
 * invitation. document: a link of an attached document. qr: the content of a QR code.
 */
export const LINK_SOURCES = ['html', 'text', 'header', 'document', 'qr'] as const;
export type LinkSource = (typeof LINK_SOURCES)[number];
export const LINK_SOURCE_LABELS: Readonly<Record<LinkSource, string>> = {
  html: 'Link',
  text: 'Text',
  header: 'Header',
  document: 'Document',
  qr: 'QR code',
};

export interface Link {
  /** The target, of a rewritten link the original; as the mail gives it (entities decoded, resolved against `<base>`, without line breaks), never fetched. */
  url: string;
  /** Lowercased ASCII host, or null when the target has none (mailto:, data:, javascript:). */
  host: string | null;
  /** The visible text, white space collapsed; the URL itself for links in plain text. */
  text: string;
  source: LinkSource;
  /** The attachment or image that it is in, or null for the mail's own text or header. */
  within: string | null;
  /** True when the visible text names a host that is not the target's; null if only a rewriter's server knows the target. */
  mismatched: boolean | null;
  /** The address in the mail, if a rewriter made it of the target. */
  rewrittenUrl: string | null;
}
