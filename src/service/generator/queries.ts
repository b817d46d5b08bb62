/** The saved queries, reports, analytics and templates of the demo tenant, in every domain. */
import type { NewQuery, ScheduledExport } from '#shared/model/entities.ts';
import type { Condition, ConditionGroup, ConditionValue } from '#shared/query/tree.ts';
import { domainNamed } from '../query/config.ts';
import { savedQueries } from '../store/queries.ts';
import type { Store } from '../store/store.ts';
import { attachmentOf } from './attachments.ts';
import { DEPARTMENTS, HOME_DOMAIN } from './organisation.ts';
import { random } from './prng.ts';

type Node = Condition | ConditionGroup;
const is = (field: string, operator: string, ...values: ConditionValue[]): Condition => ({
  field,
  operator,
  values,
});
const and = (...conditions: Node[]): ConditionGroup => ({ operator: 'and', conditions });
const or = (label: string, ...conditions: Node[]): ConditionGroup => ({ operator: 'or', conditions, label });
const last = (count: number, unit: string, field = 'received') => is(field, 'in_the_last', count, unit);
const FOUND = is('verdict', 'is', 'found');
const FROM_OUTSIDE = is('from_domain', 'is_not', HOME_DOMAIN);

type Kind = 'query' | 'report' | 'analytics' | 'template';
type Line = readonly [
  entity: string,
  kind: Kind,
  name: string,
  description: string,
  severity: string,
  saas: string,
  filter: ConditionGroup,
  more?: {
    status?: string;
    schedule?: string;
    columns?: readonly string[];
    actions?: readonly string[];
    sort?: string;
  },
];

const M365 = 'office365_emails';
const INVOICE = attachmentOf('', '', 0, 'campaign/invoice-overdue').sha256 ?? '';

