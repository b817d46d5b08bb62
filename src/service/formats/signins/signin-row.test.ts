import { describe, expect, it } from 'vitest';
import { expectLinear } from '#tests/support/growth.ts';
import { signinReader } from './signin-row.ts';
import { signinValues } from './signin-values.ts';

const AT = '2026-11-18T09:30:00Z';
const row = (more: Record<string, unknown>, mapping = {}) => {
  const values = signinValues({ time: AT, user: 'a@corp.example', ip: '192.0.2.7', ...more });
  const read = values && signinReader(mapping)(values);
  if (!read || typeof read === 'string') throw new Error('It is no sign-in');
  return read.login;
};

const ADDRESSES: readonly (readonly [string, string | null])[] = [
  ['KAUHWH3JFFK (198.51.100.7)', '198.51.100.7'],
  ['[KAUHWH3JFFK (198.51.100.8)]', '198.51.100.8'],
  ['kauh.corp.example (198.51.100.7:443)', '198.51.100.7'],
  ['HOST (2001:DB8::7)', '2001:db8::7'],
  ['[HOST ([2001:db8::7]:443)]', '2001:db8::7'],
  ['HOST(198.51.100.7)', '198.51.100.7'],
  ['(198.51.100.7)', '198.51.100.7'],
  ['198.51.100.9:1234', '198.51.100.9'],
  ['HOST (198.51.100.777)', null],
  ['HOST (198.51.100.7) (198.51.100.8)', null],
  ['HOST', null],
];
it.each(ADDRESSES)('the address %s is %s', (ip, plain) => expect(row({ ip }).ip).toBe(plain));

describe('an interrupted sign-in has neither failed nor succeeded', () => {
  const read = (record: Record<string, unknown>) => {
    const values = signinValues({ time: AT, user: 'a@corp.example', ip: '192.0.2.7', ...record });
    const read = values && signinReader()(values);
    return !read || typeof read === 'string' ? read : [read.login.failed, read.isInterrupted];
  };
  it.each<[Record<string, unknown>]>([
    [{ status: { errorCode: 50140, failureReason: 'Other.' } }],
    [{ status: { errorCode: 50125 } }],
    [{ ResultType: '50074', Status: 'Failure' }],
    [{ 'Sign-in error code': '50072', Status: 'Interrupted' }],
    [{ ResultType: '50158.0' }],
    [{ errorCode: 'AADSTS50076' }],
    [{ Status: 'Interrupted' }],
    [{ Operation: 'UserLoginFailed', RecordType: 15, ResultStatus: 'Failed', ErrorNumber: '50074' }],
    [{ Operation: 'UserLoggedIn', RecordType: 15, ResultStatus: 'Success', ErrorNumber: '50140' }],
    [
      {
        '@timestamp': AT,
        event: { outcome: 'failure', category: ['authentication'] },
        azure: { signinlogs: { properties: { status: { error_code: 50140 } } } },
      },
    ],
  ])('%j', (record) => expect(read(record)).toEqual([null, true]));
  it.each<[Record<string, unknown>, boolean | null]>([
    [{ status: { errorCode: 50126 } }, true],
    [{ ResultType: '50053' }, true],
    [{ ResultType: '500121' }, true],
    [{ ResultType: '53003' }, true],
    [{ ResultType: '0' }, false],
    // The number has this meaning only as an error of Entra.
    [{ status: '50140' }, null],
    [{ Operation: 'UserLoggedIn', RecordType: 15, ErrorNumber: '0' }, false],
    [{ Operation: 'UserLoginFailed', RecordType: 15, ErrorNumber: '50126' }, true],
  ])('%j is none', (record, failed) => expect(read(record)).toEqual([failed, false]));
});

