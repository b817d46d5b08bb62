/** Emails of the demo tenant, oldest first, from a seed. */
import type { EmailDetail, EmailRecord, LinkRecord, RecipientRecord } from '../store/records.ts';
import { type Draft, DraftFactory } from './drafts.ts';
import type { Person } from './organisation.ts';
import { hashOf, type Random, random } from './prng.ts';
import { scansFor } from './scans.ts';
import { documentationIp } from './senders.ts';
import { showcase } from './showcase.ts';

const MINUTE = 60_000;
/** Minutes after its receipt within which an email is clicked. */
const LATEST_CLICK = 600;
const CLIENTS = ['Outlook', 'Outlook', 'Browser', 'Browser', 'iPhone', 'Android'];

/** Mostly a policy; occasionally the mail provider, an administrator or an analyst of the service. */
const quarantiner = (dice: number): string =>
  dice < 0.68
    ? 'policy'
    : dice < 0.78
      ? 'provider'
      : dice < 0.9
        ? 'admin@aldermoor.example'
        : 'duty@analysts.example';

const hostOf = (url: string): string => url.replace(/^https?:\/\//, '').replace(/[/?#].*$/, '');

/** Links of incoming mail are replaced, except to hosts that the tenant trusts. */
const linkStatus = (direction: string, host: string): string =>
  direction === 'incoming' && hashOf(host) % 13 !== 0 ? 'link_replaced' : 'no_link_replaced';

/** Times must be ascending; `anchor` is "now" in milliseconds. */
export function* mails(
  seed: number,
  times: Float64Array,
  staff: readonly Person[],
  anchor: number,
): Generator<EmailRecord> {
  const factory = new MailFactory(random(`${seed}/mails`), staff, anchor, times);
  const last = times.length - 1;
  for (const [index, time] of times.entries())
    yield showcase(factory.create(index, time), last - index, times.length, staff);
}

class MailFactory {
  private readonly rng: Random;
  private readonly anchor: number;
  private readonly drafts: DraftFactory;

  constructor(rng: Random, staff: readonly Person[], anchor: number, times: Float64Array) {
    this.rng = rng;
    this.anchor = anchor;
    this.drafts = new DraftFactory(rng, staff, anchor, times);
  }

  create(serial: number, time: number): EmailRecord {
    return this.record(this.drafts.draft(serial), time, serial);
  }

  private record(draft: Draft, time: number, serial: number): EmailRecord {
    const { rng } = this;
    const bad = ['phishing', 'malware', 'fraud'].includes(draft.scenario);
    const doubtful = bad || draft.scenario === 'suspicious' || draft.scenario === 'no-click';
    const clicked =
      draft.links.length > 0 &&
      draft.direction === 'incoming' &&
      draft.scenario !== 'no-click' &&
      rng.chance(bad ? 0.12 : 0.06);
    const entityId = rng.hex(32);
    const messageId = `${rng.hex(12)}.${serial}@${draft.from.domain}`;
    const detail = this.upToNow(this.detail(draft, time, bad, doubtful));
    const state = this.state(draft, detail, bad);
    const recipients: RecipientRecord[] = draft.to.map((person) => ({
      kind: person.kind,
      name: person.name,
      email: person.email,
      state: person.person ? state : null,
      isRead: person.person ? state !== 'Quarantined' && rng.chance(0.6) : null,
      clicks: 0,
      department: person.person?.department ?? null,
    }));
    const clicks = clicked ? this.clicks(draft, recipients, time, bad) : [];
    const links: LinkRecord[] = draft.links.map(({ url, text, mismatched }) => ({
      url,
      host: hostOf(url),
      text,
      status: linkStatus(draft.direction, hostOf(url)),
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
      malware: draft.attachments.some(({ matches }) => (matches ?? 0) > 0),
      links: links.length,
      clicks: clicks.length,
      internal: draft.direction !== 'incoming',
    };
    const auth = this.authentication(draft);
    return {
      entityId,
      saas:
        (draft.to[0]?.person ?? null) && hashOf(draft.to[0]?.email ?? '') % 4 === 0
          ? 'google_mail'
          : 'office365_emails',
      receivedAt: Math.floor(time),
      sentAt: Math.floor(time) - rng.int(2, 240) * 1000,
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
        links.length === 0
          ? null
          : links.some(({ status }) => status === 'link_replaced')
            ? 'links_replaced'
            : 'no_links_replaced',
      detail,
    };
  }

  private detail(draft: Draft, time: number, bad: boolean, doubtful: boolean): EmailDetail {
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
        at: time + rng.int(2, 180) * 1000,
        by: quarantiner(rng.next()),
        reason: bad ? 'Phishing' : 'Suspected',
      };
      const owner = draft.to.find(({ person }) => person)?.email;
      if (owner && rng.chance(0.14)) {
        const requestedAt = time + rng.int(10, 600) * MINUTE;
        detail.restore = {
          requestedAt,
          by: owner,
          reason: rng.pick(['I know this sender', 'Needed for work', 'Bitte freigeben', '']),
        };
        const answered = requestedAt + rng.int(5, 900) * MINUTE;
        if (bad && rng.chance(0.6))
          detail.decline = { at: answered, by: 'l.brandt@aldermoor.example', reason: 'Malicious' };
        else if (rng.chance(0.5)) detail.restore.restoredAt = answered;
        // Some services report both answers, and the console has to say which applies.
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
          at: time + rng.int(1, 120) * MINUTE,
          by: people.map(({ email }) => email),
          comment: rng.pick(['Is this real?', 'Looks odd', 'Spam', '', 'フィッシングのようです']),
        };
    }
    return detail;
  }

  /** No event may be in the future. */
  private upToNow(detail: EmailDetail): EmailDetail {
    const { quarantine, restore, decline, report } = detail;
    const past = (time: number) => Math.min(Math.floor(time), this.anchor);
    if (quarantine) quarantine.at = past(quarantine.at);
    if (restore?.requestedAt) restore.requestedAt = past(restore.requestedAt);
    if (restore?.restoredAt) restore.restoredAt = past(restore.restoredAt);
    if (decline) decline.at = past(decline.at);
    if (report) report.at = past(report.at);
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
    time: number,
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
      at: this.clickTime(Math.floor(time), rng.int(1, LATEST_CLICK) * MINUTE),
      user: owner.email,
      url: link.url,
      host: hostOf(link.url),
      ip: documentationIp(rng),
      client: rng.pick(CLIENTS),
      department: owner.department,
      verdict: bad ? 'found' : 'clean',
      blocked: bad && rng.chance(0.7),
    }));
  }

  /** Before the anchor, without a crowd of clicks at it: of a fresh email the delays shrink in proportion. */
  private clickTime(received: number, delay: number): number {
    const room = Math.max(this.anchor - received, 0);
    return received + (delay <= room ? delay : Math.floor((room * delay) / (LATEST_CLICK + 1) / MINUTE));
  }

  private authentication(draft: Draft): { spf: string; dkim: string; dmarc: string } {
    const { rng } = this;
    if (draft.direction !== 'incoming') return { spf: 'pass', dkim: 'pass', dmarc: 'pass' };
    if (draft.kind === 'phishing') {
      // A look-alike domain authenticates as itself.
      const isInvoice = draft.campaign?.id === 'invoice-overdue';
      const dkim = isInvoice ? 'pass' : rng.pick(['none', 'fail', 'pass']);
      return {
        spf: isInvoice ? 'softfail' : rng.pick(['fail', 'softfail', 'none', 'pass']),
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
