/** Checks of who a mail says that it is from. */
import { addressesInText } from '../mail/addresses.ts';
import { aligned, looksLikeDomain, organisationalDomain } from '../mail/domains.ts';
import { allHeaders, firstHeader } from '../mail/headers.ts';
import { homograph } from '../model/lookalike.ts';
import { beginsWith, brandsIn, disguisedBrand, imitatedBy, isNamedAs, isOwnDomain } from './brands.ts';
import { type Check, check, inHeader } from './check.ts';
import hosting from './data/hosting.json' with { type: 'json' };
import { mixedWords, styledWords } from './latinized.ts';
import { isFreeMailer, type PreparedMail, plainText } from './prepared-mail.ts';

const PLATFORMS = new Set(hosting.senders);
const MAIL_HOSTING = hosting.mailHosting;
const RISKY_TLDS = new Set(hosting.riskyTlds);

/** Whether the mail comes from a service that sends mail in other people's names and says so. */
const isPlatform = ({ owner, domain }: PreparedMail): boolean =>
  PLATFORMS.has(owner) || PLATFORMS.has(domain);

const VIA = /\bvia\b|\(by way of|\bon behalf of\b/i;
const ROLE =
  /\b(?:support|security|service|services|admin|administrator|department|dept|team|helpdesk|help desk|bank|office|official|customer|billing|account|accounts|court|police|ministry|embassy|foundation|lottery|fund|agency|federal|united nations|barrister|attorney|director|manager|ceo|president|secretary|minister|general|dr|sgt|capt|rev|mrs|mr|miss|kundenservice|sicherheit|soporte|suporte|assistance|servicio|servico|atendimento|notification|alert|update|delivery|invoice|payment|loan|finance|financial|invest\w*|capital|crypto|wallet|courier|donation)\b/i;
const ORNAMENT = /(?![©®™])[\p{Extended_Pictographic}✅★☆►●◆|#*_~=]|\p{Regional_Indicator}/u;

const OFFICE =
  /\b(?:deals?|offers?|news|members?|rewards?|insurance|health|savings|club|store|shop|solutions?|program|benefits|perks?|plus|inc|llc|gmbh|insights?|care|cares|center|centre|partner|notices?|experts?|angebot\w*|gutschein\w*|pr[äa]mie\w*|gewinn\w*|aanbieding\w*|korting\w*|oferta\w*|promo\w*)\b/i;

/** The name is that of an organisation, and none of its words is in the domain. */
function isUnrelated(mail: PreparedMail): boolean {
  if (
    mail.isFreeMailer ||
    mail.isAutomatic ||
    mail.isList ||
    mail.isAnswer ||
    isPlatform(mail) ||
    VIA.test(mail.name)
  )
    return false;
  if (mail.domain === '' || !(ROLE.test(mail.name) || OFFICE.test(mail.name))) return false;
  const words = plainText(mail.name).match(/[\p{L}\p{N}]{3,}/gu) ?? [];
  const domain = mail.domain.replaceAll('-', '');
  const initials = words.map(([first]) => first).join('');
  return (
    words.length > 0 &&
    !words.some((word) => domain.includes(word.slice(0, 5))) &&
    !(initials.length > 2 && domain.includes(initials)) &&
    !domain.split('.').some((label) => label.length > 3 && words.join('').includes(label))
  );
}

/** A local part or label that nobody chose: long, without vowels or with digits scattered through it. */
function isRandom(text: string): boolean {
  const label = text.toLowerCase();
  if (label.length < 8 || /[^a-z0-9]/.test(label)) return false;
  const turns = [...label.matchAll(/[a-z](?=\d)|\d(?=[a-z])/g)].length;
  const longest = Math.max(0, ...[...label.matchAll(/[bcdfghjklmnpqrstvwxz]+/g)].map(([run]) => run.length));
  return turns >= 3 || longest >= 6 || (longest >= 5 && turns >= 1);
}

/** Whether any word of the sender’s name begins in the local part of its address; without Latin words, that is unknown. */
function bearsName({ name, author }: PreparedMail): boolean {
  const words = plainText(name).match(/[a-z]{3,}/g) ?? [];
  const local = plainText(author?.local ?? '');
  return (
    words.length === 0 ||
    local.length < 5 ||
    name.includes('@') ||
    words.some((word) => local.includes(word.slice(0, 4)))
  );
}

/** Mixed case inside, as in `oIXfHyk`: an address of a generator. */
const isScrambled = (local: string): boolean =>
  local.length >= 6 &&
  /^[A-Za-z]+$/.test(local) &&
  (local.match(/[a-z][A-Z]/g) ?? []).length >= 2 &&
  /[A-Z]{2}/.test(local);

export const SENDER_CHECKS: readonly Check[] = [
  check('sender.brand', 'Name of an organisation at a foreign domain', 3, (mail) => {
    if (mail.name === '' || isPlatform(mail) || VIA.test(mail.name)) return null;
    const brand = brandsIn(mail.name)[0];
    if (brand === undefined || mail.domain === '' || isOwnDomain(brand, mail.domain)) return null;
    const isAll = isNamedAs(brand, mail.name);
    return {
      sentence: `The sender calls itself “${mail.name.slice(0, 80)}”, but ${mail.domain} does not belong to ${brand.name}`,
      place: inHeader('From', mail.name),
      weight: beginsWith(brand, mail.domain) ? 0.8 : isAll ? 2.8 : 1.6,
    };
  }),
  check('sender.disguised-name', 'Name of an organisation in other characters', 4, (mail) => {
    const brand = mail.isAnswer ? null : (disguisedBrand(mail.name) ?? disguisedBrand(mail.subject));
    if (brand === null || isOwnDomain(brand, mail.domain)) return null;
    const isInName = disguisedBrand(mail.name) !== null;
    return {
      sentence: `“${(isInName ? mail.name : mail.subject).slice(0, 80)}” writes ${brand.name} in characters that only look like it`,
      place: inHeader(isInName ? 'From' : 'Subject', isInName ? mail.name : mail.subject),
    };
  }),
  check('sender.unrelated-name', 'Name that its domain does not bear', 0.8, (mail) =>
    isUnrelated(mail)
      ? {
          sentence: `“${mail.name.slice(0, 80)}” has nothing in common with ${mail.domain}`,
          place: inHeader('From', mail.name),
        }
      : null,
  ),
  check('sender.brand-subject', 'Subject names an organisation that did not send it', 0.6, (mail) => {
    if (mail.isAnswer || mail.domain === '' || isPlatform(mail)) return null;
    const brand = brandsIn(mail.subject).find(({ common }) => !common);
    if (brand === undefined || isOwnDomain(brand, mail.domain)) return null;
    const inName = brandsIn(mail.name).includes(brand);
    if (inName) return null;
    return {
      sentence: `The subject names ${brand.name}, but the mail is from ${mail.domain}`,
      place: inHeader('Subject', mail.subject),
    };
  }),
  check('sender.look-alike', 'Domain imitates an organisation', 3.5, (mail) => {
    if (mail.domain === '') return null;
    const shown = homograph(mail.domain);
    if (shown !== null)
      return {
        sentence: `The sender’s domain ${shown.shown} is written to be read as ${shown.looksLike}`,
        place: inHeader('From', mail.domain),
        weight: 4,
      };
    const imitated = imitatedBy(mail.domain);
    if (imitated === null) return null;
    const { brand, how } = imitated;
    return {
      sentence:
        how === 'spells'
          ? `The sender’s domain ${mail.domain} is spelled nearly like that of ${brand.name}`
          : `The sender’s domain ${mail.domain} contains the name of ${brand.name}, to which it does not belong`,
      place: inHeader('From', mail.domain),
    };
  }),
  check('sender.other-address', 'Name shows another address', 3, (mail) => {
    const local = mail.author?.local ?? '';
    if (VIA.test(mail.name)) return null;
    const shown = addressesInText(mail.name).find(
      (address) => !aligned(address.split('@').at(-1), mail.domain),
    );
    if (shown !== undefined && mail.domain !== '')
      return {
        sentence: `The name shows the address ${shown}, but the mail is from ${mail.author?.address ?? ''}`,
        place: inHeader('From', mail.name),
        weight: mail.isAnswer ? 0.5 : 2.5,
      };
    const [brand] = /\.(?:com|net|org)$/i.test(local) ? brandsIn(local.replaceAll('.', ' ')) : [];
    return brand === undefined || isOwnDomain(brand, mail.domain)
      ? null
      : {
          sentence: `The part before the @ is made to look like the domain of ${brand.name}; the mail is from ${mail.domain}`,
          place: inHeader('From', local),
        };
  }),
  check('sender.no-domain', 'From without an existing domain', 2.5, (mail) => {
    if (mail.from.length === 0 && !firstHeader(mail.headers, 'From')) return null;
    // Some servers write their bounces without a domain.
    if (mail.kind === 'bounce' && mail.domain === '') return null;
    if (mail.domain === '' || mail.author === null)
      return {
        sentence: 'The sender gives no address that could be answered',
        place: inHeader('From', mail.name || (mail.author?.address ?? '')),
        weight: 2,
      };
    if (looksLikeDomain(mail.domain) || !mail.domain.includes('.')) return null;
    return {
      sentence: `The sender’s domain ${mail.domain} does not exist`,
      place: inHeader('From', mail.domain),
      weight: 3,
    };
  }),
  check('sender.free-mailer', 'Official name at a free mailer', 1, (mail) => {
    if (!mail.isFreeMailer || mail.isAnswer || mail.isNotice || !ROLE.test(mail.name)) return null;
    return {
      sentence: `“${mail.name.slice(0, 80)}” writes from a free address at ${mail.domain}`,
      place: inHeader('From', mail.name),
    };
  }),
  check('sender.reply-to', 'Replies go to somebody else', 2, (mail) => {
    const other = mail.replyTo.find(
      ({ address, domain }) => domain !== '' && address.toLowerCase() !== mail.author?.address.toLowerCase(),
    );
    if (other === undefined || mail.domain === '' || aligned(other.domain, mail.domain)) {
      if (other === undefined || !mail.isFreeMailer || other.local === mail.author?.local || mail.isAnswer)
        return null;
      return {
        sentence: `Answers go to another free address, ${other.address}`,
        place: inHeader('Reply-To', other.address),
        weight: 2.4,
      };
    }
    // A list answers to itself, and so does a mail that somebody sends for a group.
    const isOwn = [...mail.to, ...mail.cc].some(
      ({ address }) => address.toLowerCase() === other.address.toLowerCase(),
    );
    const toFree = isFreeMailer(other.domain);
    if (isOwn || mail.isAnswer || (mail.isList && !toFree)) return null;
    return {
      sentence: `Answers go to ${other.address}, not to ${mail.domain}`,
      place: inHeader('Reply-To', other.address),
      weight: toFree ? 3 : isPlatform(mail) ? 0 : 0.8,
    };
  }),
  check('sender.random', 'Random address', 1.8, (mail) => {
    const local = mail.author?.local ?? '';
    const label = mail.owner.split('.', 1)[0] ?? '';
    if (mail.isAutomatic || isPlatform(mail) || /^(?:bounce|prvs|msprvs|reply)/i.test(local)) return null;
    const random = isRandom(label)
      ? label
      : isRandom(local.replace(/[._-]/g, '')) || isScrambled(local)
        ? local
        : null;
    if (random === null) return null;
    return {
      sentence: `The sender’s address looks generated: ${mail.author?.address ?? ''}`,
      place: inHeader('From', random),
    };
  }),
  check('sender.tenant', 'Domain that anybody gets for nothing', 4, (mail) => {
    const host = MAIL_HOSTING.find((parent) => mail.domain.endsWith(`.${parent}`));
    return host === undefined || mail.isNotice
      ? null
      : {
          sentence: `The mail is from ${mail.domain}, a name below ${host} that anybody can have within minutes`,
          place: inHeader('From', mail.domain),
        };
  }),
  check('sender.risky-suffix', 'Domain under a suffix often abused', 3, (mail) => {
    const tld = mail.domain.split('.').at(-1) ?? '';
    return RISKY_TLDS.has(tld) && !mail.isAnswer
      ? {
          sentence: `Domains under .${tld}, such as ${mail.domain}, are often registered for a single campaign`,
          place: inHeader('From', mail.domain),
        }
      : null;
  }),
  check('sender.mixed-letters', 'Letters that pass for others', 4.5, (mail) => {
    const named = mixedWords(`${mail.name} ${mail.subject}`, 3);
    if (named.length > 0)
      return {
        sentence: `Letters of another alphabet pass for Latin ones in “${named[0]}”`,
        place: inHeader(mail.name.includes(named[0]!) ? 'From' : 'Subject', named[0]),
      };
    const shown = `${mail.name} ${mail.subject}`;
    const hidden = /\p{L}[\u00ad\u200b\u2060\ufeff\u180e]+\p{L}/u.exec(shown)?.[0];
    const [styled] = styledWords(shown);
    const odd = hidden ?? styled;
    return odd === undefined
      ? null
      : {
          sentence:
            hidden === undefined
              ? 'The name or subject is written in letters that filters do not read'
              : 'Invisible characters split words of the name or subject',
          place: inHeader(mail.name.includes(odd) ? 'From' : 'Subject', odd),
          weight: 3,
        };
  }),
  check('sender.ornaments', 'Ornaments in the sender’s name', 2, (mail) => {
    const sign = ORNAMENT.exec(mail.name)?.[0];
    return sign === undefined
      ? null
      : {
          sentence: `The sender’s name is decorated: “${mail.name.slice(0, 80)}”`,
          place: inHeader('From', mail.name),
          weight: /[_#*|~=]/.test(sign) ? 1 : 2,
        };
  }),
  check('sender.no-recipient', 'No recipient is named', 0.6, (mail) => {
    const named = [...mail.to, ...mail.cc].filter(({ domain }) => domain !== '');
    if (named.length === 0)
      return {
        sentence: mail.isList
          ? 'It came through a list, but names neither the list nor anybody else: it was sent to many in secret'
          : 'No recipient is named: it was sent to many in secret',
        place: inHeader('To'),
        weight: mail.isList && !mail.isAnswer ? 3 : 0.6,
      };
    const sender = mail.author?.address.toLowerCase() ?? '';
    if (
      sender !== '' &&
      named.length === 1 &&
      named[0]?.address.toLowerCase() === sender &&
      !mail.posting.has(sender)
    )
      return {
        sentence: 'The mail is addressed to its own sender; whoever got it is hidden',
        place: inHeader('To', sender),
        weight: mail.isList ? 2.4 : 1.2,
      };
    const locals = new Set([...mail.posting].map((address) => address.split('@', 1)[0]));
    return mail.posting.size === 0 ||
      mail.references.length > 0 ||
      mail.inReplyTo !== null ||
      named.some(({ local }) => locals.has(local.toLowerCase()))
      ? null
      : {
          sentence:
            'The list through which it came is not among its recipients: whoever else got it is hidden',
          place: inHeader('To', named[0]?.address),
          weight: 1.8,
        };
  }),
  check('sender.foreign-address', 'Address that does not bear the name', 0.8, (mail) =>
    mail.isFreeMailer && !mail.isAnswer && mail.inReplyTo === null && !bearsName(mail)
      ? {
          sentence: `“${mail.name.slice(0, 80)}” writes from ${mail.author?.address ?? ''}, which is somebody else’s name`,
          place: inHeader('From', mail.author?.address),
        }
      : null,
  ),
  check('sender.own-name', 'Comes from the recipient’s own address or name', 0.5, (mail) => {
    const sender = mail.author?.address.toLowerCase() ?? '';
    const [recipient] = mail.to;
    if (recipient === undefined || sender === '') return null;
    const says = mail.name.toLowerCase();
    const target = recipient.address.toLowerCase();
    return target.length > 6 &&
      target !== sender &&
      (says.includes(target) || (recipient.local.length > 5 && says === recipient.local.toLowerCase()))
      ? {
          sentence: `The sender’s name is the recipient’s own address, ${target}`,
          place: inHeader('From', mail.name),
          weight: 0.5,
        }
      : null;
  }),
  check('sender.false-answer', 'Looks like an answer, but answers nothing', 1, (mail) => {
    if (!/^\s*(?:re|aw|sv|rv|antw|odp|fwd?|wg|tr|enc|res)\s*:/i.test(mail.subject)) return null;
    if (mail.references.length > 0 || mail.inReplyTo !== null) return null;
    return mail.isAnswer || /^\s*(?:>|-{2,}|_{10,}|From:)/m.test(mail.text)
      ? null
      : {
          sentence: 'The subject says that it is an answer, but there is no mail that it answers',
          place: inHeader('Subject', mail.subject),
        };
  }),
  check('sender.subject-address', 'Subject addresses the reader by mail address', 1.5, (mail) => {
    if (mail.isAnswer || mail.isNotice || mail.kind === 'calendar') return null;
    // A list begins its subjects with its own name.
    const subject = mail.subject.toLowerCase().replace(/\[[^\]]{1,80}\]/g, ' ');
    const address = [...mail.recipients].find(
      (candidate) => candidate.includes('@') && candidate.length > 6 && subject.includes(candidate),
    );
    const local =
      address ??
      [...mail.recipients]
        .map((recipient) => recipient.split('@', 1)[0] ?? '')
        .find((name) => name.length >= 6 && /[\d._-]|[a-z]{8}/.test(name) && subject.includes(name));
    return local === undefined
      ? null
      : {
          sentence: `The subject addresses its reader as “${local}”, as a sender does that knows nothing else`,
          place: inHeader('Subject', local),
          weight: address === undefined ? 1 : 1.8,
        };
  }),
  check('sender.several', 'Several senders', 1.5, (mail) => {
    const lines = allHeaders(mail.headers, 'From').length;
    const owners = new Set(
      mail.from.flatMap(({ domain }) => (domain === '' ? [] : (organisationalDomain(domain) ?? []))),
    );
    return lines > 1 || owners.size > 1
      ? {
          sentence: 'The mail names several senders; which one is shown depends on the program',
          place: inHeader('From'),
        }
      : null;
  }),
];
