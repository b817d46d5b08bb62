/** Takes the elements that load, run, send or navigate out of an inert document, and leaves a placeholder for each. */
import { dictionary } from '#shared/dictionary.ts';
import { OVERRIDE_END, type OverrideRule, overrideOf } from '#shared/mail/overrides.ts';
import { defangDomain, defangUrl } from '#shared/model/defang.ts';
import { visibleText } from '#shared/model/format.ts';
import { asDrawn, readLink, rewrittenWords } from '#shared/model/link-reading.ts';
import { type BlockedContent, firstOfSrcset, hostOf } from './body-blocked.ts';

export interface Disarm {
  doc: Document;
  blocked: BlockedContent;
  absolute: (raw: string) => string;
  isRemote: (url: string) => boolean;
  /** A data URL to draw, or null after counting what is not drawn. */
  drawOrBlock: (raw: string, tracker?: boolean) => string | null;
  remoteStyle: () => void;
  /** Rules of style sheets that draw letters in another order. */
  overrides: readonly OverrideRule[];
  links: number;
  /** Class names of our own marks, random for each view: no style sheet of a mail can name them. */
  mark: (name: MarkName) => string;
}

export const MARK_NAMES = ['a', 'url', 'host', 'differs', 'img', 'box', 'form', 'form-note'] as const;
export type MarkName = (typeof MARK_NAMES)[number];

const SCRIPT_TARGET = /^\s*(?:javascript|vbscript|livescript|mocha)\s*:/i;
const MAX_EDGE = 600;
/** Maximum number of listed pairs. */
const MAX_DECEPTIVE = 200;

function box({ doc, mark }: Disarm, names: readonly MarkName[], text: string, title?: string): HTMLElement {
  const element = doc.createElement('span');
  element.className = names.map(mark).join(' ');
  element.textContent = text;
  if (title) element.title = title;
  return element;
}

const numeric = (value: string | null): number | null => {
  const digits = /^(\d{1,5})(?:\.\d+)?\s*(?:px)?$/.exec(value?.trim() ?? '')?.[1];
  return digits === undefined ? null : Number(digits);
};

/** Whether an image is too small or too hidden to be visible. */
function isTracker(img: HTMLElement): boolean {
  const { display, visibility, width, height, opacity } = img.style;
  const edges = [
    numeric(img.getAttribute('width')) ?? numeric(width),
    numeric(img.getAttribute('height')) ?? numeric(height),
  ].filter((edge) => edge !== null);
  const tiny = edges.length > 0 && edges.every((edge) => edge <= 3);
  return tiny || display === 'none' || visibility === 'hidden' || opacity === '0';
}

function disarmImage(img: HTMLElement, work: Disarm): void {
  const raw = img.getAttribute('src') ?? firstOfSrcset(img.getAttribute('srcset') ?? '');
  const lowsrc = img.getAttribute('lowsrc') ?? img.getAttribute('dynsrc');
  if (lowsrc) work.drawOrBlock(lowsrc);
  for (const name of [
    'srcset',
    'sizes',
    'lowsrc',
    'dynsrc',
    'longdesc',
    'usemap',
    'ismap',
    'crossorigin',
    'loading',
  ])
    img.removeAttribute(name);
  const tracker = isTracker(img);
  const source = raw === '' ? null : work.drawOrBlock(raw, tracker);
  if (source !== null && img.localName === 'img') {
    img.setAttribute('src', source);
    return;
  }
  if (raw === '' || tracker) img.remove();
  else img.replaceWith(standIn(img, raw, work));
}

/** The placeholder of an image: its alt text, its size, and its source as a tooltip. */
function standIn(img: HTMLElement, raw: string, work: Disarm): HTMLElement {
  const alt = visibleText(img.getAttribute('alt') ?? '').trim();
  const url = work.absolute(raw);
  const remote = work.isRemote(url);
  const word = remote ? 'image blocked' : 'image not shown';
  const stand = box(work, ['img'], alt === '' ? word : alt, remote ? `${word}: ${defangUrl(url)}` : word);
  const width = numeric(img.getAttribute('width'));
  const height = numeric(img.getAttribute('height'));
  if (width !== null && width > 24) stand.style.width = `${Math.min(width, MAX_EDGE)}px`;
  if (height !== null && height > 22) stand.style.height = `${Math.min(height, MAX_EDGE)}px`;
  return stand;
}

/** Link text that is itself an address is replaced by the full real target. */
const READS_AS_URL = /^\s*(?:(?:https?|ftp):\/\/|www\.)\S+\s*$/i;

