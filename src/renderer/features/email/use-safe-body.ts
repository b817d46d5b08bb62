import { useEffect, useState } from 'react';
import { makeSafe, type SafeBody } from './body-safe.ts';

interface Input {
  html: string;
  inline: Readonly<Record<string, string>>;
  shown: ReadonlyMap<string, string>;
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
      () => setMade({ from: { html, inline, shown }, body: makeSafe(html, inline, shown) }),
      0,
    );
    return () => clearTimeout(timer);
  }, [html, inline, shown]);
  const fits = made !== null && made.from.html === html && made.from.inline === inline;
  return fits ? made.body : null;
}