describe('a time in the zone of whoever exported the log', () => {
  const read = (heading: string, time: string, zone?: string) => {
    const values = signinValues({ [heading]: time, user: 'a@corp.example', ip: '192.0.2.7' });
    const read = values && signinReader(zone === undefined ? {} : { zone }, 'day first')(values);
    return !read || typeof read === 'string' ? read : new Date(read.login.at ?? 0).toISOString();
  };
  const ASKS = expect.stringMatching(
    /^have a time of whoever exported the log.*“zone” in signin-columns\.json/,
  );
  it.each([
    ['TimeGenerated [Local Time]', '16/07/2024, 20:26:12.030'],
    ['TimeGenerated [Local Time]', '3/4/2024, 8:26:12.030 PM'],
    ['TimeGenerated [Ortszeit]', '2024-07-16 20:26:12'],
    ['TimeGenerated (Local time)', '16/07/2024 20:26:12'],
    ['CreatedDateTime [Amsterdam, Berlin, Bern]', '16.07.2024 20:26:12'],
  ])('%s: %s is not read as UTC', (heading, time) => expect(read(heading, time)).toEqual(ASKS));
  it.each([
    ['TimeGenerated [Local Time]', '16/07/2024, 20:26:12.030', 'Europe/Berlin', '2024-07-16T18:26:12.030Z'],
    ['TimeGenerated [Local Time]', '2024-07-16T20:26:12Z', undefined, '2024-07-16T20:26:12.000Z'],
    ['TimeGenerated [Local Time]', '1721154372', undefined, '2024-07-16T18:26:12.000Z'],
    ['TimeGenerated [UTC]', '16/07/2024, 20:26:12.030', undefined, '2024-07-16T20:26:12.030Z'],
    ['Date (UTC)', '2024-07-16T20:26:12', undefined, '2024-07-16T20:26:12.000Z'],
    ['TimeGenerated', '16/07/2024, 20:26:12', undefined, '2024-07-16T20:26:12.000Z'],
  ])('%s: %s in zone %s is %s', (heading, time, zone, instant) =>
    expect(read(heading, time, zone)).toBe(instant),
  );
});

describe('an alert of Wazuh is the event in it', () => {
  const alert = (data: object) => ({
    timestamp: '2025-02-03T13:50:00.000+0000',
    rule: { level: 3, id: '91545', groups: ['office365'] },
    agent: { id: '000', name: 'wazuh', ip: '10.0.0.9' },
    manager: { name: 'wazuh' },
    id: '1738590600.1',
    data,
    location: 'office365',
  });
  const office = {
    CreationTime: '2025-02-03T13:48:53',
    Id: '25cf0f0e-1d05-4c52-8e35-5a8b30da1100',
    Operation: 'UserLoginFailed',
    RecordType: '15',
    UserId: 'a@corp.example',
    ClientIP: '198.51.100.7',
  };
  const read = (record: object) => {
    const values = signinValues(record);
    const read = values && signinReader()(values);
    if (!read || typeof read === 'string') return read;
    const { user, ip, failed, at } = read.login;
    return [user, ip, failed, new Date(at ?? 0).toISOString()];
  };
  const AT_EVENT = '2025-02-03T13:48:53.000Z';
  it.each<[string, object, unknown]>([
    [
      'Office 365',
      alert({ integration: 'office365', office365: office }),
      ['a@corp.example', '198.51.100.7', true, AT_EVENT],
    ],
    [
      'from its indexer',
      { _index: 'wazuh-alerts', _source: alert({ integration: 'office365', office365: office }) },
      ['a@corp.example', '198.51.100.7', true, AT_EVENT],
    ],
    [
      'CloudTrail',
      alert({
        integration: 'aws',
        aws: {
          eventVersion: '1.08',
          eventSource: 'signin.amazonaws.com',
          eventName: 'ConsoleLogin',
          eventTime: '2025-02-03T13:48:53Z',
          sourceIPAddress: '198.51.100.7',
          userIdentity: { userName: 'ann' },
          responseElements: { ConsoleLogin: 'Success' },
        },
      }),
      ['ann', '198.51.100.7', false, AT_EVENT],
    ],
    [
      'Graph',
      alert({
        integration: 'ms-graph',
        'ms-graph': {
          createdDateTime: '2025-02-03T13:48:53Z',
          userPrincipalName: 'a@corp.example',
          ipAddress: '198.51.100.7',
          status: { errorCode: '50126' },
        },
      }),
      ['a@corp.example', '198.51.100.7', true, AT_EVENT],
    ],
    [
      'Azure, whose fields stand below data themselves, here without a time',
      alert({
        azure_tag: 'azure-ad-graph',
        userPrincipalName: 'a@corp.example',
        ipAddress: '198.51.100.7',
        status: { errorCode: '0' },
      }),
      ['a@corp.example', '198.51.100.7', false, '2025-02-03T13:50:00.000Z'],
    ],
    [
      'another event',
      alert({ integration: 'office365', office365: { ...office, Operation: 'FileAccessed' } }),
      'are other events than sign-ins',
    ],
  ])('%s', (_, record, login) => expect(read(record)).toEqual(login));
});

