/** Ready-made hunts: templates in the library of every mail evidence, from which new queries start. */
import { CASE_LOOK_ALIKE, FIRST_CONTACT } from '#shared/checks/case-checks.ts';
import type { Column, NewQuery } from '#shared/model/entities.ts';
import type { Condition } from '#shared/query/tree.ts';
import type { QueryStamp } from '../store/store.ts';

interface Hunt {
  /** Stable, also as part of the id of its query. */
  id: string;
  name: string;
  description: string;
  severity: 'medium' | 'high' | 'veryhigh';
  /** All of them hold. */
  conditions: readonly Condition[];
}

/** Mails in which at least one of these checks found something. */
const findings = (...checks: string[]): Condition => ({
  field: 'findings',
  operator: 'contains_any',
  values: checks,
});

export const HUNTS: readonly Hunt[] = [
  {
    id: 'dmarc-links',
    name: 'Failed DMARC, with links',
    description: 'The sender’s domain is forged according to its own policy, and the mail wants a click.',
    severity: 'high',
    conditions: [
      { field: 'dmarc', operator: 'is', values: ['fail'] },
      { field: 'links_count', operator: 'greater_than', values: [0] },
    ],
  },
  {
    id: 'look-alike',
    name: 'Look-alike senders',
    description: 'The sender’s domain or name imitates another by its letters.',
    severity: 'veryhigh',
    conditions: [findings(CASE_LOOK_ALIKE.id, 'sender.look-alike', 'sender.mixed-letters')],
  },
  {
    id: 'organisation',
    name: 'Name of an organisation at a foreign domain',
    description: 'The sender calls itself by the name of an organisation that does not own the domain.',
    severity: 'high',
    conditions: [findings('sender.brand')],
  },
  {
    id: 'reply-to',
    name: 'Replies go to somebody else',
    description: 'Reply-To is at a free mailer or at another organisation than the visible sender.',
    severity: 'medium',
    conditions: [findings('sender.reply-to')],
  },
  {
    id: 'programs',
    name: 'Programs and double extensions attached',
    description: 'Attachments that run when opened, or whose name hides what they are.',
    severity: 'veryhigh',
    conditions: [
      findings(
        'attachments.program',
        'attachments.double-extension',
        'attachments.turned-name',
        'attachments.disk',
      ),
    ],
  },
  {
    id: 'packed-programs',
    name: 'Programs in archives',
    description: 'Archives that contain a program, also in nested ones; they are listed, not unpacked.',
    severity: 'veryhigh',
    conditions: [findings('attachments.packed-program')],
  },
  {
    id: 'codes',
    name: 'QR codes',
    description: 'QR codes in pictures and PDFs, which phones open outside of this network.',
    severity: 'high',
    conditions: [{ field: 'link_sources', operator: 'contains_any', values: ['qr'] }],
  },
  {
    id: 'active-documents',
    name: 'Documents that load or start something',
    description:
      'Templates and objects from elsewhere, embedded objects, PDFs with scripts or files, pages that make a file.',
    severity: 'high',
    conditions: [
      findings(
        'attachments.template',
        'attachments.objects',
        'attachments.script',
        'attachments.launch',
        'attachments.embedded',
        'attachments.smuggling',
      ),
    ],
  },
  {
    id: 'closed-files',
    name: 'Encrypted or macro attachments',
    description: 'Attachments that scanners cannot open, and documents with macros.',
    severity: 'high',
    conditions: [findings('attachments.locked', 'attachments.macro')],
  },
  {
    id: 'pages',
    name: 'Web pages attached',
    description: 'HTML or SVG attachments, which open a page without an address that could be blocked.',
    severity: 'high',
    conditions: [findings('attachments.page')],
  },
  {
    id: 'sign-in',
    name: 'Requests to sign in',
    description: 'Mails that ask to sign in, confirm an account or keep a mailbox, or that contain a form.',
    severity: 'high',
    conditions: [findings('content.credentials', 'content.mailbox', 'content.form')],
  },
  {
    id: 'link-addresses',
    name: 'Links to bare addresses',
    description: 'Links to an IP address instead of a name.',
    severity: 'high',
    conditions: [findings('links.address')],
  },
  {
    id: 'short-links',
    name: 'Shortened links',
    description: 'Links through a shortener or somebody else’s redirect, which hide where they lead.',
    severity: 'medium',
    conditions: [findings('links.shortener', 'links.redirector')],
  },
  {
    id: 'bank-details',
    name: 'Bank details and gift cards',
    description: 'Mails that change where money is to be paid, or ask for gift cards.',
    severity: 'high',
    conditions: [findings('content.bankchange', 'content.giftcard')],
  },
  {
    id: 'first-contact',
    name: 'First contact with payment words',
    description:
      'The earliest mail of an address in this evidence speaks of payments, bank details or gift cards.',
    severity: 'high',
    conditions: [
      findings(FIRST_CONTACT.id),
      findings('content.payment', 'content.bankchange', 'content.giftcard', 'content.large-sum'),
    ],
  },
  {
    id: 'reports',
    name: 'User and DMARC reports',
    description: 'Reports of abuse that users or providers sent, and reports of DMARC and TLS.',
    severity: 'medium',
    conditions: [{ field: 'kind', operator: 'is', values: ['report'] }],
  },
  {
    id: 'extortion',
    name: 'Extortion',
    description: 'Threats to publish recordings unless money is paid.',
    severity: 'medium',
    conditions: [findings('content.sextortion')],
  },
  {
    id: 'advance-fee',
    name: 'Advance fees and gifts',
    description: 'Large sums for help, gifts of strangers and prizes, which end in fees.',
    severity: 'medium',
    conditions: [findings('content.advancefee', 'content.donation', 'content.prize')],
  },
  {
    id: 'loans',
    name: 'Loans and easy profit',
    description: 'Credit without conditions, and promises of profit.',
    severity: 'medium',
    conditions: [findings('content.loan', 'content.investment')],
  },
  {
    id: 'crypto',
    name: 'Crypto money',
    description: 'Claims about a wallet or coins, and addresses of wallets.',
    severity: 'medium',
    conditions: [findings('content.crypto', 'content.crypto-address')],
  },
];

/** As queries of a new store, worst mail first. What the analyst changes or deletes later stays so. */
export const huntQueries = (
  columns: readonly Column[],
  time: string,
): { query: NewQuery; stamp: QueryStamp }[] =>
  HUNTS.map(({ id, name, description, severity, conditions }) => ({
    query: {
      type: 'query',
      subType: 'template',
      description,
      domain: 'email',
      entityType: 'email',
      name,
      saas: 'all',
      severity,
      status: 'saved',
      filter: { operator: 'and', conditions: [...conditions] },
      columns: [...columns],
      sort: [{ dbId: 'verdict', direction: 'asc' }],
    },
    stamp: { time, by: 'Parapet', id: `hunt-${id}` },
  }));
