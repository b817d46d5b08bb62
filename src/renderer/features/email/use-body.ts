import { useEffect, useState } from 'react';
import { useActiveConnectionId } from '#renderer/bridge/active-connection.ts';
import { useCall } from '#renderer/bridge/use-call.ts';
import { plural } from '#shared/model/format.ts';
import { hostOf, isRasterData, nothingBlocked } from './body-blocked.ts';
import { EASY_ELEMENTS, MAX_ELEMENTS, MAX_HTML_CHARS, makeSafe, type SafeBody } from './body-safe.ts';

interface Input {
  html: string;
  inline: Readonly<Record<string, string>>;
  shown: ReadonlyMap<string, string>;
}

/** A body that cannot be sanitised is not rendered: its text is shown instead. */
function safely(html: string, inline: Input['inline'], shown: Input['shown'], limit: number): SafeBody {
  try {
    return makeSafe(html, inline, shown, limit);
  } catch {
    return { document: null, blocked: nothingBlocked(), links: 0, isEmpty: false };
  }
}

export interface SafeBodyRead {
  /** Null until it is ready. */
  safe: SafeBody | null;
  /** Renders a large body anyway, or null if that would not help. */
  insist: (() => void) | null;
}

/** The sanitised body, computed after the window has painted. */
export function useSafeBody(
  html: string | null,
  inline: Input['inline'],
  shown: Input['shown'],
): SafeBodyRead {
  const [sanitized, setSanitized] = useState<{ from: Input; body: SafeBody } | null>(null);
  const [insisted, setInsisted] = useState<string | null>(null);
  const limit = html !== null && insisted === html ? MAX_ELEMENTS : EASY_ELEMENTS;
  useEffect(() => {
    if (html === null) return undefined;
    const timer = setTimeout(
      () => setSanitized({ from: { html, inline, shown }, body: safely(html, inline, shown, limit) }),
      0,
    );
    return () => clearTimeout(timer);
  }, [html, inline, shown, limit]);
  const fits = sanitized !== null && sanitized.from.html === html && sanitized.from.inline === inline;
  const safe = fits ? sanitized.body : null;
  const mayHelp = html !== null && html.length <= MAX_HTML_CHARS && limit === EASY_ELEMENTS;
  return { safe, insist: safe?.document === null && mayHelp ? () => setInsisted(html) : null };
}

const NOTHING_SHOWN: ReadonlyMap<string, string> = new Map();
/** Limits of one call of `remote.images`: number of images and length of their URLs. */
const MOST_IMAGES = 100;
const MOST_URL = 4096;

/** The images that can be requested. */
export const loadable = (urls: readonly string[]): string[] =>
  urls
    .filter((url) => /^https?:/i.test(url) && url.length <= MOST_URL && hostOf(url) !== null)
    .slice(0, MOST_IMAGES);

export interface RemoteImages {
  /** Loaded images as data URLs by address, for this view only. */
  shown: ReadonlyMap<string, string>;
  load: (urls: readonly string[]) => Promise<void>;
  pending: boolean;
  /** Why loading failed, or how many images are missing. */
  problem: string | null;
}

/** Loads remote pictures on request, through main: the window itself never does. */
export function useRemoteImages(): RemoteImages {
  const connectionId = useActiveConnectionId();
  const call = useCall('remote.images');
  const [shown, setShown] = useState(NOTHING_SHOWN);
  const [failed, setFailed] = useState(0);
  const load = async (urls: readonly string[]) => {
    if (connectionId === null) return;
    const answer = await call.run({ connectionId, urls: [...urls] });
    if (answer === null) return;
    const good = answer.images.filter(({ dataUrl }) => isRasterData(dataUrl));
    setShown((now) => new Map([...now, ...good.map(({ url, dataUrl }) => [url, dataUrl] as const)]));
    setFailed(answer.failed.length + answer.images.length - good.length);
  };
  const some = failed > 0 ? `${plural(failed, 'image')} did not load` : null;
  return { shown, load, pending: call.pending, problem: call.error?.message ?? some };
}
