/** The domain of emails: one row per message, or with copies one per delivered copy. */
import { CHECKS } from '#shared/checks/assess.ts';
import { CASE_CHECKS } from '#shared/checks/case-checks.ts';
import { LINK_SOURCE_LABELS, LINK_SOURCES } from '#shared/mail/links.ts';
import {
  ATTACHMENT_ENCRYPTION_LABELS,
  ATTACHMENT_ENCRYPTIONS,
  MESSAGE_KIND_LABELS,
  MESSAGE_KINDS,
  VERDICT_CODES,
} from '#shared/model/enums.ts';
import { VERDICT_CODE_LABELS, VERDICT_LABELS } from '#shared/model/verdict.ts';
import { toolLabel } from '#shared/model/white-label.ts';
import { EMAIL_ACTIONS } from '../../store/action-catalogue.ts';
import { BRANDING, CHECK_STACK, STACK } from '../../store/verdicts.ts';
import { AGAINST } from '../recount.ts';
import { FOLDED_COLUMNS } from '../schema.ts';
import {
  asJson,
  asPacked,
  columnsOf,
  type Domain,
  type DomainField,
  entityField,
  field,
  foldedColumn,
  line,
  valuesOf,
} from './definition.ts';
import { BODY_FIELD, textFields } from './email-texts.ts';
import { valueSearch } from './value-search.ts';

/** A mail that names no recipient is one row, under its own id. */
const COPY_ID = "coalesce(e.entity_id || '.' || r.position, e.entity_id)";
export const VERDICT_VALUES = Object.entries(VERDICT_LABELS);
export const CODE_VALUES = VERDICT_CODES.map((code) => [code, VERDICT_CODE_LABELS[code]] as const);
const KINDS = MESSAGE_KINDS.map((kind) => [kind, MESSAGE_KIND_LABELS[kind]] as const);
const ENCRYPTIONS = ATTACHMENT_ENCRYPTIONS.map((by) => [by, ATTACHMENT_ENCRYPTION_LABELS[by]] as const);
const STATES = valuesOf(
  ...['Inbox', 'Quarantined', 'Junk', 'Deleted'],
  ['Restore asked', 'Release requested'],
  ...['Archive', 'Sent'],
);
const AUTH = valuesOf(
  'pass',
  'claimed pass',
  'fail',
  'softfail',
  'neutral',
  'none',
  'temperror',
  'permerror',
);
const MESSAGE_ID_OPERATORS = [
  ...['is', 'is_not', 'in_list', 'not_in_list', 'contains_text', 'not_contains'],
  ...['starts_with', 'ends_with', 'is_empty', 'is_not_empty'],
];
const stackValues = (stack: readonly string[]) =>
  stack.flatMap((id) =>
    VERDICT_VALUES.map(
      ([verdict, label]) => [`${id}:${verdict}`, `${toolLabel(id, BRANDING)}: ${label}`] as const,
    ),
  );
const CHECK_VALUES = [...CHECKS, ...CASE_CHECKS].map(({ id, label }) => [id, label] as const);

/** For values that many mails share, the rows of an index are tested: looking up each mail would take longer. */
const SHARED: ReadonlySet<string> = new Set(['links', 'recipients']);
const some = (table: string) => (condition: string) =>
  `${SHARED.has(table) ? '+' : ''}e.id IN (SELECT m.email_id FROM ${table} m WHERE ${condition})`;
const someOfRow = (table: string) => (condition: string) =>
  `EXISTS (SELECT 1 FROM ${table} m WHERE m.email_id = e.id AND ${condition})`;
/** The conditions on a column of a table of values. */
const valuesIn = (table: string, column: string, folded: string | null = null) => {
  const value = { value: `m.${column}`, ...(folded === null ? {} : { folded }) };
  return { filter: { ...value, some: some(table) }, byRow: { ...value, some: someOfRow(table) } };
};
const all = (table: string, column: string) =>
  `(SELECT json_group_array(value) FROM (SELECT m.${column} AS value FROM ${table} m WHERE m.email_id = e.id AND m.${column} IS NOT NULL ORDER BY m.id))`;
const distinct = (table: string, column: string) =>
  `(SELECT json_group_array(value) FROM (SELECT DISTINCT m.${column} AS value FROM ${table} m WHERE m.email_id = e.id AND m.${column} IS NOT NULL))`;

/** Follows the label of a field that covers the files in attached archives as well, which the count of attachments does not. */
const ALSO_PACKED = ', also in archives';

const FILE_HASHES = `(${['sha256', 'sha1', 'md5']
  .map((hash) => `SELECT id, email_id, ${hash} AS value FROM attachments WHERE is_inline = 0`)
  .join(' UNION ALL ')})`;

