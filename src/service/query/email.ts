/** The domain of emails: one row per message, or with copies one per delivered copy. */
import { ATTACHMENT_ENCRYPTION_LABELS, ATTACHMENT_ENCRYPTIONS, VERDICT_CODES } from '#shared/model/enums.ts';
import { VERDICT_CODE_LABELS, VERDICT_LABELS } from '#shared/model/verdict.ts';
import { toolLabel } from '#shared/model/white-label.ts';
import { FOLDED_COLUMNS } from '../store/schema.ts';
import { BRANDING, STACK } from '../store/verdicts.ts';
import { EMAIL_ACTIONS } from './action-catalogue.ts';
import {
  asJson,
  asPacked,
  columnsOf,
  type Domain,
  type DomainField,
  entityField,
  field,
  foldedColumn,
} from './definition.ts';
import { BODY_FIELD, textFields } from './email-texts.ts';
import { valueSearch } from './value-search.ts';

const COPY_ID = "e.entity_id || '.' || r.position";
export const VERDICT_VALUES = Object.entries(VERDICT_LABELS);
export const CODE_VALUES = VERDICT_CODES.map((code) => [code, VERDICT_CODE_LABELS[code]] as const);
const ENCRYPTIONS = ATTACHMENT_ENCRYPTIONS.map((by) => [by, ATTACHMENT_ENCRYPTION_LABELS[by]] as const);
const STATES = ['Inbox', 'Quarantined', 'Junk', 'Deleted', 'Restore asked', 'Archive', 'Sent'];
const AUTH = ['pass', 'claimed pass', 'fail', 'softfail', 'neutral', 'none', 'temperror', 'permerror'].map(
  (word) => [word, word] as const,
);
const STACK_VALUES = STACK.flatMap((id) =>
  VERDICT_VALUES.map(
    ([verdict, label]) => [`${id}:${verdict}`, `${toolLabel(id, BRANDING)}: ${label}`] as const,
  ),
);

/** For values that many mails share, the rows of an index are tested: looking up each mail would take longer. */
const SHARED: ReadonlySet<string> = new Set(['links', 'recipients']);
const some = (table: string) => (condition: string) =>
  `${SHARED.has(table) ? '+' : ''}e.id IN (SELECT m.email_id FROM ${table} m WHERE ${condition})`;
const all = (table: string, column: string) =>
  `(SELECT json_group_array(value) FROM (SELECT m.${column} AS value FROM ${table} m WHERE m.email_id = e.id AND m.${column} IS NOT NULL ORDER BY m.id))`;
const distinct = (table: string, column: string) =>
  `(SELECT json_group_array(value) FROM (SELECT DISTINCT m.${column} AS value FROM ${table} m WHERE m.email_id = e.id AND m.${column} IS NOT NULL))`;

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
    sql: (ORDERED.has(table) ? all : distinct)(table, column),
    read: asJson,
    ...(INDEXED.has(`${table}.${column}`) ? { search: valueSearch(table, folded ?? `m.${column}`) } : {}),
    filter: { value: `m.${column}`, some: some(table), ...(folded === null ? {} : { folded }) },
  });
}

const MESSAGE = 'Message';
const PEOPLE = 'Sender and recipients';
const CONTENT = 'Attachments and links';
const SECURITY = 'Security';
const DELIVERY = 'Delivery';

/** SQL of a column that each delivered copy has of its own. */
type OwnColumn = (name: string) => string;

const overviewFields = (): DomainField[] => [
  field({
    id: 'received',
    label: 'Received',
    type: 'date',
    group: DELIVERY,
    sql: 'e.received_at',
    width: 128,
  }),
  field({
    id: 'verdict',
    label: 'Verdict',
    type: 'enum',
    group: SECURITY,
    sql: 'e.verdict',
    width: 144,
    sort: ['e.verdict_rank'],
    allowed: VERDICT_VALUES,
    filter: { folded: 'e.verdict' },
  }),
  field({
    id: 'stack',
    label: 'Stack',
    type: 'enum',
    group: SECURITY,
    sql: 'e.stack',
    width: 128,
    multi: true,
    read: asPacked,
    filter: { packed: 'e.stack' },
    allowed: STACK_VALUES,
    operators: ['contains_any', 'contains_all', 'is', 'is_not'],
  }),
  field({
    id: 'subject',
    label: 'Subject',
    type: 'text',
    group: MESSAGE,
    sql: 'e.subject',
    size: 998,
    width: 320,
    filter: { folded: 'e.subject_folded', words: 'e.subject_words' },
  }),
];

