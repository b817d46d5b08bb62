/** The domains other than email: files, users, groups, chat messages, clicks. */

import { verdictRankSql } from '#shared/query/predicate-sql.ts';
import {
  CLICK_ACTIONS,
  FILE_ACTIONS,
  GROUP_ACTIONS,
  MESSAGE_ACTIONS,
  USER_ACTIONS,
} from '../../store/action-catalogue.ts';
import { CLICK_PREFIX } from '../../store/entities.ts';
import {
  asPacked,
  columnsOf,
  type Domain,
  type DomainField,
  entityField,
  type FieldOptions,
  foldedColumn,
  line,
  valuesOf,
} from './definition.ts';
import { CODE_VALUES, VERDICT_VALUES } from './email.ts';

type Row = Parameters<typeof line> extends [string, ...infer Rest] ? Rest : never;

/** A field whose group is that of the list it is in. */
const row = (...options: Row): Row => options;
const fieldsOf = (group: string, rows: readonly Row[]): DomainField[] =>
  rows.map((options) => line(group, ...options));

const verdictRows = (t: string): Row[] => [
  row('verdict', 'Verdict', 'enum', `${t}.verdict`, 144, {
    sort: [`${t}.verdict_rank`],
    allowed: VERDICT_VALUES,
  }),
  row('verdict_code', 'Verdict code', 'enum', `${t}.verdict_code`, 104, { allowed: CODE_VALUES }),
];

interface Shape {
  domain: string;
  source: string;
  table: string;
  entityId?: string;
  saas?: string;
  /** By their group on screen. */
  fields: Readonly<Record<string, readonly Row[]>>;
  columns: readonly string[];
  sort: string;
  conditions: readonly (readonly [field: string, operator: string])[];
  actions: Domain['actions'];
}

function domainOf(shape: Shape): Domain {
  const t = shape.table;
  const saas = shape.saas ?? `${t}.saas`;
  const entityId = shape.entityId ?? `${t}.entity_id`;
  const fields = [
    ...Object.entries(shape.fields).flatMap(([label, rows]) => fieldsOf(label, rows)),
    line('App', 'saas', 'App', 'enum', saas, 136),
    entityField('App', entityId),
  ];
  return {
    domain: shape.domain,
    source: shape.source,
    keys: [`${t}.id`],
    entityId,
    saas,
    fields,
    columns: columnsOf(fields, shape.columns),
    sort: [
      {
        dbId: fields.find(({ config }) => config.id === shape.sort)?.config.dbId ?? shape.sort,
        direction: 'desc',
      },
    ],
    conditions: shape.conditions.map(([name, operator]) => ({ field: name, operator })),
    actions: shape.actions,
  };
}

const text = (size: number): Partial<FieldOptions> => ({ size });

export const file = domainOf({
  domain: 'file',
  source: 'files f',
  table: 'f',
  fields: {
    File: [
      row('modified', 'Modified', 'date', 'f.modified_at', 128, { dbId: 'modified_at' }),
      row('created', 'Created', 'date', 'f.created_at', 128),
      row('title', 'Title', 'text', 'f.title', 280, text(255)),
      row('path', 'Path', 'text', 'f.path', 240, text(1024)),
      row('extension', 'Extension', 'text', 'f.extension', 88, text(16)),
      row('mime_type', 'Type', 'text', 'f.mime_type', 176),
      row('size', 'Size', 'bytes', 'f.size', 88, { unit: 'bytes', dbId: 'size_bytes' }),
      row('md5', 'MD5', 'hash', 'f.md5', 176, { size: 32, filter: { folded: 'f.md5' } }),
      row('sha1', 'SHA-1', 'hash', 'f.sha1', 176, { size: 40, filter: { folded: 'f.sha1' } }),
      row('sha256', 'SHA-256', 'hash', 'f.sha256', 176, { size: 64, filter: { folded: 'f.sha256' } }),
    ],
    Security: [
      ...verdictRows('f'),
      row('label', 'Sensitivity label', 'enum', 'f.label', 136, {
        allowed: valuesOf('Public', 'Internal', 'Confidential', 'Strictly confidential'),
      }),
      row('is_quarantined', 'Quarantined', 'boolean', 'f.is_quarantined', 104),
      row('is_vault', 'In vault', 'boolean', 'f.is_vault', 88),
      row('is_deleted', 'Deleted', 'boolean', 'f.is_deleted', 88),
    ],
    Sharing: [
      row('owner', 'Owner', 'email', 'f.owner', 200),
      row('department', 'Department', 'text', 'f.department', 136),
      row('is_shared_externally', 'Shared outside', 'boolean', 'f.is_shared_externally', 120),
      row('is_shared_publicly', 'Public', 'boolean', 'f.is_shared_publicly', 88),
      row('downloads', 'Downloads', 'number', 'f.downloads', 96),
    ],
  },
  columns: [
    'modified',
    'verdict',
    'title',
    'owner',
    'size',
    'label',
    'is_shared_publicly',
    'is_shared_externally',
  ],
  sort: 'modified',
  conditions: [
    ['modified', 'in_the_last'],
    ['title', 'contains_words'],
    ['owner', 'is'],
    ['sha256', 'is'],
    ['is_shared_externally', 'is_true'],
  ],
  actions: FILE_ACTIONS,
});