const LINES: readonly Line[] = [
  [
    'email',
    'query',
    'Invoice overdue: same attachment hash',
    'All emails carrying INV-20931.pdf.html',
    'veryhigh',
    M365,
    and(
      last(7, 'days'),
      or('the same campaign', is('attachment_sha256', 'is', INVOICE), {
        ...and(is('subject', 'contains_words', 'invoice', 'overdue'), FROM_OUTSIDE),
        label: 'the same wording from outside',
      }),
    ),
    { status: 'running', actions: ['quarantine', 'tag', 'notify'] },
  ],
  [
    'email',
    'query',
    'User-reported, not yet triaged',
    'Reports from the add-in that nobody has answered',
    'high',
    'all',
    and(last(30, 'days'), is('user_reported', 'greater_than', 0)),
    { status: 'running' },
  ],
  [
    'click',
    'report',
    'Clicks on rewritten links, last 24 h',
    'Who followed which link',
    'medium',
    M365,
    and(last(24, 'hours', 'click_time')),
    { status: 'running', schedule: 'daily 06:00' },
  ],
  [
    'file',
    'query',
    '外部共有ファイル（機密ラベル付き）',
    '社外ユーザーに共有されたファイル',
    'high',
    'office365_sharepoint',
    and(is('is_shared_externally', 'is_true'), is('title', 'contains_text', '機密')),
  ],
  [
    'user',
    'analytics',
    'Administrators without a second factor',
    'Accounts that can change everything',
    'veryhigh',
    M365,
    and(is('is_admin', 'is_true'), is('mfa', 'is_false')),
    { status: 'stopped', schedule: 'weekly 1 07:30' },
  ],
  [
    'email',
    'analytics',
    'Executive impersonation by display name',
    'From-name of the chair, address from elsewhere',
    'veryhigh',
    M365,
    and(is('from_name', 'contains_words', 'Aldermoor'), FROM_OUTSIDE),
    { status: 'running', schedule: 'weekly 5 17:00' },
  ],
  [
    'email',
    'query',
    'Password-protected archives from outside',
    'Archives that no engine can open',
    'high',
    M365,
    and(last(60, 'days'), is('attachment_names', 'ends_with', '.zip'), is('direction', 'is', 'incoming')),
  ],
  [
    'email',
    'report',
    'Quarantine releases by end users',
    'Restore requests with their outcome',
    'low',
    'all',
    and(last(30, 'days'), is('restore_state', 'is_not_empty')),
    { status: 'running', schedule: 'monthly 1 1 05:00' },
  ],
  [
    'file',
    'report',
    'Files made public this week',
    'Any “anyone with the link” share',
    'medium',
    'office365_onedrive',
    and(last(7, 'days', 'modified'), is('is_shared_publicly', 'is_true')),
    { status: 'running', schedule: 'weekly 1 06:00' },
  ],
  [
    'email',
    'analytics',
    'Senders failing DMARC',
    'Grouped by organisation in the export',
    'medium',
    M365,
    and(last(7, 'days'), is('dmarc', 'is', 'fail')),
    { status: 'pause', schedule: 'daily 02:00' },
  ],
  [
    'email',
    'template',
    'Template: business email compromise sweep',
    'Reply-To elsewhere, payment words, first contact',
    'high',
    'all',
    and(
      last(30, 'days'),
      or(
        'payment words',
        is('subject', 'contains_words', 'payment'),
        is('subject', 'contains_words', 'bank', 'details'),
        is('subject', 'contains_words', 'payroll'),
      ),
      FROM_OUTSIDE,
    ),
  ],
  [
    'click',
    'template',
    'Template: who clicked',
    'Clicks joined to users for a list of links',
    'low',
    'all',
    and(last(7, 'days', 'click_time'), is('click_verdict', 'is', 'found')),
  ],
  [
    'message',
    'query',
    'Team messages with credential links',
    'Links to sign-in pages in chat',
    'high',
    'office365_teams',
    and(is('links_count', 'greater_than', 0), is('verdict', 'in_list', 'found', 'suspicious')),
  ],
  [
    'group',
    'analytics',
    'Groups open to external members',
    'Groups whose members come from elsewhere',
    'low',
    M365,
    and(is('external_members', 'greater_than', 0)),
    { status: 'stopped' },
  ],
  [
    'email',
    'query',
    'Legacy import: qry_0091_final_v2 (do not use)',
    '',
    'lowest',
    'exch_onprem',
    and(is('received', 'in_the_last', 90, 'days'), is('legacy_flag', 'is', 'x')),
    { status: 'migrating' },
  ],
  [
    'email',
    'query',
    'QR-code images in body, no text',
    'Image-only mails with a code',
    'high',
    'all',
    and(last(60, 'days'), is('attachment_names', 'is', 'qr.png')),
    { status: 'running' },
  ],
  [
    'user',
    'query',
    'Risky accounts without a second factor',
    'Risk above 60',
    'veryhigh',
    'google_mail',
    and(is('risk', 'greater_than', 60), is('mfa', 'is_false')),
    { status: 'running', schedule: 'daily 08:00' },
  ],
  [
    'email',
    'analytics',
    'Found, and still in an inbox',
    'What a verdict after delivery left behind',
    'medium',
    M365,
    and(last(30, 'days'), FOUND, is('state', 'is', 'Inbox')),
    { status: 'running' },
  ],
  [
    'file',
    'query',
    'Deleted files, shared outside before',
    'Files that left and then vanished',
    'medium',
    'office365_onedrive',
    and(is('is_deleted', 'is_true'), is('is_shared_externally', 'is_true')),
  ],
  [
    'user',
    'report',
    'Accounts unused for a month',
    'Sign-in older than 30 days',
    'verylow',
    'all',
    and({ ...and(is('last_login', 'in_the_last', 30, 'days')), negate: true }, is('state', 'is', 'active')),
    { status: 'stopped', schedule: 'monthly 3 3 09:00' },
  ],
  [
    'email',
    'query',
    'Attachments found by the sandbox',
    'Detonated, whatever the other tools say',
    'veryhigh',
    'all',
    and(last(60, 'days'), is('stack', 'contains_any', 'checkpoint_te:found')),
    { status: 'running' },
  ],
  [
    'email',
    'query',
    'Replies to quarantined threads',
    'Somebody answered',
    'medium',
    M365,
    and(
      last(30, 'days'),
      is('subject', 'starts_with', 'RE:'),
      is('verdict', 'in_list', 'found', 'suspicious'),
    ),
  ],
  [
    'email',
    'query',
    'Vendor payment change requests',
    'Bank details changed by mail',
    'veryhigh',
    'all',
    and(
      last(60, 'days'),
      or(
        'wording',
        is('subject', 'contains_words', 'bank', 'details'),
        is('subject', 'contains_words', 'rechnung'),
        is('subject', 'contains_text', '請求書'),
      ),
      FROM_OUTSIDE,
    ),
  ],
  [
    'email',
    'query',
    'Calendar invites from outside',
    'ICS attachments',
    'medium',
    'google_mail',
    and(is('attachment_names', 'ends_with', '.ics'), is('direction', 'is', 'incoming')),
  ],
  [
    'file',
    'analytics',
    'Large files shared outside',
    'Files above 10 MB that outsiders can read',
    'low',
    'office365_onedrive',
    and(is('size', 'greater_than', 10_485_760), is('is_shared_externally', 'is_true')),
    { status: 'running', schedule: 'daily 03:00' },
  ],
  [
    'email',
    'report',
    'Encrypted mail to personal domains',
    'Outgoing to webmail',
    'low',
    'all',
    and(
      last(30, 'days'),
      is('direction', 'is', 'outgoing'),
      is('to', 'matches', '@(webmail|post|mailbox)\\.example$'),
    ),
    { status: 'running', schedule: 'weekly 0 23:00' },
  ],
  [
    'message',
    'query',
    'Messages with passwords in them',
    'The word, in any case',
    'veryhigh',
    'office365_teams',
    and(is('text', 'contains_words', 'password')),
    { status: 'running' },
  ],
  [
    'file',
    'report',
    'Αναφορά ύποπτων συνημμένων',
    '',
    'medium',
    'all',
    and(is('verdict', 'in_list', 'found', 'suspicious')),
    { status: 'stopped' },
  ],
  [
    'email',
    'query',
    'Re-evaluated to found after delivery',
    'Verdict changed after the mail was read',
    'high',
    'all',
    and(last(14, 'days'), FOUND, is('is_read', 'is_true')),
    { status: 'running' },
  ],
  [
    'email',
    'query',
    'Mail with a formula in the subject',
    'Opens badly in a spreadsheet',
    'low',
    'all',
    and(is('subject', 'matches', '^[=+@\\-]')),
  ],
  [
    'email',
    'query',
    'Not scanned, with an attachment',
    'A tool failed or did not answer',
    'high',
    'all',
    and(last(30, 'days'), is('verdict', 'is', 'not-scanned'), is('attachments_count', 'greater_than', 0)),
  ],
  ['group', 'query', 'Public groups', 'Anyone inside may join', 'low', M365, and(is('is_public', 'is_true'))],
  [
    'email',
    'query',
    'Sent from the look-alike network',
    'Client address in 203.0.113.64/27',
    'veryhigh',
    'all',
    and(last(30, 'days'), is('client_ip', 'in_network', '203.0.113.64/27')),
    { status: 'running' },
  ],
  [
    'click',
    'query',
    'Blocked clicks',
    'The page was not shown',
    'medium',
    'all',
    and(is('blocked', 'is_true')),
  ],
  [
    'user',
    'template',
    'Template: people of a department',
    'Put the department in',
    'verylow',
    'all',
    and(is('department', 'is', 'Finance')),
  ],
  [
    'group',
    'template',
    'Template: groups of an owner',
    '',
    'verylow',
    'all',
    and(is('owner', 'is', `l.brandt@${HOME_DOMAIN}`)),
  ],
  [
    'message',
    'template',
    'Template: chat by sender',
    '',
    'verylow',
    'all',
    and(is('sender', 'is', `l.brandt@${HOME_DOMAIN}`)),
  ],
  [
    'file',
    'template',
    'Template: a hash in every drive',
    'Paste the hash',
    'high',
    'all',
    and(is('sha256', 'is', '0'.repeat(64))),
  ],
];

