import { describe, expect, it } from 'vitest';
import { deriveVerdict } from '../model/verdict.ts';
import type { Asked } from './answer-forms.ts';
import { type AnswerOf, type EndpointName, endpointOf } from './catalogue.ts';
import { emptyAnswer, readAnswer, reportsFailure } from './read-answer.ts';

const read = (name: EndpointName, value: unknown, request?: Asked) =>
  readAnswer(name, endpointOf(name), value, request);
const answerOf = (name: EndpointName, value: unknown, request?: Asked): unknown => {
  const answer = read(name, value, request);
  if (!answer.ok) throw new Error(`${answer.path.join('.')}: ${answer.message}`);
  return answer.value;
};

const QUERY = { id: 'q', type: 'query', domain: 'email', entityType: 'email', name: 'Ü', columns: [] };
const MAIL = { entity_id: 'e', saas: 'mail', from: null, to: [], cc: [], bcc: [], subject: 's' };
const CONFIG = { operators: [], fields: [], columns: [], conditions: [], actions: [] };
const inConfig = (part: object) => ({ ...CONFIG, ...part });
const FIELD = { id: 'v', dbId: 'v', label: 'V', type: 'enum', operators: ['is'] };

it('a response that matches the schema is unchanged', () => {
  const answer = { rows: [{ name: 'x', label: 'X', state: 'enabled', is_saas: true, odd: '7' }], odd: [1] };
  expect(answerOf('apps.list', answer)).toEqual(answer);
});

describe('a list', () => {
  it.each<[EndpointName, unknown, unknown]>([
    ['query.list', [QUERY], { queries: [expect.objectContaining({ id: 'q' })] }],
    ['query.list', { rows: [QUERY] }, { queries: [expect.objectContaining({ id: 'q' })] }],
    ['email.attachments', [{ entity_id: 'f', name: 'a' }], { rows: [{ entity_id: 'f', name: 'a' }] }],
    ['findings.list', { findings: [{ id: '1', title: 't' }] }, { rows: [{ id: '1', title: 't' }] }],
    ['exceptions.combo-options', [{ id: 'hash' }], { types: [{ id: 'hash', label: 'hash' }] }],
    ['exceptions.options', [{ field: 'subject' }], { options: [{ field: 'subject', label: 'subject' }] }],
    ['email.attachments', { rows: null, total_rows: 0 }, { rows: [], total_rows: 0 }],
  ])('%s: %j', (name, value, expected) => {
    expect(answerOf(name, value)).toMatchObject(expected as object);
  });

  it.each<[EndpointName, unknown]>([
    ['email.attachments', { rows: null, total_rows: 3 }],
    ['email.attachments', { rows: null }],
    ['email.attachments', null],
    ['query.list', {}],
    ['scan.details', { found: [], others: [] }],
  ])('that is missing is refused, not empty: %s %j', (name, value) => {
    expect(read(name, value).ok).toBe(false);
  });

  it('is empty if the response has no content; an entity is missing then', () => {
    expect(emptyAnswer('email.recipients', endpointOf('email.recipients'))).toEqual({ rows: [] });
    expect(emptyAnswer('query.list', endpointOf('query.list'))).toEqual({ queries: [] });
    expect(emptyAnswer('email.profile', endpointOf('email.profile'))).toBeUndefined();
    expect(emptyAnswer('email.similar-count', endpointOf('email.similar-count'))).toBeUndefined();
  });
});

describe('[bad input] a list in another form keeps its total', () => {
  const R = { email: 'a@b.example' };
  it.each<[object, number]>([
    [{ rows: [R], totalRows: 63 }, 63],
    [{ rows: [R], 'total-rows': '63' }, 63],
    [{ data: [R], total: '63' }, 63],
    [{ results: [R], errors: [], count: 2 }, 2],
    [{ success: true, data: { rows: [R], totalRows: 5 } }, 5],
    [{ response: { recipients: [R], total_count: 5 } }, 5],
  ])('%j', (value, total) => {
    expect(answerOf('email.recipients', value)).toMatchObject({ rows: [R], total_rows: total });
  });

  it('the converted list is stored once', () => {
    expect(answerOf('email.recipients', { data: [R] })).not.toHaveProperty('data');
  });
});

