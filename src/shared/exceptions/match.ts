/** Whether an exception matches an email or a file, and how two exceptions relate. */
import { unicodeDomain } from '../mail/domains.ts';
import { asciiDomain, canonicalAddress, hostOfUrl } from '../model/hosts.ts';
import { inNetwork, type Network, parseNetwork } from '../query/network.ts';
import { foldText, wordsOf } from '../query/text.ts';
import type { ExceptionRule, RuleCondition } from './rule.ts';
import { exceptionField } from './types.ts';
import { bareDomain } from './validate.ts';

/** What exceptions can match. A missing list was not recorded: a condition on it matches nothing. */
export interface MatchSubject {
  hashes?: readonly string[];
  fileNames?: readonly string[];
  fromEmail?: string | null;
  fromName?: string | null;
  recipients?: readonly string[];
  clientIp?: string | null;
  urls?: readonly string[];
  subject?: string | null;
}

const present = (value: string | null | undefined): string[] =>
  value === null || value === undefined ? [] : [value];
const domainOf = (address: string): string => asciiDomain(address.slice(address.lastIndexOf('@') + 1));
function valuesOf(field: string, subject: MatchSubject): readonly string[] {
  switch (field) {
    case 'md5':
    case 'hash':
      return subject.hashes ?? [];
    case 'file_type':
      return (subject.fileNames ?? []).flatMap((name) => present(/\.([a-z0-9_+-]+)$/i.exec(name)?.[1]));
    case 'from_email':
    case 'sender_email':
      return present(subject.fromEmail);
    case 'from_domain':
      return present(subject.fromEmail).map(domainOf);
    case 'nickname':
    case 'sender_name':
      return present(subject.fromName);
    case 'recipient':
    case 'recipient_email':
      return subject.recipients ?? [];
    case 'user':
      return [...present(subject.fromEmail), ...(subject.recipients ?? [])];
    case 'client_ip':
      return present(subject.clientIp);
    case 'links':
    case 'url':
      return subject.urls ?? [];
    case 'domain':
      return (subject.urls ?? []).map(hostOfUrl).filter((host) => host !== '');
    case 'subject':
      return present(subject.subject);
    default:
      // macro_hash, payload, text_content, server_ip: an email's own data does not contain them.
      return [];
  }
}

const isDomainField = (field: string): boolean => field === 'from_domain' || field === 'domain';

function compare({ field, matching, value }: RuleCondition): (text: string) => boolean {
  if (field === 'client_ip' || field === 'server_ip') {
    const network: Network | null = parseNetwork(value);
    return (text) => network !== null && inNetwork(text, network);
  }
  const kind = exceptionField(field)?.kind;
  if (isDomainField(field) && matching !== 'contains') {
    // The subject's values are in the same form, from `valuesOf`.
    const host = asciiDomain(bareDomain(value));
    if (host === '') return () => false;
    return matching === 'ends_with'
      ? (text) => text === host || text.endsWith(`.${host}`)
      : (text) => text === host;
  }
  const expected = foldText(isDomainField(field) ? bareDomain(value) : value);
  if (expected === '') return () => false;
  if (isDomainField(field)) {
    const ascii = asciiDomain(expected);
    return (text) => text.includes(ascii) || foldText(unicodeDomain(text)).includes(expected);
  }
  if (kind === 'email' && matching === 'exact') {
    const address = canonicalAddress(value);
    return (text) => canonicalAddress(text) === address;
  }
  if (matching === 'contains') return (text) => foldText(text).includes(expected);
  if (matching === 'ends_with') return (text) => foldText(text).endsWith(expected);
  if (matching === 'matching') {
    const words = wordsOf(value).trim().split(' ');
    return (text) => {
      const has = wordsOf(text);
      return has !== '' && words.every((word) => word !== '' && has.includes(` ${word} `));
    };
  }
  return (text) => foldText(text) === expected;
}

/** Compiled once, called often. A rule without conditions matches nothing. */
export function matcherOf(rule: ExceptionRule): (subject: MatchSubject) => boolean {
  const parts = rule.conditions.map((condition) => ({ field: condition.field, holds: compare(condition) }));
  return (subject) =>
    parts.length > 0 && parts.every(({ field, holds }) => valuesOf(field, subject).some(holds));
}

/** Whether `wide` matches everything that `narrow` matches; both on the same field. */
export function covers(outer: RuleCondition, inner: RuleCondition): boolean {
  const bare = (condition: RuleCondition): RuleCondition =>
    isDomainField(condition.field)
      ? { ...condition, value: asciiDomain(bareDomain(condition.value)) }
      : condition;
  return coversBare(bare(outer), bare(inner));
}

function coversBare(wide: RuleCondition, narrow: RuleCondition): boolean {
  if (wide.field !== narrow.field) {
    const domain = wide.field === 'from_domain' && narrow.field === 'from_email';
    if (!domain || narrow.matching !== 'exact') return false;
    return compare(wide)(domainOf(narrow.value));
  }
  if (wide.field === 'client_ip' || wide.field === 'server_ip') {
    const [outer, inner] = [parseNetwork(wide.value), parseNetwork(narrow.value)];
    return (
      outer !== null &&
      inner !== null &&
      inner.bits >= outer.bits &&
      inNetwork(narrow.value.split('/')[0] ?? '', outer)
    );
  }
  if (wide.matching === 'matching') return narrow.matching === 'exact' && compare(wide)(narrow.value);
  if (wide.matching === 'exact')
    return narrow.matching === 'exact' && foldText(wide.value) === foldText(narrow.value);
  // A longer fragment or suffix contains every shorter one.
  return narrow.matching !== 'matching' && wide.matching === 'ends_with'
    ? narrow.matching !== 'contains' && compare(wide)(narrow.value)
    : narrow.matching !== 'matching' && compare(wide)(narrow.value);
}