const peopleFields = (to: string): DomainField[] => [
  field({
    id: 'from_email',
    label: 'From',
    type: 'email',
    group: PEOPLE,
    // Shown as the mail writes it.
    sql: 'coalesce(e.from_shown, e.from_email)',
    width: 232,
    filter: { value: 'e.from_email', folded: foldedColumn('e.from_email') },
  }),
  field({
    id: 'from_name',
    label: 'Sender name',
    type: 'text',
    group: PEOPLE,
    sql: 'e.from_name',
    width: 160,
    filter: { folded: foldedColumn('e.from_name') },
  }),
  field({
    id: 'from_domain',
    label: 'Sender domain',
    type: 'domain',
    group: PEOPLE,
    sql: 'e.from_domain',
    width: 184,
    filter: { folded: foldedColumn('e.from_domain') },
  }),
  field({
    id: 'reply_to',
    label: 'Reply-To',
    type: 'email',
    group: PEOPLE,
    sql: "(e.detail ->> '$.replyTo[0].email')",
    width: 200,
  }),
  field({
    id: 'return_path',
    label: 'Return-Path',
    type: 'email',
    group: PEOPLE,
    sql: "(e.detail ->> '$.returnPath')",
    width: 200,
  }),
  field({
    id: 'to',
    label: 'To',
    type: 'email',
    group: PEOPLE,
    sql: to,
    width: 200,
    filter: { folded: foldedColumn(to) },
  }),
  multi('recipients', 'Recipients', 'email', PEOPLE, 'recipients', 'email', 240),
  field({
    id: 'recipients_count',
    label: 'Recipients count',
    type: 'number',
    group: PEOPLE,
    sql: 'e.recipients_count',
    width: 88,
  }),
];

const stateFields = (own: OwnColumn): DomainField[] => [
  field({
    id: 'state',
    label: 'State',
    type: 'enum',
    group: DELIVERY,
    sql: own('state'),
    width: 144,
    allowed: STATES.map((state) => [state, state === 'Restore asked' ? 'Release requested' : state]),
  }),
  field({ id: 'clicks', label: 'Clicks', type: 'number', group: CONTENT, sql: own('clicks'), width: 88 }),
  field({
    id: 'verdict_code',
    label: 'Verdict code',
    type: 'enum',
    group: SECURITY,
    sql: 'e.verdict_code',
    width: 104,
    allowed: CODE_VALUES,
  }),
];

const contentFields = (): DomainField[] => [
  field({
    id: 'attachments_count',
    label: 'Attachments',
    type: 'number',
    group: CONTENT,
    sql: 'e.attachments_count',
    width: 96,
  }),
  multi('attachment_names', 'Attachment name', 'text', CONTENT, 'attachments', 'name', 200),
  multi('attachment_types', 'Attachment type', 'text', CONTENT, 'attachments', 'mime_type', 176),
  multi('attachment_sizes', 'Attachment size', 'bytes', CONTENT, 'attachments', 'size', 104),
  multi('attachment_sha256', 'Attachment SHA-256', 'hash', CONTENT, 'attachments', 'sha256', 176),
  multi('attachment_md5', 'Attachment MD5', 'hash', CONTENT, 'attachments', 'md5', 176),
  // Hashes of real attachments only, without inline pictures.
  multi('file_hashes', 'File hash', 'hash', CONTENT, FILE_HASHES, 'value', 176),
  field({
    id: 'links_count',
    label: 'Links',
    type: 'number',
    group: CONTENT,
    sql: 'e.links_count',
    width: 72,
  }),
  multi('link_urls', 'Link', 'url', CONTENT, 'links', 'url', 280),
  multi('link_texts', 'Link text', 'text', CONTENT, 'links', 'text', 200),
  multi('link_domains', 'Link domain', 'domain', CONTENT, 'links', 'host', 200),
  field({
    id: 'link_replacement',
    label: 'Link replacement',
    type: 'enum',
    group: CONTENT,
    sql: 'e.link_replacement',
    width: 136,
    allowed: [
      ['links_replaced', 'Links replaced'],
      ['no_links_replaced', 'No links replaced'],
    ],
  }),
];