const isFolded = (table: string, column: string) =>
  FOLDED_COLUMNS.some(([inTable, name]) => inTable === table && name === column);

/** Columns with an index that also holds the email's id. */
const INDEXED: ReadonlySet<string> = new Set([
  'recipients.email',
  'attachments.sha256',
  'attachments.md5',
  'links.host',
  'hops.ip',
]);

/** Tables whose values keep their order and duplicates. */
const ORDERED: ReadonlySet<string> = new Set(['attachments', 'hops']);

function multi(
  id: string,
  label: string,
  type: string,
  group: string,
  table: string,
  column: string,
  width: number,
): DomainField {
  // Hashes and addresses of hops are in lower case; other texts are folded for comparing, if the table has no folded form.
  const isLower = type === 'hash' || type === 'ip';
  const folded = isLower ? `m.${column}` : isFolded(table, column) ? foldedColumn(`m.${column}`) : null;
  return field({
    id,
    label,
    type,
    group,
    width,
    multi: true,
    ...(type === 'email' || type === 'domain' ? { stored: 'domain' } : {}),
    sql: (ORDERED.has(table) ? all : distinct)(table, column),
    read: asJson,
    ...(INDEXED.has(`${table}.${column}`) ? { search: valueSearch(table, folded ?? `m.${column}`) } : {}),
    ...valuesIn(table, column, folded),
  });
}

const MESSAGE = 'Message';
const PEOPLE = 'Sender and recipients';
const CONTENT = 'Attachments and links';
const SECURITY = 'Security';
const DELIVERY = 'Delivery';

const fold = (column: string) => ({ filter: { folded: foldedColumn(column) } });
const fromDetail = (path: string) => ({ filter: { value: `pp_domain(${path})` }, stored: 'domain' as const });
const REPLY_TO = "(e.detail ->> '$.replyTo[0].email')";
const RETURN_PATH = "(e.detail ->> '$.returnPath')";

/** The reason that weighs most; SQLite takes it from the row of the highest weight. */
const FINDING = `(SELECT sentence FROM (SELECT m.sentence, max(m.weight) FROM findings m WHERE m.email_id = e.id AND ${AGAINST}))`;

/** The heaviest finding of each check that speaks against a mail. */
const againstSql = (where: string) =>
  `SELECT m.id, m.email_id, m.sentence, max(m.weight) AS weight FROM findings m WHERE ${AGAINST}${where} GROUP BY m.email_id, m.check_id`;
const REASONS = `(SELECT json_group_array(sentence) FROM (${againstSql(' AND m.email_id = e.id')} ORDER BY weight DESC, m.id))`;

const campaignSql = (column: string) => `(SELECT c.${column} FROM campaigns c WHERE c.id = e.campaign_id)`;
const CAMPAIGN_MAILS =
  '(SELECT e.id, e.id AS email_id, c.name_folded FROM campaigns c JOIN emails e ON e.campaign_id = c.id)';

/** Findings that the analyst marked as false positives. */
const STRUCK = '(SELECT id, email_id, check_id FROM findings WHERE struck = 1)';
const FALSE_POSITIVES = 'false_positives';
/** Fields that only a source with stored bodies, headers and checks has. */
const storedTextFields = (): DomainField[] => [
  line(SECURITY, 'finding', 'Strongest reason', 'text', FINDING, 320),
  line(SECURITY, 'reasons', 'Reasons', 'text', REASONS, 320, {
    multi: true,
    read: asJson,
    filter: { value: 'm.sentence', some: some(`(${againstSql('')})`) },
  }),
  line(SECURITY, 'findings', 'Findings', 'enum', distinct('findings', 'check_id'), 240, {
    multi: true,
    read: asJson,
    ...valuesIn('findings', 'check_id', 'm.check_id'),
    allowed: CHECK_VALUES,
  }),
  line(SECURITY, FALSE_POSITIVES, 'False positives', 'enum', distinct(STRUCK, 'check_id'), 240, {
    multi: true,
    read: asJson,
    ...valuesIn(STRUCK, 'check_id', 'm.check_id'),
    allowed: CHECK_VALUES,
  }),
  line(SECURITY, 'score', 'Score', 'number', 'e.score', 72),
  line(SECURITY, 'campaign', 'Campaign', 'text', campaignSql('name'), 240, {
    filter: { folded: campaignSql('name_folded') },
    search: valueSearch(CAMPAIGN_MAILS, 'm.name_folded'),
  }),
  line(MESSAGE, 'kind', 'Kind of mail', 'enum', 'e.kind', 112, { allowed: KINDS }),
  ...textFields(MESSAGE),
  multi('hop_ips', 'Hop IP', 'ip', DELIVERY, 'hops', 'ip', 176),
  line(CONTENT, 'link_sources', 'Link source', 'enum', distinct('links', 'source'), 120, {
    multi: true,
    read: asJson,
    filter: { value: 'm.source', folded: 'm.source', some: some('links') },
    allowed: LINK_SOURCES.map((source) => [source, LINK_SOURCE_LABELS[source]] as const),
  }),
  multi('link_places', 'Link in attachment', 'text', CONTENT, 'links', 'within', 200),
  multi(
    'attachment_content_types',
    `Attachment type by content${ALSO_PACKED}`,
    'text',
    CONTENT,
    'attachments',
    'content_type',
    200,
  ),
  line(
    CONTENT,
    'attachment_encryption',
    'Attachment encryption',
    'enum',
    distinct('attachments', 'encryption'),
    160,
    {
      multi: true,
      read: asJson,
      ...valuesIn('attachments', 'encryption', 'm.encryption'),
      allowed: ENCRYPTIONS,
    },
  ),
];