// What each department asks for; together with LINES: 61 queries, 34 reports, 22 analytics, 31 templates.
const WANTED: Readonly<Record<Kind, number>> = { query: 61, report: 34, analytics: 22, template: 31 };
const SEVERITIES = ['verylow', 'low', 'medium', 'high', 'veryhigh'];
const STATUSES = ['saved', 'saved', 'running', 'running', 'stopped'];
const SCHEDULES = ['daily 06:00', 'weekly 1 07:00', 'monthly 2 2 08:30', 'weekly 4 18:00'];

type Idea = readonly [entity: string, name: string, filter: (department: string) => ConditionGroup];
const IDEAS: readonly Idea[] = [
  ['email', 'phishing mail', (d) => and(last(30, 'days'), FOUND, is('department', 'is', d))],
  [
    'email',
    'spam that reached people',
    (d) => and(last(14, 'days'), is('verdict', 'is', 'spam'), is('department', 'is', d)),
  ],
  [
    'file',
    'files shared outside',
    (d) => and(is('is_shared_externally', 'is_true'), is('department', 'is', d)),
  ],
  ['user', 'accounts', (d) => and(is('department', 'is', d))],
  [
    'email',
    'mail with links from outside',
    (d) =>
      and(last(7, 'days'), is('links_count', 'greater_than', 0), is('department', 'is', d), FROM_OUTSIDE),
  ],
  [
    'email',
    'large attachments',
    (d) => and(last(30, 'days'), is('size', 'greater_than', 5_242_880), is('department', 'is', d)),
  ],
  ['click', 'clicks', () => and(last(30, 'days', 'click_time'))],
  [
    'email',
    'quarantined mail',
    (d) => and(last(30, 'days'), is('quarantined', 'is_true'), is('department', 'is', d)),
  ],
];