describe('[bad input] a field in another spelling is read', () => {
  it('is renamed if its value fits', () => {
    const recipient = { email: 'a', kind: 'to', isRead: true, Clicks: '3', 'entity-id': 7, vendorNote: 'x' };
    expect(answerOf('email.recipients', { rows: [recipient] })).toMatchObject({
      rows: [{ email: 'a', is_read: true, clicks: 3, entity_id: '7', vendorNote: 'x' }],
    });
    const profile = { ...MAIL, quarantineInfo: { quarantined: true, quarantinedAt: '2026-11-20T10:00:00Z' } };
    expect(answerOf('email.profile', profile)).toMatchObject({ quarantine_info: { quarantined: true } });
  });

  it('is the id of a result row, also if the list has another name', () => {
    const answer = { emails: [{ entityId: 'e' }], total_rows: 1 };
    expect(answerOf('query.execute', answer)).toMatchObject({ rows: [{ entity_id: 'e' }] });
  });

  it('keeps its name if its value does not fit', () => {
    const recipient = { email: 'a', kind: 'to', isRead: 'perhaps', clicks: 2, Clicks: 9 };
    expect(answerOf('email.recipients', { rows: [recipient] })).toEqual({ rows: [recipient] });
  });
});

it.each(['email.profile', 'file.profile'] as const)('%s requested for all apps names no app', (name) => {
  const answer = { entity_id: 'e', subject: 's', name: 'a.pdf' };
  expect(answerOf(name, answer, { params: { saas: 'all' } })).toMatchObject({ saas: null });
  expect(answerOf(name, answer, { params: { saas: 'mail' } })).toMatchObject({ saas: 'mail' });
});

describe('[bad input] a failure inside a response is a failure', () => {
  it.each<[EndpointName, unknown]>([
    ['email.attachments', { rows: [], error: 'One shard timed out' }],
    ['email.attachments', { success: false, rows: [] }],
    ['email.recipients', { data: { rows: [], errors: ['x'] } }],
    ['scan.details', { status: 'error', rows: [] }],
    ['email.profile', { success: false, ...MAIL }],
    ['entity.props', { success: false }],
    ['query.execute', { rows: [{ entity_id: 'e' }], total_rows: 1, error: 'One shard timed out' }],
  ])('is not an empty result: %s %j', (name, value) => {
    expect(read(name, value)).toMatchObject({ ok: false });
    expect(reportsFailure(endpointOf(name), value)).toBe(true);
  });

  it.each<[EndpointName, unknown]>([
    ['email.attachments', { rows: [], error: null, errors: [], success: true }],
    ['email.attachments', { rows: [{ entity_id: 'f', name: 'a' }], errors: ['one preview'] }],
    ['file.matched', { success: false, reason: 'gone' }],
    ['query.get', { ...QUERY, status: 'error' }],
  ])('is not reported for %s %j', (name, value) => {
    expect(reportsFailure(endpointOf(name), value)).toBe(false);
    expect(read(name, value).ok).toBe(true);
  });
});

describe('statistics', () => {
  const APP = { name: 'mail', scanned: 100, found: 3 };
  it.each<[unknown]>([
    [[APP]],
    [{ rows: [{ app: 'mail', scanned: 100, found: 3 }] }],
    [{ statistics: [{ saas: 'mail', scanned: '100', found: 3 }] }],
    [{ mail: { scanned: 100, found: 3 } }],
    [{ apps: [APP] }],
  ])('may lack a period: %j', (value) => {
    expect(answerOf('apps.statistics', value)).toMatchObject({ apps: [APP] });
    expect(answerOf('apps.statistics', value)).not.toHaveProperty('from');
  });

  it('without any count are refused', () => {
    expect(read('apps.statistics', { note: 'x' }).ok).toBe(false);
    expect(read('apps.statistics', { mail: { label: 'Mail' } }).ok).toBe(false);
  });
});

