/** Checks of what servers recorded about the sender, and of what speaks for a mail. */
import { aligned, organisationalDomain } from '../mail/domains.ts';
import { allHeaders, placedHeaders } from '../mail/headers.ts';
import { receivedOf } from '../mail/received.ts';
import { brandOfDomain, brandsIn, disguisedBrand, isOwnDomain } from './brands.ts';
import { type Check, check, inHeader } from './check.ts';
import type { PreparedMail } from './prepared-mail.ts';

const resultWord = (result: string | null): string => result?.replace(/^claimed /, '') ?? 'none';

const place = (mail: PreparedMail, method: string) =>
  inHeader(
    allHeaders(mail.headers, 'Authentication-Results').length > 0 ? 'Authentication-Results' : 'Received-SPF',
    method,
  );

const hasAny = ({ auth }: PreparedMail): boolean =>
  [auth.spf, auth.dkim, auth.dmarc].some((result) => resultWord(result) !== 'none');

/** The domains that signatures name, verified or not. */
const signersOf = ({ headers }: PreparedMail): string[] =>
  headers
    .filter(({ name }) => /^dkim-signature$/i.test(name))
    .flatMap(({ value }) => /(?:^|;)\s*d=([^;\s]+)/i.exec(value.slice(0, 2_000))?.[1] ?? []);

const MICROSOFT = /(?:^|\.)(?:outlook|office365|exchangelabs)\.com$/i;

/**
 * A gateway of the recipient handed the mail on: SPF named the gateway, DKIM read what it changed, and Microsoft says
 * itself that these results do not count (reasons 4xx and 9xx). Believed above the line by which Microsoft received the
 * mail from outside, where no sender can write.
 */
function isBehindGateway({ headers }: PreparedMail): boolean {
  const results = placedHeaders(headers, 'Authentication-Results')[0];
  if (!/\bcompauth=none\s+reason=[49]\d\d\b/i.test(results?.header.value.slice(0, 4_000) ?? '')) return false;
  for (const { index, header } of placedHeaders(headers, 'Received')) {
    const { from, by } = receivedOf(header);
    if (!MICROSOFT.test(by ?? '')) return false;
    if (!MICROSOFT.test(from ?? '')) return results !== undefined && results.index < index;
  }
  return false;
}

const isVouched = ({ auth }: PreparedMail): boolean => resultWord(auth.dmarc) === 'pass' && auth.trusted;

const signedByAuthor = ({ signedBodies, domain }: PreparedMail) =>
  signedBodies.filter((signed) => aligned(signed.domain, domain));

/** The sender's domain signed all of the mail, by a key that the analyst gave. */
const isVerified = (mail: PreparedMail): boolean =>
  signedByAuthor(mail).some(({ fits, state }) => fits === true && state === 'intact');

