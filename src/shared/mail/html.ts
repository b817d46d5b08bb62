import { Parser } from 'htmlparser2';
import { URL } from '../platform.ts';
import { directionOf, MAX_OVERRIDES, OVERRIDE_END, overrideOf, overrideRules } from './overrides.ts';

/** What the HTML of a mail, and the pages attached to it, would load or run if they were allowed to. */
export interface ActiveContent {
  /** Resources on other machines: images, styles, frames, scripts, media, fonts. */
  remote: number;
  forms: number;
  scripts: number;
  /** on… attributes and javascript: targets. */
  handlers: number;
}

interface HtmlLink {
  url: string;
  text: string;
}

export interface HtmlFacts extends ActiveContent {
  links: HtmlLink[];
  /** All text that is displayed, with blocks on separate lines. */
  shown: string;
  /** Text outside of links, with blocks on separate lines: mail programs make its URLs clickable. */
  text: string;
  /** Programs: script elements and on… attributes, one per line. */
  script: string;
}

/** Attributes that make a mail program load something, on any element. */
const LOADING_ANYWHERE = new Set(['background', 'lowsrc', 'dynsrc']);
/** The same on certain elements. */
const LOADING = new Map([
  ['img', ['src', 'srcset', 'longdesc']],
  ['image', ['href', 'xlink:href', 'src']],
  ['source', ['src', 'srcset']],
  ['input', ['src']],
  ['iframe', ['src']],
  ['frame', ['src']],
  ['script', ['src']],
  ['embed', ['src']],
  ['object', ['data', 'codebase']],
  ['applet', ['code', 'codebase', 'archive']],
  ['audio', ['src']],
  ['video', ['src', 'poster']],
  ['track', ['src']],
  ['bgsound', ['src']],
  ['link', ['href']],
  ['use', ['href', 'xlink:href']],
]);

const MAX_TEXT = 500;
/**
 * The parser searches its stack of open elements at every closing tag, so unclosed elements would take quadratic time:
 * at this depth a new parser is started.
 */
const MAX_OPEN = 1_000;
const CHUNK = 16_384;

/** Elements that end a line or a word: an address never continues across them. */
const BREAKS = new Set(
  [
    'address article aside blockquote body br button center dd div dl dt fieldset figure footer form h1 h2 h3 h4 h5 h6',
    'head header hr html iframe img input li main nav object ol option p pre section select table tbody td textarea',
    'tfoot th thead tr ul',
  ].flatMap((names) => names.split(' ')),
);
/** Elements whose text is not displayed. */
const SILENT = new Set(['script', 'style', 'title', 'template']);
/** The prefix of Outlook's vector graphics, in which each shape is clickable. */
const VML = 'v:';
/** Nesting of pages and comments: mail programs do not show deeper ones. */
const MAX_INNER = 3;
/** Conditional comments, which Outlook renders: `<!--[if mso]> … <![endif]-->`. */
const CONDITIONAL = /^\s*\[if\b[^\]]*\]>([\s\S]*)<!\s*\[endif\]\s*$/i;

/** A target as browsers read it: without surrounding controls, line breaks and tabs. */
const targetOf = (url: string): string =>
  url.replace(/^[\0- ]+|(?<![\0- ])[\0- ]+$/g, '').replace(/[\t\n\r]/g, '');

const isRemote = (url: string): boolean => /^\s*(?:https?:|ftp:|\/\/|\\\\)/i.test(url);

function remoteInStyle(css: string): number {
  // Few styles have either, and looking for a character is far cheaper than the pattern.
  if (!css.includes('(') && !css.includes('@')) return 0;
  let count = 0;
  for (const match of css.matchAll(
    /url\(\s*(?:["']\s*)?([^"')\s]{1,20})|@import\s+["']\s*([^"'\s]{1,20})/gi,
  )) {
    if (isRemote(match[1] ?? match[2] ?? '')) count++;
  }
  return count;
}

function resolved(url: string, base: string | null): string {
  const plain = targetOf(url);
  if (base === null || plain === '' || /^[a-z][a-z0-9+.-]*:/i.test(plain)) return plain;
  return URL.parse(plain, base)?.href ?? plain;
}

/** Target of a meta refresh (HTML standard, 4.2.4.3): `0; URL='…'`, or without `url=`. */
const REFRESH = /^\s*[\d.]*\s*[;,\s]\s*(?:url\s*=\s*)?(?:"([^"]*)|'([^']*)|(.*))/is;

/** Whether an attribute's value is a program to run. The colon is looked for first, since few values have one. */
const isScript = (value: string): boolean => {
  const start = value.slice(0, 200);
  return start.includes(':') && /^javascript:/i.test(targetOf(start));
};

const hrefOf = (attributes: Record<string, string>): string | undefined =>
  attributes['href'] ?? attributes['xlink:href'];

/** Longer names in a selector are cut. */
const MAX_NAME = 200;
/** Conditions of a selector that are not looked at: attributes and pseudo-classes, which stand for any element. */
const CONDITIONS = /\[[^[\]]*\]|(?<!:):(?!:)[\w-]+(?:\([^()]*\))?/g;