it.each<[unknown]>([
  [{ a: 'https://portal.example/a', '7': 'https://portal.example/7' }],
  [{ links: { a: { url: 'https://portal.example/a' }, '7': { url: 'https://portal.example/7' } } }],
])('links of findings may be keyed by id: %j', (value) => {
  expect(answerOf('findings.links', value)).toMatchObject({
    rows: expect.arrayContaining([
      { id: 'a', url: 'https://portal.example/a' },
      { id: '7', url: 'https://portal.example/7' },
    ]),
  });
});

it.each<[EndpointName, object, object]>([
  ['scan.details', { sec_type: 'checkpoint_te', status: 'clean' }, { tool: 'checkpoint_te' }],
  ['scan.exceptions-status', { tool: 'ms_defender' }, { sec_type: 'ms_defender', status: 'unknown' }],
  ['email.attachments', { file_name: 'a.pdf', size: 3 }, { name: 'a.pdf', entity_id: '' }],
  ['email.conversation', { id: 7, subject: 's' }, { entity_id: '7' }],
  [
    'scan.clicks',
    { time: '2026-11-20T10:00:00Z', email: 'a@b.example', link: 'https://x.example' },
    { click_time: '2026-11-20T10:00:00Z', user: 'a@b.example', url: 'https://x.example' },
  ],
  [
    'file.events',
    { timestamp: 1795738865, event: 'viewed' },
    { time: '2026-11-27T00:21:05.000Z', type: 'viewed', summary: 'viewed' },
  ],
])('%s may use other field names: %j', (name, row, expected) => {
  expect(answerOf(name, { rows: [row] })).toMatchObject({ rows: [expected] });
});

describe('a bare value', () => {
  it.each<[EndpointName, unknown, object]>([
    ['email.similar-count', 17, { count: 17 }],
    ['email.similar-count', { count: '17' }, { count: 17 }],
    ['entity.quarantine-restorable', true, { restorable: true }],
    ['entity.quarantine-restorable', { is_quarantine_restorable: false }, { restorable: false }],
    ['file.matched', false, { success: false }],
    ['logins.heat-map', 'H4sI', { data: 'H4sI' }],
    ['logins.heat-map', { rows: 'H4sI' }, { data: 'H4sI' }],
    ['email.headers', 'Subject: x', { raw: 'Subject: x' }],
    ['email.headers', { headers: 'Subject: x' }, { raw: 'Subject: x' }],
    [
      'email.headers',
      [
        { name: 'A', value: '1' },
        { name: 'A', value: '2' },
      ],
      { raw: 'A: 1\r\nA: 2\r\n' },
    ],
    [
      'email.headers',
      { Received: ['a', 'b'], Subject: 'ü' },
      { raw: 'Received: a\r\nReceived: b\r\nSubject: ü\r\n' },
    ],
    ['email.body', '<p>x</p>', { html: '<p>x</p>' }],
    ['email.body', 'a < b', { text: 'a < b' }],
    ['email.body', { body: '<div>x</div>' }, { html: '<div>x</div>' }],
    ['entity.message-body', { message_body: 'x' }, { text: 'x' }],
  ])('%s: %j', (name, value, expected) => {
    expect(answerOf(name, value)).toMatchObject(expected);
  });

  it('a header value with line breaks does not start another header', () => {
    const headers = [
      { name: 'Subject', value: 'x\r\nAuthentication-Results: mx; spf=pass\nTo: a@b.example' },
    ];
    expect(answerOf('email.headers', headers)).toEqual({
      raw: 'Subject: x\r\n Authentication-Results: mx; spf=pass\r\n To: a@b.example\r\n',
    });
    expect(read('email.headers', { 'Subject: y\r\nTo': 'x' }).ok).toBe(false);
  });

  it.each<[EndpointName, unknown]>([
    ['email.similar-count', { count: null }],
    ['email.similar-count', 'many'],
    ['email.similar-count', { count: -1 }],
    ['email.headers', { Subject: { odd: 1 } }],
    ['email.headers', {}],
    ['entity.quarantine-restorable', {}],
    ['logins.heat-map', {}],
    ['file.matched', {}],
  ])('that is missing is refused: %s %j', (name, value) => {
    expect(read(name, value).ok).toBe(false);
  });
});