export const user = domainOf({
  domain: 'user',
  source: 'users u',
  table: 'u',
  fields: {
    Person: [
      row('name', 'Name', 'text', 'u.name', 200, text(256)),
      row('email', 'Email', 'email', 'u.email', 240),
      row('department', 'Department', 'text', 'u.department', 136),
      row('title', 'Title', 'text', 'u.title', 176),
      row('manager', 'Manager', 'email', 'u.manager', 200),
      row('country', 'Country', 'text', 'u.country', 120),
    ],
    Account: [
      row('roles', 'Roles', 'enum', 'u.roles', 160, {
        multi: true,
        read: asPacked,
        filter: { packed: 'u.roles' },
        operators: ['contains_any', 'contains_all', 'is', 'is_not', 'is_empty', 'is_not_empty'],
        allowed: valuesOf(
          ['user', 'User'],
          ['shared', 'Shared mailbox'],
          ['help_desk', 'Help desk'],
          ['security_reader', 'Security reader'],
        ),
      }),
      row('is_admin', 'Administrator', 'boolean', 'u.is_admin', 104),
      row('mfa', 'Second factor', 'boolean', 'u.mfa', 104),
      row('state', 'State', 'enum', 'u.state', 104, {
        allowed: valuesOf(['active', 'Active'], ['disabled', 'Disabled']),
      }),
      row('created', 'Created', 'date', 'u.created_at', 128),
      row('mailbox_size', 'Mailbox size', 'bytes', 'u.mailbox_size', 104, { unit: 'bytes' }),
    ],
    Logins: [
      row('last_login', 'Last login', 'date', 'u.last_login_at', 128),
      row('last_ip', 'Last IP', 'ip', 'u.last_ip', 128),
      row('failed_logins', 'Failed logins, 30 days', 'number', 'u.failed_logins', 136),
      row('risk', 'Risk', 'number', 'u.risk', 72, { unit: 'of 100', dbId: 'risk_score' }),
    ],
  },
  columns: ['name', 'email', 'department', 'title', 'state', 'mfa', 'last_login', 'failed_logins', 'risk'],
  sort: 'risk',
  conditions: [
    ['name', 'contains_words'],
    ['email', 'is'],
    ['department', 'is'],
    ['mfa', 'is_false'],
    ['failed_logins', 'greater_than'],
  ],
  actions: USER_ACTIONS,
});

export const group = domainOf({
  domain: 'group',
  source: 'groups g',
  table: 'g',
  fields: {
    Group: [
      row('name', 'Name', 'text', 'g.name', 240, text(256)),
      row('email', 'Email', 'email', 'g.email', 240),
      row('description', 'Description', 'text', 'g.description', 240),
      row('kind', 'Kind', 'enum', 'g.kind', 112, {
        allowed: valuesOf(
          ['team', 'Team'],
          ['distribution', 'Distribution list'],
          ['security', 'Security'],
          ['dynamic', 'Dynamic'],
        ),
      }),
      row('created', 'Created', 'date', 'g.created_at', 128),
      row('last_used', 'Last used', 'date', 'g.last_used_at', 128),
    ],
    Members: [
      row('members', 'Members', 'number', 'g.members', 88),
      row('external_members', 'Members from outside', 'number', 'g.external_members', 136),
      row('owner', 'Owner', 'email', 'g.owner', 200),
      row('is_public', 'Public', 'boolean', 'g.is_public', 88),
    ],
  },
  columns: ['name', 'kind', 'email', 'members', 'external_members', 'owner', 'is_public', 'last_used'],
  sort: 'members',
  conditions: [
    ['name', 'contains_words'],
    ['external_members', 'greater_than'],
    ['kind', 'is'],
  ],
  actions: GROUP_ACTIONS,
});

