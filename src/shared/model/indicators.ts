/**
 * The indicators of any number of emails, files or rows: decides which values are indicators, which are our own, and
 * which are on an allow list. Fed piece by piece, so that the rows need not be in memory.
 */
import { matcherOf } from '../exceptions/match.ts';
import type { ExceptionRule } from '../exceptions/rule.ts';
import { unicodeDomain } from '../mail/domains.ts';
import {
  type Attachment,
  allRecipients,
  type Cell,
  type EmailProfile,
  type FieldConfig,
  type Row,
} from './entities.ts';
import { RECIPIENT_FIELDS } from './enums.ts';
import { asciiDomain, canonicalAddress, hostOfUrl } from './hosts.ts';
import { extractIocs, type Ioc, iocText } from './ioc.ts';

/** The kinds of indicator, in the order they are listed. */
export const INDICATOR_TYPES = ['address', 'domain', 'ip', 'url', 'md5', 'sha1', 'sha256', 'phone'] as const;
export type IndicatorType = (typeof INDICATOR_TYPES)[number];

export interface Indicator {
  type: IndicatorType;
  /** Not defanged. */
  value: string;
}

export interface IndicatorSource {
  /** Values of the sender's side: addresses, IPs, links, hashes. */
  values: readonly string[];
  /** Texts that people read, which may contain phone numbers. */
  prose: readonly string[];
  /** Addresses of our own side. */
  own: readonly string[];
}

const some = (values: readonly (string | null | undefined)[]): string[] =>
  values.filter((value): value is string => typeof value === 'string' && value !== '');

/** The sender's side of an email, its links and its files, but not its recipients or inline pictures. */
export function emailSource(
  profile: EmailProfile,
  attachments: readonly Attachment[],
  more: { firstHop?: string | null; body?: string } = {},
): IndicatorSource {
  const recipients = allRecipients(profile).map(({ email }) => email);
  return {
    values: some([
      profile.from?.email,
      profile.sender?.email,
      ...(profile.reply_to ?? []).map(({ email }) => email),
      profile.return_path,
      profile.client_ip,
      more.firstHop,
      ...(profile.links ?? []).map(({ url }) => url),
      ...attachments
        .filter(({ is_inline }) => is_inline !== true)
        .flatMap(({ md5, sha1, sha256 }) => [md5, sha1, sha256]),
    ]),
    prose: some([profile.subject, more.body]),
    own: profile.direction === 'outgoing' ? [] : recipients,
  };
}

const TYPED: readonly string[] = ['email', 'domain', 'url', 'ip', 'hash'];
/** Columns about our own people, whose values are not indicators. */
const OWN_SIDE: readonly string[] = [
  ...Object.values(RECIPIENT_FIELDS),
  'recipients',
  'owner',
  'user',
  'manager',
];
export const isOwnSide = ({ id }: { id: string }): boolean => OWN_SIDE.includes(id);
const PROSE: readonly string[] = ['subject', 'title', 'text'];
/** The field with hashes of real attachments only: the fields per kind of hash include inline pictures. */
const FILE_HASHES = 'file_hashes';

/** The columns requested from a service. */
export function indicatorColumns(fields: readonly Pick<FieldConfig, 'id' | 'type'>[]): string[] {
  const hasFiles = fields.some(({ id }) => id === FILE_HASHES);
  return fields
    .filter(
      (field) =>
        isOwnSide(field) ||
        PROSE.includes(field.id) ||
        field.id === 'direction' ||
        (TYPED.includes(field.type) && (field.type !== 'hash' || !hasFiles || field.id === FILE_HASHES)),
    )
    .map(({ id }) => id);
}

function* textsOf(value: Cell | undefined): Generator<string> {
  if (typeof value === 'string') yield value;
  else if (Array.isArray(value)) for (const entry of value) yield* textsOf(entry);
}

/** Reads a row of a query by the types of its columns. */
export function rowSource(row: Row, fields: readonly Pick<FieldConfig, 'id' | 'type'>[]): IndicatorSource {
  const columns = new Set(indicatorColumns(fields));
  const values: string[] = [];
  const domains: string[] = [];
  const prose: string[] = [];
  for (const field of fields) {
    if (!columns.has(field.id)) continue;
    if (field.id === 'direction') continue;
    const side = isOwnSide(field) ? domains : PROSE.includes(field.id) ? prose : values;
    // One by one: a list of more than a hundred thousand values is too long for a call.
    for (const text of textsOf(row[field.id])) side.push(text);
  }
  return { values, prose, own: row['direction'] === 'outgoing' ? [] : domains };
}

/** With a country code, or in North American form; bare digits are too often something else. */
const PHONE =
  /(?<![\p{L}\p{N}+@./=-])(?:\+\d{1,3}|00\d{2,3}|1|\(\d{3}\)|(?=\d{3}[-. ]\d{3}[-. ]\d{4}))(?:[ \u00a0.()/-]{0,3}\d{1,5}){2,6}(?![\p{N}@])(?!\.\p{L})/gu;

