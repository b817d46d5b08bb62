/** Lookups for a value or words: each has a count, sometimes rows, and a query to open. Pure. */
import { blankQuery } from '#renderer/state/drafts.ts';
import { rowsPayload } from '#renderer/state/rows-payload.ts';
import type { ExecutePayload } from '#shared/api/catalogue/queries.ts';
import { unicodeDomain } from '#shared/mail/domains.ts';
import type { FieldConfig, NewQuery, QueryConfig } from '#shared/model/entities.ts';
import { asciiDomain } from '#shared/model/hosts.ts';
import type { Ioc } from '#shared/model/ioc.ts';
import type { Condition, ConditionGroup } from '#shared/query/tree.ts';
import { indicators, type ValueKind } from './labels.ts';

export interface Ask {
  id: string;
  domain: string;
  text: string;
  /** Alternatives, any of which may match; each uses the first of its fields that the service has. */
  any: readonly { fields: readonly string[]; values: readonly string[] }[];
  /** In order of preference. */
  operators: readonly string[];
  /** Number of rows to list; 0 for only the count. */
  rows: number;
}

interface Question {
  query: NewQuery;
  body: ExecutePayload;
}

const EXACT = ['is', 'contains_any', 'in_list', 'eq'];
const ANY_OF = ['in_list', 'contains_any', 'is'];
const PART = ['contains_text', 'contains'];
const WORDS = ['contains_words', ...PART];

type Template = readonly [id: string, domain: string, text: string, fields: readonly string[], rows?: number];

const SENDER = ['from_email', 'sender_email', 'from'];
const SENDER_DOMAIN = ['from_domain', 'sender_domain'];
const LINK_HOST = ['link_domains', 'link_domain'];
const CLIENT_IP = ['client_ip', 'sender_ip', 'ip'];

const hash = (name: string): readonly Template[] => [
  ['attached', 'email', 'Emails with this attachment', [`attachment_${name}`]],
  ['files', 'file', 'Files with this hash', [name], 2],
];

const BY_KIND: Readonly<Partial<Record<ValueKind, readonly Template[]>>> = {
  address: [
    ['from', 'email', 'Emails from this address', SENDER],
    ['to', 'email', 'Emails to this address', ['recipients', 'to']],
    ['clicks', 'click', 'Clicks by this user', ['user']],
    ['owned', 'file', 'Files of this owner', ['owner']],
    ['users', 'user', 'Users with this address', ['email'], 2],
    ['groups', 'group', 'Groups with this address', ['email'], 2],
  ],
  domain: [
    ['from', 'email', 'Emails from this domain', SENDER_DOMAIN],
    ['links', 'email', 'Emails that link to this domain', LINK_HOST],
    ['clicks', 'click', 'Clicks on links to this domain', ['host']],
  ],
  ip: [
    ['from', 'email', 'Emails from this IP address', CLIENT_IP],
    ['hops', 'email', 'Emails that passed this IP address', ['hop_ips']],
    ['clicks', 'click', 'Clicks from this IP address', ['ip']],
    ['users', 'user', 'Users last signed in from this IP address', ['last_ip']],
  ],
  url: [
    ['links', 'email', 'Emails with this link', ['link_urls', 'link_url', 'links']],
    ['clicks', 'click', 'Clicks on this link', ['url']],
  ],
  md5: hash('md5'),
  sha1: hash('sha1'),
  sha256: hash('sha256'),
};

/**
 * The forms of a domain or address: as typed, in Punycode, which mail mostly uses, and decoded. A single form would
 * find nothing if the service stores another one.
 */
function formsOf(kind: ValueKind, value: string): string[] {
  if (kind !== 'domain' && kind !== 'address') return [value];
  const index = value.lastIndexOf('@') + 1;
  const ascii = asciiDomain(value.slice(index));
  return [
    ...new Set([value, ...[ascii, unicodeDomain(ascii)].map((host) => `${value.slice(0, index)}${host}`)]),
  ];
}

const named = (
  [id, domain, text, fields, rows = 0]: Template,
  operators: Ask['operators'],
  ...values: string[]
) => ({ id, domain, text, any: [{ fields, values }], operators, rows }) satisfies Ask;

/** Lookups for a value; a link is also looked up by its host, as services rarely store whole links. */
export function asksOfValue(kind: ValueKind, value: string, host: string | null): Ask[] {
  const forms = formsOf(kind, value);
  const templates = (BY_KIND[kind] ?? []).map((template) => named(template, EXACT, ...forms));
  if (kind === 'domain') return [...templates, ...askOfLocalPart(value)];
  if (kind !== 'url' || host === null) return templates;
  return [
    ...templates,
    named(['host', 'email', `Emails that link to ${host}`, LINK_HOST], EXACT, ...formsOf('domain', host)),
    named(
      ['host-clicks', 'click', `Clicks on links to ${host}`, ['host']],
      EXACT,
      ...formsOf('domain', host),
    ),
  ];
}