export const message = domainOf({
  domain: 'message',
  source: 'messages c',
  table: 'c',
  fields: {
    Message: [
      row('sent', 'Sent', 'date', 'c.sent_at', 128, { dbId: 'sent_at' }),
      row('text', 'Text', 'text', 'c.text', 360, text(8000)),
      row('sender', 'Sender', 'email', 'c.sender', 200),
      row('channel', 'Channel', 'text', 'c.channel', 160),
      row('replies', 'Replies', 'number', 'c.replies', 80),
      row('is_external', 'From outside', 'boolean', 'c.is_external', 104),
    ],
    Security: [
      ...verdictRows('c'),
      row('state', 'State', 'enum', 'c.state', 112, {
        allowed: valuesOf(['posted', 'Posted'], ['quarantined', 'Quarantined'], ['deleted', 'Deleted']),
      }),
      row('links_count', 'Links', 'number', 'c.links_count', 72),
      row('host', 'Link domain', 'domain', 'c.host', 200, { stored: 'domain' }),
    ],
  },
  columns: ['sent', 'verdict', 'text', 'sender', 'channel', 'state', 'links_count', 'host'],
  sort: 'sent',
  conditions: [
    ['sent', 'in_the_last'],
    ['text', 'contains_words'],
    ['sender', 'is'],
    ['host', 'is'],
  ],
  actions: MESSAGE_ACTIONS,
});

export const click = domainOf({
  domain: 'click',
  source: 'clicks k JOIN emails e ON e.id = k.email_id',
  table: 'k',
  entityId: `'${CLICK_PREFIX}' || k.id`,
  saas: 'e.saas',
  fields: {
    Click: [
      row('click_time', 'Clicked', 'date', 'k.clicked_at', 128),
      row('user', 'User', 'email', 'k.user', 200),
      row('department', 'Department', 'text', 'k.department', 136),
      row('url', 'URL', 'url', 'k.url', 280, text(4096)),
      row('host', 'Link domain', 'domain', 'k.host', 200, { stored: 'domain' }),
      row('ip', 'IP', 'ip', 'k.ip', 128),
      row('client', 'Client', 'text', 'k.client', 104),
      // Of the user's account, or null if no account with this address is known.
      row(
        'sign_in_risk',
        'Login risk',
        'number',
        '(SELECT max(u.risk) FROM users u WHERE u.email = k.user)',
        104,
        { unit: 'of 100' },
      ),
    ],
    Security: [
      row('click_verdict', 'Verdict', 'enum', 'k.verdict', 128, {
        sort: [verdictRankSql('k.verdict')],
        allowed: VERDICT_VALUES,
      }),
      row('blocked', 'Blocked', 'boolean', 'k.blocked', 88),
    ],
    Email: [
      row('subject', 'Subject', 'text', 'e.subject', 280, {
        size: 998,
        filter: { folded: 'e.subject_folded', words: 'e.subject_words' },
      }),
      row('from_email', 'From', 'email', 'e.from_email', 200, {
        filter: { folded: foldedColumn('e.from_email') },
      }),
      row('email_id', 'Email', 'text', 'e.entity_id', 200),
    ],
  },
  columns: [
    'click_time',
    'user',
    'host',
    'url',
    'click_verdict',
    'blocked',
    'sign_in_risk',
    'client',
    'ip',
    'subject',
  ],
  sort: 'click_time',
  conditions: [
    ['click_time', 'in_the_last'],
    ['user', 'is'],
    ['host', 'is'],
    ['blocked', 'is_false'],
  ],
  actions: CLICK_ACTIONS,
});