/**
 * The last names in the selectors of a rule: elements with one of them may be meant, whatever stands around it; `*`: any
 * element. Elements are named in lower case, as HTML reads their names so; classes and ids keep their letters.
 */
const lastNames = (selector: string): string[] =>
  selector.split(',').flatMap((part) => {
    const last = part.replace(CONDITIONS, '*').trimEnd();
    const name = /[.#]?[\w-]+(?=\**$)/.exec(last.slice(-MAX_NAME))?.[0];
    if (name === undefined) return last.endsWith('*') ? '*' : [];
    return /^[.#]/.test(name) ? name : name.toLowerCase();
  });

class Reading {
  readonly facts: HtmlFacts = {
    links: [],
    shown: '',
    text: '',
    script: '',
    remote: 0,
    forms: 0,
    scripts: 0,
    handlers: 0,
  };
  #base: string | null = null;
  #open: HtmlLink | null = null;
  /** The innermost open element whose text is not displayed. */
  #silent: string | null = null;
  /** For each open element, how the order of its text is overridden, and its direction. */
  readonly #order: { mark: string; direction: string }[] = [];
  /** The rules that override an order, by the last names of their selectors: the first of them that sets a direction. */
  readonly #overrides = new Map<string, { rule: number; direction: string | null }>();
  #rules = 0;
  readonly #text: string[] = [];
  readonly #shown: string[] = [];
  readonly #script: string[] = [];
  readonly #maxLinks: number;

  constructor(maxLinks: number) {
    this.#maxLinks = maxLinks;
  }

  #addLink(raw: string | undefined, text: string): HtmlLink | null {
    const url = targetOf(raw ?? '');
    if (url === '' || url.startsWith('#') || this.facts.links.length >= this.#maxLinks) return null;
    const link = { url, text };
    this.facts.links.push(link);
    return link;
  }

  #addFrame(page: string | undefined): void {
    if (!/^\s*about:/i.test(page ?? '')) this.#addLink(page, '(frame)');
  }

  #countLoading(attribute: string, value: string): void {
    if (attribute === 'srcset') this.facts.remote += value.split(/,\s+/).filter(isRemote).length;
    else if (isRemote(resolved(value, this.#base))) this.facts.remote++;
  }

  #countActive(name: string, attributes: Record<string, string>): void {
    const { facts } = this;
    const loading = LOADING.get(name);
    for (const attribute in attributes) {
      const value = attributes[attribute] ?? '';
      if (loading?.includes(attribute) || LOADING_ANYWHERE.has(attribute))
        this.#countLoading(attribute, value);
      if (attribute.startsWith('on')) {
        facts.handlers++;
        this.#script.push(`\n${value}`);
      } else if (attribute === 'style') facts.remote += remoteInStyle(value);
      else if (isScript(value)) facts.handlers++;
    }
  }

  #opened(name: string, attributes: Record<string, string>, inner: number): void {
    const { facts } = this;
    this.#countActive(name, attributes);
    this.#setOrder(name, attributes);
    if (BREAKS.has(name)) this.#break();
    if (SILENT.has(name)) this.#silent = name;
    switch (name) {
      case 'a':
        this.#open = this.#addLink(hrefOf(attributes), this.#order.at(-1)?.mark ?? '');
        break;
      case 'area':
        this.#addLink(hrefOf(attributes), attributes['alt'] ?? '');
        break;
      case 'img':
        if (this.#open && attributes['alt'])
          this.#open.text = `${this.#open.text} ${attributes['alt']}`.slice(0, MAX_TEXT);
        break;
      case 'form':
        facts.forms++;
        this.#addLink(attributes['action'], '(form)');
        break;
      case 'button':
      case 'input':
        this.#addLink(attributes['formaction'], '(form)');
        break;
      case 'base':
        this.#base ??= URL.parse(targetOf(attributes['href'] ?? ''))?.href ?? null;
        break;
      case 'script':
        facts.scripts++;
        this.#script.push('\n');
        break;
      case 'frame':
      case 'embed':
      case 'object':
        this.#addFrame(attributes['src'] ?? attributes['data']);
        break;
      case 'iframe':
        this.#addFrame(attributes['src']);
        if (attributes['srcdoc'] && inner < MAX_INNER) this.read(attributes['srcdoc'], inner + 1);
        break;
      case 'meta': {
        if (!/^\s*refresh\s*$/i.test(attributes['http-equiv'] ?? '')) break;
        const match = REFRESH.exec((attributes['content'] ?? '').slice(0, 10_000));
        this.#addLink(match?.[1] ?? match?.[2] ?? match?.[3], '(refresh)');
        break;
      }
      default:
        if (name.startsWith(VML) && attributes['href']) this.#open = this.#addLink(attributes['href'], '');
    }
  }

  #addOverrides(css: string): void {
    for (const { selector, direction } of overrideRules(css).slice(0, MAX_OVERRIDES - this.#rules)) {
      const rule = this.#rules++;
      for (const name of lastNames(selector))
        if ((this.#overrides.get(name)?.direction ?? null) === null)
          this.#overrides.set(name, { rule, direction });
    }
  }

  /**
   * The direction that the rules for an element set: that of the first which sets one, or undefined if no rule is for
   * it.
   */
  #byRules(name: string, { id, class: classes = '' }: Record<string, string>): string | null | undefined {
    if (this.#overrides.size === 0) return undefined;
    const names = ['*', name, `#${id}`, ...classes.split(/\s+/).map((part) => `.${part}`)];
    const rules = names.flatMap((name) => this.#overrides.get(name) ?? []);
    if (rules.length === 0) return undefined;
    const directed = rules.filter(({ direction }) => direction !== null);
    return directed.reduce((first, link) => (link.rule < first.rule ? link : first), directed[0] ?? rules[0]!)
      .direction;
  }

  #setOrder(name: string, attributes: Record<string, string>): void {
    const outer = this.#order.at(-1) ?? { mark: '', direction: 'ltr' };
    const { dir, style = '' } = attributes;
    const order = { dir, style, byRules: this.#byRules(name, attributes) };
    const mark = overrideOf(name, order, outer.direction);
    if (mark !== '' && this.#open) this.#open.text += mark;
    this.#order.push({ mark: mark || outer.mark, direction: directionOf(order) ?? outer.direction });
  }

  #endOrder(): void {
    const { mark } = this.#order.pop() ?? { mark: '' };
    const outer = this.#order.at(-1)?.mark ?? '';
    if (mark !== outer && this.#open) this.#open.text += OVERRIDE_END + outer;
  }

  #closed(name: string): void {
    this.#endOrder();
    if (name === 'a' || name.startsWith(VML)) this.#open = null;
    if (name === this.#silent) this.#silent = null;
    if (BREAKS.has(name)) this.#break();
  }

  #break(): void {
    this.#text.push('\n');
    this.#shown.push('\n');
  }

  #words(text: string): void {
    if (this.#silent !== null) {
      if (this.#silent === 'style') {
        this.facts.remote += remoteInStyle(text);
        this.#addOverrides(text);
      } else if (this.#silent === 'script') this.#script.push(text);
      return;
    }
    this.#shown.push(text);
    if (!this.#open) this.#text.push(text);
    else if (this.#open.text.length < MAX_TEXT) this.#open.text = (this.#open.text + text).slice(0, MAX_TEXT);
  }

  /** `inner` is the nesting depth of pages and comments. */
  read(source: string, inner = 0): void {
    // In HTML, browsers take this for a comment up to the next bracket; the parser would drop everything up to `]]>`.
    const html = ` ${source.replaceAll('<![CDATA[', '<![cdata[')}`;
    let depth = 0;
    const outer = { open: this.#open, silent: this.#silent };
    if (inner > 0) this.#break();
    [this.#open, this.#silent] = [null, null];
    const start = (): Parser =>
      new Parser({
        onopentag: (name, attributes) => {
          depth++;
          this.#opened(name, attributes, inner);
        },
        ontext: (text) => this.#words(text),
        oncomment: (comment) => {
          const content = inner < MAX_INNER ? CONDITIONAL.exec(comment)?.[1] : undefined;
          if (content !== undefined) this.read(content, inner + 1);
        },
        onclosetag: (name) => {
          depth--;
          this.#closed(name);
        },
      });
    let parser = start();
    const { length } = html;
    for (let position = 1; position < length; ) {
      const tagStart = length - position <= CHUNK ? -1 : html.indexOf('<', position + CHUNK);
      const end = tagStart < 0 ? length : tagStart;
      parser.write(html.slice(position, end));
      position = end;
      if (depth > MAX_OPEN) {
        parser.end();
        parser = start();
        depth = 0;
      }
    }
    parser.end();
    if (inner > 0) this.#break();
    [this.#open, this.#silent] = [outer.open, outer.silent];
  }

  /** The result. A page's base applies to all of its links, including earlier ones. */
  end(): HtmlFacts {
    for (const link of this.facts.links) {
      link.url = resolved(link.url, this.#base);
      link.text = link.text.replace(/\s+/g, ' ').trim();
    }
    this.facts.shown = this.#shown.join('');
    this.facts.text = this.#text.join('');
    this.facts.script = this.#script.join('');
    return this.facts;
  }
}

/**
 * Extracts links and active content from HTML without building a tree or loading anything: a (also in SVG), area, form,
 * button, frames, meta refresh, VML, conditional comments, srcdoc; at most `maxLinks` links. Never throws, near-linear.
 */
export function readHtml(html: string, maxLinks: number): HtmlFacts {
  const reading = new Reading(maxLinks);
  reading.read(html);
  return reading.end();
}

/** Joins two forms of a body; when one contains the other, it is used alone. */
export function shownTextOf(forms: readonly [plain: string, html: string]): string {
  const [plain, html] = forms.map((text) => text.replace(/\s{2,}|[^\S ]/g, ' ').trim()) as [string, string];
  if (plain.includes(html)) return plain;
  return html.includes(plain) ? html : `${plain}\n${html}`;
}