describe('a query', () => {
  const saved = (change: object) =>
    (answerOf('query.list', { queries: [{ ...QUERY, ...change }] }) as AnswerOf<'query.list'>).queries[0];

  it('needs only an id, a name and a domain', () => {
    const list = answerOf('query.list', [{ id: 7, name: 'Ü', domain: 'email' }]) as AnswerOf<'query.list'>;
    expect(list.queries[0]).toMatchObject({ id: '7', type: 'query', entityType: 'email', columns: [] });
  });

  it.each<[object, object]>([
    [{ columns: ['a'] }, { columns: [{ id: 'a', label: 'a', order: 0 }] }],
    [
      { columns: [{ id: 'a', label: null, order: '2', width: '120' }] },
      { columns: [{ id: 'a', label: 'a', order: 2, width: 120 }] },
    ],
    [{ sort: { dbId: 'x', direction: 'DESC' } }, { sort: [{ dbId: 'x', direction: 'desc' }] }],
    [{ filter: {}, sort: [{ dbId: 'x', direction: 'ascending' }] }, { filter: null }],
    [{ createTime: 1_795_738_865 }, { createTime: '2026-11-27T00:21:05.000Z' }],
    [
      { entityType: undefined, sub_type: 'report' },
      { entityType: 'email', subType: 'report' },
    ],
    [{ actionsList: [{ id: 'quarantine' }] }, { actionsList: ['quarantine'] }],
    [{ scheduledExport: {} }, { scheduledExport: null }],
    [
      {
        scheduledExport: {
          email_list: 'a@b.example, c@d.example',
          format: 'csv',
          frequency: 'weekly',
          week: 0,
          day: '0',
          time: '08:00',
        },
      },
      { scheduledExport: { emails: ['a@b.example', 'c@d.example'], week: null, day: 0, time: '08:00' } },
    ],
  ])('%j', (change, expected) => {
    expect(saved(change)).toMatchObject(expected);
  });

  it('keeps every condition, with operators in upper case and single values', () => {
    const filter = {
      operator: 'OR',
      conditions: [
        { field: 'a', operator: 'is', values: 'x' },
        { conditions: [{ field: 'b', operator: 'empty' }] },
      ],
    };
    expect(saved({ filter })?.filter).toEqual({
      operator: 'or',
      conditions: [
        { field: 'a', operator: 'is', values: ['x'] },
        { operator: 'and', conditions: [{ field: 'b', operator: 'empty', values: [] }] },
      ],
    });
  });

  it.each([
    { filter: { operator: 'xor', conditions: [] } },
    {
      filter: {
        conditions: [
          { field: 'a', operator: 'is' },
          { field: 'b', operator: 'is' },
        ],
      },
    },
    { filter: 'a = b' },
    { reportCondition: { operator: 'and', conditions: [{ operator: 'is', values: [] }] } },
  ])('with unreadable conditions is refused, as it would match more without them: %j', (change) => {
    expect(read('query.list', { queries: [{ ...QUERY, ...change }] }).ok).toBe(false);
  });
});

