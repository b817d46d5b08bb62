/** A few recent mails in every tenant with the extremes that a console must display well. */
import type { EmailRecord, RecipientRecord } from '../store/records.ts';
import { attachmentOf } from './attachments.ts';
import { HOME_DOMAIN, type Person } from './organisation.ts';
import { scansFor } from './scans.ts';

/** Smaller tenants are used by tests of other things. */
const LEAST_EMAILS = 500;
const EVERY = 7;
const FIRST = 3;

const SHOWPIECES: readonly ((record: EmailRecord, staff: readonly Person[]) => EmailRecord)[] = [
  allStaff,
  huge,
  empty,
  encrypted,
  rightToLeft,
  manyLinks,
];

/** The record, or a showcase mail in its place; `fromEnd` counts back from the newest mail. */
export function showcase(
  record: EmailRecord,
  fromEnd: number,
  emails: number,
  staff: readonly Person[],
): EmailRecord {
  const place = (fromEnd - FIRST) / EVERY;
  const make = emails < LEAST_EMAILS || !Number.isInteger(place) ? undefined : SHOWPIECES[place];
  return make ? make(record, staff) : record;
}

type Piece = Partial<EmailRecord> & { subject: string; kind: string; language?: string; encryption?: string };

function plain(
  record: EmailRecord,
  { kind, language = 'en', encryption = 'none', ...more }: Piece,
): EmailRecord {
  const attachments = more.attachments ?? [];
  const links = more.links ?? [];
  const direction = more.direction ?? 'incoming';
  const shape = {
    scenario: 'clean' as const,
    files: attachments.length > 0,
    malware: false,
    links: links.length,
    clicks: 0,
    internal: direction !== 'incoming',
  };
  const from = more.from ?? { name: 'Nordhafen Logistics', email: 'office@nordhafen.example' };
  const fromDomain = from.email.slice(from.email.indexOf('@') + 1);
  return {
    ...record,
    from,
    fromDomain,
    threadId: null,
    direction,
    state: 'Inbox',
    language,
    recipients: record.recipients.map((recipient) => ({ ...recipient, state: 'Inbox', clicks: 0 })),
    clicks: [],
    attachments,
    links,
    scans: scansFor(shape, 3),
    userReported: 0,
    spf: 'pass',
    dkim: 'pass',
    dmarc: 'pass',
    linkReplacement: links.length === 0 ? null : 'links_replaced',
    detail: {
      encryption,
      workflow: 'Threat detection, monitor',
      returnPath: from.email,
      made: { kind, language, helo: `mail.${fromDomain}` },
    },
    ...more,
  };
}

const reader = ({ name, email, department }: Person, index: number): RecipientRecord => ({
  kind: index % 9 === 4 ? 'cc' : 'to',
  name,
  email,
  state: 'Inbox',
  isRead: index % 3 !== 0,
  clicks: 0,
  department,
});

function allStaff(record: EmailRecord, staff: readonly Person[]): EmailRecord {
  return plain(record, {
    subject: 'All staff: new badge readers from Monday',
    kind: 'internal',
    direction: 'internal',
    from: { name: 'Facility desk', email: `facility@${HOME_DOMAIN}` },
    recipients: staff.slice(0, 400).map(reader),
  });
}

function huge(record: EmailRecord): EmailRecord {
  return plain(record, { subject: 'Stock list of all warehouses', kind: 'huge', size: 3_412_770 });
}

function empty(record: EmailRecord): EmailRecord {
  return plain(record, { subject: '(forwarded without text)', kind: 'empty', size: 1_204 });
}

function encrypted(record: EmailRecord): EmailRecord {
  return plain(record, {
    subject: 'Contract draft (encrypted)',
    kind: 'empty',
    encryption: 'encrypted',
    attachments: [attachmentOf('smime.p7m', 'application/pkcs7-mime', 48_220, 'showcase/smime')],
  });
}

function rightToLeft(record: EmailRecord): EmailRecord {
  return plain(record, {
    // The control character between the words reverses the rest: "fdp.exe" reads as "exe.pdf".
    subject: 'فاتورة جديدة \u202Efdp.exe',
    kind: 'business',
    language: 'ar',
    from: { name: 'شركة النخبة', email: 'billing@alnukhba.example' },
    attachments: [
      attachmentOf('تقرير\u202Efdp.zip', 'application/zip', 30_140, 'showcase/rtl'),
      attachmentOf('قائمة الأسعار.pdf', 'application/pdf', 88_400, 'showcase/rtl-list'),
    ],
  });
}

function manyLinks(record: EmailRecord): EmailRecord {
  const links = Array.from({ length: 40 }, (_, index) => ({
    url: `https://catalogue.nordhafen.example/items/${1000 + index}`,
    host: 'catalogue.nordhafen.example',
    text: `Item ${1000 + index}`,
    status: index % 8 === 5 ? 'no_link_replaced' : 'link_replaced',
    mismatched: false,
  }));
  const mail = plain(record, {
    subject: 'Catalogue of spare parts, 100 000 links behind it',
    kind: 'newsletter',
    links,
  });
  return { ...mail, detail: { ...mail.detail, debugLinks: 100_000 } };
}
