/** Checks of what a mail says and how it is made. */
import { dictionary } from '../dictionary.ts';
import { onceFor } from '../remember.ts';
import { brandsIn, isOwnDomain } from './brands.ts';
import { type Check, check, type Finding, type FindingPlace, inBody, inHeader, inLink } from './check.ts';
import data from './data/lures.json' with { type: 'json' };
import { mixedWords, styledWords } from './latinized.ts';
import { hostingOf, isShortener } from './links.ts';
import { PhraseIndex } from './phrases.ts';
import { type PreparedMail, plainText } from './prepared-mail.ts';
import { SUBJECT_CHECKS } from './subject.ts';

interface Lure {
  label: string;
  /** What the sender wants, after “It reads like”. */
  says: string;
  /** The weight of its first phrase, and of each further one. */
  first: number;
  each: number;
  most: number;
  /** Its phrases stand in newsletters, too: they count only in mail with few links. */
  isLetter?: true;
}

/** In order of how much they say. */
const LURES: Readonly<Record<string, Lure>> = dictionary({
  sextortion: {
    label: 'Extortion',
    says: 'a threat to publish recordings unless money is paid',
    first: 0.5,
    each: 2.5,
    most: 6,
  },
  advancefee: {
    label: 'Advance fee',
    says: 'an offer of a large sum for help, which ends in fees',
    first: 0.6,
    each: 2,
    most: 6.5,
  },
  donation: { label: 'Donation', says: 'a gift of money from a stranger', first: 1.8, each: 1.8, most: 5.5 },
  loan: { label: 'Loan', says: 'an offer of credit without conditions', first: 0.8, each: 2.2, most: 5 },
  crypto: { label: 'Crypto money', says: 'a claim about a wallet or coins', first: 2, each: 2.2, most: 5 },
  mailbox: { label: 'Mailbox', says: 'a warning about the mailbox itself', first: 1.5, each: 2.2, most: 5 },
  credentials: {
    label: 'Account to be confirmed',
    says: 'a request to sign in or confirm an account',
    first: 1.5,
    each: 1,
    most: 4,
  },
  bankchange: {
    label: 'Change of bank details',
    says: 'a change of where money is to be paid',
    first: 2,
    each: 2,
    most: 4.5,
  },
  giftcard: {
    label: 'Gift cards',
    says: 'a favour asked in a superior’s name',
    first: 1,
    each: 1.5,
    most: 4,
  },
  parcel: { label: 'Parcel', says: 'a parcel that waits for an action', first: 1, each: 1, most: 3 },
  prize: {
    label: 'Prize',
    says: 'a prize or reward that nobody asked for',
    first: 1.3,
    each: 0.8,
    most: 3.5,
  },
  payment: { label: 'Payment', says: 'a demand about a payment', first: 0.6, each: 0.6, most: 2.4 },
  antivirus: {
    label: 'Protection expired',
    says: 'a warning that protection has ended',
    first: 1.3,
    each: 2,
    most: 4,
  },
  tax: {
    label: 'Authority',
    says: 'a notice of an authority about money or punishment',
    first: 0.8,
    each: 2,
    most: 4,
  },
  document: {
    label: 'Shared document',
    says: 'a document or message to be opened elsewhere',
    first: 0.6,
    each: 0.6,
    most: 2,
  },
  investment: { label: 'Investment', says: 'a promise of easy profit', first: 0.7, each: 1.5, most: 4 },
  job: { label: 'Job', says: 'a job with easy money', first: 0.5, each: 2.2, most: 4.5 },
  romance: {
    label: 'Acquaintance',
    says: 'a stranger who seeks acquaintance',
    first: 0.6,
    each: 2.2,
    most: 4.5,
  },
  health: { label: 'Miracle cure', says: 'an advertisement of a cure', first: 2, each: 1.8, most: 4.5 },
  gambling: { label: 'Gambling', says: 'an invitation to gamble', first: 1, each: 2.5, most: 5 },
  marketing: {
    label: 'Unrequested offer',
    says: 'an offer of services that nobody asked for',
    first: 1,
    each: 1,
    most: 3.5,
  },
  opendetails: {
    label: 'Personal details',
    says: 'a request for personal details',
    first: 0.8,
    each: 2.2,
    most: 4.5,
  },
  stranger: {
    label: 'Letter of a stranger',
    says: 'a letter of a stranger who wants an answer',
    first: 0.7,
    each: 0.9,
    most: 3,
    isLetter: true,
  },
  enquiry: {
    label: 'Enquiry for prices',
    says: 'an order or enquiry of a customer who does not exist',
    first: 0.7,
    each: 1.1,
    most: 3,
    isLetter: true,
  },
  urgency: { label: 'Urgency', says: 'pressure to act at once', first: 0.8, each: 0.4, most: 1.6 },
});

