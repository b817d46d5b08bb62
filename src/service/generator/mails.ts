/** Emails of the demo tenant, oldest first, from a seed. */
import type {
  AttachmentRecord,
  EmailDetail,
  EmailRecord,
  LinkRecord,
  RecipientRecord,
} from '../store/records.ts';
import { attachmentOf, document, signatureImage } from './attachments.ts';
import { CAMPAIGNS, type Campaign } from './campaigns.ts';
import { HOME_DOMAIN, type Person } from './organisation.ts';
import { type Random, random } from './prng.ts';
import { type Scenario, scansFor } from './scans.ts';
import { documentationIp, type Sender, senders } from './senders.ts';
import { BUSINESS, HOSTILE, NEWSLETTER, PHISHING_SINGLE, SERVICE, SPAM, type Wording } from './subjects.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;
const THREADS_KEPT = 120;

interface Thread {
  id: string;
  subject: string;
  language: string;
  partner: Sender;
  person: Person;
  last: string;
  depth: number;
}

interface Draft {
  from: { name: string; email: string; domain: string };
  to: readonly { name: string | null; email: string; person: Person | null; kind: string }[];
  direction: 'incoming' | 'outgoing' | 'internal';
  subject: string;
  language: string;
  scenario: Scenario;
  kind: string;
  ip: string;
  thread: Thread | null;
  attachments: AttachmentRecord[];
  links: { url: string; text: string | null; mismatched: boolean }[];
  campaign?: Campaign;
}

