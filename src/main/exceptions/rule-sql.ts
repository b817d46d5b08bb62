/** One condition of an exception as SQL over the rows of a cached result. No value enters the SQL text. */
import { dictionary } from '#shared/dictionary.ts';
import { hasUncomparedPath } from '#shared/exceptions/query.ts';
import type { RuleCondition } from '#shared/exceptions/rule.ts';
import { exceptionField } from '#shared/exceptions/types.ts';
import { bareDomain } from '#shared/exceptions/validate.ts';
import { isMd5 } from '#shared/model/hashes.ts';
import { asciiDomain, canonicalAddress, hostOfUrl } from '#shared/model/hosts.ts';
import { parseNetwork } from '#shared/query/network.ts';
import { foldText, wordsOf } from '#shared/query/text.ts';
import type { StoredColumn } from '../results/columns.ts';
import type { SqlValue } from '../store/database.ts';
import { HOSTS } from '../store/functions.ts';

export interface RuleSql {
  sql: string;
  /** What was left out of the comparison, in words. */
  notes: string[];
}

/** Binds a value and returns its parameter's name. */
export type Bind = (value: SqlValue) => string;

const ADDRESSES = ['from_email', 'sender_email', 'sender', 'from'];
const RECIPIENTS = ['recipients', 'to'];
/** Columns that hold a field's value, best first. */
const COLUMNS: Readonly<Record<string, readonly string[]>> = dictionary({
  from_email: ADDRESSES,
  sender_email: ADDRESSES,
  from_domain: ['from_domain', ...ADDRESSES],
  nickname: ['from_name'],
  sender_name: ['from_name'],
  recipient: RECIPIENTS,
  recipient_email: RECIPIENTS,
  client_ip: ['client_ip'],
  subject: ['subject'],
  links: ['link_domains'],
  url: ['link_domains'],
  domain: ['link_domains'],
  file_type: ['attachment_names'],
});
const HASHES = { md5: ['attachment_md5'], sha256: ['attachment_sha256'] } as const;

/** The columns that can hold what it compares, best first, or null if none can. */
export const candidates = (condition: RuleCondition): readonly string[] | null => {
  if (condition.field === 'md5' || condition.field === 'hash')
    return HASHES[isMd5(condition.value) ? 'md5' : 'sha256'];
  if (condition.field === 'user') return [...ADDRESSES, ...RECIPIENTS];
  return COLUMNS[condition.field] ?? null;
};

/** False if no column of any result holds it. */
export const isCheckable = (condition: RuleCondition): boolean => candidates(condition) !== null;

const likeText = (text: string): string => text.replace(/[\\%_]/g, '\\$&');
const isAscii = (text: string): boolean => [...text].every((char) => char.charCodeAt(0) < 128);

/**
 * Matches a column against a pattern. LIKE ignores ASCII case at the speed of a scan; only rows with other characters
 * are normalised by `form`.
 */
const like = (column: string, pattern: string, form: 'pp_fold' | typeof HOSTS, bind: Bind): string => {
  const test = `LIKE ${bind(pattern)} ESCAPE '\\'`;
  const formed = `(octet_length(${column}) <> length(${column}) AND ${form}(${column}) ${test})`;
  return isAscii(pattern) ? `(${column} ${test} OR ${formed})` : formed;
};

/** Patterns of which one must match: for plain text, or for the JSON text of a list. */
function patterns(condition: RuleCondition, column: StoredColumn, test: string): string[] {
  const { field, matching } = condition;
  const domain = field === 'from_domain' || field === 'domain';
  const value = likeText(test);
  if (column.storage === 'json') {
    const inner = likeText(JSON.stringify(test).slice(1, -1));
    if (field === 'file_type') return [`%.${inner}"%`];
    if (matching === 'contains') return [`%${inner}%`];
    const exact = `%"${inner}"%`;
    return matching === 'ends_with' ? [exact, `%.${inner}"%`] : [exact];
  }
  if (domain && ADDRESSES.includes(column.id)) {
    if (matching === 'contains') return [`%@%${value}%`];
    return matching === 'ends_with' ? [`%@${value}`, `%@%.${value}`] : [`%@${value}`];
  }
  if (field === 'file_type') return [`%.${value}`];
  if (matching === 'contains') return [`%${value}%`];
  if (matching === 'ends_with') return domain ? [value, `%.${value}`] : [`%${value}`];
  return [value];
}

