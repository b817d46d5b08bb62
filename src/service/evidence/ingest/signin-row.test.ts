import { describe, expect, it } from 'vitest';
import { signinReader, signinValues } from './signin-row.ts';

const AT = '2026-11-18T09:30:00Z';
const row = (more: Record<string, unknown>, mapping = {}) => {
  const values = signinValues({ time: AT, user: 'a@corp.example', ip: '192.0.2.7', ...more });
  const read = values && signinReader(mapping)(values);
  if (!read || typeof read === 'string') throw new Error('It is no sign-in');
  return read.login;
};

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
    [{ result: 'Interrupted' }, true],
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
    ['::fffe:192.0.2.7', '::fffe:192.0.2.7'],
    ['1.2.3.4:', null],
    ['1.2.3.4:99999', null],
    ['1.2.3.4:443:5', null],
    ['[1.2.3.4', null],
    ['AWS Internal', null],
  ])('%s is %s', (text, ip) => {
    expect(row({ ip: text }).ip).toBe(ip);
  });
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
  ])('%s', (time, at) => {
    expect(row({ time }).at).toBe(at);
  });

  it.each([
    1,
    99_999_999,
    '20261118',
    1e18,
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
