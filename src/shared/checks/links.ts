/** Checks of where the links of a mail lead. */
import { organisationalDomain } from '../mail/domains.ts';
import { isPrivateIp } from '../model/ip.ts';
import { brandsIn, imitatedBy, isOwnDomain } from './brands.ts';
import { type Check, check, inLink } from './check.ts';
import hosting from './data/hosting.json' with { type: 'json' };
import type { PreparedMail, WebLink } from './prepared-mail.ts';

const SHORTENERS = new Set(hosting.shorteners);
const REDIRECTORS = hosting.redirectors.map((entry) => {
  const [domain = ''] = entry.split('/', 1);
  return { domain, path: entry.slice(domain.length) };
});
const HOSTING: ReadonlySet<string> = new Set(hosting.hosting);
const RISKY_TLDS = new Set(hosting.riskyTlds);

/** The year from which nearly every site is reached by https. */
const ENCRYPTED_SINCE = 2019;
/** Links to more owners than this are those of a newsletter or a digest. */
const MANY_OWNERS = 5;

const isBelow = (host: string, parent: string): boolean => host === parent || host.endsWith(`.${parent}`);

const pathOf = (url: string): string => /^[a-z]+:\/*[^/?#]*(.*)$/i.exec(url.slice(0, 4_000))?.[1] ?? '';

export const isShortener = (host: string): boolean => SHORTENERS.has(host.replace(/^www\./, ''));

export const redirectorOf = ({ host, url }: WebLink): string | undefined =>
  REDIRECTORS.find(
    ({ domain, path }) => isBelow(host, domain) && (path === '' || pathOf(url).startsWith(path)),
  )?.domain;

/** The entry of a list of domains that a host is, or is below. */
export const entryFor = (list: ReadonlySet<string>, host: string): string | undefined => {
  for (let name = host; name !== ''; name = name.slice(name.indexOf('.') + 1 || name.length))
    if (list.has(name)) return name;
  return undefined;
};
export const hostingOf = (host: string): string | undefined => entryFor(HOSTING, host);

/** Links that a person is meant to follow: not pictures of a signature, not the sender's own site. */
const foreign = (mail: PreparedMail): WebLink[] => mail.webLinks.filter(({ owner }) => owner !== mail.owner);

const foreignHosts = (mail: PreparedMail): WebLink[] => [
  ...new Map(foreign(mail).map((link) => [link.host, link])).values(),
];

const CREDENTIAL =
  /(?:log-?in|sign-?in|signon|verif|account|secur|auth|webmail|wallet|password|passwd|recover|unlock|suspend|confirm|update-?(?:info|account|payment)|billing|office365|outlook|onedrive|sharepoint|docusign|banking)/i;

/** Where the QR codes of newsletters, signatures and tickets lead. */
const USUAL_CODES =
  /(?:^|\.)(?:apps\.apple\.com|itunes\.apple\.com|play\.google\.com|wa\.me|u\.wechat\.com|weixin\.qq\.com|maps\.app\.goo\.gl)$/;
const SCAN =
  /\bscan(?:ne[nrz]|s|ned|ning|sion\w*|ea\w*)?\b|\bescane\w+|\bzeskanuj|\bnaskenuj|\bskann?a|\bskenuj|\bqr[\s-]?(?:code|kod|код)|отсканир|karekod|tarat|扫描|扫码|掃描|二维码|二維碼|スキャン|스캔|큐알|امسح/iu;

