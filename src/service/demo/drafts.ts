/** The content of the tenant's mails before they are sent: who writes what to whom. */
import type { AttachmentRecord } from '../store/records.ts';
import { attachmentOf, document, signatureImage } from './attachments.ts';
import { CAMPAIGNS, type Campaign } from './campaigns.ts';
import { HOME_DOMAIN, type Person } from './organisation.ts';
import type { Random } from './prng.ts';
import type { Scenario } from './scans.ts';
import { type Sender, senders } from './senders.ts';
import { standInHashes } from './stand-in.ts';
import { BUSINESS, HOSTILE, NEWSLETTER, PHISHING_SINGLE, SERVICE, SPAM, type Wording } from './subjects.ts';

const DAY = 86_400_000;
const THREADS_KEPT = 120;

export interface Thread {
  id: string;
  subject: string;
  language: string;
  partner: Sender;
  person: Person;
  last: string;
  depth: number;
}

export interface Draft {
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

/** Drafts in chronological order; each depends on the earlier ones (threads). */
export class DraftFactory {
  private readonly rng: Random;
  private readonly staff: readonly Person[];
  private readonly outside: ReturnType<typeof senders>;
  private readonly threads: Thread[] = [];
  private readonly planned = new Map<number, Campaign>();

  constructor(rng: Random, staff: readonly Person[], anchor: number, times: Float64Array) {
    this.rng = rng;
    this.staff = staff;
    this.outside = senders(rng);
    for (const campaign of CAMPAIGNS) this.plan(campaign, times, anchor);
  }

  private plan(campaign: Campaign, times: Float64Array, anchor: number): void {
    const from = anchor - campaign.days[1] * DAY;
    const to = anchor - campaign.days[0] * DAY;
    const inside: number[] = [];
    for (const [index, time] of times.entries())
      if (time >= from && time <= to && !this.planned.has(index)) inside.push(index);
    const share = Math.max(3, Math.round(campaign.mails * Math.min(1, times.length / 20_000)));
    for (let i = 0; i < share && inside.length > 0; i += 1) {
      const [chosen] = inside.splice(this.rng.int(0, inside.length - 1), 1);
      if (chosen !== undefined) this.planned.set(chosen, campaign);
    }
  }

  draft(serial: number): Draft {
    const campaign = this.planned.get(serial);
    return campaign ? this.attack(campaign) : this.ordinary(serial);
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
    const recipient = {
      name: thread.person.name,
      email: thread.person.email,
      person: thread.person,
      kind: 'to',
    };
    return {
      from: outgoing ? home : thread.partner,
      to: outgoing ? [mate] : [recipient],
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
      attachments: file.map(matched),
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
    const sent = file && attachmentOf(file.name, file.mime, file.size, `campaign/${campaign.id}`);
    const to = this.recipients(rng.chance(0.3) ? 14 : 3);
    const subject = rng.pick(campaign.subjects);
    const scenario = tricky
      ? rng.pick(['suspicious', 'no-click', 'spam', 'failed'] as const)
      : campaign.verdict;
    const files = sent ? [bad ? campaignFile(sent, scenario) : sent] : [];
    return {
      from: sender,
      to,
      direction: 'incoming',
      subject,
      language: languageOf(subject, campaign.language),
      scenario,
      kind: 'phishing',
      ip: sender.ip,
      thread: null,
      attachments: [...files, ...(rng.chance(0.5) ? [signatureImage(rng)] : [])],
      links: link ? [{ url: link.url, text: link.text, mismatched: true }] : [],
      campaign,
    };
  }
}

/** Files that a tool matched can be downloaded, so their hashes are those of real bytes. */
const matched = (file: AttachmentRecord): AttachmentRecord => ({
  ...file,
  ...standInHashes(file.name, file.size ?? 0),
  verdictCode: 'malw',
  matches: 1,
});

/** The file of a campaign, as the tools saw it in one of its mails: not every time for what it is. */
function campaignFile(file: AttachmentRecord, scenario: Scenario): AttachmentRecord {
  const match = matched(file);
  if (scenario === 'phishing' || scenario === 'malware') return match;
  const failed = scenario === 'failed';
  return { ...match, verdictCode: failed ? null : 'clean', matches: failed ? null : 0 };
}

const homeAddress = (person: Person) => ({ name: person.name, email: person.email, domain: HOME_DOMAIN });

function languageOf(subject: string, usual: string): string {
  if (/\p{Script=Cyrillic}/u.test(subject)) return 'ru';
  if (/[\p{Script=Han}\p{Script=Katakana}]/u.test(subject)) return 'ja';
  return /Rechnung/.test(subject) ? 'de' : usual;
}