const deliveryFields = (own: OwnColumn): DomainField[] => [
  field({
    id: 'size',
    dbId: 'size_bytes',
    label: 'Size',
    type: 'bytes',
    unit: 'bytes',
    group: MESSAGE,
    sql: 'e.size',
    width: 88,
  }),
  field({
    id: 'direction',
    label: 'Direction',
    type: 'enum',
    group: DELIVERY,
    sql: 'e.direction',
    width: 96,
    allowed: [
      ['incoming', 'Incoming'],
      ['outgoing', 'Outgoing'],
      ['internal', 'Internal'],
    ],
  }),
  field({
    id: 'client_ip',
    label: 'Client IP',
    type: 'ip',
    group: DELIVERY,
    sql: 'e.client_ip',
    width: 128,
    filter: { folded: 'e.client_ip' },
  }),
  field({
    id: 'message_id',
    label: 'Message-ID',
    type: 'text',
    group: MESSAGE,
    sql: 'e.message_id',
    stored: 'message-id',
    width: 240,
    filter: { folded: foldedColumn('e.message_id') },
    operators: [
      'is',
      'is_not',
      'in_list',
      'not_in_list',
      'contains_text',
      'not_contains',
      'starts_with',
      'ends_with',
      'is_empty',
      'is_not_empty',
    ],
  }),
  field({ id: 'language', label: 'Language', type: 'enum', group: MESSAGE, sql: 'e.language', width: 88 }),
  field({
    id: 'department',
    label: 'Department',
    type: 'text',
    group: PEOPLE,
    sql: own('department'),
    width: 136,
  }),
  field({ id: 'is_read', label: 'Read', type: 'boolean', group: DELIVERY, sql: own('is_read'), width: 72 }),
  field({
    id: 'quarantined',
    label: 'Quarantined',
    type: 'boolean',
    group: DELIVERY,
    sql: 'e.quarantined',
    width: 104,
  }),
  field({
    id: 'restore_state',
    label: 'Restore request',
    type: 'enum',
    group: DELIVERY,
    sql: 'e.restore_state',
    width: 128,
    allowed: [
      ['requested', 'Requested'],
      ['restored', 'Restored'],
      ['declined', 'Declined'],
    ],
  }),
  field({
    id: 'user_reported',
    label: 'User reports',
    type: 'number',
    group: SECURITY,
    sql: 'e.user_reported',
    width: 96,
  }),
];

const authenticationFields = (): DomainField[] => [
  field({ id: 'spf', label: 'SPF', type: 'enum', group: SECURITY, sql: 'e.spf', width: 80, allowed: AUTH }),
  field({
    id: 'dkim',
    label: 'DKIM',
    type: 'enum',
    group: SECURITY,
    sql: 'e.dkim',
    width: 80,
    allowed: AUTH,
  }),
  field({
    id: 'dmarc',
    label: 'DMARC',
    type: 'enum',
    group: SECURITY,
    sql: 'e.dmarc',
    width: 80,
    allowed: AUTH,
  }),
];

/** Fields that need stored bodies and headers, which not every source of mail has. */
const storedTextFields = (): DomainField[] => [
  ...textFields(MESSAGE),
  multi('hop_ips', 'Hop IP', 'ip', DELIVERY, 'hops', 'ip', 176),
  multi(
    'attachment_content_types',
    'Attachment type by content',
    'text',
    CONTENT,
    'attachments',
    'content_type',
    200,
  ),
  field({
    id: 'attachment_encryption',
    label: 'Attachment encryption',
    type: 'enum',
    group: CONTENT,
    width: 160,
    multi: true,
    sql: distinct('attachments', 'encryption'),
    read: asJson,
    filter: { value: 'm.encryption', folded: 'm.encryption', some: some('attachments') },
    allowed: ENCRYPTIONS,
  }),
];

/** In the order of the column chooser. */
function emailFields(copies: boolean, texts: boolean): DomainField[] {
  const own: OwnColumn = (name) => (copies ? `r.${name}` : `e.${name}`);
  return [
    ...overviewFields(),
    ...peopleFields(copies ? 'r.email' : 'e.to_email'),
    ...stateFields(own),
    ...contentFields(),
    ...deliveryFields(own),
    ...authenticationFields(),
    ...(texts ? storedTextFields() : []),
    multi('tags', 'Tags', 'text', SECURITY, 'tags', 'tag', 136),
    field({ id: 'saas', label: 'App', type: 'enum', group: 'App', sql: 'e.saas', width: 136 }),
    entityField(MESSAGE, copies ? COPY_ID : 'e.entity_id'),
  ];
}

/** Ids of the default columns, in the order of design picture 03. */
const EMAIL_COLUMNS = ['received', 'verdict', 'stack', 'subject', 'from_email', 'to', 'state', 'clicks'];

function emailDomain(copies: boolean, texts: boolean): Domain {
  const fields = emailFields(copies, texts);
  return {
    domain: 'email',
    source: copies ? 'emails e JOIN recipients r ON r.email_id = e.id' : 'emails e',
    keys: copies ? ['e.id', 'r.id'] : ['e.id'],
    entityId: copies ? COPY_ID : 'e.entity_id',
    saas: 'e.saas',
    fields,
    columns: columnsOf(fields, EMAIL_COLUMNS),
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