export const AUTHENTICATION_CHECKS: readonly Check[] = [
  check('authentication.dmarc', 'DMARC failed', 2, (mail) => {
    const { dmarc } = mail.auth;
    if (resultWord(dmarc) !== 'fail' || isBehindGateway(mail)) return null;
    return {
      sentence: `The domain ${mail.domain} says how its mail can be recognised (DMARC), and this mail is not its own`,
      place: place(mail, 'dmarc='),
      weight: mail.isList ? 0.3 : 1,
    };
  }),
  check('authentication.spf', 'SPF failed', 1.2, (mail) => {
    const spf = resultWord(mail.auth.spf);
    if (mail.isList || isBehindGateway(mail) || !/^(?:fail|softfail|permerror)$/.test(spf)) return null;
    return {
      sentence:
        spf === 'permerror'
          ? 'The sender’s rules for its servers (SPF) are broken'
          : 'The sending server is none of those that the sender’s domain names (SPF)',
      place: place(mail, 'spf='),
      weight: spf === 'fail' ? 1.6 : spf === 'softfail' ? 1.4 : 0.8,
    };
  }),
  check('authentication.dkim', 'Signature does not fit', 0.3, (mail) =>
    resultWord(mail.auth.dkim) === 'fail' && !mail.isList
      ? {
          sentence:
            'The mail’s signature (DKIM) does not fit: it is forged, or the mail was changed on its way',
          place: place(mail, 'dkim='),
        }
      : null,
  ),
  check('authentication.body-changed', 'Body changed after signing', 0.1, (mail) => {
    const judged = mail.signedBodies.filter(({ state }) => state !== 'unknown');
    const [first] = judged;
    if (first === undefined || mail.isList || judged.some(({ state }) => state !== 'changed')) return null;
    return {
      sentence: `The text is not the one that ${first.domain || 'its sender'} signed: it was changed on the way, or the signature is copied`,
      place: inHeader('DKIM-Signature', first.domain),
    };
  }),
  check('authentication.body-extended', 'Text added behind the signed part', 1.5, (mail) => {
    const extended = mail.signedBodies.find(({ state }) => state === 'extended');
    return extended === undefined || mail.isList
      ? null
      : {
          sentence: `Only the beginning of the text is signed by ${extended.domain || 'its sender'}; anybody could have added the rest`,
          place: inHeader('DKIM-Signature', 'l='),
        };
  }),
  check('authentication.signature-failed', 'Signature does not fit the key given', 1, (mail) => {
    const failed = signedByAuthor(mail).find(({ fits }) => fits === false);
    return failed === undefined || mail.isList || isVerified(mail)
      ? null
      : {
          sentence: `The signature of ${failed.domain} does not fit the key that you gave: it is forged, the mail was changed on its way, or the key is another one`,
          place: inHeader('DKIM-Signature', failed.domain),
        };
  }),
  check('authentication.none', 'Nothing vouches for the sender', 1, (mail) => {
    const { spf, dkim, dmarc } = mail.auth;
    const results = allHeaders(mail.headers, 'Authentication-Results');
    // A bounce has no envelope sender whose server could be compared.
    if (results.length === 0 || mail.isList || mail.kind === 'bounce' || isBehindGateway(mail)) return null;
    if (
      [spf, dkim, dmarc].some(
        (result) => resultWord(result) === 'pass' || resultWord(result) === 'bestguesspass',
      )
    )
      return null;
    // DMARC was looked at without SPF: the organisation's own servers handed the mail to each other.
    if (isVerified(mail) || (spf === null && dmarc?.endsWith('none') === true)) return null;
    const brand = brandOfDomain(mail.domain);
    return {
      sentence:
        brand === null
          ? 'The receiving server found nothing that vouches for the sender: no SPF, DKIM or DMARC'
          : `${brand.name} signs its mail; for this one nothing vouches`,
      place: place(mail, ''),
      // A signature that no longer fits tells of a server on the way that changed the mail, more often than of a forgery.
      weight:
        brand !== null ? 2.2 : signersOf(mail).some((domain) => aligned(domain, mail.domain)) ? 0.7 : 1.5,
    };
  }),
  check('authentication.other-signer', 'Signed by somebody else', 0.4, (mail) => {
    if (mail.isList || !hasAny(mail) || resultWord(mail.auth.dmarc) === 'pass') return null;
    const signer = signersOf(mail);
    const [first] = signer;
    if (first === undefined || signer.some((domain) => aligned(domain, mail.domain))) return null;
    return {
      sentence: `The mail is signed by ${first}, not by ${mail.domain}`,
      place: inHeader('DKIM-Signature', first),
    };
  }),
  check('authentication.vouched', 'The sender’s own signature is verified', -1.5, (mail) =>
    isVouched(mail) && !mail.isFreeMailer
      ? {
          sentence: `The receiving server verified that ${organisationalDomain(mail.domain) ?? mail.domain} sent the mail`,
          place: place(mail, 'dmarc=pass'),
        }
      : null,
  ),
  check('authentication.signature-verified', 'Signature fits the key given', -1.5, (mail) =>
    isVerified(mail) && !isVouched(mail) && !mail.isFreeMailer
      ? {
          sentence: `The signature fits the key that you gave: ${organisationalDomain(mail.domain) ?? mail.domain} sent the mail, and it was not changed`,
          place: inHeader('DKIM-Signature', mail.domain),
        }
      : null,
  ),
  check('authentication.subscription', 'Newsletter of its own domain', -1.5, (mail) => {
    const passes = resultWord(mail.auth.dmarc) === 'pass' || resultWord(mail.auth.dkim) === 'pass';
    const ownLinks = mail.webLinks.filter(({ owner }) => owner === mail.owner).length;
    const isOffered = mail.headers.some(({ name }) => /^list-unsubscribe$/i.test(name));
    // Whoever writes in another’s name from a domain of their own has such a newsletter as well.
    const isForeign = [mail.name, mail.subject].some(
      (text) =>
        disguisedBrand(text) !== null ||
        brandsIn(text).some((brand) => !brand.common && !isOwnDomain(brand, mail.domain)),
    );
    return passes && isOffered && !isForeign && ownLinks * 2 > mail.webLinks.length
      ? {
          sentence: `It can be unsubscribed from, is signed, and its links lead to ${mail.owner} itself`,
          place: inHeader('List-Unsubscribe'),
        }
      : null;
  }),
  check('authentication.conversation', 'Answer in a conversation', -2, (mail) =>
    mail.isAnswer && mail.references.length > 0
      ? { sentence: 'It answers a mail that it quotes', place: inHeader('References') }
      : null,
  ),
];
