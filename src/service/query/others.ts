/** The domains beside email: files, users, groups, chat messages, clicks. */

import { columnsOf, type Domain, type DomainField, type FieldOptions, field } from './definition.ts';
import { CODE_VALUES, VERDICT_VALUES } from './email.ts';

type Row = readonly [
  id: string,
  label: string,
  type: string,
  sql: string,
  width: number,
  more?: Partial<FieldOptions>,
];

const fieldsOf = (group: string, rows: readonly Row[]): DomainField[] =>
  rows.map(([id, label, type, sql, width, more]) => field({ id, label, type, group, sql, width, ...more }));

const verdictRows = (t: string): Row[] => [
  ['verdict', 'Verdict', 'enum', `${t}.verdict`, 144, { sort: `${t}.verdict_rank`, allowed: VERDICT_VALUES }],
  ['verdict_code', 'Verdict code', 'enum', `${t}.verdict_code`, 104, { allowed: CODE_VALUES }],
];

interface Shape {
  domain: string;
  source: string;
  table: string;
  entityId?: string;
  saas?: string;
  fields: readonly Row[];
  columns: readonly string[];
  sort: string;
  conditions: readonly (readonly [field: string, operator: string])[];
  actions: Domain['actions'];
}

function domainOf(shape: Shape): Domain {
  const t = shape.table;
  const saas = shape.saas ?? `${t}.saas`;
  const fields = fieldsOf('Fields', [...shape.fields, ['saas', 'App', 'enum', saas, 136]]);
  return {
    domain: shape.domain,
    source: shape.source,
    keys: [`${t}.id`],
    entityId: shape.entityId ?? `${t}.entity_id`,
    saas,
    fields,
    columns: columnsOf(fields, shape.columns),
    sort: [{ dbId: shape.sort, direction: 'desc' }],
    conditions: shape.conditions.map(([name, operator]) => ({ field: name, operator })),
    actions: shape.actions,
  };
}

export const file = domainOf({
  domain: 'file',
  source: 'files f',
  table: 'f',
  fields: [
    ['modified', 'Modified', 'date', 'f.modified_at', 128],
    ...verdictRows('f'),
    ['title', 'Title', 'text', 'f.title', 280],
    ['path', 'Path', 'text', 'f.path', 240],
    ['owner', 'Owner', 'email', 'f.owner', 200],
    ['department', 'Department', 'text', 'f.department', 136],
    ['mime_type', 'Type', 'text', 'f.mime_type', 176],
    ['size', 'Size', 'bytes', 'f.size', 88, { unit: 'bytes' }],
    ['md5', 'MD5', 'hash', 'f.md5', 176],
    ['sha1', 'SHA-1', 'hash', 'f.sha1', 176],
    ['sha256', 'SHA-256', 'hash', 'f.sha256', 176],
    ['created', 'Created', 'date', 'f.created_at', 128],
    ['is_quarantined', 'Quarantined', 'boolean', 'f.is_quarantined', 104],
    ['is_vault', 'In vault', 'boolean', 'f.is_vault', 88],
    ['is_deleted', 'Deleted', 'boolean', 'f.is_deleted', 88],
    ['is_shared_externally', 'Shared outside', 'boolean', 'f.is_shared_externally', 120],
    ['is_shared_publicly', 'Public', 'boolean', 'f.is_shared_publicly', 88],
  ],
  columns: ['modified', 'verdict', 'title', 'owner', 'size', 'is_shared_publicly', 'is_shared_externally'],
  sort: 'modified',
  conditions: [
    ['modified', 'in_the_last'],
    ['title', 'contains_words'],
    ['owner', 'is'],
    ['sha256', 'is'],
  ],
  actions: [
    { id: 'quarantine', label: 'Quarantine', danger: true },
    { id: 'rescan', label: 'Rescan' },
  ],
});