function scheduleOf(words: string): ScheduledExport {
  const [frequency = 'daily', ...rest] = words.split(' ');
  const time = rest.at(-1) ?? '06:00';
  const day = frequency === 'daily' ? null : Number(rest.at(-2));
  const week = frequency === 'monthly' ? Number(rest[0]) : null;
  return { emails: [`soc@${HOME_DOMAIN}`], format: 'csv', frequency, week, day, time };
}

function queryOf(line: Line): NewQuery {
  const [entity, kind, name, description, severity, saas, filter, more = {}] = line;
  const domain = domainNamed(entity, false);
  return {
    type: 'query',
    subType: kind === 'query' ? null : kind,
    description,
    domain: entity,
    entityType: entity,
    name,
    saas,
    severity,
    status: more.status ?? 'saved',
    filter,
    columns: domain ? domain.columns.map((column) => ({ ...column })) : [],
    sort: domain ? domain.sort.map((one) => ({ ...one })) : [],
    scheduledExport: more.schedule ? scheduleOf(more.schedule) : null,
    actionsList: [...(more.actions ?? [])],
  };
}

function moreLines(seed: number): Line[] {
  const rng = random(`${seed}/queries`);
  const out: Line[] = [];
  for (const kind of Object.keys(WANTED) as Kind[]) {
    const missing = WANTED[kind] - LINES.filter((line) => line[1] === kind).length;
    for (let i = 0; i < missing; i += 1) {
      const [entity, words, filter] = IDEAS[(i + kind.length) % IDEAS.length] ?? IDEAS[0]!;
      const department = DEPARTMENTS[(i * 5 + kind.length) % DEPARTMENTS.length] ?? 'Finance';
      const prefix = kind === 'template' ? 'Template: ' : '';
      const name = `${prefix}${department}: ${words}${i >= 24 ? `, ${i}` : ''}`;
      const schedule =
        kind === 'report' || (kind === 'analytics' && rng.chance(0.4))
          ? { schedule: rng.pick(SCHEDULES) }
          : {};
      const status = kind === 'template' ? 'saved' : rng.pick(STATUSES);
      out.push([
        entity,
        kind,
        name,
        '',
        rng.pick(SEVERITIES),
        entity === 'email' ? rng.pick(['all', M365, 'google_mail']) : 'all',
        filter(department),
        { status, ...schedule },
      ]);
    }
  }
  return out;
}

const HOUR = 3_600_000;

export function saveDemoQueries(store: Store, seed: number, anchor: number): void {
  const saved = savedQueries(store);
  const rng = random(`${seed}/saved`);
  const authors = ['m.okafor', 'l.brandt', 'h.tanaka', 'o.kowalczyk'];
  store.db.transaction(() => {
    for (const [index, line] of [...LINES, ...moreLines(seed)].entries()) {
      const time = new Date(anchor - rng.int(1, 24 * 200) * HOUR).toISOString();
      saved.add(queryOf(line), {
        time,
        by: `${rng.pick(authors)}@${HOME_DOMAIN}`,
        id: `q-${String(index + 1).padStart(4, '0')}`,
      });
    }
  })();
}
