/** Allow and block lists as a tenant's analysts would have grown them over half a year. */
import { dictionary } from '#shared/dictionary.ts';
import { exceptionOf } from '#shared/exceptions/rule.ts';
import type { ExceptionList, Matching } from '#shared/exceptions/types.ts';
import type { ExceptionRecord } from '../store/records.ts';
import { canonicalOf, PRODUCT } from '../store/verdicts.ts';
import { HOME_DOMAIN, type Person } from './organisation.ts';
import { type Random, random } from './prng.ts';
import { senders } from './senders.ts';

const DAY = 86_400_000;
const AP = `ap_${PRODUCT}`;

/** Entries per tool within the last six months. */
const COUNTS: Readonly<Record<string, number>> = dictionary({
  [AP]: 681,
  checkpoint_te: 96,
  checkpoint_av: 71,
  lastline_av_file: 47,
  checkpoint_url: 187,
  clicktime_protection: 61,
  dlp_checkpoint: 44,
  anomaly_detection: 12,
  ms_defender: 5,
});
const OLDER = 160;

interface Draft {
  tool: string;
  type: string;
  list: ExceptionList;
  field: string;
  matching: Matching;
  value: string;
  comment?: string;
  exclusive?: boolean;
}

const mail = (
  list: ExceptionList,
  field: string,
  matching: Matching,
  value: string,
  comment = '',
  exclusive = false,
): Draft => ({
  tool: AP,
  type: list === 'allow' ? 'whitelist' : 'blacklist',
  list,
  field,
  matching,
  value,
  comment,
  exclusive,
});

/** The newest entries, which screens and tests refer to. */
const KNOWN: readonly Draft[] = [
  mail('block', 'from_domain', 'ends_with', 'invoices-nordlicht.example', 'INC-4468'),
  mail('allow', 'from_email', 'exact', 'no-reply@payroll.partner.example', 'Payroll, confirmed by phone'),
  mail('allow', 'client_ip', 'matching', '192.0.2.0/27', 'Own relay, do not remove', true),
  mail('block', 'subject', 'contains', 'Dringend: Gehaltsabrechnung bestätigen'),
  mail('allow', 'nickname', 'contains', 'Aldermoor Newsletter', 'Marketing asked'),
  mail('block', 'links', 'contains', 'pbx-relay.test', 'Short links, campaign of June'),
  mail('allow', 'md5', 'exact', 'd41d8cd98f00b204e9800998ecf8427e', 'Empty file, harmless'),
  mail('allow', 'from_domain', 'contains', 'københavn-havn.example', 'Port authority'),
  mail('block', 'from_email', 'exact', 'l.petrova@xn--80ak6aa92e.example', 'IDN look-alike', true),
  mail('allow', 'server_ip', 'matching', '2001:db8:4::/48'),
  mail('block', 'subject', 'contains', '緊急：口座情報の更新'),
  mail('block', 'from_domain', 'contains', 'aldermoor-support', 'Brand abuse'),
  mail('block', 'nickname', 'exact', 'IT-Servicedesk Aldermoor', 'Impersonation'),
  mail('block', 'client_ip', 'matching', '198.51.100.200/30', 'Bulletproof host'),
  mail('allow', 'subject', 'exact', '[Ticket] Weekly digest'),
  mail('allow', 'nickname', 'contains', 'Παπαδοπούλου', 'False positives'),
];

const COMMENTS = [
  '',
  '',
  'INC-{n}',
  'Asked by the help desk',
  'Reported by three people',
  'Vendor, checked on {n}',
  'From an older service',
  'False positive {n}',
  'watch-2026-Q{q}',
];