/** In the order of the column chooser. */
function emailFields(copies: boolean, texts: boolean): DomainField[] {
  /** A column that each delivered copy has of its own. */
  const columnOf = (name: string) => (copies ? `iif(r.id IS NULL, e.${name}, r.${name})` : `e.${name}`);
  const to = copies ? 'r.email' : 'e.to_email';
  const packed = texts ? ALSO_PACKED : '';
  return [
    line(DELIVERY, 'received', 'Received', 'date', 'e.received_at', 128),
    line(SECURITY, 'verdict', 'Verdict', 'enum', 'e.verdict', 144, {
      sort: texts ? ['e.verdict_rank', '-e.score'] : ['e.verdict_rank'],
      allowed: VERDICT_VALUES,
      filter: { folded: 'e.verdict' },
    }),
    line(SECURITY, 'stack', 'Stack', 'enum', 'e.stack', 128, {
      multi: true,
      read: asPacked,
      filter: { packed: 'e.stack' },
      allowed: stackValues(texts ? CHECK_STACK : STACK),
      operators: ['contains_any', 'contains_all', 'is', 'is_not'],
    }),
    line(MESSAGE, 'subject', 'Subject', 'text', 'e.subject', 320, {
      size: 998,
      filter: { folded: 'e.subject_folded', words: 'e.subject_words' },
    }),
    // Shown as the mail writes it.
    line(PEOPLE, 'from_email', 'From', 'email', 'coalesce(e.from_shown, e.from_email)', 232, {
      stored: 'domain',
      filter: { value: 'e.from_email', folded: foldedColumn('e.from_email') },
    }),
    line(PEOPLE, 'from_name', 'Sender name', 'text', 'e.from_name', 160, fold('e.from_name')),
    line(PEOPLE, 'from_domain', 'Sender domain', 'domain', 'e.from_domain', 184, {
      stored: 'domain',
      ...fold('e.from_domain'),
    }),
    line(PEOPLE, 'reply_to', 'Reply-To', 'email', REPLY_TO, 200, fromDetail(REPLY_TO)),
    line(PEOPLE, 'return_path', 'Return-Path', 'email', RETURN_PATH, 200, fromDetail(RETURN_PATH)),
    line(PEOPLE, 'to', 'To', 'email', to, 200, { stored: 'domain', ...fold(to) }),
    multi('recipients', 'Recipients', 'email', PEOPLE, 'recipients', 'email', 240),
    line(PEOPLE, 'recipients_count', 'Recipients count', 'number', 'e.recipients_count', 88),
    line(DELIVERY, 'state', 'State', 'enum', columnOf('state'), 144, { allowed: STATES }),
    line(CONTENT, 'clicks', 'Clicks', 'number', columnOf('clicks'), 88),
    line(SECURITY, 'verdict_code', 'Verdict code', 'enum', 'e.verdict_code', 104, { allowed: CODE_VALUES }),
    line(CONTENT, 'attachments_count', 'Attachments', 'number', 'e.attachments_count', 96),
    multi('attachment_names', `Attachment name${packed}`, 'text', CONTENT, 'attachments', 'name', 200),
    multi('attachment_types', 'Attachment type', 'text', CONTENT, 'attachments', 'mime_type', 176),
    multi('attachment_sizes', `Attachment size${packed}`, 'bytes', CONTENT, 'attachments', 'size', 104),
    multi('attachment_sha256', 'Attachment SHA-256', 'hash', CONTENT, 'attachments', 'sha256', 176),
    multi('attachment_md5', 'Attachment MD5', 'hash', CONTENT, 'attachments', 'md5', 176),
    // Hashes of real attachments only, without inline pictures.
    multi('file_hashes', 'File hash', 'hash', CONTENT, FILE_HASHES, 'value', 176),
    line(CONTENT, 'links_count', 'Links', 'number', 'e.links_count', 72),
    multi('link_urls', 'Link', 'url', CONTENT, 'links', 'url', 280),
    multi('link_texts', 'Link text', 'text', CONTENT, 'links', 'text', 200),
    multi('link_domains', 'Link domain', 'domain', CONTENT, 'links', 'host', 200),
    line(CONTENT, 'link_replacement', 'Link replacement', 'enum', 'e.link_replacement', 136, {
      allowed: valuesOf(['links_replaced', 'Links replaced'], ['no_links_replaced', 'No links replaced']),
    }),
    line(MESSAGE, 'size', 'Size', 'bytes', 'e.size', 88, { dbId: 'size_bytes', unit: 'bytes' }),
    line(DELIVERY, 'direction', 'Direction', 'enum', 'e.direction', 96, {
      allowed: valuesOf(['incoming', 'Incoming'], ['outgoing', 'Outgoing'], ['internal', 'Internal']),
    }),
    line(DELIVERY, 'client_ip', 'Client IP', 'ip', 'e.client_ip', 128, { filter: { folded: 'e.client_ip' } }),
    line(MESSAGE, 'message_id', 'Message-ID', 'text', 'e.message_id', 240, {
      stored: 'message-id',
      ...fold('e.message_id'),
      operators: MESSAGE_ID_OPERATORS,
    }),
    line(MESSAGE, 'language', 'Language', 'enum', 'e.language', 88),
    line(PEOPLE, 'department', 'Department', 'text', columnOf('department'), 136),
    line(DELIVERY, 'is_read', 'Read', 'boolean', columnOf('is_read'), 72),
    line(DELIVERY, 'quarantined', 'Quarantined', 'boolean', 'e.quarantined', 104),
    line(DELIVERY, 'restore_state', 'Restore request', 'enum', 'e.restore_state', 128, {
      allowed: valuesOf(['requested', 'Requested'], ['restored', 'Restored'], ['declined', 'Declined']),
    }),
    line(SECURITY, 'user_reported', 'User reports', 'number', 'e.user_reported', 96),
    line(SECURITY, 'spf', 'SPF', 'enum', 'e.spf', 80, { allowed: AUTH }),
    line(SECURITY, 'dkim', 'DKIM', 'enum', 'e.dkim', 80, { allowed: AUTH }),
    line(SECURITY, 'dmarc', 'DMARC', 'enum', 'e.dmarc', 112, { allowed: AUTH }),
    ...(texts ? storedTextFields() : []),
    multi('tags', 'Tags', 'text', SECURITY, 'tags', 'tag', 136),
    line('App', 'saas', 'App', 'enum', 'e.saas', 136),
    entityField(MESSAGE, copies ? COPY_ID : 'e.entity_id'),
  ];
}