describe('the outcome of a sign-in', () => {
  it.each([
    [{}, null],
    [{ result: '' }, null],
    [{ result: '-' }, null],
    [{ result: 'UNKNOWN' }, null],
    [{ result: 'skipped' }, null],
    [{ result: 'Other words of a vendor' }, null],
    [{ result: 7 }, null],
    [{ result: null }, null],
    [{ result: 'Success' }, false],
    [{ result: 'ALLOW' }, false],
    [{ result: 'Login successful' }, false],
    [{ result: true }, false],
    [{ status: '0x0' }, false],
    [{ errorCode: 0 }, false],
    [{ errorCode: '0' }, false],
    // As pandas writes a column of integers in which some are missing.
    [{ errorCode: '0.0' }, false],
    [{ errorCode: '50126.0' }, true],
    [{ success: '1.0' }, false],
    [{ success: '0.0' }, true],
    [{ errorCode: 'NaN' }, null],
    [{ errorCode: '<null>' }, null],
    [{ errorCode: '(null)' }, null],
    [{ errorCode: '-', status: 'Success' }, false],
    [{ ResultType: '0' }, false],
    [{ success: 1 }, false],
    [{ 'Login Successful': 'True' }, false],
    [{ result: 'Blocked' }, true],
    [{ result: 'DENY' }, true],
    [{ result: 'denied by policy' }, true],
    [{ result: 'LOCKED_OUT' }, true],
    [{ result: 'Account locked out' }, true],
    [{ result: 'AccessDenied' }, true],
    [{ result: 'Login failed' }, true],
    [{ result: 'unsuccessful' }, true],
    [{ result: 'not successful' }, true],
    [{ result: 'no access granted' }, true],
    [{ status: '0xC000006D' }, true],
    [{ status: '0xc000006e' }, true],
    [{ status: 403 }, true],
    [{ status: 200 }, null],
    [{ errorCode: 50126 }, true],
    [{ errorCode: 'AccessDenied' }, true],
    [{ errorCode: 'Client.UnauthorizedOperation' }, true],
    [{ errorCode: 'none' }, false],
    [{ success: 0 }, true],
    [{ success: 'false' }, true],
    [{ result: 'invalid credentials' }, true],
    [{ result: 'Interrupted' }, null],
    [{ result: 'not blocked' }, null],
    [{ result: 'no error' }, false],
    [{ result: 'none' }, null],
    // The first column with a meaningful value.
    [{ errorCode: 'unknown', status: 'Failure' }, true],
  ])('%j: %s', (more, failed) => {
    expect(row(more).failed).toBe(failed);
  });

  it.each([
    ['Login failed', 'true', true],
    ['Login failed', 0, false],
    ['Granted', 'yes', false],
    ['Blocked?', 'No', false],
    ['Wie', 'Blocked', true],
    ['Wie', 'vielleicht', null],
  ])('in a named column, %s = %s: %s', (name, value, failed) => {
    expect(row({ [name]: value }, { result: name }).failed).toBe(failed);
  });
});

it('a dash is no value, so another column with one counts', () => {
  expect(row({ userPrincipalName: '-', clientIp: ' - ', result: '-' })).toMatchObject({
    user: 'a@corp.example',
    ip: '192.0.2.7',
    failed: null,
  });
});

