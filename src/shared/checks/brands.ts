/** Organisations in whose name phishing is sent, and which domains are theirs. */
import { dictionary } from '../dictionary.ts';
import { unicodeDomain } from '../mail/domains.ts';
import { remembering } from '../remember.ts';
import data from './data/brands.json' with { type: 'json' };
import { hasPublicSuffix, ownLabel, plainText, wordsOfPhrase } from './prepared-mail.ts';

export interface Brand {
  name: string;
  /** Its name is a word or a surname: it counts only where it is all that a name says. */
  common?: boolean;
  names: string[];
  labels: string[];
  domains: string[];
}

/** What passes for a letter. */
const LETTERS: Readonly<Record<string, string>> = dictionary({
  0: 'o',
  1: 'l',
  3: 'e',
  4: 'a',
  5: 's',
  7: 't',
  I: 'l',
});

interface Spelling {
  brand: Brand;
  words: string[];
}

const SPELLINGS = new Map<string, Spelling[]>();
const UNSPACED: { brand: Brand; text: string }[] = [];
const BY_LABEL = new Map<string, Brand>();
for (const brand of data.brands as Brand[]) {
  for (const name of brand.names) {
    const words = wordsOfPhrase(plainText(name));
    const [first] = words;
    if (first === undefined) continue;
    if (/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(name))
      UNSPACED.push({ brand, text: words.join('') });
    else SPELLINGS.set(first, [...(SPELLINGS.get(first) ?? []), { brand, words }]);
  }
  for (const label of brand.labels) if (!BY_LABEL.has(label)) BY_LABEL.set(label, brand);
}

/** Words that stand beside a brand's name without changing whose name it is. */
const BESIDE = new Set(
  [
    'a an the your my account accounts alert alerts app bank banking billing business card care center centre client',
    'club company corp customer customers department desk group gmbh help helpdesk inc info id ltd llc mail member',
    'message my news no notice notification notifications of official online order orders pay payment payments pro',
    'reply rewards security sa ag service services shipping shop store support system team update updates us usa uk',
    'verification web kundenservice sicherheit konto servizio clienti servicio cliente atendimento equipe',
  ].flatMap((line) => line.split(' ')),
);

export function brandsIn(text: string): Brand[] {
  const plain = plainText(text.slice(0, 2_000));
  const words = wordsOfPhrase(plain);
  const out = new Set<Brand>();
  words.forEach((word, index) => {
    for (const { brand, words: spelling } of SPELLINGS.get(word) ?? []) {
      if (!spelling.every((part, offset) => words[index + offset] === part)) continue;
      const others = words.filter((_, at) => at < index || at >= index + spelling.length);
      if (!brand.common || others.every((other) => BESIDE.has(other))) out.add(brand);
    }
  });
  if (UNSPACED.some(({ text: name }) => plain.includes(name)))
    for (const { brand, text: name } of UNSPACED) if (plain.includes(name)) out.add(brand);
  return [...out];
}

/** Digits and a capital I among small letters, which pass for other letters in a word. */
const PASSING = /(?<=\p{Ll}I?)I(?=I?\p{Ll})|(?<=\p{L})[01345](?=\p{L})|(?<=\p{Lu})0|0(?=\p{Lu})/gu;

/** The brand that a text names in other characters, as in `WaImart` or `C0STC0`; null: none. */
export function disguisedBrand(text: string): Brand | null {
  const shown = text.slice(0, 500);
  const read = shown.replace(PASSING, (char) => LETTERS[char] ?? char);
  if (read === shown) return null;
  const named = brandsIn(shown);
  return brandsIn(read).find((brand) => !named.includes(brand) && !brand.common) ?? null;
}

/** Whether all that a text says is the brand’s name. */
export const isNamedAs = (brand: Brand, text: string): boolean => {
  const words = wordsOfPhrase(plainText(text.slice(0, 300)));
  return brand.names.some((name) => {
    const spelling = wordsOfPhrase(plainText(name));
    const index = words.findIndex((_, at) => spelling.every((part, offset) => words[at + offset] === part));
    return (
      index >= 0 &&
      words.every((word, at) => (at >= index && at < index + spelling.length) || BESIDE.has(word))
    );
  });
};

