/** Domains, addresses and web addresses, divided as MQL names their parts. */
import { parse as parseHost } from 'tldts';
import type { MailAddress } from '../../mail/addresses.ts';
import { unicodeDomain } from '../../mail/domains.ts';
import { originalLink } from '../../mail/rewritten-links.ts';
import { webHost } from '../../model/hosts.ts';
import { isIp } from '../../model/ip.ts';
import { type ParsedUrl, URL } from '../../platform.ts';
import { remembering } from '../../remember.ts';
import { items, lacking, number, object, type Shape, shape, text, truth, type Value } from './values.ts';

/** Answers that are remembered: every rule asks for the hosts and addresses of the same mail. */
const MAX_REMEMBERED = 2_000;

const orNull = (value: string | null | undefined): string | null =>
  value === undefined || value === '' ? null : value;

const parsedHost = remembering(MAX_REMEMBERED, (domain) => parseHost(domain));

/** By the public suffix list alone: pages of different owners below one host have its domain as their root. */
export const DOMAIN: Shape = shape<string>({
  domain: text((domain) => domain),
  root_domain: text((domain) => parsedHost(domain).domain ?? null),
  sld: text((domain) => orNull(parsedHost(domain).domainWithoutSuffix)),
  tld: text((domain) => orNull(parsedHost(domain).publicSuffix)),
  subdomain: text((domain) => orNull(parsedHost(domain).subdomain)),
  valid: truth((domain) => parsedHost(domain).isIcann === true),
  punycode: text((domain) => (/(?:^|\.)xn--/.test(domain) ? domain : null)),
  unicode: text((domain) => unicodeDomain(domain)),
});

/** Lower case, without the dot of the root; null if there is none. */
export const domainValue = (domain: string | null): Value =>
  orNull(domain?.toLowerCase().replace(/(?<!\.)\.+$/, '')) as Value;

export const EMAIL: Shape = shape<MailAddress>({
  email: text(({ address }) => orNull(address.toLowerCase())),
  local_part: text(({ local }) => orNull(local)),
  domain: { type: DOMAIN, get: ({ domain }) => domainValue(domain) },
});

export const MAILBOX: Shape = shape<MailAddress>({
  display_name: text(({ name }) => orNull(name)),
  email: object(EMAIL, (mailbox) => mailbox),
});

export interface Url {
  url: string;
  parsed: ParsedUrl;
  /** Of a web address. */
  host: string | null;
}

function readUrl(url: string): Url | null {
  const written = url.length > 8_192 ? null : /^[a-z][a-z0-9+.-]*:/i.test(url) ? url : `http://${url}`;
  const parsed = written === null ? null : URL.parse(written);
  return parsed === null ? null : { url, parsed, host: webHost(written!) };
}

const percentDecoded = (value: string): string => {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
};

const MAX_PARAMETERS = 200;

/** null: browsers cannot read it as an address. */
export const urlValue = remembering(MAX_REMEMBERED, readUrl);

const parametersOf = ({ parsed }: Url): Record<string, Value> => {
  const out: Record<string, string[]> = Object.create(null);
  let count = 0;
  for (const [name, value] of parsed.searchParams) {
    if (++count > MAX_PARAMETERS) break;
    out[name] = [...(out[name] ?? []), value];
  }
  return Object.fromEntries(
    Object.entries(out).map(([name, values]) => [name, { items: values, isPartial: false }]),
  );
};

const REWRITE: Shape = shape<Url>({
  encoders: items('text', ({ url }) => originalLink(url)?.by ?? []),
  original: text(({ url }) => originalLink(url)?.url ?? null),
});

const ipOf = (host: string | null): string | null => {
  const bare = host?.replace(/^\[|\]$/g, '') ?? '';
  return isIp(bare) ? bare : null;
};

export const IP: Shape = shape<string>({ ip: text((ip) => ip), translation: lacking('field') });

export const URL_SHAPE: Shape = shape<Url>({
  url: text(({ url }) => url),
  scheme: text(({ parsed }) => parsed.protocol.replace(/:$/, '')),
  domain: {
    type: DOMAIN,
    get: ({ host }) => (ipOf(host) === null ? domainValue(host) : null),
  },
  ip: { type: IP, get: ({ host }) => ipOf(host) },
  port: number(({ parsed }) => (parsed.port === '' ? null : Number(parsed.port))),
  path: text(({ parsed }) => orNull(parsed.pathname)),
  query_params: text(({ parsed }) => orNull(parsed.search.slice(1))),
  query_params_decoded: { type: { values: { items: 'text' } }, get: parametersOf },
  fragment: text(({ parsed }) => orNull(percentDecoded(parsed.hash.slice(1)))),
  username: text(({ parsed }) => orNull(percentDecoded(parsed.username))),
  password: text(({ parsed }) => orNull(percentDecoded(parsed.password))),
  rewrite: object(REWRITE, (url) => (originalLink(url.url) === null ? null : url)),
});