export const user = domainOf({
  domain: 'user',
  source: 'users u',
  table: 'u',
  fields: [
    ['name', 'Name', 'text', 'u.name', 200],
    ['email', 'Email', 'email', 'u.email', 240],
    ['department', 'Department', 'text', 'u.department', 136],
    ['title', 'Title', 'text', 'u.title', 176],
    ['country', 'Country', 'text', 'u.country', 120],
    ['is_admin', 'Administrator', 'boolean', 'u.is_admin', 104],
    ['mfa', 'Second factor', 'boolean', 'u.mfa', 104],
    [
      'state',
      'State',
      'enum',
      'u.state',
      104,
      {
        allowed: [
          ['active', 'Active'],
          ['disabled', 'Disabled'],
        ],
      },
    ],
    ['created', 'Created', 'date', 'u.created_at', 128],
    ['last_login', 'Last sign-in', 'date', 'u.last_login_at', 128],
    ['risk', 'Risk', 'number', 'u.risk', 72],
  ],
  columns: ['name', 'email', 'department', 'title', 'state', 'mfa', 'last_login', 'risk'],
  sort: 'risk',
  conditions: [
    ['name', 'contains_words'],
    ['email', 'is'],
    ['department', 'is'],
    ['mfa', 'is_false'],
  ],
  actions: [{ id: 'notify', label: 'Notify' }],
});

export const group = domainOf({
  domain: 'group',
  source: 'groups g',
  table: 'g',
  fields: [
    ['name', 'Name', 'text', 'g.name', 240],
    ['email', 'Email', 'email', 'g.email', 240],
    ['members', 'Members', 'number', 'g.members', 88],
    ['external_members', 'Members from outside', 'number', 'g.external_members', 136],
    ['owner', 'Owner', 'email', 'g.owner', 200],
    ['is_public', 'Public', 'boolean', 'g.is_public', 88],
    ['created', 'Created', 'date', 'g.created_at', 128],
  ],
  columns: ['name', 'email', 'members', 'external_members', 'owner', 'is_public', 'created'],
  sort: 'members',
  conditions: [
    ['name', 'contains_words'],
    ['external_members', 'greater_than'],
  ],
  actions: [{ id: 'notify', label: 'Notify' }],
});

export const message = domainOf({
  domain: 'message',
  source: 'messages c',
  table: 'c',
  fields: [
    ['sent', 'Sent', 'date', 'c.sent_at', 128],
    ...verdictRows('c'),
    ['text', 'Text', 'text', 'c.text', 360],
    ['sender', 'Sender', 'email', 'c.sender', 200],
    ['channel', 'Channel', 'text', 'c.channel', 160],
    ['links_count', 'Links', 'number', 'c.links_count', 72],
  ],
  columns: ['sent', 'verdict', 'text', 'sender', 'channel', 'links_count'],
  sort: 'sent',
  conditions: [
    ['sent', 'in_the_last'],
    ['text', 'contains_words'],
    ['sender', 'is'],
  ],
  actions: [{ id: 'rescan', label: 'Rescan' }],
});

export const click = domainOf({
  domain: 'click',
  source: 'clicks k JOIN emails e ON e.id = k.email_id',
  table: 'k',
  entityId: "'click-' || k.id",
  saas: 'e.saas',
  fields: [
    ['click_time', 'Clicked', 'date', 'k.clicked_at', 128],
    ['user', 'User', 'email', 'k.user', 200],
    ['url', 'URL', 'url', 'k.url', 280],
    ['host', 'Link domain', 'domain', 'k.host', 200],
    ['ip', 'IP', 'ip', 'k.ip', 128],
    ['click_verdict', 'Verdict', 'enum', 'k.verdict', 128, { allowed: VERDICT_VALUES }],
    ['blocked', 'Blocked', 'boolean', 'k.blocked', 88],
    [
      'subject',
      'Subject',
      'text',
      'e.subject',
      280,
      { filter: { folded: 'e.subject_folded', words: 'e.subject_words' } },
    ],
    ['email_id', 'Email', 'text', 'e.entity_id', 200],
  ],
  columns: ['click_time', 'user', 'host', 'url', 'click_verdict', 'blocked', 'ip', 'subject'],
  sort: 'click_time',
  conditions: [
    ['click_time', 'in_the_last'],
    ['user', 'is'],
    ['host', 'is'],
  ],
  actions: [{ id: 'notify', label: 'Notify' }],
});