function entryFor(
  tool: string,
  rng: Random,
  outside: ReturnType<typeof senders>,
  staff: readonly Person[],
): Draft {
  const list: ExceptionList = rng.chance(0.45) ? 'allow' : 'block';
  const sender = list === 'allow' ? rng.pick(outside.partner) : rng.pick(outside.spam);
  const draft = (type: string, field: string, matching: Matching, value: string, its = list): Draft => ({
    tool,
    type,
    list: its,
    field,
    matching,
    value,
  });
  // Entries outlive their purpose: many no longer match anything.
  const below = (chance: number, length: number) => (rng.chance(chance) ? `${rng.hex(length)}.` : '');
  if (tool === AP)
    switch (rng.int(0, 9)) {
      case 0:
      case 1:
      case 2:
        return mail(list, 'from_email', 'exact', `${below(0.5, 3)}${sender.email}`);
      case 3:
      case 4:
        return mail(
          list,
          'from_domain',
          rng.chance(0.6) ? 'ends_with' : 'exact',
          `${below(0.6, 4)}${sender.domain}`,
        );
      case 5:
        return mail(list, 'md5', 'exact', rng.hex(32));
      case 6:
        return mail(list, 'client_ip', 'matching', `2001:db8:bad:${rng.hex(4)}::/64`);
      case 7:
        return mail(list, 'links', 'contains', `${below(0.6, 6)}${sender.domain}`);
      case 8:
        // Former mailboxes: an entry for an existing one would let through everything it receives.
        return mail('allow', 'recipient', 'exact', `former-${rng.hex(4)}@${HOME_DOMAIN}`);
      default:
        return mail(
          list,
          'subject',
          'contains',
          `[${rng.pick(['Digest', 'Ticket', 'Report', 'Alert'])} ${rng.int(100, 9999)}]`,
        );
    }
  if (/url|clicktime/.test(tool))
    return rng.chance(0.6)
      ? draft(
          `${list}_domain`,
          'domain',
          rng.chance(0.7) ? 'ends_with' : 'exact',
          `${below(0.5, 5)}${sender.domain}`,
        )
      : draft(`${list}_url`, 'url', 'exact', `https://${sender.domain}/${rng.hex(8)}`);
  if (/dlp/.test(tool))
    return rng.chance(0.5)
      ? draft('sender_email', 'sender_email', 'exact', rng.pick(staff).email, 'allow')
      : draft('hash', 'hash', 'exact', rng.hex(32), 'allow');
  if (tool === 'anomaly_detection') return draft('user', 'user', 'exact', rng.pick(staff).email, 'allow');
  if (tool === 'ms_defender') return draft('hash', 'hash', 'exact', rng.hex(64));
  return rng.chance(0.85)
    ? draft('hash', 'hash', 'exact', rng.hex(rng.chance(0.5) ? 32 : 64))
    : draft('file_type', 'file_type', 'exact', rng.pick(['iso', 'docm', 'lnk', 'one', 'vhdx', 'xlsb']));
}

/** `anchor` is in milliseconds; the newest entry is from that day, none is later. */
export function exceptionRecords(staff: readonly Person[], seed: number, anchor: number): ExceptionRecord[] {
  const rng = random(`${seed}/exceptions`);
  const outside = senders(random(`${seed}/exceptions/senders`));
  const authors = ['l.brandt', 'm.okafor', 'h.tanaka', 'a.lindqvist', 'søren.ågård', 'system', 'import'];
  const keys = new Set<string>();
  const out: ExceptionRecord[] = [];
  const add = (draft: Draft, time: number): boolean => {
    const { tool, type, list, field, matching, value } = draft;
    const key = `${tool}/${type}/${field}/${value.toLowerCase()}`;
    if (keys.has(key)) return false;
    keys.add(key);
    const words = rng
      .pick(COMMENTS)
      .replace('{n}', String(rng.int(3000, 4470)))
      .replace('{q}', String(rng.int(1, 4)));
    const { payload } = exceptionOf({
      tool: canonicalOf(tool),
      type,
      list,
      conditions: [{ field, matching, value }],
    });
    out.push({
      id: `exc-${rng.hex(16)}`,
      tool,
      list,
      type,
      string: value,
      payload: payload as Record<string, unknown>,
      comment: (draft.comment ?? words) || null,
      isExclusive: draft.exclusive ?? rng.chance(0.06),
      createdBy: rng.pick(authors),
      createdAt: Math.floor(time),
    });
    return true;
  };
  for (const [index, draft] of KNOWN.entries()) add(draft, anchor - index * 9 * DAY - DAY / 3);
  for (const [tool, count] of Object.entries(COUNTS)) {
    const remaining = count - (tool === AP ? KNOWN.length : 0);
    for (let n = 0, tries = 0; n < remaining && tries < remaining * 20; tries += 1)
      if (add(entryFor(tool, rng, outside, staff), anchor - DAY - rng.next() * 178 * DAY)) n += 1;
  }
  for (let n = 0; n < OLDER; n += 1)
    add(
      entryFor(rng.pick(Object.keys(COUNTS)), rng, outside, staff),
      anchor - (190 + rng.next() * 400) * DAY,
    );
  return out.sort((a, b) => a.createdAt - b.createdAt);
}