function disarmLink(link: HTMLElement, work: Disarm): void {
  const raw = link.getAttribute('href') ?? link.getAttribute('xlink:href');
  const span = work.doc.createElement('span');
  for (const name of ['style', 'class', 'id', 'dir']) {
    const value = link.getAttribute(name);
    if (value !== null) span.setAttribute(name, value);
  }
  span.append(...Array.from(link.childNodes));
  link.replaceWith(span);
  if (raw === null || raw.trim() === '' || raw.trim().startsWith('#')) return;
  const url = work.absolute(raw);
  if (SCRIPT_TARGET.test(url)) work.blocked.scripts += 1;
  work.links += 1;
  span.classList.add(work.mark('a'));
  const text = span.textContent ?? '';
  const drawn = asDrawn(text);
  const reading = readLink(url, text);
  const { original } = reading;
  const written = visibleText(defangUrl(url)).slice(0, 2000);
  const target = visibleText(defangUrl(original?.url ?? url)).slice(0, 2000);
  const shown = original === null ? target : `${target} · ${rewrittenWords(original)}: ${written}`;
  span.title = shown;
  if (
    reading.says !== null &&
    reading.differs === false &&
    READS_AS_URL.test(drawn) &&
    !holdsPicture(span, work)
  ) {
    span.replaceChildren(box(work, ['url'], target, shown));
    return;
  }
  const where =
    reading.host !== null
      ? defangDomain(reading.host)
      : reading.scheme !== null
        ? `${reading.scheme}[:]${reading.scheme === 'mailto' ? shown.slice('mailto[:]'.length, 80) : ''}`
        : shown.slice(0, 80);
  // The mark stands beside the link, so that the mail's own styles for the link do not affect it.
  if (reading.differs) {
    const goesTo = reading.host === null && reading.scheme !== null ? `${where}, not a web address` : where;
    const says = visibleText(defangUrl(drawn.trim()));
    const pair = { says: says.slice(0, 200), goesTo };
    const isListed = work.blocked.deceptive.some(
      (link) => link.says === pair.says && link.goesTo === pair.goesTo,
    );
    if (!isListed && work.blocked.deceptive.length < MAX_DECEPTIVE) work.blocked.deceptive.push(pair);
    else if (!isListed) work.blocked.moreDeceptive += 1;
    span.replaceChildren(work.doc.createTextNode(says));
    // It is in the order of reading now.
    if (drawn !== text) span.style.setProperty('unicode-bidi', 'isolate', 'important');
    span.after(box(work, ['host', 'differs'], `goes to ${goesTo}`, shown));
  } else span.after(box(work, ['host'], where, shown));
}

const holdsPicture = (element: HTMLElement, { mark }: Disarm): boolean =>
  element.querySelector(`img, span.${mark('img')}`) !== null;

const FIELD_WORDS: Readonly<Record<string, string>> = dictionary({
  password: 'password field',
  file: 'file field',
  hidden: '',
});

function disarmField(field: HTMLElement, work: Disarm): void {
  const type = field.getAttribute('type')?.toLowerCase() ?? '';
  if (SCRIPT_TARGET.test(field.getAttribute('formaction') ?? '')) work.blocked.scripts += 1;
  const isButton = field.localName === 'button' || ['submit', 'button', 'reset'].includes(type);
  const label = isButton
    ? field.getAttribute('value') || field.textContent || 'button'
    : field.getAttribute('placeholder');
  const word = FIELD_WORDS[type] ?? (label?.trim() || 'field');
  if (word === '') field.remove();
  else field.replaceWith(box(work, ['box'], visibleText(word.trim()).slice(0, 200)));
}

function disarmForm(form: HTMLElement, work: Disarm): void {
  const action = form.getAttribute('action') ?? '';
  const url = action.trim() === '' ? '' : work.absolute(action);
  if (SCRIPT_TARGET.test(url)) work.blocked.scripts += 1;
  const host = url === '' ? null : hostOf(url);
  work.blocked.forms.push(host ?? '');
  const div = work.doc.createElement('div');
  div.className = work.mark('form');
  const where =
    host === null
      ? url === ''
        ? 'no address given'
        : visibleText(defangUrl(url)).slice(0, 200)
      : defangDomain(host);
  div.append(box(work, ['form-note'], `Form disabled. It submits to: ${where}`));
  div.append(...Array.from(form.childNodes));
  form.replaceWith(div);
}

const FRAMES = 'iframe, frame, frameset, object, embed, applet, portal, fencedframe, webview';
const MEDIA = 'video, audio, bgsound';

function disarmFrame(element: HTMLElement, work: Disarm): void {
  const raw =
    element.getAttribute('src') ?? element.getAttribute('data') ?? element.getAttribute('code') ?? '';
  const url = raw === '' ? '' : work.absolute(raw);
  if (SCRIPT_TARGET.test(url)) work.blocked.scripts += 1;
  work.blocked.frames += 1;
  const host = hostOf(url);
  const stand = box(work, ['box'], host === null ? 'frame removed' : `frame removed: ${defangDomain(host)}`);
  if (element.localName === 'frameset') {
    const body = work.doc.createElement('body');
    body.append(stand);
    element.replaceWith(body);
  } else element.replaceWith(stand);
}