/** Ids of the default columns of evidence: what a folder of mail can tell. */
const EVIDENCE_COLUMNS = [
  ...['received', 'verdict', 'finding', 'subject', 'from_email', 'attachments_count', 'links_count'],
  ...['dmarc', 'score'],
];
/** Ids of the default columns, in the order of design picture 03. */
const EMAIL_COLUMNS = ['received', 'verdict', 'stack', 'subject', 'from_email', 'to', 'state', 'clicks'];

function emailDomain(copies: boolean, texts: boolean): Domain {
  const fields = emailFields(copies, texts);
  return {
    domain: 'email',
    source: copies ? 'emails e LEFT JOIN recipients r ON r.email_id = e.id' : 'emails e',
    keys: copies ? ['e.id', 'coalesce(r.id, 0)'] : ['e.id'],
    entityId: copies ? COPY_ID : 'e.entity_id',
    saas: 'e.saas',
    fields,
    columns: columnsOf(fields, texts ? EVIDENCE_COLUMNS : EMAIL_COLUMNS),
    sort: [{ dbId: 'received', direction: 'desc' }],
    conditions: [
      { field: 'received', operator: 'in_the_last' },
      { field: 'subject', operator: 'contains_words' },
      ...(texts ? [{ field: BODY_FIELD, operator: 'contains_words' }] : []),
      { field: 'from_email', operator: 'is' },
      { field: 'from_domain', operator: 'is' },
      { field: 'recipients', operator: 'is' },
      { field: 'verdict', operator: 'in_list' },
      { field: 'attachment_sha256', operator: 'is' },
      { field: 'link_domains', operator: 'is' },
    ],
    actions: EMAIL_ACTIONS,
  };
}

export const email = emailDomain(false, false);
export const emailCopies = emailDomain(true, false);
/** Adds the text fields, which not every source of mail stores. */
export const emailTexts = emailDomain(false, true);
export const emailTextsCopies = emailDomain(true, true);