export const LINKS_CHECKS: readonly Check[] = [
  check('links.text-differs', 'Text names another host', 1, (mail) => {
    const differing = mail.webLinks.filter(
      (link) => link.mismatched === true && link.rewrittenUrl === null && !isShortener(link.host),
    );
    const branded = differing.flatMap((link) => {
      const shown =
        organisationalDomain(
          /(?<![\p{L}\p{N}-])([\p{L}\p{N}-]+\.)+[\p{L}\p{N}-]{2,}/u.exec(link.text)?.[0] ?? '',
        ) ?? '';
      const [brand] = shown === '' ? [] : brandsIn(link.text.replace(/[./:_-]+/g, ' '));
      return brand !== undefined &&
        isOwnDomain(brand, shown) &&
        !isOwnDomain(brand, link.host) &&
        shown !== mail.owner
        ? [{ link, shown }]
        : [];
    })[0];
    if (branded !== undefined)
      return {
        sentence: `A link shows ${branded.shown} and leads to ${branded.link.host}`,
        place: inLink(branded.link.url, branded.link.text),
        weight: mail.isAnswer ? 0.5 : 2,
      };
    const [first] = differing;
    return first === undefined
      ? null
      : {
          sentence: `A link shows “${first.text.slice(0, 80)}” and leads to ${first.host}`,
          place: inLink(first.url, first.text),
          weight: 0.1,
        };
  }),
  check('links.address', 'Link to a number instead of a name', 2.5, (mail) => {
    const link = mail.webLinks.find(
      ({ host }) => /^\d+(?:\.\d+){3}$|^\[/.test(host) && !isPrivateIp(host.replace(/[[\]]/g, '')),
    );
    return link === undefined
      ? null
      : {
          sentence: `A link leads to the bare address ${link.host}, which has no owner’s name`,
          place: inLink(link.url, link.text),
          weight:
            mail.isAnswer || new Set(mail.webLinks.map(({ owner }) => owner)).size > MANY_OWNERS ? 1 : 3,
        };
  }),
  check('links.user', 'Link that hides its host behind an @', 3, (mail) => {
    const link = mail.webLinks.find(
      ({ url }) =>
        /^https?:\/\/[^/?#]*[^/?#@\s]@[^/?#]+/i.test(url) &&
        !/^https?:\/\/[^/?#]*@(?:github|gitlab)/i.test(url),
    );
    return link === undefined || mail.isAnswer
      ? null
      : {
          sentence: `What stands before the @ in a link only looks like its host; it leads to ${link.host}`,
          place: inLink(link.url, link.text),
        };
  }),
  check('links.port', 'Link to an unusual port', 0.5, (mail) => {
    const link = foreign(mail).find(({ url }) =>
      /^https?:\/\/[^/?#]+:(?!(?:80|443|8080|8443)\b)\d{2,5}(?:[/?#]|$)/i.test(url),
    );
    return link === undefined || mail.isAnswer
      ? null
      : {
          sentence: `A link leads to a server beside the usual ones: ${link.host}`,
          place: inLink(link.url, link.text),
        };
  }),
  check('links.brand', 'Link that imitates an organisation', 3, (mail) => {
    for (const link of foreignHosts(mail)) {
      const imitated = imitatedBy(link.host);
      if (imitated !== null)
        return {
          sentence: `A link leads to ${link.host}, which imitates ${imitated.brand.name}`,
          place: inLink(link.url, link.text),
          weight: mail.isAnswer ? 0.5 : 2.5,
        };
      // The name of an organisation before a domain that is not its own.
      const before = link.host.slice(0, -link.owner.length).replace(/[.-]+/g, ' ');
      const [brand] = before.trim().length < 4 ? [] : brandsIn(before);
      if (brand !== undefined && !brand.common && !isOwnDomain(brand, link.host) && before.length >= 5)
        return {
          sentence: `A link leads to ${link.host}: the name of ${brand.name} before somebody else’s domain`,
          place: inLink(link.url, link.text),
          weight: mail.isAnswer ? 0.5 : 1.2,
        };
    }
    return null;
  }),
  check('links.shortener', 'Shortened link', 1, (mail) => {
    const links = foreign(mail);
    const short = links.filter(({ host }) => isShortener(host));
    const [first] = short;
    if (first === undefined) return null;
    const others = new Set(links.filter(({ host }) => !isShortener(host)).map(({ owner }) => owner));
    return {
      sentence: `A link hides where it leads behind ${first.host}`,
      place: inLink(first.url, first.text),
      weight: mail.isAnswer ? 0.3 : others.size === 0 ? 2.3 : 1,
    };
  }),
  check('links.redirector', 'Link through somebody else’s redirect', 2, (mail) => {
    for (const link of foreign(mail)) {
      const redirector = redirectorOf(link);
      if (redirector !== undefined)
        return {
          sentence: `A link uses ${redirector} to lead elsewhere unseen`,
          place: inLink(link.url, link.text),
          weight: mail.isAnswer ? 0.5 : /translate|bing|doubleclick|adservice/.test(redirector) ? 2.2 : 1.2,
        };
    }
    return null;
  }),
  check('links.hosting', 'Page that anybody can make', 1.8, (mail) => {
    const hosted = foreign(mail).flatMap((link) => {
      const host = hostingOf(link.host);
      return host === undefined || /\.(?:png|jpe?g|gif|svg|webp|css)(?:$|\?)/i.test(link.url)
        ? []
        : [{ link, host }];
    });
    const [first] = hosted;
    if (first === undefined) return null;
    const asks = hosted.find(({ link }) => CREDENTIAL.test(link.url));
    const { link, host } = asks ?? first;
    return {
      sentence: `A link leads to a page at ${link.host}, where anybody can put one within minutes`,
      place: inLink(link.url, link.text),
      weight: mail.isAnswer
        ? 0.3
        : asks !== undefined
          ? 2.5
          : /github\.io|wordpress|blogspot|docs\.google|cloudfront|amazonaws/.test(host)
            ? 1
            : 2,
    };
  }),
  check('links.credential-host', 'Host that speaks of signing in', 0.7, (mail) => {
    const link = foreign(mail).find(
      ({ host, owner }) => CREDENTIAL.test(owner) || (CREDENTIAL.test(host) && host.split('.').length > 3),
    );
    return link === undefined || mail.isAnswer
      ? null
      : {
          sentence: `A link leads to ${link.host}, a name made to be trusted when a password is asked for`,
          place: inLink(link.url, link.text),
        };
  }),
  check('links.risky-suffix', 'Link under a suffix often abused', 0.6, (mail) => {
    const link = mail.webLinks.find(({ host }) => RISKY_TLDS.has(host.split('.').at(-1) ?? ''));
    return link === undefined || isShortener(link.host)
      ? null
      : {
          sentence: `A link leads to ${link.host}, under a suffix that is often used for a single campaign`,
          place: inLink(link.url, link.text),
          weight: mail.isAnswer ? 0.2 : link.owner === mail.owner ? 1.2 : 0.6,
        };
  }),
  check('links.script', 'Link that is a program', 3, (mail) => {
    const link = mail.links.find(({ url }) =>
      /^(?:data:text\/html|data:application|javascript:(?!void|;|$)|vbscript:|file:|search-ms:|ms-\w+:)/i.test(
        url,
      ),
    );
    return link === undefined
      ? null
      : {
          sentence: 'A link holds a page or a program itself, or opens one on this computer',
          place: inLink(link.url, link.text),
          weight: mail.isAnswer ? 0.5 : 1.5,
        };
  }),
  check('links.recipient', 'Link that carries the reader’s address', 1.5, (mail) => {
    const targets = [...mail.recipients].filter((address) => address.length > 6 && address.includes('@'));
    if (targets.length === 0 || targets.length > 3 || mail.isAnswer) return null;
    const link = foreign(mail).find(({ url }) => {
      const text = url.slice(0, 4_000).toLowerCase().replaceAll('%40', '@');
      return targets.some((target) => /[#?=/&]/.test(text) && text.includes(target));
    });
    return link === undefined || /unsub|optout|opt-out|preferences|abmeld|desinscri/i.test(link.url)
      ? null
      : {
          sentence: `A link carries the reader’s own address to ${link.host}, so that the page can show it`,
          place: inLink(link.url, link.text),
          // After a hash, only the page's own script reads it.
          weight: /#.*@/.test(link.url.replace(/%40/gi, '@')) ? 3 : 0.3,
        };
  }),
  check('links.all-elsewhere', 'Every link leads elsewhere', 0.8, (mail) => {
    // A paper links to whatever it quotes.
    const links = mail.webLinks.filter(({ source }) => source !== 'document');
    if (mail.isAnswer || mail.isNotice || links.length === 0 || mail.owner === '') return null;
    const owners = new Set(links.map(({ owner }) => owner));
    if (owners.has(mail.owner)) return null;
    const [first] = links;
    return {
      sentence: `No link leads to ${mail.owner}, from where the mail comes`,
      place: inLink(first!.url, first!.text),
      weight: mail.isFreeMailer ? 0.4 : owners.size === 1 ? 1 : 0.5,
    };
  }),
  check('links.qr', 'QR code', 2, (mail) => {
    const codes = mail.webLinks.filter(({ source }) => source === 'qr');
    const link = codes.find(({ owner }) => owner !== mail.owner) ?? codes[0];
    if (link === undefined) return null;
    const isUsual = link.owner === mail.owner || USUAL_CODES.test(link.host);
    const text = mail.shownText.slice(0, 20_000);
    const isAsked = SCAN.test(text) || SCAN.test(mail.subject);
    return {
      sentence: `A QR code in ${link.within === null ? 'the mail' : `“${link.within.slice(0, 80)}”`} leads to ${link.host}: phones open it past the protection of this computer`,
      place: inLink(link.url),
      weight:
        mail.isAnswer || isUsual
          ? 0.3
          : isAsked || CREDENTIAL.test(text) || CREDENTIAL.test(link.url)
            ? 3.5
            : 2,
    };
  }),
  check('links.unencrypted', 'Links without encryption', 1, (mail) => {
    const [first] = mail.webLinks;
    const isModern = mail.year !== null && mail.year >= ENCRYPTED_SINCE;
    if (first === undefined || !isModern || mail.isList || mail.isAnswer) return null;
    return mail.webLinks.every(({ url }) => /^http:/i.test(url))
      ? {
          sentence: 'All of its links are unencrypted, as those of hardly any sender are today',
          place: inLink(first.url, first.text),
        }
      : null;
  }),
  check('links.punycode', 'Link with letters that pass for others', 2.5, (mail) => {
    const link = foreign(mail).find(({ host }) => /(?:^|\.)xn--/.test(host));
    return link === undefined || mail.isAnswer
      ? null
      : {
          sentence: `A link leads to ${link.host}, which is shown in letters beyond the English alphabet`,
          place: inLink(link.url, link.text),
          weight: 2,
        };
  }),
];