function disarmMedia(element: HTMLElement, work: Disarm): void {
  work.blocked.media += 1;
  const poster = element.getAttribute('poster');
  if (poster) work.drawOrBlock(poster);
  element.replaceWith(box(work, ['box'], `${element.localName === 'video' ? 'video' : 'sound'} removed`));
}

function disarmDrawing(element: Element, work: Disarm): void {
  for (const image of element.querySelectorAll('image, feImage, use')) {
    const href = image.getAttribute('href') ?? image.getAttribute('xlink:href') ?? image.getAttribute('src');
    if (href) work.drawOrBlock(href);
  }
  element.replaceWith(box(work, ['box'], `${element.localName === 'svg' ? 'drawing' : 'formula'} removed`));
}

function countActive(work: Disarm): void {
  const { doc, blocked } = work;
  for (const script of doc.querySelectorAll('script')) {
    blocked.scripts += 1;
    script.remove();
  }
  for (const element of doc.querySelectorAll('*')) {
    for (const { name } of Array.from(element.attributes)) {
      if (!/^on[a-z]/i.test(name)) continue;
      blocked.scripts += 1;
      element.removeAttribute(name);
    }
  }
}

function dropHead(work: Disarm): void {
  for (const link of work.doc.querySelectorAll('link')) {
    const href = link.getAttribute('href');
    if (href && work.isRemote(work.absolute(href))) work.remoteStyle();
  }
  for (const meta of work.doc.querySelectorAll('meta[http-equiv]')) {
    // A refresh navigates away like a link, but without a click.
    if (/refresh/i.test(meta.getAttribute('http-equiv') ?? '')) work.blocked.frames += 1;
  }
  for (const element of work.doc.querySelectorAll('meta, link, base, title, template, noframes, noembed'))
    element.remove();
}

/** Writes the order in which a text is drawn into the text, from which a link is read. */
function writeOrder({ doc, overrides }: Disarm): void {
  const overridden = new Map<Element, string | null | undefined>();
  for (const element of doc.querySelectorAll('bdo, [style*="-override" i]'))
    overridden.set(element, undefined);
  for (const { selector, direction } of overrides)
    for (const element of matched(doc, selector))
      overridden.set(element, overridden.get(element) ?? direction);
  const marks = new Map<Element, string>();
  for (const [element, byRules] of overridden) {
    const inherited = element.parentElement?.closest('[dir]')?.getAttribute('dir')?.toLowerCase() ?? 'ltr';
    const order = { dir: element.getAttribute('dir'), style: element.getAttribute('style') ?? '', byRules };
    const mark = overrideOf(element.localName, order, inherited);
    if (mark !== '') marks.set(element, mark);
  }
  if (marks.size === 0) return;
  const write = (element: Element, mark: string) => {
    element.prepend(mark);
    element.append(OVERRIDE_END);
  };
  for (const link of doc.querySelectorAll('a')) {
    let outer: Element | null = link.parentElement;
    while (outer !== null && !marks.has(outer)) outer = outer.parentElement;
    if (outer !== null) write(link, marks.get(outer) ?? '');
  }
  for (const [element, mark] of marks) write(element, mark);
}

function matched(doc: Document, selector: string): Iterable<Element> {
  try {
    return doc.querySelectorAll(selector);
  } catch {
    // Not a selector: the rule has no effect.
    return [];
  }
}

/** Changes the document in place. The result still has to pass the allow-list. */
export function disarm(work: Disarm): void {
  const { doc } = work;
  const each = (selector: string, act: (element: HTMLElement, work: Disarm) => void) => {
    for (const element of doc.querySelectorAll<HTMLElement>(selector))
      if (element.isConnected) act(element, work);
  };
  countActive(work);
  writeOrder(work);
  dropHead(work);
  for (const element of doc.querySelectorAll('svg, math'))
    if (element.isConnected) disarmDrawing(element, work);
  each(FRAMES, disarmFrame);
  each(MEDIA, disarmMedia);
  each('picture > source, track, param', (element) => element.remove());
  each('img, image, input[type="image" i]', disarmImage);
  each('[background]', (element) => {
    const source = work.drawOrBlock(element.getAttribute('background') ?? '');
    element.removeAttribute('background');
    if (source !== null) element.style.backgroundImage = `url("${source.replace(/\s/g, '')}")`;
  });
  each('input, button, select, textarea, isindex, keygen', disarmField);
  each('form', disarmForm);
  each('a, area', disarmLink);
}