/** Phone numbers as dialled: digits, with a leading plus if there was one. Linear in the text's length. */
export function phonesIn(text: string): string[] {
  const matches = new Set<string>();
  for (const [written] of text.matchAll(PHONE)) {
    const digits = written.replace(/\D/g, '');
    const isMarked = /^(?:\+|00|\()/.test(written);
    // Excludes dates, IPs and order numbers: a number without a dialling prefix must have the North American form.
    if (digits.length < 8 || digits.length > 15) continue;
    if (!isMarked && !/^(?:1[-. ]?)?\(?\d{3}\)?[-. ]\d{3}[-. ]\d{4}$/.test(written)) continue;
    if (/^\d{1,3}(?:\.\d{1,3}){3}$/.test(written)) continue;
    matches.add(
      written.startsWith('+') ? `+${digits}` : written.startsWith('00') ? `+${digits.slice(2)}` : digits,
    );
  }
  return [...matches];
}

/** Domains of at least a fifth of these addresses; rarer ones are guests'. */
const LEAST_SHARE = 0.2;
export function commonDomains(addresses: readonly string[]): ReadonlySet<string> {
  const counts = new Map<string, number>();
  for (const address of addresses) {
    const position = address.lastIndexOf('@');
    const domain = asciiDomain(address.slice(position + 1));
    if (position > 0 && domain !== '') counts.set(domain, (counts.get(domain) ?? 0) + 1);
  }
  const least = addresses.length * LEAST_SHARE;
  return new Set([...counts].filter(([, count]) => count >= least).map(([domain]) => domain));
}

const PRIVATE_IP =
  /^(?:127\.|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|169\.254\.|::1$|f[cd][0-9a-f]{2}:|fe80:)/i;

/** The host of an indicator; '' if it has none. */
function hostOf({ type, value }: Indicator): string {
  if (type === 'domain') return asciiDomain(value);
  if (type === 'address') return asciiDomain(value.slice(value.lastIndexOf('@') + 1));
  return type === 'url' ? hostOfUrl(value) : '';
}

function upwards(host: string): string[] {
  const labels = host.split('.');
  return labels.map((_, index) => labels.slice(index).join('.'));
}

/** Whether an allow list contains the value alone: rules with several conditions are not about the value only. */
export class AllowLists {
  readonly #exact = new Set<string>();
  readonly #under = new Set<string>();
  readonly #others: ReturnType<typeof matcherOf>[] = [];

  constructor(rules: readonly ExceptionRule[]) {
    for (const rule of rules) {
      const [first, ...more] = rule.conditions;
      if (rule.list !== 'allow' || !first || more.length > 0) continue;
      const { field, matching, value } = first;
      const isDomain = field === 'from_domain' || field === 'domain';
      if (isDomain && matching === 'ends_with') this.#under.add(asciiDomain(value.replace(/^[@.]+/, '')));
      else if (isDomain && matching === 'exact') this.#exact.add(asciiDomain(value));
      else if (matching === 'exact' && field.includes('email')) this.#exact.add(canonicalAddress(value));
      else if (matching === 'exact') this.#exact.add(value.toLowerCase());
      else this.#others.push(matcherOf(rule));
    }
  }

  has(indicator: Indicator): boolean {
    const { type, value } = indicator;
    if (this.#exact.has(type === 'address' ? canonicalAddress(value) : value.toLowerCase())) return true;
    const host = hostOf(indicator);
    if (host !== '' && (this.#exact.has(host) || upwards(host).some((upward) => this.#under.has(upward))))
      return true;
    const subject = {
      ...(type === 'address' ? { fromEmail: value } : {}),
      ...(type === 'domain' ? { fromEmail: `x@${value}`, urls: [`https://${value}/`] } : {}),
      ...(type === 'url' ? { urls: [value] } : {}),
      ...(type === 'ip' ? { clientIp: value } : {}),
    };
    return this.#others.some((holds) => holds(subject));
  }
}

type Reason = 'own' | 'allowed';

/** Collects distinct indicators; our own and allowed ones are listed separately. */
export class Indicators {
  readonly #listed = new Map<string, Indicator>();
  readonly #omitted = { own: new Map<string, Indicator>(), allowed: new Map<string, Indicator>() };
  readonly #ownDomains: Set<string>;
  readonly #allowed: AllowLists;

  constructor(ownDomains: Iterable<string>, allowed: AllowLists) {
    this.#ownDomains = new Set(ownDomains);
    this.#allowed = allowed;
  }

  add({ values, prose, own }: IndicatorSource): void {
    const local = new Set(own.map((address) => hostOf({ type: 'address', value: address })));
    for (const ioc of extractIocs(values)) this.#take(ioc, local);
    for (const text of prose) for (const value of phonesIn(text)) this.#take({ type: 'phone', value }, local);
  }

  #take(indicator: Indicator, local: ReadonlySet<string>): void {
    // A domain in Punycode and in Unicode is one.
    const key = `${indicator.type} ${unicodeDomain(indicator.value).toLowerCase()}`;
    const { own, allowed } = this.#omitted;
    if (this.#listed.has(key) || own.has(key) || allowed.has(key)) return;
    const into = this.#isOwn(indicator, local) ? own : this.#allowed.has(indicator) ? allowed : this.#listed;
    into.set(key, indicator);
  }

  #isOwn(indicator: Indicator, local: ReadonlySet<string>): boolean {
    if (indicator.type === 'ip') return PRIVATE_IP.test(indicator.value);
    const host = hostOf(indicator);
    return host !== '' && upwards(host).some((upward) => this.#ownDomains.has(upward) || local.has(upward));
  }

  /** By type, then by first appearance. */
  list(which: 'kept' | Reason = 'kept'): Indicator[] {
    const indicators = [...(which === 'kept' ? this.#listed : this.#omitted[which]).values()];
    return INDICATOR_TYPES.flatMap((type) => indicators.filter((indicator) => indicator.type === type));
  }
}

/** One indicator as text; hashes and phone numbers need no defanging. */
export const indicatorText = ({ type, value }: Indicator, defanged: boolean): string =>
  type === 'phone' ? value : iocText({ type, value } satisfies Ioc, defanged);

/** One per line, optionally preceded by its type. */
export const indicatorLines = (
  indicators: readonly Indicator[],
  { defanged, typed }: { defanged: boolean; typed: boolean },
): string =>
  indicators
    .map((indicator) => `${typed ? `${indicator.type}\t` : ''}${indicatorText(indicator, defanged)}`)
    .join('\n');
