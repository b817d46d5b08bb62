/** Warnings before an exception is saved: duplicates, overlaps, contradictions, rules that are too broad. */

import { getDomain, getPublicSuffix } from 'tldts';
import { plural } from '../model/format.ts';
import { parseNetwork } from '../query/network.ts';
import { foldText } from '../query/text.ts';
import { covers } from './match.ts';
import type { ExceptionRule } from './rule.ts';
import { bareDomain } from './validate.ts';

type LintCode = 'duplicate' | 'overlap' | 'overlapped' | 'contradiction' | 'too-broad';

export interface LintNote {
  code: LintCode;
  message: string;
  others: string[];
}

export interface ListedRule {
  id: string;
  rule: ExceptionRule;
}

/** Domains where anybody can get an address. */
const FREE_MAIL: ReadonlySet<string> = new Set([
  'gmail.com',
  'googlemail.com',
  'outlook.com',
  'hotmail.com',
  'live.com',
  'msn.com',
  'yahoo.com',
  'ymail.com',
  'aol.com',
  'icloud.com',
  'me.com',
  'proton.me',
  'protonmail.com',
  'gmx.com',
  'gmx.net',
  'gmx.de',
  'web.de',
  't-online.de',
  'mail.com',
  'mail.ru',
  'yandex.ru',
  'yandex.com',
  'bk.ru',
  'list.ru',
  'qq.com',
  '163.com',
  '126.com',
  'sina.com',
  'naver.com',
  'daum.net',
  'orange.fr',
  'free.fr',
  'laposte.net',
  'libero.it',
  'wp.pl',
  'o2.pl',
  'onet.pl',
  'seznam.cz',
  'zoho.com',
  'fastmail.com',
  'tutanota.com',
  'hushmail.com',
  'rediffmail.com',
  'uol.com.br',
  'comcast.net',
  'verizon.net',
  'btinternet.com',
  'hotmail.co.uk',
  'yahoo.co.uk',
  'yahoo.co.jp',
]);
/** Shorter fragments match almost anything. */
const SHORT = 4;
const BROAD_BITS = { 4: 16, 16: 32 } as const;

const isFreeMail = (domain: string): boolean => FREE_MAIL.has(foldText(bareDomain(domain)));

/** Why a rule probably matches far more than intended, or null if there is no indication. */
export function tooBroad(rule: ExceptionRule): string | null {
  // Further conditions narrow it.
  if (rule.conditions.length !== 1) return null;
  const [condition] = rule.conditions;
  if (!condition) return null;
  const { field, matching, value } = condition;
  if (field === 'client_ip' || field === 'server_ip') {
    const network = parseNetwork(value);
    const least = network?.bytes.length === 16 ? BROAD_BITS[16] : BROAD_BITS[4];
    return network !== null && network.bits < least
      ? `A /${network.bits} network covers far more addresses than one sender uses.`
      : null;
  }
  if (field === 'from_domain' || field === 'domain') {
    const domain = foldText(bareDomain(value));
    if (isFreeMail(domain)) return `Anyone can get an address at ${domain}.`;
    if (matching === 'contains' && [...domain].length < SHORT)
      return 'Too short: it is part of many domains.';
    if (matching !== 'exact' && getDomain(domain) === null && getPublicSuffix(domain) === domain)
      return `${domain} is a public suffix: every domain registered under it would match.`;
  }
  if (matching === 'contains' && [...value.trim()].length < SHORT)
    return `Too short: it is part of very many ${field === 'subject' ? 'subjects' : 'values'}.`;
  return null;
}

const same = (a: ExceptionRule, b: ExceptionRule): boolean => within(a, b) && within(b, a);
/** Whether `wide` matches everything that `narrow` matches. */
const within = (narrow: ExceptionRule, wide: ExceptionRule): boolean =>
  wide.conditions.every((outer) => narrow.conditions.some((inner) => covers(outer, inner)));

const MAX_OTHERS = 50;

/** Compares with the tool's known entries, except the one being edited. */
export function lintRule(
  rule: ExceptionRule,
  existing: Iterable<ListedRule>,
  ignore: string | null = null,
): LintNote[] {
  const matches: Record<Exclude<LintCode, 'too-broad'>, string[]> = {
    duplicate: [],
    overlap: [],
    overlapped: [],
    contradiction: [],
  };
  for (const { id, rule: other } of existing) {
    if (id === ignore || other.tool !== rule.tool) continue;
    const inside = within(rule, other);
    const around = within(other, rule);
    if (!inside && !around) continue;
    if (other.list !== rule.list) matches.contradiction.push(id);
    else if (other.type === rule.type && same(rule, other)) matches.duplicate.push(id);
    else if (inside) matches.overlapped.push(id);
    else matches.overlap.push(id);
  }
  const notes: LintNote[] = [];
  const note = (code: LintCode, others: string[], message: (count: number) => string) => {
    if (others.length > 0)
      notes.push({ code, message: message(others.length), others: others.slice(0, MAX_OTHERS) });
  };
  note('duplicate', matches.duplicate, () => 'An identical entry already exists.');
  note(
    'contradiction',
    matches.contradiction,
    (count) =>
      `Conflicts with ${rule.list === 'allow' ? plural(count, 'block entry', 'block entries') : plural(count, 'allow entry', 'allow entries')}.`,
  );
  note(
    'overlapped',
    matches.overlapped,
    (count) => `Already covered by ${plural(count, 'broader entry', 'broader entries')}.`,
  );
  note(
    'overlap',
    matches.overlap,
    (count) => `Covers ${plural(count, 'narrower entry', 'narrower entries')}.`,
  );
  const broad = tooBroad(rule);
  if (broad !== null) notes.push({ code: 'too-broad', message: broad, others: [] });
  return notes;
}