/** Words from which a phrase may stand in a mail by chance. */
const LONG = 1_500;

/** Links of a letter that somebody typed, with a signature. */
const FEW_LINKS = 3;

/** Made for the first mail: many threads load the checks, and few of them see a mail. */
let index: PhraseIndex | null = null;
function phrases(): PhraseIndex {
  if (index !== null) return index;
  index = new PhraseIndex();
  for (const [kind, byLanguage] of Object.entries(data.lures as Record<string, Record<string, string[]>>))
    for (const text of Object.values(byLanguage).flat()) index.add(kind, plainText(text));
  return index;
}

const phrasesByKind = onceFor(({ words, joined }: PreparedMail) => phrases().find(words, joined));
const phrasesOf = (mail: PreparedMail, kind: string): string[] => phrasesByKind(mail).get(kind) ?? [];

const placeOf = (mail: PreparedMail, phrase: string): FindingPlace =>
  ` ${mail.subjectWords.join(' ')} `.includes(` ${phrase} `) ||
  (mail.joined !== '' && plainText(mail.subject).replace(/\s+/g, '').includes(phrase))
    ? inHeader('Subject', phrase)
    : inBody(phrase);

const lureCheck = ([id, { label, says, first, each, most, isLetter }]: [string, Lure]): Check => ({
  id: `content.${id}`,
  tool: 'content',
  label,
  weight: first,
  most,
  run: (mail) => {
    if (isLetter && mail.webLinks.length > FEW_LINKS) return [];
    const phrases = phrasesOf(mail, id);
    return phrases.map(
      (phrase, index): Finding => ({
        sentence: `It reads like ${says}: “${phrase}”`,
        place: placeOf(mail, phrase),
        weight: (index === 0 ? first : each) * (mail.isAnswer || mail.words.length > LONG ? 0.5 : 1),
      }),
    );
  },
});

const BITCOIN = /(?<![A-Za-z0-9])(?:bc1[a-z0-9]{25,60}|[13][a-km-zA-HJ-NP-Z1-9]{25,34})(?![A-Za-z0-9])/;
export const walletIn = ({ shownText }: PreparedMail): string | undefined =>
  BITCOIN.exec(shownText.slice(0, 60_000))?.[0];
const PHONE =
  /(?:\+?\d{1,3}[\s().\u2010-\u2015-]{0,3})?\(?\d{3}\)?[\s.\u2010-\u2015-]{1,3}\d{3}[\s.\u2010-\u2015-]{1,3}\d{4}/;
const MONEY =
  /(?:usd|us\$|\$|€|£|eur|gbp|euros?|dollars?|pounds?)\s{0,2}\d{1,3}(?:[.,\s]\d{3}){1,3}|\d{1,3}(?:[.,\s]\d{3}){1,3}(?:[.,]\d\d)?\s{0,2}(?:usd|us\$|\$|€|£|euros?|dollars?|pounds?)|(?<!\d)\d{1,15}(?:\.\d{1,9})?\s?(?:million|billion|milliards?|millionen|milioni|millones|milhoes)\b/i;
const GREETING =
  /^\W{0,5}(?:(?:dear|hello|hi|attention|attn|greetings)[\s,:]{1,3}(?:(?:sir|madam|friend|beloved|beneficiary|customer|user|client|valued|account (?:user|holder|owner)|email|e-mail|mail|webmail|member|winner|sir\/madam|sir or madam|one|in christ|good friend|partner|owner|subscriber|colleague|talent)\b|[\w.+-]{2,40}@[\w.-]{3,60})|sehr geehrter? (?:kunde|nutzer|damen und herren)|lieber kunde|cher(?:e|\(e\))?s? (?:client|utilisateur|abonne|ami)|estimad[oa]s? (?:cliente|usuario|amigo)|prezad[oa]s? (?:cliente|usuario)|caro cliente|gentile (?:cliente|utente)|geachte (?:klant|gebruiker)|beste klant|szanowny kliencie|уважаем(?:ый|ая) (?:клиент|пользователь)|sayin musteri|尊敬的|お客様|亲爱的(?:用户|客户))/iu;

