/**
 * Neighbours of the sign-in logs of other tools' bug reports: times in a zone that only their heading names, codes of
 * interruptions, and addresses beside the name of a computer.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { openEvidence } from '#service/evidence/source.ts';
import { ingestEvidence } from '#service/import/ingest-evidence.ts';

const NOON = '2024-07-16T12:00:00.000Z';

interface Login {
  user: string;
  ip: string | null;
  failed: number;
  at: number;
}

/** The sign-ins of a log, and what is said about the rest. */
async function readLog(name: string, text: string, columns: object | null = null) {
  const folder = mkdtempSync(path.join(tmpdir(), 'parapet-neighbours-'));
  const store = openEvidence({ path: ':memory:' });
  try {
    writeFileSync(path.join(folder, name), text);
    if (columns) writeFileSync(path.join(folder, 'signin-columns.json'), JSON.stringify(columns));
    await ingestEvidence(store, folder);
    const logins = store.db.prepare('SELECT user, ip, failed, at FROM logins ORDER BY id').all() as Login[];
    return {
      logins,
      problems: (await store.evidence.report()).problems.map(({ reason }) => reason).join('\n'),
    };
  } finally {
    store.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

const table = (heading: string, time: string) =>
  `${heading},ResultType,UserPrincipalName,IPAddress,Location\n"${time}",0,ann@alpha.example,198.51.100.7,DE\n`;
const ZONELESS = 'have a time of whoever exported the log, without its zone';

it.each<[heading: string, time: string, columns: object | null, at: string | null]>([
  ['TimeGenerated [Ortszeit]', '16.07.2024, 14:00:00.000', null, null],
  ['TimeGenerated [Ortszeit]', '16.07.2024, 14:00:00.000', { zone: 'Europe/Berlin' }, NOON],
  ['TimeGenerated [Heure locale]', '16/07/2024 14:00:00', null, null],
  ['createdDateTime (Local)', '2024-07-16T14:00:00', null, null],
  ['Date (UTC)', '2024-07-16T12:00:00', null, NOON],
  ['Time (GMT)', '2024-07-16 12:00:00', null, NOON],
  ['Timestamp [Z]', '2024-07-16 12:00:00', null, NOON],
  // The heading names the offset.
  ['Date (UTC+02:00)', '2024-07-16T14:00:00', null, NOON],
  ['TimeGenerated [UTC-5]', '7/16/2024, 7:00:00.000 AM', null, NOON],
  ['Time (GMT+0530)', '2024-07-16 17:30:00', null, NOON],
  ['Time [Europe/Berlin]', '2024-07-16 14:00:00', null, NOON],
  // A zone in words has several meanings, and hostile ones none.
  ['Time (CST)', '2024-07-16 07:00:00', null, null],
  ['Time (UTC+99)', '2024-07-16 07:00:00', null, null],
  ['Time [Europe/Nowhere]', '2024-07-16 14:00:00', null, null],
  // The time's own zone counts.
  ['Date (UTC+02:00)', '2024-07-16T12:00:00Z', null, NOON],
])('%s, %s with %j is %s', async (heading, time, columns, instant) => {
  const { logins, problems } = await readLog('portal.csv', table(heading, time), columns);
  expect(logins.map((login) => new Date(login.at).toISOString())).toEqual(instant === null ? [] : [instant]);
  if (instant === null) expect(problems).toContain(ZONELESS);
  else expect(problems).not.toContain('left out');
});

it('of two columns with the time, the one whose zone is known counts', async () => {
  const text =
    'TimeGenerated [Local Time],TimeGenerated [UTC],ResultType,UserPrincipalName,IPAddress\n"16/07/2024, 14:00:00","16/07/2024, 12:00:00",0,ann@alpha.example,198.51.100.7\n';
  const { logins } = await readLog('both.csv', text);
  expect(logins.map((login) => new Date(login.at).toISOString())).toEqual([NOON]);
});

const entra = (more: object) => ({
  createdDateTime: NOON,
  userPrincipalName: 'ann@alpha.example',
  ipAddress: '198.51.100.7',
  ...more,
});
const codes: [more: object, failed: 0 | 1 | 2, isInterrupted: boolean][] = [
  [{ status: { errorCode: '50140' } }, 2, true],
  [{ status: { errorCode: 'AADSTS50125' } }, 2, true],
  [{ status: { errorCode: 'AADSTS50140: Interrupted by “Keep me signed in”.' } }, 2, true],
  [{ status: '@{errorCode=50140; failureReason=Other.; additionalDetails=}' }, 2, true],
  [{ ResultType: ' 50125 ', ResultDescription: 'x' }, 2, true],
  [{ errorCode: '50140.0' }, 2, true],
  [{ status: { error_code: 50140 } }, 2, true],
  [{ status: { errorCode: 50126 } }, 1, false],
  [{ status: { errorCode: 501400 } }, 1, false],
  [{ status: { errorCode: 'AADSTS50126: Invalid username or password (not 50140).' } }, 1, false],
  // Nothing is said, or nothing that can be read.
  [{ status: { failureReason: 'Other.' } }, 2, false],
  [{ status: { errorCode: [50140] } }, 2, false],
  [{ status: { errorCode: { value: 0 } } }, 2, false],
  [{ status: { errorCode: '' } }, 2, false],
];
it.each(codes)('the outcome of %j is %i', async (more, failed, isInterrupted) => {
  const { logins, problems } = await readLog('codes.json', JSON.stringify([entra(more)]));
  expect(logins.map((login) => login.failed)).toEqual([failed]);
  expect(problems.includes('interrupted')).toBe(isInterrupted);
});

const audit = (ClientIPAddress: unknown, more: object = {}) =>
  `${JSON.stringify({ CreationTime: '2024-07-16T12:00:00', Id: 'a', Operation: 'MailboxLogin', RecordType: 2, ResultStatus: 'Succeeded', Workload: 'Exchange', UserId: 'ann@alpha.example', ClientIPAddress, ...more })}\n`;
it.each<[value: unknown, ip: string | null]>([
  ['[2001:DB8::7]:443', '2001:db8::7'],
  ['HOST [198.51.100.7]', '198.51.100.7'],
  ['198.51.100.7 (HOST)', '198.51.100.7'],
  ['[198.51.100.7 (kauh.corp.example)]', '198.51.100.7'],
  ['HOST ( 198.51.100.7 )', '198.51.100.7'],
  ['::ffff:198.51.100.7', '198.51.100.7'],
  ['HOST (fe80::1%eth0)', 'fe80::1'],
  ['198.51.100.7/32', '198.51.100.7'],
  // Which of several it was is not known, and a name that looks like an address is none.
  ['HOST (198.51.100.7) (203.0.113.9)', null],
  ['198.51.100.7 (203.0.113.9)', null],
  ['198.51.100.7, 203.0.113.9', null],
  ['198.51.100.0/24', null],
  ['HOST (198.51.100.7:99999)', null],
  ['198.51.100.007', null],
  [`${'('.repeat(50_000)}198.51.100.7`, null],
])('the address %s is %s', async (value, ip) => {
  const { logins, problems } = await readLog('audit.jsonl', audit(value));
  expect(logins.map((login) => login.ip)).toEqual([ip]);
  expect(problems.includes('address')).toBe(ip === null);
});

it.each<[more: object, ip: string | null]>([
  // The older and the newer name of the same field, and one that is missing.
  [{ ClientIPAddress: undefined, ClientIP: '[198.51.100.7]:51234' }, '198.51.100.7'],
  [{ ClientIPAddress: null, ActorIpAddress: '198.51.100.7' }, '198.51.100.7'],
  [{ ClientIPAddress: '<null>', ClientIP: '198.51.100.7' }, '198.51.100.7'],
])('with %j the address is %s', async (more, ip) => {
  const { logins } = await readLog('audit.jsonl', audit('', more));
  expect(logins.map((login) => login.ip)).toEqual([ip]);
});
