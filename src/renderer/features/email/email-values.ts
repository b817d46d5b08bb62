import type { ExceptionOffer } from '#renderer/entity/exception-items.tsx';
import { shortHash } from '#renderer/ui/truncate.ts';
import { originalLink } from '#shared/mail/rewritten-links.ts';
import { defang } from '#shared/model/defang.ts';
import type { Attachment } from '#shared/model/entities.ts';
import { webHost } from '#shared/model/hosts.ts';
import { bestHash } from '#shared/model/similar.ts';
import { type DerivedVerdict, deriveVerdict } from '#shared/model/verdict.ts';
import type { EmailReads } from './use-email.ts';

/** The verdict on one attachment; unknown without a code or a count. */
export function attachmentVerdict(attachment: Attachment): DerivedVerdict {
  // Its status and error may be those of the file instead of a scan.
  return deriveVerdict({ ...attachment, tool: '', applicable: true, status: null, error: null });
}

/** Longer endings, such as the rest of a name after a dot, are no extensions; the longest of Windows has 17 letters. */
const EXTENSION = /\.[^.\s]{1,20}\s*$/u;
/** Extensions of files that open as a program or a page. */
const RUNS =
  /^\.(?:html?|xhtml?|xht|mhtml?|svg|exe|scr|jse?|vb[se]?|ws[cfh]?|hta|lnk|bat|cmd|ps1|com|pif|jar|jnlp|iso|img|vhdx?|one|chm|ms[cipt]|msix(?:bundle)?|appx(?:bundle)?|appinstaller|application|appref-ms|settingcontent-ms|library-ms|search-ms|cpl|gadget|reg|sc[ft]|sh[bs]|url|xll)\s*$/i;

/**
 * A name split before its last extension, which says how it opens: `INV.pdf.html` → `INV.pdf`, `.html`. isDouble: the
 * lead ends in an extension that promises something else. Without an extension, `end` is empty.
 */
export function nameParts(name: string): { lead: string; end: string; isDouble: boolean } {
  const last = EXTENSION.exec(name);
  if (last === null || last.index === 0) return { lead: name, end: '', isDouble: false };
  const lead = name.slice(0, last.index);
  const [end] = last;
  return { lead, end, isDouble: RUNS.test(end) && /\.[a-z0-9]{2,5}\s*$/i.test(lead) };
}

/** "3 · 143 KB" needs every size; null when one is not known. */
export function totalSize(attachments: readonly Attachment[]): number | null {
  let sum = 0;
  for (const { size } of attachments) {
    if (typeof size !== 'number') return null;
    sum += size;
  }
  return sum;
}

const MOST_OF_A_KIND = 5;

/** The values of an email that can become an exception. */
export function exceptionOffers(email: Pick<EmailReads, 'profile' | 'attachments'>): ExceptionOffer[] {
  const profile = email.profile.data;
  if (!profile) return [];
  const from = profile.from?.email ?? '';
  const domain = from.includes('@') ? from.slice(from.lastIndexOf('@') + 1) : '';
  const hosts = [
    ...new Set(
      (profile.links ?? []).flatMap(({ url, host }) => webHost(originalLink(url)?.url ?? url) ?? host ?? []),
    ),
  ];
  const offers: (ExceptionOffer | null)[] = [
    from
      ? { label: 'Sender', shown: from, value: { kind: 'email', value: from, field: 'from_email' } }
      : null,
    domain
      ? {
          label: 'Sender domain',
          shown: domain,
          value: { kind: 'domain', value: domain, field: 'from_domain' },
        }
      : null,
    profile.client_ip
      ? {
          label: 'Client IP',
          shown: profile.client_ip,
          value: { kind: 'ip', value: profile.client_ip, field: 'client_ip' },
        }
      : null,
    profile.subject
      ? {
          label: 'Subject',
          shown: profile.subject,
          value: { kind: 'text', value: profile.subject, field: 'subject' },
        }
      : null,
    ...hosts.slice(0, MOST_OF_A_KIND).map(
      (host): ExceptionOffer => ({
        label: 'Link host',
        shown: defang(host),
        value: { kind: 'domain', value: host, field: 'link_domains' },
      }),
    ),
    ...(email.attachments.data?.rows ?? [])
      .filter(({ is_inline }) => is_inline !== true)
      .slice(0, MOST_OF_A_KIND)
      .map((attachment): ExceptionOffer | null => {
        const hash = bestHash(attachment);
        return hash === null
          ? null
          : {
              label: `${hash.name} of ${attachment.name}`,
              shown: shortHash(hash.value),
              value: { kind: 'hash', value: hash.value, field: hash.field },
            };
      }),
  ];
  return offers.filter((offer) => offer !== null);
}

/** Office files from before 2007, and some Outlook files, use this container format. */
const CONTAINER = 'application/x-cfb';
const isOffice = (type: string): boolean => /^application\/(?:msword|vnd\.(?:ms-|visio))/.test(type);
const plain = (type: string): string =>
  type
    .toLowerCase()
    .replace(/\/x-/, '/')
    .replace(/-compressed$/, '');

/** The attachment's type by its own bytes, or null if it matches the declared one or cannot be determined. */
export function otherType({ mime_type, content_type }: Attachment): string | null {
  if (!content_type || /^(?:text\/plain|application\/octet-stream)$/.test(content_type)) return null;
  if (!mime_type) return content_type;
  if (plain(mime_type) === plain(content_type)) return null;
  return content_type === CONTAINER && isOffice(mime_type.toLowerCase()) ? null : content_type;
}
