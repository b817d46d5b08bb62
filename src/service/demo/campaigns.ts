/** Attacks on the tenant: several mails each, connected by sender, wording, file or link. */
import type { Sender } from './senders.ts';

export interface Campaign {
  id: string;
  /** Number of mails in a tenant of 20 000 or more; smaller tenants get a proportional number, at least three. */
  mails: number;
  /** The period in days before now: newest and oldest. */
  days: readonly [number, number];
  verdict: 'phishing' | 'malware' | 'suspicious' | 'fraud';
  language: string;
  subjects: readonly string[];
  senders: readonly Omit<Sender, 'kind'>[];
  replyTo?: string;
  attachment?: { name: string; mime: string; size: number };
  link?: { url: string; text: string };
  reason: string;
}

const from = (name: string, email: string, ip: string) => ({
  name,
  email,
  domain: email.slice(email.indexOf('@') + 1),
  ip,
});

export const CAMPAIGNS: readonly Campaign[] = [
  {
    id: 'invoice-overdue',
    mails: 212,
    days: [0, 6],
    verdict: 'phishing',
    language: 'en',
    subjects: [
      'Invoice overdue – final notice INV-20931',
      'Invoice overdue – final notice INV-20931',
      'Invoice overdue – final notice INV-20931',
      'RE: RE: Invoice overdue – INV-20931',
      'Fwd: Invoice overdue (INV-20931)',
      'Rechnung überfällig: letzte Mahnung INV-20931',
      'Счёт просрочен: последнее напоминание INV-20931',
      '請求書の支払期限超過のお知らせ INV-20931',
      'Overdue invoice reminder INV-20931',
    ],
    senders: [
      from('Nordlicht Logistik', 'billing@nordlicht-logistlk.example', '203.0.113.77'),
      from('Nordlicht Logistik', 'billing@nordlicht-logistlk.example', '203.0.113.77'),
      from('Accounts Receivable', 'ar@invoices-nordlicht.example', '203.0.113.78'),
      from('Nordlicht', 'no-reply@bulk.mailer-7.example', '198.51.100.14'),
      from('Л. Петрова', 'l.petrova@xn--80ak6aa92e.example', '203.0.113.90'),
    ],
    replyTo: 'pay@invoices-nordlicht.example',
    attachment: { name: 'INV-20931.pdf.html', mime: 'text/html', size: 123_904 },
    link: {
      url: 'https://nordlicht-logistlk.example/pay?i=20931',
      text: 'https://nordlicht-logistik.example/pay',
    },
    reason: 'Look-alike of a known vendor, credential form in the attachment',
  },
  {
    id: 'payroll-update',
    mails: 64,
    days: [2, 20],
    verdict: 'fraud',
    language: 'en',
    subjects: [
      'Change of bank details',
      'Quick favour',
      'Are you at your desk?',
      'Payroll update before Friday',
    ],
    senders: [
      from('Ingrid Aldermoor', 'ingrid.aldermoor.ceo@webmail.example', '192.0.2.140'),
      from('Ingrid Aldermoor', 'chair.office@post.example', '192.0.2.141'),
    ],
    replyTo: 'i.aldermoor.private@mailbox.example',
    reason: 'Executive impersonation by display name',
  },
  {
    id: 'voicemail',
    mails: 88,
    days: [5, 14],
    verdict: 'phishing',
    language: 'en',
    subjects: ['New voice message (0:47)', 'Missed call from +44 ****', 'You have 1 new voicemail'],
    senders: [from('Voice services', 'voice@pbx-relay.test', '198.51.100.201')],
    attachment: { name: 'Voicemail_0047.html', mime: 'text/html', size: 8_402 },
    link: { url: 'https://pbx-relay.test/listen/0047', text: 'Listen now' },
    reason: 'Fake voice mail that asks for a password',
  },
  {
    id: 'loader-zip',
    mails: 41,
    days: [9, 12],
    verdict: 'malware',
    language: 'de',
    subjects: ['Bewerbung als Disponent', 'Unterlagen wie besprochen', 'Lieferschein 88213'],
    senders: [from('Clara Vogt', 'clara.vogt@bewerbung-post.test', '203.0.113.12')],
    attachment: { name: 'Unterlagen.zip', mime: 'application/zip', size: 248_113 },
    reason: 'Password-protected archive with a script that downloads a program',
  },
  {
    id: 'quishing',
    mails: 57,
    days: [15, 32],
    verdict: 'suspicious',
    language: 'en',
    subjects: ['Second factor expires today', 'Scan to keep your mailbox', 'Action needed: sign-in method'],
    senders: [from('IT Service Desk', 'desk@aldermoor-it.invalid', '192.0.2.66')],
    attachment: { name: 'qr.png', mime: 'image/png', size: 18_277 },
    link: { url: 'https://aldermoor-it.invalid/q/7f', text: 'aldermoor.example' },
    reason: 'A picture of a code and hardly any text',
  },
  {
    id: 'shared-file',
    mails: 73,
    days: [1, 45],
    verdict: 'phishing',
    language: 'ja',
    subjects: ['共有ドキュメントのお知らせ', 'ファイルが共有されました', 'A file was shared with you'],
    senders: [from('Document share', 'share@docs-view.invalid', '198.51.100.77')],
    link: { url: 'https://docs-view.invalid/s/hq81?u=aldermoor', text: 'Open document' },
    reason: 'Link to a sign-in page on a domain 4 days old',
  },
];