/** Id of the lookup of people by the local part of their address, which has no item of its own. */
export const LOCAL_PART = 'local';

/** Whether a word looks like the local part of an address: in a name with a dot, the end may also be a top-level domain. */
export const mayBeLocalPart = (text: string): boolean => /^[^\s@:/]*[._\d-][^\s@:/]*$/.test(text);

/** The lookup of the people whose address begins with exactly this text. */
const askOfLocalPart = (text: string): Ask[] =>
  /^[^\s@:/]+$/.test(text)
    ? [
        named(
          [LOCAL_PART, 'user', `Users with the address “${text}@”`, ['email'], 2],
          ['starts_with', ...PART],
          `${text}@`,
        ),
      ]
    : [];

/** Lookups for words: people and files by name, emails by their parts. */
export function asksOfWords(text: string): Ask[] {
  const part = (template: Template) => named(template, PART, text);
  const any = [
    { fields: ['name'], values: [text] },
    { fields: ['email'], values: [text] },
  ];
  return [
    ...askOfLocalPart(text),
    { ...part(['users', 'user', `Users matching “${text}”`, [], 4]), any },
    { ...part(['groups', 'group', `Groups matching “${text}”`, [], 3]), any },
    part(['files', 'file', `Files with a name like “${text}”`, ['title'], 3]),
    named(['subject', 'email', `Emails whose subject contains “${text}”`, ['subject']], WORDS, text),
    named(['body', 'email', `Emails whose body contains “${text}”`, ['body']], WORDS, text),
    part(['sender', 'email', `Emails whose sender contains “${text}”`, SENDER]),
    part(['links', 'email', `Emails with a link domain that contains “${text}”`, LINK_HOST]),
    part(['attached', 'email', `Emails with an attachment named like “${text}”`, ['attachment_names']]),
  ];
}

/** The lookup of a header line by its beginning, as a value may be followed by comments or a date. */
export const askOfHeader = (line: string): Ask =>
  named(
    ['header', 'email', `Emails with the header “${line}”`, ['headers', 'header']],
    ['starts_with', ...PART],
    line,
  );

/** Email fields to search for each type of indicator. */
const EMAIL_FIELDS: Readonly<Partial<Record<Ioc['type'], readonly (readonly string[])[]>>> = {
  address: [SENDER],
  domain: [SENDER_DOMAIN, LINK_HOST],
  ip: [CLIENT_IP],
  url: [['link_urls', 'link_url', 'links']],
  md5: [['attachment_md5']],
  sha1: [['attachment_sha1']],
  sha256: [['attachment_sha256']],
};

/** One lookup for several indicators: emails that contain any of them. */
export function askOfMany(iocs: readonly Ioc[]): Ask {
  const values = new Map<Ioc['type'], string[]>();
  for (const { type, value } of iocs)
    values.set(type, [...(values.get(type) ?? []), ...formsOf(type, value)]);
  return {
    id: 'many',
    domain: 'email',
    text: `Emails with any of ${indicators(iocs.length)}`,
    any: [...values].flatMap(([type, list]) =>
      (EMAIL_FIELDS[type] ?? []).map((fields) => ({ fields, values: list })),
    ),
    operators: ANY_OF,
    rows: 0,
  };
}

const fieldOf = (config: QueryConfig, names: readonly string[]): FieldConfig | undefined =>
  names.flatMap((name) => config.fields.find(({ id, dbId }) => id === name || dbId === name) ?? [])[0];

function conditionsOn(
  field: FieldConfig | undefined,
  operators: readonly string[],
  values: readonly string[],
): Condition[] {
  const operator = operators.find((id) => field?.operators.includes(id));
  if (!field || operator === undefined) return [];
  // Operators that take a single value need one condition per value.
  const sets = operator === 'is' || operator === 'eq' ? values.map((value) => [value]) : [[...values]];
  return sets.map((set) => ({ field: field.id, operator, values: set }));
}

const COLUMNS = ['name', 'email', 'title', 'path', 'owner', 'saas', 'verdict', 'verdict_code'];

/** A lookup expressed in the service's own fields, or null if the service has none for it. */
export function questionOf(ask: Ask, config: QueryConfig): Question | null {
  const conditions = ask.any.flatMap(({ fields, values }) =>
    conditionsOn(fieldOf(config, fields), ask.operators, values),
  );
  if (conditions.length === 0) return null;
  const value = ask.id === 'many' || ask.text.includes('“') ? '' : `: ${ask.any[0]?.values[0]}`;
  const filter: ConditionGroup = { operator: conditions.length === 1 ? 'and' : 'or', conditions };
  const query = { ...blankQuery(ask.domain), name: `${ask.text}${value}`.slice(0, 120), filter };
  const columns = COLUMNS.filter((id) => config.fields.some((field) => field.id === id));
  return { query, body: rowsPayload(ask.domain, filter, ask.rows, columns) };
}
