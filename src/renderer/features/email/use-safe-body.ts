import { useEffect, useState } from 'react';
import { nothingBlocked } from './body-blocked.ts';
import { makeSafe, type SafeBody } from './body-safe.ts';

interface Input {
  html: string;
  inline: Readonly<Record<string, string>>;
  shown: ReadonlyMap<string, string>;
}

/** A body that could not be made safe is not drawn: its text is shown instead. */
function safely(html: string, inline: Input['inline'], shown: Input['shown']): SafeBody {
  try {
    return makeSafe(html, inline, shown);
  } catch {
    return { document: null, blocked: nothingBlocked(), links: 0, isEmpty: false };
  }
}

/** The body made safe, a moment after it is asked for: the window paints first. null until then. */
export function useSafeBody(
  html: string | null,
  inline: Input['inline'],
  shown: Input['shown'],
): SafeBody | null {
  const [made, setMade] = useState<{ from: Input; body: SafeBody } | null>(null);
  useEffect(() => {
    if (html === null) return undefined;
    const timer = setTimeout(
      () => setMade({ from: { html, inline, shown }, body: safely(html, inline, shown) }),
      0,
    );
    return () => clearTimeout(timer);
  }, [html, inline, shown]);
  const fits = made !== null && made.from.html === html && made.from.inline === inline;
  return fits ? made.body : null;
}