/** No honest design has such distances; columns of equal height have them at their lower end, which is cut off. */
const FAR_BELOW =
  /[\s;"'{](?:(?:min-)?height|(?:margin|padding)-top)\s{0,9}:\s{0,9}(?:\d{5,9}\s{0,9}(?:px|pt)|\d{4,9}\s{0,9}(?:vh|em|rem))/i;

export const CONTENT_CHECKS: readonly Check[] = [
  ...Object.entries(LURES).map(lureCheck),
  check('content.web-form', 'Strange link through a web form', 1.5, (mail) => {
    const [phrase] = phrasesOf(mail, 'webform');
    if (phrase === undefined || mail.isAnswer) return null;
    const link = mail.webLinks.find(
      ({ owner, host, url }) =>
        owner !== mail.owner && (isShortener(host) || hostingOf(host) !== undefined || /^http:/i.test(url)),
    );
    return link === undefined
      ? null
      : {
          sentence: `A web form passed on what a stranger typed, with a link to ${link.host}`,
          place: inLink(link.url, link.host),
        };
  }),
  check('content.mixed-letters', 'Words in letters that pass for others', 3.5, (mail) => {
    const words = mixedWords(mail.shownText.slice(0, 30_000), 12);
    return words.length < 3
      ? null
      : {
          sentence: `Letters of another alphabet pass for Latin ones in ${words.length > 11 ? 'many' : words.length} words of the text, such as “${words[0]}”`,
          place: inBody(words[0]),
        };
  }),
  check('content.split-words', 'Invisible characters inside words', 2.5, (mail) => {
    const splits =
      mail.shownText
        .slice(0, 30_000)
        .match(/\p{Script=Latin}(?:[\u200b\u200c\u2060\ufeff\u180e\u00ad]){1,3}\p{Script=Latin}/gu) ?? [];
    return splits.length < 5
      ? null
      : {
          sentence: 'Invisible characters split the words of the text, so that filters do not read them',
          place: inBody(splits[0]),
        };
  }),
  check('content.letters-as-signs', 'Letters replaced by signs', 2.5, (mail) => {
    const text = mail.shownText.slice(0, 30_000);
    const styled = styledWords(text);
    return styled.length < 3
      ? null
      : {
          sentence: 'The text is written in letters that look like Latin ones and are none',
          place: inBody(styled[0]),
        };
  }),
  check('content.form', 'Form in the mail', 1.5, (mail) =>
    mail.active.forms > 0 && !mail.isAnswer && /<input\b/i.test(mail.html)
      ? {
          sentence: 'The mail contains a form: what is typed there goes to a stranger’s server',
          place: inBody(),
          weight: /type\s*=\s*["']?password/i.test(mail.html) ? 3.5 : 0.1,
        }
      : null,
  ),
  check('content.image-only', 'Text as a picture', 2.5, (mail) => {
    if (mail.html === '' || mail.isAnswer) return null;
    const words = mail.words.length - mail.subjectWords.length;
    const pictures = mail.html.slice(0, 400_000).match(/<img\b/gi)?.length ?? 0;
    return words < 60 && pictures > 0 && mail.webLinks.length > 0
      ? {
          sentence: 'Nearly all that the mail shows is a picture, which filters do not read',
          place: inBody(),
          weight: words < 30 ? 2.5 : 1.2,
        }
      : null;
  }),
  check('content.few-words', 'A link and hardly a word', 1, (mail) => {
    const words = mail.words.length - mail.subjectWords.length;
    return words < 15 &&
      mail.webLinks.length > 0 &&
      mail.webLinks.length < 6 &&
      !mail.isAnswer &&
      mail.attachments.length === 0
      ? { sentence: 'There is little more than a link', place: inBody() }
      : null;
  }),
  check('content.short-letter', 'A few words to hidden readers', 0.8, (mail) => {
    const words = mail.words.length - mail.subjectWords.length;
    const isNamed = [...mail.to, ...mail.cc].some(({ domain }) => domain !== '');
    return words > 0 &&
      words < 50 &&
      !isNamed &&
      mail.inReplyTo === null &&
      !mail.isAutomatic &&
      mail.webLinks.length === 0 &&
      mail.attachments.length === 0
      ? {
          sentence: 'The mail says a few words to readers whom it does not name, so that they write back',
          place: inBody(),
        }
      : null;
  }),
  check('content.hidden', 'Hidden text', 1, (mail) => {
    const html = mail.html.slice(0, 400_000);
    const hidden =
      html.match(
        /(?:font-size\s*:\s*[01](?:px|pt|em)?\s*[;"'!]|(?:max-)?(?:height|width)\s*:\s*0(?:px)?\s*[;"'].{0,80}overflow\s*:\s*hidden|color\s*:\s*(?:#fff(?:fff)?|white)\s*[;"'])/gi,
      )?.length ?? 0;
    const noise =
      /(?:<(?:style|div|span|font|p)[^>]{0,200}(?:display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*[01]px)[^>]{0,200}>)([^<]{400,})/i.exec(
        html,
      )?.[1];
    return noise === undefined && hidden < 25
      ? null
      : {
          sentence: 'The mail contains much text that is not shown: it is there for filters',
          place: inBody(noise?.trim().slice(0, 60)),
          weight: 0.1,
        };
  }),
  check('content.far-below', 'Text far below', 4, (mail) =>
    FAR_BELOW.test(mail.html.slice(0, 400_000))
      ? {
          sentence: 'Text stands far below what a reader sees: it is there for filters',
          place: inBody(),
        }
      : null,
  ),
  check('content.two-texts', 'Two different texts', 0.4, (mail) => {
    if (mail.isAnswer || mail.text.length < 200 || mail.html.length < 200) return null;
    const plain = new Set(
      mail.text
        .slice(0, 4_000)
        .toLowerCase()
        .match(/\p{L}{5,}/gu) ?? [],
    );
    const shown = mail.html.slice(0, 100_000).toLowerCase();
    if (plain.size < 20) return null;
    let shared = 0;
    for (const word of plain) if (shown.includes(word) && ++shared > plain.size / 4) return null;
    return { sentence: 'The plain text says something else than what is shown', place: inBody() };
  }),
  check('content.brand', 'Lure in the name of an organisation', 1.5, (mail) => {
    if (mail.isAnswer || mail.domain === '') return null;
    const start = mail.shownText.slice(0, 600);
    const brand = brandsIn(start).find(
      (candidate) => !candidate.common && !isOwnDomain(candidate, mail.domain),
    );
    if (brand === undefined || mail.webLinks.some(({ host }) => isOwnDomain(brand, host))) return null;
    const lure = ['credentials', 'payment', 'prize', 'parcel', 'crypto', 'antivirus', 'mailbox'].find(
      (id) => phrasesOf(mail, id).length > 0,
    );
    return lure === undefined
      ? null
      : {
          sentence: `The text speaks for ${brand.name}, but neither its sender nor any link belongs to it`,
          place: inBody(brand.name),
        };
  }),
  check('content.crypto-address', 'Address of a crypto wallet', 0.5, (mail) => {
    const address = walletIn(mail);
    return address === undefined || mail.isAnswer
      ? null
      : { sentence: `The text names a wallet to pay to: ${address}`, place: inBody(address) };
  }),
  check('content.callback', 'Telephone number to call about a payment', 1.2, (mail) => {
    if (mail.isAnswer) return null;
    const text = mail.shownText.slice(0, 20_000);
    const phone = PHONE.exec(text)?.[0];
    if (
      phone === undefined ||
      !(
        mail.isFreeMailer ||
        brandsIn(`${mail.name} ${mail.subject} ${text.slice(0, 600)}`).some(
          (brand) => !isOwnDomain(brand, mail.domain),
        )
      )
    )
      return null;
    return /(?:cancel|refund|renew|charged|subscription|invoice|order|antivirus|debit|dispute|helpline|toll[ -]?free)/i.test(
      text,
    )
      ? { sentence: `The reader is to call ${phone} about a payment`, place: inBody(phone) }
      : null;
  }),
  check('content.large-sum', 'Large sum of money', 1, (mail) => {
    if (mail.isAnswer) return null;
    const sum = MONEY.exec(mail.shownText.slice(0, 20_000))?.[0];
    return sum === undefined || mail.words.length > 2_500
      ? null
      : {
          sentence: `A large sum is named: ${sum}`,
          place: inBody(sum),
          weight: /[mb]ill|milli|milh/i.test(sum) ? 0.9 : 0.5,
        };
  }),
  check('content.greeting', 'Greets nobody in particular', 2, (mail) => {
    const greeting = GREETING.exec(
      mail.shownText.trimStart().slice(0, 400).normalize('NFD').replace(/\p{M}/gu, '').normalize('NFC'),
    )?.[0];
    return greeting === undefined || mail.isAnswer
      ? null
      : { sentence: `The greeting names nobody: “${greeting.trim()}”`, place: inBody(greeting.trim()) };
  }),
  ...SUBJECT_CHECKS,
];