/** The values to look for and their form; for a URL its host, as results hold only the hosts of links. */
function comparisonOf({ field, matching, value }: RuleCondition): {
  values: string[];
  form: 'pp_fold' | typeof HOSTS;
} {
  if (field === 'links' || field === 'url') return { values: [hostOfUrl(value)], form: HOSTS };
  if (field === 'from_domain' || field === 'domain') {
    const ascii = asciiDomain(bareDomain(value));
    if (matching !== 'contains') return { values: [ascii], form: HOSTS };
    // A fragment of a domain is punycode in some results and decoded in others.
    return { values: [...new Set([foldText(bareDomain(value)), ascii])], form: 'pp_fold' };
  }
  return matching === 'exact' && exceptionField(field)?.kind === 'email'
    ? { values: [canonicalAddress(value)], form: HOSTS }
    : { values: [foldText(value)], form: 'pp_fold' };
}

/**
 * Membership in an IPv4 network by text: whole octets as a prefix, and a range for the octet that the prefix length
 * splits. Calling a function for each of a million rows would take longer than the scan. Null if not IPv4.
 */
function networkSql(cell: string, value: string, bind: Bind): string | null {
  const network = parseNetwork(value);
  if (network === null || network.bytes.length !== 4) return null;
  const whole = Math.floor(network.bits / 8);
  if (whole === 4) return `${cell} = ${bind(network.bytes.join('.'))}`;
  const begin = network.bytes
    .slice(0, whole)
    .map((octet) => `${octet}.`)
    .join('');
  const hostRange = 2 ** (8 - (network.bits % 8));
  const low = Math.floor((network.bytes[whole] ?? 0) / hostRange) * hostRange;
  const octet = `CAST(substr(${cell}, ${begin.length + 1}) AS INTEGER)`;
  const fits = `${cell} LIKE ${bind(`${begin}%`)} AND ${octet} BETWEEN ${low} AND ${low + hostRange - 1}`;
  // Exactly four decimal numbers.
  return `(${fits} AND ${cell} NOT GLOB '*[^0-9.]*' AND ${cell} GLOB '*.*.*.*' AND ${cell} NOT GLOB '*.*.*.*.*')`;
}

function columnSql(condition: RuleCondition, column: StoredColumn, bind: Bind): string {
  const cell = `r.${column.sql}`;
  if (condition.field === 'client_ip') {
    const byText = networkSql(cell, condition.value, bind);
    const inside = `pp_in_network(${cell}, ${bind(condition.value)}) = 1`;
    // An IPv4 address may also appear mapped into IPv6.
    return byText === null ? inside : `(${byText} OR (${cell} LIKE '::ffff:%' AND ${inside}))`;
  }
  if (condition.matching === 'matching') {
    const words = wordsOf(condition.value)
      .trim()
      .split(' ')
      .filter((word) => word !== '');
    if (words.length === 0) return '0';
    return `(${words
      .map((word) => {
        const rough = `${like(cell, `%${likeText(word)}%`, 'pp_fold', bind)} AND `;
        return `${rough}pp_words(${cell}) LIKE ${bind(`% ${likeText(word)} %`)} ESCAPE '\\'`;
      })
      .join(' AND ')})`;
  }
  const { values, form } = comparisonOf(condition);
  const parts = values
    .filter((text) => text !== '')
    .flatMap((text) => patterns(condition, column, text).map((pattern) => like(cell, pattern, form, bind)));
  return parts.length === 0 ? '0' : `(${parts.join(' OR ')})`;
}

/** Null if the result has no column for it. */
export function conditionSql(
  condition: RuleCondition,
  columns: readonly StoredColumn[],
  bind: Bind,
): RuleSql | null {
  const values = candidates(condition) ?? [];
  const present = values.flatMap((id) => columns.find((column) => column.id === id) ?? []);
  const [best] = present;
  if (best === undefined) return null;
  const used = condition.field === 'user' ? present : [best];
  const sql = `(${used.map((column) => columnSql(condition, column, bind)).join(' OR ')})`;
  const notes: string[] = [];
  if (hasUncomparedPath(condition))
    notes.push('Only the hosts of links are on this machine: the path was not compared.');
  const names = (id: string): boolean => used.some((column) => column.id === id);
  if (names('to') && !names('recipients')) notes.push('Some results name the first recipient only.');
  if (condition.field === 'user') {
    if (!ADDRESSES.some(names)) notes.push('Results without values for: Sender');
    if (!RECIPIENTS.some(names)) notes.push('Results without values for: Recipient');
  }
  return { sql, notes };
}