const hostOf = (url: string): string => url.replace(/^https?:\/\//, '').replace(/[/?#].*$/, '');

/** Times must be ascending; `anchor` is "now" in milliseconds. */
export function* mails(
  seed: number,
  times: Float64Array,
  staff: readonly Person[],
  anchor: number,
): Generator<EmailRecord> {
  const maker = new Maker(random(`${seed}/mails`), staff, anchor, times);
  for (const [index, at] of times.entries()) yield maker.make(index, at);
}

class Maker {
  private readonly rng: Random;
  private readonly staff: readonly Person[];
  private readonly anchor: number;
  private readonly outside: ReturnType<typeof senders>;
  private readonly threads: Thread[] = [];
  /** The campaign that a mail of this index belongs to. */
  private readonly planned = new Map<number, Campaign>();

  constructor(rng: Random, staff: readonly Person[], anchor: number, times: Float64Array) {
    this.rng = rng;
    this.staff = staff;
    this.anchor = anchor;
    this.outside = senders(rng);
    for (const campaign of CAMPAIGNS) this.plan(campaign, times);
  }

  private plan(campaign: Campaign, times: Float64Array): void {
    const from = this.anchor - campaign.days[1] * DAY;
    const to = this.anchor - campaign.days[0] * DAY;
    const inside: number[] = [];
    for (const [index, at] of times.entries())
      if (at >= from && at <= to && !this.planned.has(index)) inside.push(index);
    const share = Math.max(3, Math.round(campaign.mails * Math.min(1, times.length / 20_000)));
    for (let i = 0; i < share && inside.length > 0; i += 1) {
      const [chosen] = inside.splice(this.rng.int(0, inside.length - 1), 1);
      if (chosen !== undefined) this.planned.set(chosen, campaign);
    }
  }

  make(serial: number, at: number): EmailRecord {
    const campaign = this.planned.get(serial);
    const draft = campaign ? this.attack(campaign) : this.ordinary(serial);
    return this.record(draft, at, serial);
  }

  private person(): Person {
    return this.staff[this.rng.skewed(this.staff.length, 1.6)] ?? this.rng.pick(this.staff);
  }

  private recipients(most: number): Draft['to'] {
    const { rng } = this;
    const count = rng.chance(0.72) ? 1 : rng.int(2, Math.max(2, most));
    const chosen = new Set<Person>();
    while (chosen.size < count) chosen.add(this.person());
    return [...chosen].map((person, index) => ({
      name: person.name,
      email: person.email,
      person,
      kind: index === 0 || rng.chance(0.4) ? 'to' : rng.chance(0.93) ? 'cc' : 'bcc',
    }));
  }

  private words({ text, language }: Wording, partner = ''): { subject: string; language: string } {
    const subject = text.replace(/#+/g, (marks) =>
      String(this.rng.int(10 ** (marks.length - 1), 10 ** marks.length - 1)),
    );
    return { subject: subject.replace('@', partner), language };
  }

  private ordinary(serial: number): Draft {
    const { rng } = this;
    const dice = rng.next();
    if (dice < 0.22 && this.threads.length > 8) return this.reply(serial);
    if (dice < 0.5) return this.business(serial);
    if (dice < 0.62) return this.internal(serial);
    if (dice < 0.74) return this.bulk('newsletter', NEWSLETTER, rng.chance(0.6) ? 'bulk' : 'clean');
    if (dice < 0.85) return this.bulk('service', SERVICE, 'clean');
    if (dice < 0.955) return this.bulk('spam', SPAM, 'spam');
    return this.singleAttack(serial);
  }

  private signature(): AttachmentRecord[] {
    return this.rng.chance(0.35) ? [signatureImage(this.rng)] : [];
  }

  private files(serial: number, probability: number): AttachmentRecord[] {
    const files = this.signature();
    if (this.rng.chance(probability)) files.push(document(this.rng, serial));
    if (this.rng.chance(probability / 6)) files.push(document(this.rng, serial + 0.5));
    return files;
  }

  private business(serial: number): Draft {
    const { rng } = this;
    const isPrivate = rng.chance(0.08);
    const list = isPrivate ? this.outside.private : this.outside.partner;
    const sender = list[rng.skewed(list.length, 2)] ?? rng.pick(list);
    const { subject, language } = this.words(rng.pick(BUSINESS));
    const to = this.recipients(6);
    const person = to[0]?.person ?? this.person();
    const thread = this.open(subject, language, sender, person);
    const outgoing = rng.chance(0.2);
    return {
      ...(outgoing
        ? {
            from: homeAddress(person),
            to: [{ name: sender.name, email: sender.email, person: null, kind: 'to' }],
          }
        : { from: sender, to }),
      direction: outgoing ? 'outgoing' : 'incoming',
      subject: !outgoing && rng.chance(0.006) ? rng.pick(HOSTILE) : subject,
      language,
      scenario: rng.chance(0.004) ? 'failed' : 'clean',
      kind: 'business',
      ip: outgoing ? '192.0.2.25' : sender.ip,
      thread,
      attachments: this.files(serial, 0.4),
      links: rng.chance(0.3)
        ? [{ url: `https://www.${sender.domain}/`, text: sender.domain, mismatched: false }]
        : [],
    };
  }

  private open(subject: string, language: string, partner: Sender, person: Person): Thread {
    const thread: Thread = {
      id: `t-${this.rng.hex(20)}`,
      subject,
      language,
      partner,
      person,
      last: '',
      depth: 0,
    };
    this.threads.push(thread);
    if (this.threads.length > THREADS_KEPT) this.threads.shift();
    return thread;
  }

  private reply(serial: number): Draft {
    const { rng } = this;
    const thread =
      this.threads[this.threads.length - 1 - rng.skewed(this.threads.length, 2)] ?? rng.pick(this.threads);
    const outgoing = rng.chance(0.5);
    const home = homeAddress(thread.person);
    const mate = { name: thread.partner.name, email: thread.partner.email, person: null, kind: 'to' };
    const own = { name: thread.person.name, email: thread.person.email, person: thread.person, kind: 'to' };
    return {
      from: outgoing ? home : thread.partner,
      to: outgoing ? [mate] : [own],
      direction: outgoing ? 'outgoing' : 'incoming',
      subject: `${thread.language === 'de' ? 'AW' : 'RE'}: ${thread.subject}`,
      language: thread.language,
      scenario: 'clean',
      kind: 'business',
      ip: outgoing ? '192.0.2.25' : thread.partner.ip,
      thread,
      attachments: this.files(serial, 0.15),
      links: [],
    };
  }

  private internal(serial: number): Draft {
    const author = this.person();
    const { subject, language } = this.words(this.rng.pick(BUSINESS));
    return {
      from: homeAddress(author),
      to: this.recipients(this.rng.chance(0.05) ? 30 : 8),
      direction: 'internal',
      subject,
      language,
      scenario: 'clean',
      kind: 'internal',
      ip: `192.0.2.${this.rng.int(10, 60)}`,
      thread: null,
      attachments: this.files(serial, 0.35),
      links: this.rng.chance(0.15)
        ? [
            {
              url: `https://intranet.${HOME_DOMAIN}/p/${this.rng.int(100, 999)}`,
              text: 'intranet',
              mismatched: false,
            },
          ]
        : [],
    };
  }

  private bulk(
    kind: 'newsletter' | 'service' | 'spam',
    wordings: readonly Wording[],
    scenario: Scenario,
  ): Draft {
    const { rng } = this;
    const list = this.outside[kind];
    const sender = list[rng.skewed(list.length, 2.4)] ?? rng.pick(list);
    const { subject, language } = this.words(rng.pick(wordings), sender.name);
    const links = rng.int(1, kind === 'newsletter' ? 6 : 2);
    return {
      from: sender,
      to: this.recipients(1).slice(0, 1),
      direction: 'incoming',
      subject: kind === 'spam' && rng.chance(0.03) ? rng.pick(HOSTILE) : subject,
      language,
      scenario,
      kind,
      ip: sender.ip,
      thread: null,
      attachments: [],
      links: Array.from({ length: links }, (_, index) => ({
        url: `https://${index === 0 ? 'click' : 'www'}.${sender.domain}/${rng.hex(6)}`,
        text: index === 0 ? 'View in browser' : null,
        mismatched: false,
      })),
    };
  }

  private singleAttack(serial: number): Draft {
    const { rng } = this;
    const sender = rng.pick(this.outside.spam);
    const { subject, language } = this.words(rng.pick(PHISHING_SINGLE));
    const scenario = rng.pick([
      'phishing',
      'phishing',
      'suspicious',
      'suspicious',
      'malware',
      'no-click',
    ] as const);
    const file =
      scenario === 'malware'
        ? [
            attachmentOf(
              `document_${rng.int(10, 99)}.js.zip`,
              'application/zip',
              9_000 + rng.int(0, 90_000),
              `mal/${serial}`,
            ),
          ]
        : [];
    return {
      from: sender,
      to: this.recipients(3),
      direction: 'incoming',
      subject: rng.chance(0.08) ? rng.pick(HOSTILE) : subject,
      language,
      scenario,
      kind: 'phishing',
      ip: sender.ip,
      thread: null,
      attachments: file.map((one) => ({ ...one, verdictCode: 'malw', matches: 1 })),
      links:
        scenario === 'malware'
          ? []
          : [
              {
                url: `https://login.${sender.domain}/${rng.hex(8)}`,
                text: 'https://portal.aldermoor.example',
                mismatched: true,
              },
            ],
    };
  }

  private attack(campaign: Campaign): Draft {
    const { rng } = this;
    const sender = rng.pick(campaign.senders);
    const { attachment: file, link } = campaign;
    const tricky = rng.chance(0.12);
    const bad = campaign.verdict === 'phishing' || campaign.verdict === 'malware';
    const files = file
      ? [
          {
            ...attachmentOf(file.name, file.mime, file.size, `campaign/${campaign.id}`),
            ...(bad ? { verdictCode: 'malw', matches: 1 } : {}),
          },
        ]
      : [];
    return {
      from: sender,
      to: this.recipients(rng.chance(0.3) ? 14 : 3),
      direction: 'incoming',
      subject: rng.pick(campaign.subjects),
      language: campaign.language,
      scenario: tricky ? rng.pick(['suspicious', 'no-click', 'spam', 'failed'] as const) : campaign.verdict,
      kind: 'phishing',
      ip: sender.ip,
      thread: null,
      attachments: [...files, ...(rng.chance(0.5) ? [signatureImage(rng)] : [])],
      links: link ? [{ url: link.url, text: link.text, mismatched: true }] : [],
      campaign,
    };
  }

  private record(draft: Draft, at: number, serial: number): EmailRecord {
    const { rng } = this;
    const bad = ['phishing', 'malware', 'fraud'].includes(draft.scenario);
    const doubtful = bad || draft.scenario === 'suspicious' || draft.scenario === 'no-click';
    const clicked =
      draft.links.length > 0 &&
      draft.direction === 'incoming' &&
      draft.scenario !== 'no-click' &&
      rng.chance(bad ? 0.09 : 0.02);
    const entityId = rng.hex(32);
    const messageId = `${rng.hex(12)}.${serial}@${draft.from.domain}`;
    const detail = this.detail(draft, at, bad, doubtful);
    const state = this.state(draft, detail, bad);
    const recipients: RecipientRecord[] = draft.to.map((one) => ({
      kind: one.kind,
      name: one.name,
      email: one.email,
      state: one.person ? state : null,
      isRead: one.person ? state !== 'Quarantined' && rng.chance(0.6) : null,
      clicks: 0,
      department: one.person?.department ?? null,
    }));
    const clicks = clicked ? this.clicks(draft, recipients, at, bad) : [];
    const links: LinkRecord[] = draft.links.map(({ url, text, mismatched }) => ({
      url,
      host: hostOf(url),
      text,
      status: draft.direction === 'incoming' ? 'link_replaced' : 'no_link_replaced',
      mismatched,
    }));
    const { thread } = draft;
    if (thread) {
      if (thread.depth > 0) detail.inReplyTo = thread.last;
      thread.last = messageId;
      thread.depth += 1;
    }
    const shape = {
      scenario: draft.scenario,
      files: draft.attachments.length > 0,
      links: links.length > 0,
      clicks: clicks.length,
      internal: draft.direction !== 'incoming',
    };
    const auth = this.authentication(draft);
    return {
      entityId,
      saas:
        (draft.to[0]?.person ?? null) && hash2(draft.to[0]?.email ?? '') % 4 === 0
          ? 'google_mail'
          : 'office365_emails',
      receivedAt: Math.floor(at),
      sentAt: Math.floor(at) - rng.int(2, 240) * 1000,
      subject: draft.subject,
      from: { name: draft.from.name === '' ? null : draft.from.name, email: draft.from.email },
      fromDomain: draft.from.domain,
      recipients,
      messageId,
      threadId: thread?.id ?? null,
      direction: draft.direction,
      state,
      department: draft.to.find(({ person }) => person)?.person?.department ?? null,
      size: 3_000 + rng.int(0, 40_000) + draft.attachments.reduce((sum, { size }) => sum + (size ?? 0), 0),
      clientIp: draft.ip,
      language: draft.language,
      isRead: recipients[0]?.isRead ?? null,
      clicksCounted: true,
      clicks,
      attachments: draft.attachments,
      links,
      scans: scansFor(shape, rng.int(0, 11)),
      userReported: detail.report ? detail.report.by.length : 0,
      ...auth,
      linkReplacement:
        links.length === 0 ? null : draft.direction === 'incoming' ? 'links_replaced' : 'no_links_replaced',
      detail,
    };
  }

  private detail(draft: Draft, at: number, bad: boolean, doubtful: boolean): EmailDetail {
    const { rng } = this;
    const detail: EmailDetail = {
      encryption: 'none',
      workflow: bad ? 'Threat detection, prevent' : 'Threat detection, monitor',
      made: {
        kind: draft.kind,
        language: draft.language,
        helo:
          draft.kind === 'phishing'
            ? `mail-out${rng.int(1, 9)}.vps-host.example`
            : `mail.${draft.from.domain}`,
        ...(draft.campaign ? { campaign: draft.campaign.id } : {}),
      },
      returnPath:
        draft.kind === 'newsletter' || draft.kind === 'spam'
          ? `bounce-${rng.int(1000, 9999)}@${draft.from.domain}`
          : draft.from.email,
    };
    if (draft.campaign) detail.reason = draft.campaign.reason;
    if (draft.campaign?.replyTo) detail.replyTo = [{ name: null, email: draft.campaign.replyTo }];
    if (draft.direction === 'internal' && rng.chance(0.03)) detail.encryption = 'encrypted';
    if (
      (bad && rng.chance(0.55)) ||
      (doubtful && rng.chance(0.12)) ||
      (draft.scenario === 'spam' && rng.chance(0.25))
    ) {
      detail.quarantine = {
        at: at + rng.int(2, 180) * 1000,
        by: rng.chance(0.85) ? 'policy' : 'admin@aldermoor.example',
        reason: bad ? 'Phishing' : 'Suspected',
      };
      const owner = draft.to.find(({ person }) => person)?.email;
      if (owner && rng.chance(0.14)) {
        const requestedAt = at + rng.int(10, 600) * MINUTE;
        detail.restore = {
          requestedAt,
          by: owner,
          reason: rng.pick(['I know this sender', 'Needed for work', 'Bitte freigeben', '']),
        };
        const answered = requestedAt + rng.int(5, 900) * MINUTE;
        if (bad && rng.chance(0.6))
          detail.decline = { at: answered, by: 'l.brandt@aldermoor.example', reason: 'Malicious' };
        else if (rng.chance(0.5)) detail.restore.restoredAt = answered;
        // A service that answers twice: the console has to say which holds.
        if (detail.decline && rng.chance(0.05)) detail.restore.restoredAt = answered;
      }
    } else if (bad && rng.chance(0.4)) detail.reEvaluatedAfter = rng.int(40, 900) * 1000;
    if (
      (doubtful && rng.chance(0.1)) ||
      (draft.scenario === 'spam' && rng.chance(0.02)) ||
      rng.chance(0.001)
    ) {
      const people = draft.to.filter(({ person }) => person).slice(0, rng.int(1, 3));
      if (people.length > 0)
        detail.report = {
          at: at + rng.int(1, 120) * MINUTE,
          by: people.map(({ email }) => email),
          comment: rng.pick(['Is this real?', 'Looks odd', 'Spam', '', 'フィッシングのようです']),
        };
    }
    return detail;
  }

  private state(draft: Draft, detail: EmailDetail, bad: boolean): string {
    if (draft.direction === 'outgoing') return 'Sent';
    if (detail.quarantine && !detail.restore?.restoredAt)
      return detail.restore && !detail.decline ? 'Restore asked' : 'Quarantined';
    if (draft.scenario === 'spam') return 'Junk';
    const dice = this.rng.next();
    if (dice < (bad ? 0.12 : 0.08)) return 'Deleted';
    return dice > 0.97 ? 'Archive' : 'Inbox';
  }

  private clicks(
    draft: Draft,
    recipients: RecipientRecord[],
    at: number,
    bad: boolean,
  ): EmailRecord['clicks'] {
    const { rng } = this;
    const link = draft.links[0];
    const owner = recipients.find(({ department }) => department !== null);
    if (!link || !owner) return [];
    const count = rng.chance(0.7) ? 1 : rng.int(2, 4);
    owner.clicks = count;
    owner.isRead = true;
    return Array.from({ length: count }, () => ({
      at: Math.min(Math.floor(at) + rng.int(1, 600) * MINUTE, this.anchor),
      user: owner.email,
      url: link.url,
      host: hostOf(link.url),
      ip: documentationIp(rng),
      verdict: bad ? 'found' : 'clean',
      blocked: bad && rng.chance(0.7),
    }));
  }

  private authentication(draft: Draft): { spf: string; dkim: string; dmarc: string } {
    const { rng } = this;
    if (draft.direction !== 'incoming') return { spf: 'pass', dkim: 'pass', dmarc: 'pass' };
    if (draft.kind === 'phishing') {
      // A look-alike proves itself: its own domain passes.
      const own = draft.campaign?.id === 'invoice-overdue';
      const dkim = own ? 'pass' : rng.pick(['none', 'fail', 'pass']);
      return {
        spf: own ? 'softfail' : rng.pick(['fail', 'softfail', 'none', 'pass']),
        dkim,
        dmarc: dkim === 'pass' ? 'pass' : rng.pick(['fail', 'none']),
      };
    }
    if (draft.kind === 'spam')
      return {
        spf: rng.pick(['pass', 'softfail', 'none', 'neutral']),
        dkim: rng.pick(['none', 'pass', 'fail']),
        dmarc: rng.pick(['none', 'fail', 'pass']),
      };
    return rng.chance(0.03)
      ? { spf: 'softfail', dkim: 'pass', dmarc: 'pass' }
      : { spf: 'pass', dkim: rng.chance(0.97) ? 'pass' : 'temperror', dmarc: 'pass' };
  }
}

const homeAddress = (person: Person) => ({ name: person.name, email: person.email, domain: HOME_DOMAIN });

function hash2(text: string): number {
  let h = 7;
  for (let i = 0; i < text.length; i += 1) h = (h * 31 + text.charCodeAt(i)) >>> 0;
  return h;
}