/** Whether a domain belongs to the brand: one of its own, or its name below a country's or general suffix. */
export function isOwnDomain(brand: Brand, domain: string): boolean {
  if (brand.domains.some((parent) => domain === parent || domain.endsWith(`.${parent}`))) return true;
  const suffix = domain.slice(domain.lastIndexOf('.') + 1);
  return (
    hasPublicSuffix(domain) && (brand.labels.includes(ownLabel(domain)) || brand.labels.includes(suffix))
  );
}

/** Whether a domain of somebody else begins with the brand’s name, as that of a partner or a part of it does. */
export const beginsWith = ({ labels }: Brand, domain: string): boolean =>
  labels.some((label) => ownLabel(domain).startsWith(label));

export const brandOfDomain = (domain: string): Brand | null => BY_LABEL.get(ownLabel(domain)) ?? null;

/** Names shorter than this are part of too many words. */
const MIN_LABEL = 5;
/** One letter more or less makes another word of a shorter name. */
export const MIN_NEAR = 7;
const AROUND =
  /^(?:secure|security|login|signin|account|accounts|support|service|services|verify|update|online|my|help|info|mail|team|id|pay|payment|billing|alert|alerts|center|centre|customer|recovery|wallet|portal|web|auth|client|bonus|rewards?|card|bank|app)?$/;

/** The digits and pairs of letters that pass for others in a domain. */
const asRead = (label: string): string =>
  label
    .replaceAll('rn', 'm')
    .replaceAll('vv', 'w')
    .replace(/[013457]/g, (digit) => LETTERS[digit] ?? digit);

const LABELS = [...BY_LABEL]
  .filter(([label]) => label.length >= MIN_LABEL)
  .map(([label, brand]) => ({ label, brand, read: asRead(label) }));

interface Imitation {
  brand: Brand;
  how: 'contains' | 'spells';
}

/** The brand whose name a foreign domain contains or nearly spells, and how; mails link to the same few hosts again. */
export const imitatedBy = remembering(2_000, findImitation);

function findImitation(domain: string): Imitation | null {
  const owner = ownLabel(domain);
  if (owner === '' || BY_LABEL.has(owner)) return null;
  const withoutAccents = BY_LABEL.get(plainText(unicodeDomain(owner)));
  if (withoutAccents !== undefined) return { brand: withoutAccents, how: 'spells' };
  const shown = asRead(owner);
  const spelled = LABELS.find(({ label, read }) => shown !== owner && (shown === label || shown === read));
  if (spelled !== undefined) return { brand: spelled.brand, how: 'spells' };
  const parts = owner.split('-');
  for (const { label, brand } of LABELS) {
    const index = brand.common ? -1 : owner.indexOf(label);
    if (index < 0 || isOwnDomain(brand, domain)) continue;
    if (parts.includes(label)) return { brand, how: 'contains' };
    const rest = owner.slice(0, index) + owner.slice(index + label.length);
    if (AROUND.test(rest.replace(/[-\d]/g, ''))) return { brand, how: 'contains' };
  }
  const near = LABELS.find(({ label }) => label.length >= MIN_NEAR && isNear(label, owner));
  return near === undefined ? null : { brand: near.brand, how: 'spells' };
}

/** Whether one letter added, left out, replaced, or two neighbours exchanged make one name of the other. */
export function isNear(a: string, b: string): boolean {
  if (a === b || Math.abs(a.length - b.length) > 1) return false;
  let start = 0;
  while (start < a.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  const [left, right] = [a.slice(start, a.length - end), b.slice(start, b.length - end)];
  if (left.length <= 1 && right.length <= 1) return true;
  return left.length === 2 && right.length === 2 && left[0] === right[1] && left[1] === right[0];
}
