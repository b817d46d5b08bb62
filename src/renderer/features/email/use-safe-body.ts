import { useEffect, useState } from 'react';
import { nothingBlocked } from './body-blocked.ts';
import { EASY_ELEMENTS, MAX_ELEMENTS, MAX_HTML_CHARS, makeSafe, type SafeBody } from './body-safe.ts';

interface Input {
  html: string;
  inline: Readonly<Record<string, string>>;
  shown: ReadonlyMap<string, string>;
}

/** A body that could not be made safe is not drawn: its text is shown instead. */
function safely(html: string, inline: Input['inline'], shown: Input['shown'], limit: number): SafeBody {
  try {
    return makeSafe(html, inline, shown, limit);
  } catch {
    return { document: null, blocked: nothingBlocked(), links: 0, isEmpty: false };
  }
}

export interface SafeBodyRead {
  /** null until it is made. */
  safe: SafeBody | null;
  /** Draws a body of many parts all the same; null where that would not help. */
  insist: (() => void) | null;
}

/** The body made safe, a moment after it is asked for: the window paints first. */
export function useSafeBody(
  html: string | null,
  inline: Input['inline'],
  shown: Input['shown'],
): SafeBodyRead {
  const [made, setMade] = useState<{ from: Input; body: SafeBody } | null>(null);
  const [insisted, setInsisted] = useState<string | null>(null);
  const limit = html !== null && insisted === html ? MAX_ELEMENTS : EASY_ELEMENTS;
  useEffect(() => {
    if (html === null) return undefined;
    const timer = setTimeout(
      () => setMade({ from: { html, inline, shown }, body: safely(html, inline, shown, limit) }),
      0,
    );
    return () => clearTimeout(timer);
  }, [html, inline, shown, limit]);
  const fits = made !== null && made.from.html === html && made.from.inline === inline;
  const safe = fits ? made.body : null;
  const mayHelp = html !== null && html.length <= MAX_HTML_CHARS && limit === EASY_ELEMENTS;
  return { safe, insist: safe?.document === null && mayHelp ? () => setInsisted(html) : null };
}
