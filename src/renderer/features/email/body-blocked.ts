/** Content of a body that was blocked or removed, and how it is summarised. */
import { defangDomain } from '#shared/model/defang.ts';
import { exact } from '#shared/model/format.ts';
import { webHost } from '#shared/model/hosts.ts';

export interface BlockedContent {
  /** Distinct addresses of remote pictures that are not drawn, in order of appearance. */
  images: string[];
  /** Remote pictures without a visible size: they only report that the mail was opened, and are never loaded. */
  trackers: string[];
  /** Remote style sheets and fonts. */
  styles: number;
  frames: number;
  media: number;
  /** Hosts that forms would submit to; '' for a form without a target. */
  forms: string[];
  /** Script elements, on… attributes and script: targets. */
  scripts: number;
  /** Links whose text names a different host than they lead to: text and target, defanged, each listed once. */
  deceptive: { says: string; goesTo: string }[];
  /** Deceptive links beyond those listed. */
  moreDeceptive: number;
  /** Embedded pictures that are not drawn because they are too large or their size cannot be read. */
  undrawn: string[];
}

export const nothingBlocked = (): BlockedContent => ({
  images: [],
  trackers: [],
  styles: 0,
  frames: 0,
  media: 0,
  forms: [],
  scripts: 0,
  deceptive: [],
  moreDeceptive: 0,
  undrawn: [],
});

const count = (number: number, singular: string, many: string): string[] =>
  number === 0 ? [] : [`${exact(number)} ${number === 1 ? singular : many}`];

/** "3 images, 1 tracker"; '' when nothing remote was blocked. */
export function blockedRemote(blocked: BlockedContent): string {
  return [
    ...count(blocked.images.length, 'image', 'images'),
    ...count(blocked.trackers.length, 'tracker', 'trackers'),
    ...count(blocked.styles, 'style or font', 'styles and fonts'),
    ...count(blocked.frames, 'frame', 'frames'),
    ...count(blocked.media, 'media file', 'media files'),
  ].join(', ');
}

/** "2 scripts, 1 form"; '' when nothing active was removed. */
export function removedActive(blocked: BlockedContent): string {
  return [
    ...count(blocked.scripts, 'script', 'scripts'),
    ...count(blocked.forms.length, 'form', 'forms'),
  ].join(', ');
}

/** The host of a web address with its port, or null. */
export const hostOf = (url: string): string | null =>
  webHost(url) === null ? null : (URL.parse(url)?.host ?? null);

/** The hosts that would be contacted for these pictures, each once, with its number of pictures. */
export function contactedHosts(urls: readonly string[]): { host: string; shown: string; images: number }[] {
  const counts = new Map<string, number>();
  for (const url of urls) {
    const host = hostOf(url);
    if (host !== null) counts.set(host, (counts.get(host) ?? 0) + 1);
  }
  return [...counts].map(([host, images]) => ({ host, shown: defangDomain(host), images }));
}

const RASTER = /^data:image\/(?:png|jpe?g|gif|webp|bmp|avif);base64,[a-z0-9+/=\s]*$/i;

/** Whether a data URL holds a picture of a kind that cannot carry scripts or references. */
export const isRasterData = (url: string): boolean => RASTER.test(url);

/** The key of an inline part: a Content-ID without brackets, in lower case. */
export function contentIdKey(id: string): string {
  const plain = id.trim().replace(/^cid:/i, '').replace(/^<|>$/g, '');
  try {
    return decodeURIComponent(plain).toLowerCase();
  } catch {
    return plain.toLowerCase();
  }
}

/** The first address of a srcset. */
export function firstOfSrcset(srcset: string): string {
  return (
    srcset
      .trim()
      .split(/\s+/, 1)[0]
      ?.replace(/(?<!,),+$/, '') ?? ''
  );
}