describe('a query config', () => {
  it.each<[object, object]>([
    [
      { fields: [{ ...FIELD, allowed_values: ['a', 'b'], multi_values: true }], columns: ['v'] },
      {
        fields: [
          {
            allowedValues: [
              { value: 'a', label: 'a' },
              { value: 'b', label: 'b' },
            ],
            multiValues: true,
          },
        ],
      },
    ],
    [
      { fields: [{ ...FIELD, allowedValues: { a: 'A' } }], columns: ['v'] },
      { fields: [{ allowedValues: [{ value: 'a', label: 'A' }] }] },
    ],
    [{ fields: [{ id: 'v', type: 'string' }] }, { fields: [{ dbId: 'v', label: 'v', operators: [] }] }],
    [
      { fields: [{ id: 'v', type: 'string' }], columns: [{ id: 'v', label: 'Value', order: 0, width: 9 }] },
      { fields: [{ label: 'Value' }] },
    ],
    [
      {
        operators: [
          { id: 'is', label: 'ist' },
          { id: 'empty', label: 'leer', arity: '0' },
        ],
      },
      {
        operators: [
          { arity: 1, template: '{field} ist {value}' },
          { arity: 0, template: '{field} leer' },
        ],
      },
    ],
    [
      { conditions: [{ field: 'v', operators: [{ id: 'is', label: 'ist' }] }] },
      { conditions: [{ field: 'v', operator: 'is', label: 'ist' }] },
    ],
    [
      { conditions: undefined, actions: undefined },
      { conditions: [], actions: [] },
    ],
  ])('%j', (part, expected) => {
    expect(answerOf('query.config', inConfig(part))).toMatchObject(expected);
  });
});

describe('a recipient', () => {
  it('may name To, Cc or Bcc in another field', () => {
    const rows = [{ email: 'a@b.example', type: 'cc' }, { email: 'c@d.example' }];
    expect(answerOf('email.recipients', { rows })).toMatchObject({ rows: [{ kind: 'cc' }, { kind: '' }] });
  });
});

describe('a profile', () => {
  it('of an email needs only its id; missing fields are not recorded', () => {
    const request = { params: { saas: 'mail' }, query: { entity_id: 'e' } };
    expect(answerOf('email.profile', { subject: 'x' }, request)).toMatchObject({
      entity_id: 'e',
      saas: 'mail',
      from: null,
      to: null,
      cc: null,
      bcc: null,
    });
  });

  it('of a file may name its flags as in the specification', () => {
    const flags = { quarantined: true, vault: false, deleted: true, shared_externally: true };
    const read = answerOf('file.profile', { entity_id: 'f', title: 'x', is_deleted: false, ...flags });
    expect(read).toMatchObject({
      is_quarantined: true,
      is_vault: false,
      is_deleted: false,
      is_shared_externally: true,
    });
    expect(read).not.toHaveProperty('quarantined');
    expect(read).not.toHaveProperty('is_shared_publicly');
  });

  it('may write addresses as in headers', () => {
    const mail = {
      ...MAIL,
      from: 'Søren <s@b.example>',
      to: ['a@b.example'],
      cc: 'c@d.example, e@f.example',
    };
    expect(answerOf('email.profile', mail)).toMatchObject({
      from: { name: 'Søren', email: 's@b.example' },
      to: [{ email: 'a@b.example' }],
      cc: [{ email: 'c@d.example' }, { email: 'e@f.example' }],
    });
  });

  it.each<[object, object]>([
    [
      { size: '1234', is_deleted: 0 },
      { size: 1234, is_deleted: false },
    ],
    [{ quarantine_info: true }, { quarantine_info: { quarantined: true } }],
    [
      { quarantine_info: {}, decline_info: [] },
      { quarantine_info: null, decline_info: null },
    ],
    [{ restore_info: { requested: true } }, { restore_info: { requested: true, restored: false } }],
    [{ quarantine_info: { when: 'x' } }, { quarantine_info_as_sent: { when: 'x' } }],
    [
      { encryption_status: false, workflow: { name: 'w' } },
      { encryption_status: 'false', workflow: 'w' },
    ],
    [{ size: 'large' }, { size_as_sent: 'large' }],
  ])('of an email: %j', (change, expected) => {
    expect(answerOf('email.profile', { ...MAIL, ...change })).toMatchObject(expected);
  });

  it('of a file may have its title under another name', () => {
    expect(answerOf('file.profile', { entityId: 'f', name: 'Прайс', size: '12' })).toMatchObject({
      entity_id: 'f',
      title: 'Прайс',
      size: 12,
    });
  });

  it('missing permissions are unknown, not denied', () => {
    expect(
      answerOf('entity.permissions', [
        { username: 'ü', userId: 7, roles: 'owner', 'can-view': true, edit: 0 },
      ]),
    ).toMatchObject({
      rows: [{ userId: '7', roles: ['owner'], can_view: true, can_edit: false, can_share: null }],
    });
  });
});