describe('addresses', () => {
  it.each([
    ['1.2.3.4:443', '1.2.3.4'],
    ['1.2.3.4', '1.2.3.4'],
    ['[::1]:443', '::1'],
    ['[2001:DB8::7]', '2001:db8::7'],
    ['2001:db8::7', '2001:db8::7'],
    ['fe80::1%eth0', 'fe80::1'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['[::FFFF:192.0.2.7]:443', '192.0.2.7'],
    ['::ffff:c000:207', '192.0.2.7'],
    ['::fffe:192.0.2.7', '::fffe:c000:207'],
    // One spelling for each address.
    ['2001:0db8:0000:0000:0000:0000:0000:0007', '2001:db8::7'],
    ['[2001:DB8:0:0::7]:443', '2001:db8::7'],
    ['1.2.3.4:', null],
    ['1.2.3.4:99999', null],
    ['1.2.3.4:443:5', null],
    ['[1.2.3.4', null],
    ['AWS Internal', null],
  ])('%s is %s', (text, ip) => {
    expect(row({ ip: text }).ip).toBe(ip);
  });
});

it.each([
  ['NO', 'NO'],
  ['no', 'NO'],
  ['Norway', 'NO'],
  ['United States', 'US'],
  ['Russian Federation', 'RU'],
  ['Türkiye', 'TR'],
  ['UK', 'GB'],
  ['United Kingdom', 'GB'],
  // It may be the state.
  ['Georgia', 'Georgia'],
  ['European Union', 'European Union'],
  ['Atlantis', 'Atlantis'],
])('one country has one name: %s is %s', (country, expected) => {
  expect(row({ country }).country).toBe(expected);
});

it('a city is found in a country that the log names in English', () => {
  expect(row({ city: 'London', country: 'Canada' })).toMatchObject({ lat: 42.98, country: 'CA' });
});

describe('times', () => {
  const INSTANT = Date.UTC(2026, 10, 18, 9, 30);
  it.each([
    [INSTANT / 1000, INSTANT],
    [INSTANT, INSTANT],
    [String(INSTANT / 1000), INSTANT],
    [String(INSTANT), INSTANT],
    [`${INSTANT / 1000}.25`, INSTANT + 250],
    [INSTANT / 1000 + 0.25, INSTANT + 250],
    [INSTANT * 1000, INSTANT],
    ['2026-11-18T09:30:00Z', INSTANT],
    ['2026-11-18 09:30:00', INSTANT],
    ['11/18/2026 9:30:00 AM', INSTANT],
    ['11/18/2026 10:30:00 AM +01:00', INSTANT],
    ['11/17/2026, 11:00:00 PM -10:30', INSTANT],
    // The limits of numbers read as seconds: 1973 and 5138.
    [100_000_000, 100_000_000_000],
    [99_999_999_999, 99_999_999_999_000],
    [100_000_000_000, 100_000_000_000],
    [INSTANT * 1_000_000, INSTANT],
    // As Windows PowerShell writes a time in JSON.
    [{ value: `/Date(${INSTANT})/`, DisplayHint: 2, DateTime: 'Wednesday, 18 November 2026' }, INSTANT],
  ])('%s', (time, index) => {
    expect(row({ time }).at).toBe(index);
  });

  it.each([
    1,
    99_999_999,
    '20261118',
    1e20,
    Number.NaN,
    'soon',
    '2/30/2026 9:30:00 AM',
    '11/18/2026 9:60:00 AM',
    '11/18/2026 9:30:60 AM',
  ])('%s is not a time', (time) => {
    expect(() => row({ time })).toThrow(/no sign-in/);
  });
});

describe('sign-ins among other events of a log', () => {
  const read = (record: Record<string, unknown>) => {
    const row = signinReader()(signinValues(record) ?? new Map());
    return typeof row === 'string'
      ? row
      : { user: row.login.user, ip: row.login.ip, failed: row.login.failed };
  };
  const OTHER = 'are other events than sign-ins';

  it.each([
    ['ConsoleLogin', { responseElements: { ConsoleLogin: 'Success' } }, false],
    ['ConsoleLogin', { responseElements: { ConsoleLogin: 'Failure' }, errorMessage: 'Failed' }, true],
    ['ConsoleLogin', {}, null],
    ['AssumeRole', { errorCode: 'AccessDenied' }, true],
    ['AssumeRole', { errorMessage: 'Not allowed' }, null],
    ['AssumeRole', {}, false],
    ['AssumeRoleWithWebIdentity', {}, false],
    ['UserAuthentication', {}, false],
    ['GetSessionToken', {}, false],
    ['CreateLoginProfile', {}, OTHER],
    ['DeleteLoginProfile', { errorCode: 'NoSuchEntityException' }, OTHER],
    ['GetLoginProfile', {}, OTHER],
    ['UpdateAssumeRolePolicy', {}, OTHER],
  ])('CloudTrail: %s with %j: %s', (eventName, more, failed) => {
    const record = {
      eventVersion: '1.08',
      eventSource: 'signin.amazonaws.com',
      eventTime: AT,
      sourceIPAddress: '192.0.2.7',
      userIdentity: { userName: 'ann' },
      eventName,
      ...more,
    };
    expect(read(record)).toEqual(failed === OTHER ? OTHER : { user: 'ann', ip: '192.0.2.7', failed });
  });

  it.each([
    ['Success', 'ann', false],
    ['Failure', '', true],
  ])('CloudTrail as a table of Log Analytics: %s', (ConsoleLogin, UserIdentityUserName, failed) => {
    const record = {
      'TimeGenerated [UTC]': '28/11/2026, 09:30:00.000',
      EventVersion: '1.09',
      EventSource: 'signin.amazonaws.com',
      EventName: 'ConsoleLogin',
      UserIdentityArn: 'arn:aws:iam::1:user/ann',
      UserIdentityUserName,
      SourceIpAddress: '192.0.2.7',
      ResponseElements: JSON.stringify({ ConsoleLogin }),
    };
    const user = UserIdentityUserName || 'arn:aws:iam::1:user/ann';
    expect(read(record)).toEqual({ user, ip: '192.0.2.7', failed });
  });

  it.each([
    ['user.session.start', 'Logon', 'Failure', true],
    ['user.session.end', 'Logoff', 'Success', OTHER],
    ['', 'Logon', 'Success', false],
    ['', 'Logoff', 'Success', OTHER],
  ])('Sentinel, in its own schema: %s, %s', (EventOriginalType, EventType, EventResult, failed) => {
    const row = signinReader()(
      signinValues({
        TimeGenerated: '11/28/2026 9:30:00 AM',
        EventOriginalType,
        EventType,
        EventResult,
        ActorUsername: 'ann',
        SrcIpAddr: '192.0.2.7',
        SrcGeoCountry: 'Norway',
        SrcGeoCity: 'Oslo',
      }) ?? new Map(),
    );
    if (failed === OTHER) expect(row).toBe(OTHER);
    else
      expect(row).toMatchObject({
        login: { user: 'ann', ip: '192.0.2.7', failed, country: 'NO' },
        placed: 'city',
      });
  });

  it.each([
    ['UserLoggedIn', 'Success', false],
    ['UserLoggedIn', 'Succeeded', false],
    ['UserLoggedIn', 'Failed', true],
    ['UserLoggedIn', undefined, false],
    ['UserLoginFailed', 'Success', true],
    ['UserLoginFailed', 'Failed', true],
  ])('the unified audit log: %s with %s', (Operation, ResultStatus, failed) => {
    const record = { CreationTime: AT, RecordType: 15, UserId: 'ann', ClientIP: '192.0.2.7', Operation };
    expect(read({ ...record, ResultStatus })).toEqual({ user: 'ann', ip: '192.0.2.7', failed });
  });

  it.each([
    ['login_success', false],
    ['login_failure', true],
    ['logout', OTHER],
    ['account_disabled_hijacked', OTHER],
  ])('Google, with one event or a list of events: %s', (name, failed) => {
    for (const events of [{ type: 'login', name }, [{ type: 'login', name }]]) {
      const record = {
        id: { time: AT, uniqueQualifier: '1', applicationName: 'login' },
        actor: { email: 'ann@corp.example' },
        ipAddress: '192.0.2.7',
        events,
      };
      expect(read(record)).toEqual(
        failed === OTHER ? OTHER : { user: 'ann@corp.example', ip: '192.0.2.7', failed },
      );
    }
  });

  it.each([
    ['authentication', 'success', false],
    ['authentication', 'denied', true],
    ['authentication', 'fraud', true],
    ['enrollment', 'success', OTHER],
  ])('Duo: %s, %s', (event_type, result, failed) => {
    const record = {
      txid: '340a23e3',
      timestamp: 1_581_620_180,
      email: '',
      user: { key: 'DU3', name: 'ann' },
      access_device: { ip: '192.0.2.7', location: { city: 'Oslo', country: 'Norway' } },
      auth_device: { ip: '198.51.100.1', location: { city: 'Bergen' } },
      event_type,
      result,
    };
    expect(read(record)).toEqual(failed === OTHER ? OTHER : { user: 'ann', ip: '192.0.2.7', failed });
  });

  it.each([
    ['LogonSuccess', false],
    ['LogonFailed', true],
    ['LogonAttempted', null],
    ['ClickAllowed', OTHER],
    ['MailItemsAccessed', OTHER],
  ])('Defender, as a table and streamed: %s', (ActionType, failed) => {
    const event = { Timestamp: AT, ActionType, AccountUpn: 'ann', IPAddress: '192.0.2.7', ReportId: 'r' };
    const expected = failed === OTHER ? OTHER : { user: 'ann', ip: '192.0.2.7', failed };
    expect(read(event)).toEqual(expected);
    const category = 'AdvancedHunting-IdentityLogonEvents';
    expect(read({ time: AT, operationName: 'Publish', category, properties: event })).toEqual(expected);
  });

  it('other tables of Defender, risks, and changes to the directory are no sign-ins', () => {
    const record = { Timestamp: AT, AccountUpn: 'ann', IPAddress: '192.0.2.7' };
    const category = 'AdvancedHunting-AlertEvidence';
    expect(read({ time: AT, operationName: 'Publish', category, properties: record })).toBe(OTHER);
    expect(read({ ...record, RiskEventType: 'unfamiliarFeatures' })).toBe(OTHER);
    const change = {
      CorrelationId: 'c',
      Service: 'Core Directory',
      Category: 'UserManagement',
      Activity: 'Add user',
      Result: 'success',
    };
    expect(read({ ...record, ...change })).toBe(OTHER);
    // A table of sign-ins has no type of action.
    expect(read({ ...record, ErrorCode: 50126, ReportId: 'r' })).toEqual({
      user: 'ann',
      ip: '192.0.2.7',
      failed: true,
    });
  });

  it.each([
    ['user_login_attempt', { success: true }, false],
    ['admin_login_attempt', { success: false }, true],
    ['sso_auth', { sso_token_success: false }, true],
    ['radius_auth_attempt', {}, null],
    ['user_update', { success: true }, OTHER],
  ])('JumpCloud: %s with %j', (event_type, more, failed) => {
    const record = {
      timestamp: AT,
      service: 'directory',
      organization: 'o',
      client_ip: '192.0.2.7',
      initiated_by: { type: 'user', username: 'ann' },
      geoip: { country_code: 'NO' },
      event_type,
      ...more,
    };
    expect(read(record)).toEqual(failed === OTHER ? OTHER : { user: 'ann', ip: '192.0.2.7', failed });
  });

  it.each([
    [5, false],
    [6, true],
    [8, false],
    [13, OTHER],
  ])('OneLogin: %s', (event_type_id, failed) => {
    const record = { created_at: AT, event_type_id, ipaddr: '192.0.2.7', user_name: 'ann' };
    expect(read(record)).toEqual(failed === OTHER ? OTHER : { user: 'ann', ip: '192.0.2.7', failed });
  });

  it('Duo as a table of Log Analytics', () => {
    const device = { access_device_ip_s: '192.0.2.7', auth_device_ip_s: '198.51.100.1', user_name_s: 'ann' };
    const record = {
      timestamp_d: 1_581_620_180,
      txid_g: '340a23e3',
      event_type_s: 'authentication',
      ...device,
    };
    expect(read({ ...record, result_s: 'denied' })).toEqual({ user: 'ann', ip: '192.0.2.7', failed: true });
  });

  it.each([
    ['admin_login', false],
    ['admin_login_error', true],
    ['user_update', OTHER],
  ])('administrators of Duo: %s', (action, failed) => {
    const description = JSON.stringify({ ip_address: '192.0.2.7', factor: 'push' });
    const record = {
      isotimestamp: AT,
      timestamp: Date.parse(AT) / 1000,
      username: 'ann',
      action,
      description,
    };
    expect(read(record)).toEqual(failed === OTHER ? OTHER : { user: 'ann', ip: '192.0.2.7', failed });
  });

  it.each([
    [3002, 1, 'Failure', true],
    [3002, 1, 'Success', false],
    [3002, 2, 'Success', OTHER],
    [6003, 1, 'Success', OTHER],
  ])('OCSF: class %i, activity %i, %s', (class_uid, activity_id, status, failed) => {
    const endpoint = { src_endpoint: { ip: '192.0.2.7' }, user: { name: 'ann' } };
    const record = { time: Date.parse(AT), class_uid, activity_id, status, ...endpoint };
    expect(read(record)).toEqual(failed === OTHER ? OTHER : { user: 'ann', ip: '192.0.2.7', failed });
  });

  it.each([
    ['Login', false],
    ['ApexExecution', OTHER],
  ])('event log files of Salesforce: %s', (EVENT_TYPE, failed) => {
    const row = signinReader()(
      signinValues({
        EVENT_TYPE,
        TIMESTAMP: '20261118093000.239',
        TIMESTAMP_DERIVED: '2026-11-18T09:30:00.239Z',
        USER_ID: '0055j00000AT6I1',
        USER_NAME: 'ann',
        CLIENT_IP: '192.0.2.7',
        LOGIN_STATUS: 'LOGIN_NO_ERROR',
      }) ?? new Map(),
    );
    if (failed === OTHER) expect(row).toBe(OTHER);
    else expect(row).toMatchObject({ login: { at: Date.parse(AT) + 239, user: 'ann', failed } });
  });

  it.each([
    ['login_success', false],
    ['login_failure', true],
    ['logout', OTHER],
  ])("Google's reports as a table: %s", (name, failed) => {
    const actor = { 'actor.email': 'ann', ipAddress: '192.0.2.7' };
    const record = {
      name,
      ...actor,
      'id.time': AT,
      'id.applicationName': 'login',
      'id.uniqueQualifier': '-1',
    };
    expect(read(record)).toEqual(failed === OTHER ? OTHER : { user: 'ann', ip: '192.0.2.7', failed });
    const console = {
      Date: AT,
      Event: 'Leaked password',
      Description: 'x',
      Actor: 'ann',
      'IP address': '192.0.2.7',
    };
    expect(read(console)).toBe(OTHER);
  });

  it('Hawk: the audit log with its ids as text, and an account that the log does not know', () => {
    const record = {
      CreationTime: '11/18/2026 9:30 AM',
      Actor: '755e500a:0,ann@corp.example:5',
      ClientIP: '192.0.2.7:443',
      Operation: 'UserLoggedIn',
      RecordType: '15',
      UserId: 'ann',
    };
    expect(read(record)).toEqual({ user: 'ann', ip: '192.0.2.7', failed: false });
    expect(read({ ...record, UserId: 'Not Available' })).toMatchObject({ user: null });
  });

  it.each([
    ['SignInLogs', false],
    ['NonInteractiveUserSignInLogs', false],
    ['ADFSSignInLogs', false],
    ['AuditLogs', OTHER],
    ['RiskyUsers', OTHER],
    ['MicrosoftGraphActivityLogs', OTHER],
  ])('Azure: %s', (category, failed) => {
    const record = {
      time: AT,
      resourceId: '/tenants/1/providers/Microsoft.aadiam',
      operationName: 'Sign-in activity',
      category,
      resultType: '0',
      properties: { userPrincipalName: 'ann', ipAddress: '192.0.2.7' },
    };
    expect(read(record)).toEqual(failed === OTHER ? OTHER : { user: 'ann', ip: '192.0.2.7', failed });
  });

  it('Azure Monitor writes the month first, its portal as the language of the reader does', () => {
    const read = (time: string) => {
      const record = { time, category: 'SignInLogs', userPrincipalName: 'ann', ipAddress: '192.0.2.7' };
      const row = signinReader()(signinValues(record) ?? new Map());
      return typeof row === 'string' ? row : [new Date(row.login.at ?? 0).toISOString(), row.guessesDate];
    };
    expect(read('3/4/2026 9:30:00 AM')).toEqual(['2026-03-04T09:30:00.000Z', false]);
    expect(read('3/4/2026, 9:30:00 AM')).toEqual(['2026-03-04T09:30:00.000Z', true]);
    expect(read('3/4/2026, 9:30:00 am')).toContain('day and month cannot be told apart');
  });

  it('names the app that signs in if there is no user', () => {
    const record = { createdDateTime: AT, servicePrincipalName: 'backup', status: { errorCode: 0 } };
    expect(read({ ...record, ipAddress: '192.0.2.7' })).toEqual({
      user: 'backup',
      ip: '192.0.2.7',
      failed: false,
    });
    expect(read({ ...record, ipAddress: '', userPrincipalName: 'ann' })).toEqual({
      user: 'ann',
      ip: null,
      failed: false,
    });
  });

  it.each([
    ['s', false],
    ['f', true],
    ['fp', true],
    ['fu', true],
    ['slo', OTHER],
    ['sapi', OTHER],
    ['gd_tenant_update', OTHER],
  ])('Auth0, from its API and streamed: %s', (type, failed) => {
    const place = { country_code: 'NO', city_name: 'Oslo', latitude: 59.9, longitude: 10.7 };
    const data = { date: AT, type, description: 'Wrong email or password.', ip: '192.0.2.7' };
    const user = { user_agent: 'Firefox', user_id: 'auth0|6182', user_name: 'ann', location_info: place };
    const event = { ...data, ...user, log_id: '9002' };
    const expected = failed === OTHER ? OTHER : { user: 'ann', ip: '192.0.2.7', failed };
    for (const record of [event, { log_id: '9002', data: event }, { data: event, log_id: '9002' }]) {
      expect(read(record)).toEqual(expected);
      const row = signinReader()(signinValues(record) ?? new Map());
      if (typeof row !== 'string') expect([row.login.country, row.login.city]).toEqual(['NO', 'Oslo']);
    }
  });

  it.each([
    ['LOGIN', {}, false],
    ['LOGIN_ERROR', { error: 'invalid_user_credentials' }, true],
    ['CLIENT_LOGIN', {}, false],
    ['LOGOUT', {}, OTHER],
    ['CODE_TO_TOKEN', {}, OTHER],
    ['CODE_TO_TOKEN_ERROR', { error: 'invalid_code' }, OTHER],
  ])('Keycloak: %s', (type, more, failed) => {
    const event = { id: 'e', time: Date.parse(AT), type, realmId: 'r', clientId: 'app', userId: 'cc74404c' };
    const record = {
      ...event,
      ipAddress: '192.0.2.7',
      details: { auth_type: 'code', username: 'ann' },
      ...more,
    };
    expect(read(record)).toEqual(failed === OTHER ? OTHER : { user: 'ann', ip: '192.0.2.7', failed });
  });

  it('a field named data or details is only read where it belongs to such an event', () => {
    const record = { time: AT, user: 'ann', data: { ip: '192.0.2.7' }, details: { result: 'Success' } };
    expect(read(record)).toEqual({ user: 'ann', ip: null, failed: null });
  });

  it('Salesforce', () => {
    const row = signinReader()(
      signinValues({
        EventDate: '2026-11-18T09:30:00.239+0000',
        CreatedDate: '2026-11-18T09:30:22.128+0000',
        Username: 'ann@corp.example',
        UserId: '0055j00000AT6I1AAL',
        SourceIp: '192.0.2.7',
        Status: 'Failed: Missing Consumer Key Parameter',
        CountryIso: 'IN',
        Country: 'India',
        LoginLatitude: 21.1888,
        LoginLongitude: 72.8293,
      }) ?? new Map(),
    );
    expect(row).toMatchObject({
      login: {
        at: Date.parse(AT) + 239,
        user: 'ann@corp.example',
        ip: '192.0.2.7',
        failed: true,
        country: 'IN',
        lat: 21.1888,
        lon: 72.8293,
      },
      placed: 'coordinates',
    });
  });
});

describe('[bad input] objects that a program printed into the cells of a log', () => {
  const ENTRA = { createdDateTime: AT, userPrincipalName: 'ann', ipAddress: '192.0.2.7' };
  const login = (more: object) => {
    const row = signinReader()(signinValues({ ...ENTRA, ...more }) ?? new Map());
    if (typeof row === 'string') throw new Error(row);
    return [row.login.failed, row.login.country, row.login.city];
  };

  it.each([
    [0, false],
    [50126, true],
  ])('as PowerShell writes them, with the code %i', (code, failed) => {
    expect(
      login({
        status: `@{errorCode=${code}; failureReason=Wrong; or a=b; additionalDetails=}`,
        location: '@{city=Oslo; state=; countryOrRegion=NO; geoCoordinates=}',
      }),
    ).toEqual([failed, 'NO', 'Oslo']);
    expect(
      login({
        status: `class SignInAuditLogObjectStatus {\n  ErrorCode: ${code}\n  FailureReason: Wrong\n}\n`,
        location: 'class SignInAuditLogObjectLocation {\n  City: Oslo\n  CountryOrRegion: NO\n}\n',
      }),
    ).toEqual([failed, 'NO', 'Oslo']);
  });

  it('that are only a type, or in no known syntax, are unknown', () => {
    for (const text of [
      'Microsoft.Graph.PowerShell.Models.MicrosoftGraphSignInStatus',
      'System.Collections.Generic.Dictionary`2[System.String,System.Object]',
      `{'errorCode': 0, 'failureReason': "The user didn't sign in"}`,
    ])
      expect(login({ status: text, location: text })).toEqual([null, null, null]);
  });

  it('under dotted names', () => {
    const flat = { 'status.errorCode': '50126', 'location.city': 'Oslo', 'location.countryOrRegion': 'NO' };
    expect(login(flat)).toEqual([true, 'NO', 'Oslo']);
  });
});

describe('the Elastic Common Schema', () => {
  const event = (more: object, user: object = { name: 'ann', domain: 'corp.example' }) => ({
    '@timestamp': AT,
    event: { category: ['authentication', 'session'], outcome: 'failure', ...more },
    source: { ip: '192.0.2.7', geo: { country_iso_code: 'NO', location: { lat: 59.9, lon: 10.7 } } },
    user,
  });
  const read = (record: object) => {
    const row = signinReader()(signinValues(record) ?? new Map());
    return typeof row === 'string' ? row : row.login;
  };
  const ANN = { at: Date.parse(AT), user: 'ann@corp.example', ip: '192.0.2.7', failed: true, country: 'NO' };

  it('nested, from a search, and with dotted names', () => {
    expect(read(event({}))).toMatchObject({ ...ANN, lat: 59.9, lon: 10.7 });
    expect(read({ _index: 'i', _source: event({}) })).toMatchObject(ANN);
    expect(
      read({
        '@timestamp': AT,
        'event.category': 'authentication, session',
        'event.outcome': 'failure',
        'source.ip': '192.0.2.7',
        'source.geo.country_iso_code': 'NO',
        'user.email': 'ann@corp.example',
        'user.name': 'ann',
      }),
    ).toMatchObject(ANN);
  });

  it('without a category, only where a user is named', () => {
    const { event: __, user: _, ...rest } = event({});
    const firewall = { ...rest, event: { dataset: 'iptables.log', outcome: 'success' } };
    expect(read(firewall)).toBe('are other events than sign-ins');
    expect(read({ ...firewall, user: { email: ANN.user } })).toMatchObject({ user: ANN.user, failed: false });
  });

  it.each([
    [{ outcome: 'success' }, false],
    [{ outcome: 'unknown' }, null],
    [{ action: 'user.session.start' }, true],
    [{ action: 'user.session.end' }, 'other'],
    [{ type: ['end'] }, 'other'],
    [{ category: ['network'] }, 'other'],
    [{ action: 'account_disabled_password_leak', dataset: 'google_workspace.login' }, 'other'],
    [{ action: 'ConsoleLogin' }, true],
  ])('%j: %s', (more, failed) => {
    if (failed === 'other') expect(read(event(more))).toBe('are other events than sign-ins');
    else expect(read(event(more))).toMatchObject({ failed });
  });
});

it('a cell of many spaces is read in linear time', () =>
  expectLinear(20_000, (count) => {
    expect(signinValues({ city: `${' '.repeat(count)}x` })?.has('city')).toBe(true);
  }));
