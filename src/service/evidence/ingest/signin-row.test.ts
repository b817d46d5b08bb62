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
  ])('in a column of its own name, %s = %s: %s', (name, value, failed) => {
    expect(row({ [name]: value }, { result: name }).failed).toBe(failed);
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
    // The limits of numbers taken for seconds: 1973 and 5138.
    [100_000_000, 100_000_000_000],
    [99_999_999_999, 99_999_999_999_000],
    [100_000_000_000, 100_000_000_000],
  ])('%s', (time, at) => {
    expect(row({ time }).at).toBe(at);
  });

  it.each([1, 99_999_999, '20261118', 1e18, Number.NaN, 'soon'])('%s is none', (time) => {
    expect(() => row({ time })).toThrow(/no sign-in/);
  });
});