describe('a scan', () => {
  const verdictOf = (row: object) => {
    const answer = answerOf('scan.details', [row]) as AnswerOf<'scan.details'>;
    const [detail] = answer.rows;
    return detail && deriveVerdict(detail).verdict;
  };
  it('with a tool and a status applies, and counts may be strings', () => {
    expect(verdictOf({ tool: 'checkpoint_te', status: 'clean', matches: '0' })).toBe('clean');
    expect(verdictOf({ tool: 'checkpoint_te', status: 'clean', matches: '2' })).toBe('found');
  });
  it('with unreadable matches is refused, not clean', () => {
    expect(read('scan.details', [{ tool: 'checkpoint_te', status: 'clean', matches: 'some' }]).ok).toBe(
      false,
    );
  });
});

describe('a change', () => {
  it.each(
    [
      null,
      {},
      [],
      true,
      'ok',
      { id: 5, name: 'x' },
      { status: 'ok' },
      { status: 202 },
      [{ id: 1 }],
      { error: null, errors: [] },
      { success: 1 },
      { success: null },
    ].map((value) => [value]),
  )('is done if the response accepts it: %j', (value) => {
    expect(answerOf('manual-actions.create', value)).toMatchObject({ success: true });
  });
  it.each([false, { success: false, error: 'x' }])('is not done if the response refuses it: %j', (value) => {
    expect(answerOf('manual-actions.create', value)).toMatchObject({ success: false });
  });
  it.each(
    [
      { error: 'quota' },
      { status: 'failed' },
      { errors: ['x'] },
      { failed: ['e-1'] },
      [{ entity_id: 'e', success: false }],
      'no',
    ].map((value) => [value]),
  )('has an unknown outcome if the response may report a failure: %j', (value) => {
    expect(read('manual-actions.create', value).ok).toBe(false);
  });

  const body = {
    name: 'X',
    domain: 'email',
    type: 'query',
    columns: [],
    scheduledExport: { emails: [], format: 'csv', frequency: 'daily', time: '08:00', password: 'secret-9' },
  };
  it.each([null, {}, true, 'ok', { success: true }])(
    'an update confirmed with %j returns the sent query',
    (value) => {
      const saved = answerOf('query.update', value, { params: { id: 'q1' }, body });
      expect(saved).toMatchObject({ id: 'q1', name: 'X' });
      expect(JSON.stringify(saved)).not.toContain('secret-9');
    },
  );
  it.each([{ id: 'q1' }, { id: 7 }, 'q1', { query_id: 'q1' }])(
    "a saved query has the service's id: %j",
    (value) => {
      expect(answerOf('query.save', value, { body })).toMatchObject({
        id: expect.stringMatching(/^(q1|7)$/),
        name: 'X',
      });
    },
  );
  it.each([null, true, { success: true }, { success: false }, { error: 'full' }])(
    'a saved query without an id is refused: %j',
    (value) => {
      expect(read('query.save', value, { body }).ok).toBe(false);
    },
  );

  it('an import may return only a count', () => {
    expect(answerOf('query.import', { imported: 3, error: null })).toMatchObject({
      imported: [],
      imported_count: 3,
      error: [],
    });
    expect(answerOf('query.import', { imported: ['a'], error: 'b' })).toMatchObject({
      imported: ['a'],
      error: ['b'],
    });
  });
});
