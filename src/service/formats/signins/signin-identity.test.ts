/** The same event in two formats of its product is one sign-in; ids of something else make no two sign-ins one. */

import { describe, expect, it } from 'vitest';
import type { SigninIdentity } from '../../store/evidence.ts';
import { signinReader } from './signin-row.ts';
import { signinValues } from './signin-values.ts';

const AT = '2026-11-18T09:30:00.239Z';
type Event = Record<string, unknown>;

function identity(event: Event): SigninIdentity {
  const row = signinReader()(signinValues(event) ?? new Map());
  if (typeof row === 'string') throw new Error(row);
  return row.identity;
}

/** The event with this id, as the API has it and as a table. */
const PRODUCTS: [product: string, (id: string | undefined) => [Event, Event]][] = [
  [
    'JumpCloud',
    (id) => {
      const event = { id, timestamp: AT, event_type: 'user_login_attempt', service: 'directory' };
      const more = { organization: 'o', client_ip: '192.0.2.7' };
      return [
        { ...event, ...more, success: true, initiated_by: { id: 'person', type: 'user', username: 'ann' } },
        { ...more, 'initiated_by.id': 'person', 'initiated_by.username': 'Ann', ...event, success: 'true' },
      ];
    },
  ],
  [
    'OneLogin',
    (id) => [
      { id: id && Number(id), created_at: AT, event_type_id: 5, user_name: 'ann', ipaddr: '192.0.2.7' },
      { created_at: AT, event_type_id: '5', user_name: 'ann', ipaddr: '192.0.2.7', id, notes: '' },
    ],
  ],
  [
    'Salesforce, event log files by hour and day',
    (id) => {
      const event = { EVENT_TYPE: 'Login', REQUEST_ID: id, TIMESTAMP_DERIVED: AT, USER_NAME: 'ann' };
      const more = { LOGIN_STATUS: 'LOGIN_NO_ERROR', CLIENT_IP: '192.0.2.7' };
      return [
        { ...event, ...more },
        { ...more, ...event, RUN_TIME: '75' },
      ];
    },
  ],
  [
    'Salesforce, event monitoring',
    (id) => {
      const event = { EventDate: AT, EventIdentifier: id, Username: 'ann', SourceIp: '192.0.2.7' };
      return [
        { ...event, Status: 'Success', attributes: { type: 'LoginEvent' } },
        { ...event, Status: 'Success' },
      ];
    },
  ],
  [
    'Defender, streamed and as a table',
    (ReportId) => {
      const event = { ActionType: 'LogonSuccess', AccountUpn: 'ann', IPAddress: '192.0.2.7', ReportId };
      const category = 'AdvancedHunting-IdentityLogonEvents';
      return [
        {
          time: '2026-11-18T09:31:07Z',
          operationName: 'Publish',
          category,
          properties: { ...event, Timestamp: AT },
        },
        { Timestamp: AT, ...event, AdditionalFields: '{}' },
      ];
    },
  ],
  [
    'Auth0, from its API and streamed',
    (log_id) => {
      const event = { log_id, date: AT, type: 's', ip: '192.0.2.7', user_agent: 'x', user_name: 'ann' };
      return [event, { log_id, data: { ...event, tenant_name: 't' } }];
    },
  ],
  [
    'Keycloak',
    (id) => {
      const event = { type: 'LOGIN', realmId: 'r', ipAddress: '192.0.2.7', details: { username: 'ann' } };
      return [
        { id, time: Date.parse(AT), ...event },
        { ...event, time: Date.parse(AT), id, realmName: 'r' },
      ];
    },
  ],
  [
    'OCSF',
    (uid) => {
      const event = { time: Date.parse(AT), class_uid: 3002, activity_id: 1, status: 'Success' };
      return [
        {
          ...event,
          user: { name: 'ann', uid: 'person' },
          src_endpoint: { ip: '192.0.2.7', uid: 'device' },
          metadata: { uid, version: '1.1.0', product: { name: 'p', uid: 'product' } },
        },
        { ...event, 'user.name': 'ann', 'src_endpoint.ip': '192.0.2.7', 'metadata.uid': uid },
      ];
    },
  ],
  [
    'ECS, from Elasticsearch and as a table of Kibana',
    (id) => {
      const dotted = {
        '@timestamp': AT,
        'event.category': 'authentication',
        'event.outcome': 'success',
        'event.id': id,
        'user.name': 'ann',
        'source.ip': '192.0.2.7',
      };
      const event = { category: ['authentication'], outcome: 'success', id };
      const source = { '@timestamp': AT, event, user: { name: 'ann' }, source: { ip: '192.0.2.7' } };
      return [{ _id: 'document', _source: source }, dotted];
    },
  ],
];

describe.each(PRODUCTS)('%s', (_, eventsOf) => {
  it('one event is one sign-in in both', () => {
    const [first, other] = eventsOf('7001').map(identity);
    expect(first?.isUnique).toBe(true);
    expect(other).toEqual(first);
    expect(identity(eventsOf('7002')[0])).not.toEqual(first);
  });

  it('without an id, the whole line decides', () => {
    for (const event of eventsOf(undefined)) expect(identity(event).isUnique).toBe(false);
  });
});

it('counters of two devices are two sign-ins of Defender, and two events of one line two of ECS', () => {
  const logon = { Timestamp: AT, ActionType: 'LogonSuccess', AccountUpn: 'ann', ReportId: '7' };
  expect(identity({ ...logon, DeviceName: 'a' })).not.toEqual(identity({ ...logon, DeviceName: 'b' }));
  const line = { '@timestamp': AT, 'event.category': 'authentication', 'event.id': '7', 'user.name': 'ann' };
  expect(identity({ ...line, 'event.action': 'user.session.start' })).not.toEqual(
    identity({ ...line, 'event.action': 'user.authentication.sso' }),
  );
});
