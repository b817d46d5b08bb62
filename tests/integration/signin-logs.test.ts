/** Sign-in logs of evidence as login events: Entra and Azure AD in their formats, CSV, and faulty logs. */

import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { inflateSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openEvidence } from '#service/evidence/source.ts';
import { ingestEvidence } from '#service/import/ingest-evidence.ts';
import { LoginTableBuilder } from '#shared/logins/table.ts';
import { Served } from '../support/served.ts';

const NOW = Date.UTC(2026, 10, 19, 8);
const SHARED = process.env['PARAPET_SHARED'] ?? path.join(import.meta.dirname, '../../../shared/data');
const LOGS = path.join(SHARED, 'login');
let folder: string;
let evidence: Served;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'parapet-signin-'));
  evidence = new Served(NOW, openEvidence({ path: ':memory:' }));
});
afterEach(async () => {
  await evidence.close();
  rmSync(folder, { recursive: true, force: true });
});

const write = (name: string, text: string) => {
  mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
  writeFileSync(path.join(folder, name), text);
};
const rows = async (fail: boolean | 'unknown' = false) => {
  const { data } = await evidence.call('logins.heat-map', { query: { module: 'evidence', fail } });
  return JSON.parse(inflateSync(Buffer.from(data, 'base64')).toString()) as unknown[][];
};
const graph = (user: string, more: Record<string, unknown> = {}) => ({
  createdDateTime: '2026-11-18T09:30:00Z',
  userPrincipalName: user,
  ipAddress: '192.0.2.7',
  status: { errorCode: 0 },
  location: {
    city: 'Hamburg',
    state: 'Hamburg',
    countryOrRegion: 'DE',
    geoCoordinates: { latitude: 53.55, longitude: 9.99 },
  },
  ...more,
});

describe('formats of logs', () => {
  it('a Graph response, a list of it, and one object per line yield the same', async () => {
    write('a.json', JSON.stringify({ value: [graph('a@corp.example')] }, null, 2));
    write('b.json', JSON.stringify([graph('b@corp.example')]));
    write(
      'sub/c.ndjson',
      `${JSON.stringify(graph('c@corp.example'))}\n${JSON.stringify({ properties: graph('d@corp.example'), time: 'x' })}\n`,
    );
    await ingestEvidence(evidence.store, folder);
    const logins = await rows();
    expect(logins.map((row) => row[5]).sort()).toEqual([
      'a@corp.example',
      'b@corp.example',
      'c@corp.example',
      'd@corp.example',
    ]);
    for (const row of logins)
      expect([row[0], row[1], row[3], row[6]]).toEqual([53.55, 9.99, 'DE', '2026-11-18T09:30:00.000Z']);
    expect(await evidence.store.evidence.report()).toMatchObject({ notMail: 0, problems: [] });
  });

  it('a Graph response on one line of any length, with text before its list', async () => {
    const many = Array.from({ length: 200 }, (_, index) => graph(`u${index}@corp.example`));
    write('short.json', JSON.stringify({ value: [graph('short@corp.example')] }));
    write(
      'long.json',
      JSON.stringify({
        '@odata.context': 'https://graph.microsoft.com/v1.0/$metadata#signIns',
        '@odata.count': 200,
        value: many,
      }),
    );
    await ingestEvidence(evidence.store, folder);
    expect(await rows()).toHaveLength(201);
    expect(await evidence.store.evidence.report()).toMatchObject({ notMail: 0, problems: [] });
  });

  it('concatenated responses, or a list of them, lose no page', async () => {
    const page = (name: string) =>
      JSON.stringify({
        '@odata.nextLink': 'x',
        value: [graph(`${name}1@corp.example`), graph(`${name}2@corp.example`)],
      });
    write('a.json', `${page('a')}${page('b')}\r\n${JSON.stringify([graph('c@corp.example')])}`);
    write('b.json', `[${page('d')},\n${page('e')}]`);
    await ingestEvidence(evidence.store, folder);
    expect((await rows()).map((row) => String(row[5]).replace('@corp.example', '')).sort()).toEqual(
      'a1 a2 b1 b2 c d1 d2 e1 e2'.split(' '),
    );
    expect(await evidence.store.evidence.report()).toMatchObject({ notMail: 0, problems: [] });
  });

  it('CloudTrail: who signed in and how it ended, and no other call', async () => {
    const call = (eventName: string, more: object) => ({
      eventVersion: '1.08',
      userIdentity: { type: 'IAMUser', userName: 'ann', sessionContext: { userName: 'no' } },
      eventTime: '2026-11-18T09:30:00Z',
      eventSource: 'signin.amazonaws.com',
      eventName,
      sourceIPAddress: '192.0.2.7',
      ...more,
    });
    const consoleLogin = (word: string) => ({ responseElements: { ConsoleLogin: word, status: 'Success' } });
    write(
      'trail.json',
      JSON.stringify({
        Records: [
          call('ConsoleLogin', consoleLogin('Success')),
          call('ConsoleLogin', consoleLogin('Failure')),
          call('ConsoleLogin', consoleLogin('Maybe')),
          call('ConsoleLogin', {
            ...consoleLogin('Success'),
            userIdentity: { type: 'Root', arn: 'arn:aws:iam::1:root', accountId: '1' },
          }),
          call('GetObject', { responseElements: null }),
        ],
      }),
    );
    await ingestEvidence(evidence.store, folder);
    expect(evidence.store.db.prepare('SELECT user, ip, failed FROM logins ORDER BY id').all()).toEqual([
      { user: 'ann', ip: '192.0.2.7', failed: 0 },
      { user: 'ann', ip: '192.0.2.7', failed: 1 },
      { user: 'ann', ip: '192.0.2.7', failed: 2 },
      { user: 'arn:aws:iam::1:root', ip: '192.0.2.7', failed: 0 },
    ]);
    expect((await evidence.store.evidence.report()).problems.map(({ reason }) => reason)).toContain(
      '1 of 5 lines are other events than sign-ins and were left out',
    );
  });

  it('the unified audit log, as JSON and as a table: sign-ins with their outcome, and no other event', async () => {
    const event = (Operation: string, more: object = {}) => ({
      CreationTime: '2026-11-18T09:30:00',
      Id: 'a1',
      Operation,
      RecordType: 15,
      ResultStatus: 'Success',
      UserId: 'ann@corp.example',
      Workload: 'AzureActiveDirectory',
      ClientIP: '192.0.2.7:51234',
      ...more,
    });
    const all = [
      event('UserLoggedIn'),
      event('UserLoginFailed', { ClientIP: '[2001:db8::7]:443', LogonError: 'InvalidUserNameOrPassword' }),
      event('FileAccessed', { RecordType: 6, Workload: 'SharePoint' }),
    ];
    const expected = [
      { user: 'ann@corp.example', ip: '192.0.2.7', failed: 0, at: Date.UTC(2026, 10, 18, 9, 30) },
      { user: 'ann@corp.example', ip: '2001:db8::7', failed: 1, at: Date.UTC(2026, 10, 18, 9, 30) },
    ];
    const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
    write('a.json', JSON.stringify(all));
    write(
      'b.json',
      JSON.stringify(
        all.map((record) => ({ CreationDate: record.CreationTime, AuditData: JSON.stringify(record) })),
      ),
    );
    write(
      'c.csv',
      `RecordType,CreationDate,UserIds,Operations,AuditData\r\n${all
        .map(
          (record) =>
            `15,2026-11-18T09:30:00.0000000Z,ann@corp.example,${record.Operation},${quoted(JSON.stringify(record))}\r\n`,
        )
        .join('')}`,
    );
    await ingestEvidence(evidence.store, folder);
    expect(evidence.store.db.prepare('SELECT user, ip, failed, at FROM logins ORDER BY id').all()).toEqual([
      ...expected,
      ...expected,
      ...expected,
    ]);
    expect((await evidence.store.evidence.report()).problems.map(({ reason }) => reason)).toContain(
      '1 of 3 lines are other events than sign-ins and were left out',
    );
  });

  it('Okta: the system log as JSON and as a table', async () => {
    const event = (eventType: string, result: string) => ({
      actor: { id: '00u1', type: 'User', alternateId: 'ann@corp.example', displayName: 'Ann' },
      client: {
        ipAddress: '192.0.2.7',
        geographicalContext: { city: 'Hamburg', country: 'Germany', geolocation: { lat: 53.55, lon: 9.99 } },
      },
      outcome: { result, reason: result === 'FAILURE' ? 'INVALID_CREDENTIALS' : null },
      eventType,
      published: '2026-11-18T09:30:00.000Z',
    });
    write(
      'okta.json',
      JSON.stringify([
        event('user.session.start', 'SUCCESS'),
        event('user.authentication.auth_via_IDP', 'FAILURE'),
        event('app.oauth2.token.grant', 'SUCCESS'),
      ]),
    );
    write(
      'okta.csv',
      'timestamp,eventType,actor.alternateId,client.ipAddress,outcome.result,client.geographicalContext.geolocation.lat,client.geographicalContext.geolocation.lon\r\n2026-11-18T09:30:00.000Z,user.session.start,bob@corp.example,192.0.2.8,DENY,53.55,9.99\r\n',
    );
    await ingestEvidence(evidence.store, folder);
    expect(evidence.store.db.prepare('SELECT user, ip, failed, lat FROM logins ORDER BY id').all()).toEqual([
      { user: 'bob@corp.example', ip: '192.0.2.8', failed: 1, lat: 53.55 },
      { user: 'ann@corp.example', ip: '192.0.2.7', failed: 0, lat: 53.55 },
      { user: 'ann@corp.example', ip: '192.0.2.7', failed: 1, lat: 53.55 },
    ]);
    expect((await evidence.store.evidence.report()).problems.map(({ reason }) => reason)).toContain(
      '1 of 3 lines are other events than sign-ins and were left out',
    );
  });

  it('Google Workspace: the login report as JSON and as a table', async () => {
    const activity = (name: string) => ({
      kind: 'admin#reports#activity',
      id: {
        time: '2026-11-18T09:30:00.000Z',
        ...(name === 'logout' ? {} : { uniqueQualifier: '-1' }),
        applicationName: 'login',
        customerId: 'C0',
      },
      actor: { email: 'ann@corp.example', profileId: '1' },
      ipAddress: '2001:db8::7',
      events: [{ type: 'login', name, parameters: [{ name: 'login_type', value: 'google_password' }] }],
    });
    write(
      'google.json',
      JSON.stringify({
        kind: 'admin#reports#activities',
        etag: '"x"',
        items: ['login_success', 'login_failure', 'logout'].map(activity),
      }),
    );
    write(
      'google.csv',
      'Date,Event,Description,Actor,IP address,Login type\r\n2026-11-18T10:30:00+01:00,Failed login,x,bob@corp.example,192.0.2.8,Google password\r\n2026-11-18T10:30:00+01:00,Logout,x,bob@corp.example,192.0.2.8,\r\n',
    );
    await ingestEvidence(evidence.store, folder);
    const time = Date.UTC(2026, 10, 18, 9, 30);
    expect(evidence.store.db.prepare('SELECT user, ip, failed, at FROM logins ORDER BY id').all()).toEqual([
      { user: 'bob@corp.example', ip: '192.0.2.8', failed: 1, at: time },
      { user: 'ann@corp.example', ip: '2001:db8::7', failed: 0, at: time },
      { user: 'ann@corp.example', ip: '2001:db8::7', failed: 1, at: time },
    ]);
  });

  it('count towards the progress of an import, which reaches 100 %', async () => {
    write('mail/a.eml', 'From: a@x.example\nSubject: a\n\nbody\n');
    const line = `${JSON.stringify(graph('a@corp.example'))}\n`;
    write('a.jsonl', line.repeat(20_000));
    write('b.csv', 'time,user,ip\n2026-11-18T09:30:00Z,a@corp.example,192.0.2.7\n');
    const progress: {
      files: number;
      totalFiles: number;
      bytes: number;
      totalBytes: number;
      file: string | null;
    }[] = [];
    await ingestEvidence(evidence.store, folder, { onProgress: (report) => progress.push(report) });
    const last = progress.at(-1);
    expect(last).toMatchObject({ files: 3, totalFiles: 3, file: null });
    expect(last?.bytes).toBe(last?.totalBytes);
    expect(last?.totalBytes).toBeGreaterThan(line.length * 20_000);
    const shares = progress
      .filter(({ file }) => file === 'a.jsonl')
      .map(({ bytes, totalBytes }) => bytes / totalBytes);
    expect(shares.every((part, index) => part < 1 && part >= (shares[index - 1] ?? 0))).toBe(true);
    expect(shares.at(-1)).toBeGreaterThan(shares[0] ?? 1);
  });

  it('a list with one entry longer than the limit of a line, and one that is cut off', async () => {
    write(
      'a.json',
      JSON.stringify([graph('a@corp.example'), graph('x'.repeat(5_000_000)), graph('b@corp.example')]),
    );
    const whole = JSON.stringify({
      '@odata.count': 2,
      note: 'value": [',
      value: ['c', 'd'].map((name) => graph(`${name}@x`)),
    });
    write('b.json', whole);
    write('c.json', whole.slice(0, -20));
    await ingestEvidence(evidence.store, folder);
    expect(evidence.store.db.prepare('SELECT user FROM logins ORDER BY id').pluck().all()).toEqual([
      'a@corp.example',
      'b@corp.example',
      'c@x',
      'd@x',
      // The complete entry before the cut.
      'c@x',
    ]);
    const { problems } = await evidence.store.evidence.report();
    expect(problems.map(({ file, reason }) => `${file}: ${reason}`).sort()).toEqual([
      'a.json: 1 of 3 lines are longer than 4 MB and were left out',
      'c.json: a sign-in log, but it is cut short, or no JSON',
    ]);
    // The damaged log was read just now, so it counts as unreadable, not as unreachable.
    expect(await evidence.store.evidence.report()).toMatchObject({ unreadable: 1, unreachable: 0 });
  });

  it.each(['utf-16le', 'utf-16be'])('UTF-16 as PowerShell writes it: %s', async (charset) => {
    const encoded = (text: string) => {
      const bytes = Buffer.from(`\ufeff${text}`, 'utf16le');
      return charset === 'utf-16le' ? bytes : bytes.swap16();
    };
    // Longer than one block, so that characters straddle two.
    const users = Array.from({ length: 9_000 }, (_, index) => `ü${index}@corp.example`);
    writeFileSync(
      path.join(folder, 'a.csv'),
      encoded(
        `time,user,ip\r\n${users.map((user) => `2026-11-18T09:30:00Z,${user},192.0.2.7\r\n`).join('')}`,
      ),
    );
    writeFileSync(path.join(folder, 'b.json'), encoded(JSON.stringify([graph('b@corp.example')])));
    writeFileSync(path.join(folder, 'c.jsonl'), encoded(`${JSON.stringify(graph('c@corp.example'))}\r\n`));
    await ingestEvidence(evidence.store, folder);
    expect(evidence.store.db.prepare('SELECT user FROM logins ORDER BY id').pluck().all()).toEqual([
      ...users,
      'b@corp.example',
      'c@corp.example',
    ]);
    expect(evidence.store.db.prepare('SELECT count(*) FROM logins WHERE failed = 2').pluck().get()).toBe(
      9_000,
    );
  });

  it.each([';', ',', '\t', '|'])('CSV whose first line names its separator: %j', async (sep) => {
    const line = (...cells: string[]) => `${cells.join(sep)}\r\n`;
    write(
      'a.csv',
      `\ufeffsep=${sep}\r\n${line('time', 'user', 'ip')}${line('2026-11-18T09:30:00Z', 'a@corp.example', '[2001:db8::7]:443')}`,
    );
    await ingestEvidence(evidence.store, folder);
    expect(evidence.store.db.prepare('SELECT user, ip, failed FROM logins').all()).toEqual([
      { user: 'a@corp.example', ip: '2001:db8::7', failed: 2 },
    ]);
  });

  it.each(['', 'sep=,\r\n'])('CSV of PowerShell with the type before its headings: %j', async (sep) => {
    write(
      'a.csv',
      `#TYPE Selected.System.Management.Automation.PSCustomObject\r\n${sep}"time","user","ip"\r\n"2026-11-18T09:30:00Z","a@corp.example","192.0.2.7"\r\n`,
    );
    await ingestEvidence(evidence.store, folder);
    expect(evidence.store.db.prepare('SELECT user, ip FROM logins').all()).toEqual([
      { user: 'a@corp.example', ip: '192.0.2.7' },
    ]);
  });

  it.each(['\n', '\r', '\r\n'])('CSV with line ends %j, and others within and after it', async (end) => {
    const line = (user: string, more = '') => `2026-11-18T09:30:00Z,${user},192.0.2.7,${more}`;
    write(
      'a.csv',
      [
        'time,user,ip,note,,',
        line('a@corp.example', '"two\r\nlines, one ""cell""",,'),
        line('b@corp.example', ',,'),
        '',
        ',,,,,',
        // Logs that were joined by another program.
        `${line('c@corp.example')}\n${line('d@corp.example')}\r\n${line('e@corp.example')}`,
      ].join(end),
    );
    await ingestEvidence(evidence.store, folder);
    expect(evidence.store.db.prepare('SELECT user FROM logins ORDER BY id').pluck().all()).toEqual(
      ['a', 'b', 'c', 'd', 'e'].map((name) => `${name}@corp.example`),
    );
    expect((await evidence.store.evidence.report()).problems.map(({ reason }) => reason)).toEqual([
      '1 of 6 lines name no time that can be read and were left out',
      expect.stringContaining('sign-ins name no place'),
    ]);
  });

  it('[bad input] CSV in the charset of a Western Excel, with a note', async () => {
    const text = `time;user;ip;city;country\r\n${Array.from(
      { length: 6_000 },
      (_, index) => `2026-11-18T09:30:00Z;Jörg Müller €${index};192.0.2.7;Oslo;NO\r\n`,
    ).join('')}`;
    writeFileSync(path.join(folder, 'a.csv'), Buffer.from(text.replaceAll('€', '\x80'), 'latin1'));
    write('b.csv', text);
    await ingestEvidence(evidence.store, folder);
    const { db } = evidence.store;
    const users = db.prepare('SELECT user FROM logins ORDER BY id').pluck().all();
    const expected = Array.from({ length: 6_000 }, (_, index) => `Jörg Müller €${index}`);
    expect(users).toEqual([...expected, ...expected]);
    expect((await evidence.store.evidence.report()).problems).toEqual([
      {
        file: 'a.csv',
        offset: null,
        reason: 'it is not UTF-8: 18,000 characters were read as Windows-1252',
      },
    ]);
  });

  it('cells that a spreadsheet keeps as text, with a comma for the decimal point', async () => {
    write(
      'a.csv',
      'sep=;\r\ntime;user;ip;lat;lon\r\n="2026-11-18T09:30:00Z";="a@corp.example";="192.0.2.7";52,52;"13,4"\r\n',
    );
    await ingestEvidence(evidence.store, folder);
    expect(evidence.store.db.prepare('SELECT at, user, ip, lat, lon FROM logins').all()).toEqual([
      { at: Date.UTC(2026, 10, 18, 9, 30), user: 'a@corp.example', ip: '192.0.2.7', lat: 52.52, lon: 13.4 },
    ]);
  });

  it.each(['46344,3958', '1,76346E+12', '18-Nov-26'])(
    'a time that is mangled is not guessed, and counted: %s',
    async (time) => {
      write('a.csv', `time;user;ip\r\n"${time}";a@corp.example;192.0.2.7\r\n`);
      await ingestEvidence(evidence.store, folder);
      expect(evidence.one('SELECT count(*) FROM logins')).toBe('0');
      expect((await evidence.store.evidence.report()).problems.map(({ reason }) => reason)).toEqual([
        '1 of 1 lines name no time that can be read and were left out',
      ]);
    },
  );

  it('dates are read in the order that the log shows, or the analyst states; a guess is reported', async () => {
    const log = (...times: string[]) =>
      `time,user,ip\n${times.map((time) => `${time},a@corp.example,192.0.2.7\n`).join('')}`;
    const times = () =>
      evidence.store.db
        .prepare<[], number>('SELECT at FROM logins ORDER BY at')
        .pluck()
        .all()
        .map((time) => new Date(time).toISOString().slice(0, 16));
    write('shown.csv', log('03/04/2026 09:30', '28/04/2026 09:30'));
    write('open/a.csv', log('03/04/2025 09:30', '03/03/2025 09:30'));
    write('usual.csv', log('"3/4/2024, 9:30:00 AM"', '"3/3/2024, 9:30:00 AM"'));
    await ingestEvidence(evidence.store, folder);
    expect(times()).toEqual([
      '2024-03-03T09:30',
      '2024-03-04T09:30',
      '2025-03-03T09:30',
      '2026-04-03T09:30',
      '2026-04-28T09:30',
    ]);
    expect((await evidence.store.evidence.report()).problems).toContainEqual({
      file: 'usual.csv',
      offset: null,
      reason: expect.stringMatching(/^1 of 2 sign-ins have a date .* read with the month first/),
    });
    expect((await evidence.store.evidence.report()).problems).toContainEqual({
      file: 'open/a.csv',
      offset: null,
      reason:
        '1 of 2 lines have a date whose day and month cannot be told apart (“dates” in signin-columns.json can say “day first” or “month first”) and were left out',
    });
    write('open/signin-columns.json', '{"dates": "day first"}');
    await ingestEvidence(evidence.store, folder);
    expect(times()).toContain('2025-04-03T09:30');
    write('open/signin-columns.json', '{"dates": "backwards"}');
    await ingestEvidence(evidence.store, folder);
    expect((await evidence.store.evidence.report()).problems.map(({ reason }) => reason)).toContainEqual(
      expect.stringContaining('“dates” are neither “day first” nor “month first”'),
    );
  });

  it('a table of Kibana is left out until its zone is named', async () => {
    write(
      'kibana.csv',
      '"@timestamp","event.category","event.outcome","user.name","source.ip"\n"Jun 29, 2020 @ 14:00:00.000",authentication,success,ann,"192.0.2.7"\n',
    );
    const reasons = async () => (await evidence.store.evidence.report()).problems.map(({ reason }) => reason);
    await ingestEvidence(evidence.store, folder);
    expect(await rows()).toEqual([]);
    expect(await reasons()).toContainEqual(
      expect.stringMatching(/^1 of 1 lines have a time of whoever exported the log/),
    );
    write('signin-columns.json', '{"zone": "Europe/Warsaw"}');
    await ingestEvidence(evidence.store, folder);
    expect((await rows()).map((row) => row[6])).toEqual(['2020-06-29T12:00:00.000Z']);
    write('signin-columns.json', '{"zone": "Warsaw"}');
    await ingestEvidence(evidence.store, folder);
    expect(await reasons()).toContainEqual(expect.stringContaining('“zone” is no time zone'));
  });

  it('a table of Azure in local time is left out until its zone is named, and interruptions are counted', async () => {
    write(
      'portal.csv',
      'TimeGenerated [Local Time],ResultType,UserPrincipalName,IPAddress,Location\n"16/07/2024, 20:26:12.030",50140,ann@alpha.example,198.51.100.7,DE\n',
    );
    const reasons = async () => (await evidence.store.evidence.report()).problems.map(({ reason }) => reason);
    await ingestEvidence(evidence.store, folder);
    expect(await rows()).toEqual([]);
    expect(await reasons()).toContainEqual(
      expect.stringMatching(/^1 of 1 lines have a time of whoever exported/),
    );
    write('signin-columns.json', '{"zone": "Europe/Berlin"}');
    await ingestEvidence(evidence.store, folder);
    expect(await reasons()).toContainEqual(expect.stringMatching(/^1 of 1 sign-ins were interrupted/));
    expect(evidence.store.db.prepare('SELECT at, failed FROM logins').all()).toEqual([
      { at: Date.UTC(2024, 6, 16, 18, 26, 12, 30), failed: 2 },
    ]);
  });

  it('counts sign-ins without a place among sign-ins, not among all lines', async () => {
    const line = (time: string) => `${time},a@corp.example,192.0.2.7\n`;
    write(
      'a.csv',
      `time,user,ip\n${line('2026-11-18T09:30:00Z').repeat(2_000)}${line('soon').repeat(1_500)}`,
    );
    await ingestEvidence(evidence.store, folder);
    expect((await evidence.store.evidence.report()).problems.map(({ reason }) => reason)).toEqual([
      '1,500 of 3,500 lines name no time that can be read and were left out',
      '2,000 of 2,000 sign-ins name no place that is known: they are listed, but not on the map',
    ]);
  });

  it('an unreadable IP address is omitted from its sign-in, and counted', async () => {
    write(
      'a.csv',
      'time,user,ip,city,country\n2026-11-18T09:30:00Z,a@corp.example,"192.0.2.7, 10.0.0.1",Oslo,NO\n2026-11-18T09:30:00Z,b@corp.example,,Oslo,NO\n2026-11-18T09:30:00Z,c@corp.example,-,Oslo,NO\n',
    );
    await ingestEvidence(evidence.store, folder);
    expect(evidence.store.db.prepare('SELECT user, ip FROM logins ORDER BY id').all()).toEqual([
      { user: 'a@corp.example', ip: null },
      { user: 'b@corp.example', ip: null },
      { user: 'c@corp.example', ip: null },
    ]);
    expect((await evidence.store.evidence.report()).problems.map(({ reason }) => reason)).toEqual([
      '1 of 3 sign-ins have an address that cannot be read, and are listed without it',
    ]);
  });

  it('the list of a portal, with locations in a single text', async () => {
    write(
      'InteractiveSignIns.csv',
      'Date (UTC),User,Username,IP address,Location,Status,Sign-in error code\r\n2026-11-18T09:30:00Z,A B,a@corp.example,192.0.2.7,"Paris, Ile-de-France, FR",Failure,50126\r\n2026-11-18T09:30:00Z,A B,b@corp.example,192.0.2.7,"Nowhere, at all",Success,0\r\n',
    );
    await ingestEvidence(evidence.store, folder);
    expect(
      evidence.store.db.prepare('SELECT user, city, country, lat, failed FROM logins ORDER BY user').all(),
    ).toEqual([
      { user: 'a@corp.example', city: 'Paris', country: 'FR', lat: 48.86, failed: 1 },
      { user: 'b@corp.example', city: null, country: 'Nowhere, at all', lat: null, failed: 0 },
    ]);
  });

  it('an export of a workspace: objects and codes as text, times without a zone', async () => {
    const line = {
      'CreatedDateTime [UTC]': '2026-11-18 09:30:00.123',
      UserPrincipalName: 'a@corp.example',
      IPAddress: '2001:db8::7',
      ResultType: '50126',
      Location: 'US',
      LocationDetails: "{'city': 'Seattle', 'countryOrRegion': 'US', 'state': None}",
    };
    write('signins.jsonl', `${JSON.stringify(line)}\n`);
    await ingestEvidence(evidence.store, folder);
    expect(await rows()).toEqual([]);
    expect(await rows(true)).toEqual([
      [
        47.61,
        -122.33,
        1,
        'US',
        '2001:db8::7',
        'a@corp.example',
        '2026-11-18T09:30:00.123Z',
        'Seattle',
        expect.any(Number),
      ],
    ]);
  });

  it('[bad input] CSV by its headings, with any of three separators', async () => {
    write(
      'x.csv',
      '\ufeffLogin Timestamp;User ID;IP Address;Country;City;Login Successful\r\n2026-11-18 09:30:00;"u;1";192.0.2.9;NO;Oslo;True\r\n',
    );
    write(
      'y.tsv',
      'time\tuser\tip\tlatitude\tlongitude\tresult\n2026-11-18T10:00:00+01:00\tb@corp.example\t192.0.2.8\t-33.9\t18.4\tfailure\n',
    );
    await ingestEvidence(evidence.store, folder);
    expect(await rows()).toEqual([
      [59.91, 10.75, 1, 'NO', '192.0.2.9', 'u;1', '2026-11-18T09:30:00.000Z', 'Oslo', 1],
    ]);
    expect((await rows(true))[0]?.slice(0, 2)).toEqual([-33.9, 18.4]);
  });

  it('[promise, bad input] CSV by a mapping of its columns, read again when the mapping changes', async () => {
    write('odd.csv', 'Wann,Wer,Woher,Breite,Länge\n2026-11-18T09:30:00Z,a@corp.example,192.0.2.9,10,20\n');
    await ingestEvidence(evidence.store, folder);
    expect(await rows()).toEqual([]);
    expect((await evidence.store.evidence.report()).notMail).toBe(1);
    write('signin-columns.json', JSON.stringify({ time: 'Wann', user: 'Wer', ip: 'Woher', lat: 'Breite' }));
    await ingestEvidence(evidence.store, folder);
    // The mapping has no column for the outcome.
    expect(await rows()).toEqual([]);
    expect((await rows('unknown'))[0]?.slice(0, 2)).toEqual([null, null]);
    write(
      'signin-columns.json',
      JSON.stringify({ time: 'Wann', user: 'Wer', ip: 'Woher', lat: 'Breite', lon: 'Lnge' }),
    );
    await ingestEvidence(evidence.store, folder);
    expect(await rows('unknown')).toHaveLength(1);
  });
});

it.each(['utf-8', 'utf-16le'])(
  'a column mapping as Windows writes it: %s with a byte order mark',
  async (charset) => {
    write('odd.csv', 'Wann,Wer,Woher\n2026-11-18T09:30:00Z,a@corp.example,192.0.2.9\n');
    const mapping = `\ufeff${JSON.stringify({ time: 'Wann', user: 'Wer', ip: 'Woher' })}`;
    writeFileSync(
      path.join(folder, 'signin-columns.json'),
      Buffer.from(mapping, charset === 'utf-8' ? 'utf8' : 'utf16le'),
    );
    await ingestEvidence(evidence.store, folder);
    expect(await rows('unknown')).toHaveLength(1);
  },
);

describe('outcomes', () => {
  it('that are not given are neither successes nor failures, and are counted', async () => {
    const of = (user: string, status: unknown) => graph(`${user}@corp.example`, { status });
    write(
      'a.json',
      JSON.stringify([of('ok', 'Success'), of('no', 'Blocked'), of('odd', 'MAYBE'), of('silent', null)]),
    );
    await ingestEvidence(evidence.store, folder);
    const users = async (fail: boolean | 'unknown') => (await rows(fail)).map((row) => String(row[5]));
    expect(await users(false)).toEqual(['ok@corp.example']);
    expect(await users(true)).toEqual(['no@corp.example']);
    expect((await users('unknown')).sort()).toEqual(['odd@corp.example', 'silent@corp.example']);
    for (const fail of [false, true, 'unknown'] as const)
      expect(await evidence.call('logins.heat-map', { query: { module: 'evidence', fail } })).toMatchObject({
        unknown_rows: 2,
      });
  });
});

describe('logs read by an earlier version', () => {
  const ids = () => evidence.store.db.prepare('SELECT path, id FROM evidence_logs ORDER BY path').all();
  const mangled = () =>
    evidence.store.db.prepare("SELECT city FROM logins WHERE city LIKE '%Ã%' ORDER BY city").pluck().all();
  /** Three logs as an earlier version stored them: the accents of their city mangled. */
  const readEarlier = async () => {
    for (const name of ['a', 'b', 'c'])
      write(
        `${name}.json`,
        JSON.stringify([
          graph(`${name}@corp.example`, { location: { city: 'Zürich', countryOrRegion: 'CH' } }),
        ]),
      );
    await ingestEvidence(evidence.store, folder);
    evidence.store.db.exec("UPDATE logins SET city = 'ZÃ¼rich'; UPDATE evidence_logs SET reader = 'earlier'");
    expect(mangled()).toHaveLength(3);
  };

  it('are read again automatically, once', async () => {
    await readEarlier();
    await ingestEvidence(evidence.store, folder);
    expect(mangled()).toEqual([]);
    expect(await rows()).toHaveLength(3);
    const after = ids();
    await ingestEvidence(evidence.store, folder);
    expect(ids()).toEqual(after);
  });

  it('resume at the log where the import was interrupted', async () => {
    await readEarlier();
    const before = ids();
    const stop = new AbortController();
    const { db } = evidence.store;
    db.function('cancel', () => void stop.abort());
    db.exec(
      "CREATE TEMP TRIGGER t AFTER INSERT ON logins WHEN new.user LIKE 'b@%' BEGIN SELECT cancel(); END",
    );
    await expect(ingestEvidence(evidence.store, folder, { signal: stop.signal })).rejects.toThrow();
    db.exec('DROP TRIGGER t');
    const between = ids();
    expect(mangled()).toHaveLength(1);
    expect(between[2]).toEqual(before[2]);
    await ingestEvidence(evidence.store, folder);
    expect(mangled()).toEqual([]);
    // The first two were not read a third time.
    expect(ids().slice(0, 2)).toEqual(between.slice(0, 2));
    expect(ids()[2]).not.toEqual(before[2]);
  });

  it('are not blamed for an error of the index', async () => {
    write('a.json', JSON.stringify([graph('a@corp.example')]));
    const { db } = evidence.store;
    db.exec("CREATE TEMP TRIGGER t AFTER INSERT ON logins BEGIN SELECT raise(ABORT, 'the index'); END");
    await expect(ingestEvidence(evidence.store, folder)).rejects.toThrow('the index');
    db.exec('DROP TRIGGER t');
    expect((await ingestEvidence(evidence.store, folder)).problems).toEqual([]);
    expect(await rows()).toHaveLength(1);
  });

  it('keep their sign-ins while their file is damaged', async () => {
    await readEarlier();
    write('b.json', `[${JSON.stringify(graph('b@corp.example'))},{"userPrincipalName":`);
    await ingestEvidence(evidence.store, folder);
    expect(mangled()).toEqual(['ZÃ¼rich']);
    expect((await evidence.store.evidence.report()).problems).toMatchObject([{ file: 'b.json' }]);
  });
});

describe('places', () => {
  it('[promise] uses a city that the log names, and never guesses', async () => {
    const signin = (location: unknown) => graph('a@corp.example', { location });
    write(
      'a.json',
      JSON.stringify([
        signin({ city: 'Zürich', countryOrRegion: 'CH' }),
        signin({ city: 'London', countryOrRegion: 'CA' }),
        signin({ city: 'London' }),
        signin({ city: 'Atlantis', countryOrRegion: 'GR' }),
        signin({ countryOrRegion: 'FR' }),
        signin({ city: 'Oslo', countryOrRegion: 'NO', geoCoordinates: { latitude: 0, longitude: 0 } }),
        signin({
          city: 'Oslo',
          countryOrRegion: 'NO',
          geoCoordinates: { latitude: 'north', longitude: 9.99 },
        }),
        signin({ countryOrRegion: 'NO', geoCoordinates: { latitude: 91, longitude: 10 } }),
      ]),
    );
    await ingestEvidence(evidence.store, folder);
    const logins = (await rows()).toReversed();
    expect(logins.map((row) => row[0])).toEqual([47.38, 42.98, null, null, null, 59.91, 59.91, null]);
    const table = new LoginTableBuilder(NOW);
    table.add(logins, 0, false);
    expect(table.build()).toMatchObject({ size: 8, unplaced: 4 });
    expect((await evidence.store.evidence.report()).problems).toEqual([
      { file: 'a.json', offset: null, reason: expect.stringContaining('4 of 8 sign-ins name no place') },
    ]);
  });
});

describe('faulty logs', () => {
  it.each([
    [
      'cut.json',
      JSON.stringify([graph('a@corp.example'), graph('b@corp.example')]).slice(0, -40),
      /cut short/,
    ],
    [
      'deep.json',
      `[${JSON.stringify(graph('a@corp.example')).slice(0, -1)},"x":${'['.repeat(5_000)}${']'.repeat(5_000)}}]`,
      /1 of 1 lines nest too deep/,
    ],
    ['one.json', JSON.stringify({ things: [graph('a@corp.example')] }, null, 1), /name no time/],
  ])('%s is reported and stops nothing', async (name, text, reason) => {
    write(name, text);
    write('good.json', JSON.stringify([graph('good@corp.example')]));
    await ingestEvidence(evidence.store, folder);
    // The complete entries before a cut are read.
    const expected = name === 'cut.json' ? ['a@corp.example'] : [];
    expect((await rows()).map((row) => row[5]).sort()).toEqual([...expected, 'good@corp.example']);
    const { problems } = await evidence.store.evidence.report();
    expect(problems).toEqual([{ file: name, offset: null, reason: expect.stringMatching(reason) }]);
  });

  it('malformed lines are counted; other files of the same type are not logs', async () => {
    write('a.jsonl', `${JSON.stringify(graph('a@corp.example'))}\n{"createdDateTime":1}\nnot json\n[]\n`);
    write('package.json', '{"name":"x","version":"1"}');
    write('table.csv', 'name,price\nx,1\n');
    await ingestEvidence(evidence.store, folder);
    expect(await rows()).toHaveLength(1);
    const { problems, notMail } = await evidence.store.evidence.report();
    expect(notMail).toBe(2);
    expect(problems.filter(({ file }) => file === 'a.jsonl').map(({ reason }) => reason)).toEqual([
      '1 of 4 lines name no time that can be read and were left out',
      '1 of 4 lines are no JSON and were left out',
      '1 of 4 lines are no object with named values and were left out',
    ]);
  });

  it('a removed log removes its logins, a changed one is read again, and an unchanged one is not', async () => {
    write('a.json', JSON.stringify([graph('a@corp.example')]));
    write('b.json', JSON.stringify([graph('b@corp.example')]));
    await ingestEvidence(evidence.store, folder);
    const before = evidence.one('SELECT group_concat(id) FROM logins');
    await ingestEvidence(evidence.store, folder);
    expect(evidence.one('SELECT group_concat(id) FROM logins')).toBe(before);
    rmSync(path.join(folder, 'a.json'));
    write('b.json', JSON.stringify([graph('b@corp.example'), graph('c@corp.example')]));
    await ingestEvidence(evidence.store, folder);
    expect((await rows()).map((row) => row[5]).sort()).toEqual(['b@corp.example', 'c@corp.example']);
  });
});

describe('the same sign-in in several logs', () => {
  const ID = (number: number) => `2ef9a610-4bae-443a-97c0-${String(number).padStart(12, '0')}`;
  const entra = (number: number, more: Record<string, unknown> = {}) =>
    graph('Ann@corp.example', { id: ID(number), correlationId: ID(999), ...more });
  const PORTAL =
    'Date (UTC),Request ID,Correlation ID,User,Username,IP address,Location,Status,Sign-in error code';
  const portal = (number: number) =>
    `2026-11-18T09:30:00Z,${ID(number)},${ID(999)},Ann,ann@corp.example,192.0.2.7,"Hamburg, Hamburg, DE",Success,0`;
  const audited = (number: number) => ({
    CreationTime: '2026-11-18T09:30:00',
    Id: ID(number),
    IntraSystemId: ID(number),
    Operation: 'UserLoggedIn',
    RecordType: 15,
    ResultStatus: 'Success',
    UserId: 'ann@corp.example',
    Workload: 'AzureActiveDirectory',
    ClientIP: '192.0.2.7:51234',
  });
  const LINES = 'time,user,ip,country\n';
  const line = (user: string) => `2026-11-18T09:30:00Z,${user}@corp.example,192.0.2.7,DE\n`;
  const all = async () => [...(await rows()), ...(await rows(true)), ...(await rows('unknown'))];
  const read = (options = {}) => ingestEvidence(evidence.store, folder, options);

  it('is one in the Entra table, its JSON and the unified audit log, at the place that any of them names', async () => {
    write('a-audit.json', JSON.stringify([audited(1), audited(2), audited(3)]));
    write('b.csv', `${PORTAL}\n${portal(1)}\n${portal(2)}\n`);
    write('c.json', JSON.stringify({ value: [entra(2), entra(3), entra(3), entra(4)] }));
    await read();
    expect((await evidence.store.evidence.report()).known).toBe(4);
    expect((await rows()).map(([lat, , , country]) => [lat !== null, country])).toEqual(
      Array.from({ length: 4 }, () => [true, 'DE']),
    );
    expect(
      await evidence.call('logins.heat-map', { query: { module: 'evidence', fail: false } }),
    ).toMatchObject({
      total_rows: 4,
    });
  });

  it('stays while any log has it; changed and re-read logs list nothing twice', async () => {
    write('a.json', JSON.stringify([entra(1), entra(2)]));
    write('b.json', JSON.stringify([audited(2), audited(3)]));
    await read();
    expect(await rows()).toHaveLength(3);
    await read({ verifies: true });
    expect(await rows()).toHaveLength(3);
    write('a.json', JSON.stringify([entra(2), entra(4), entra(5)]));
    await read();
    expect(await rows()).toHaveLength(4);
    rmSync(path.join(folder, 'a.json'));
    await read();
    expect(await evidence.store.evidence.report()).toMatchObject({ known: 2, gone: 0 });
    // The audit log names no place.
    expect((await rows()).map(([lat]) => lat)).toEqual([null, null]);
  });

  it('without an id, equal lines of one log are as many sign-ins, and of several logs as many as in one', async () => {
    write('a.csv', LINES + line('ann') + line('ann') + line('bob'));
    write('b.csv', LINES + line('bob') + line('ann') + line('ann') + line('ann') + line('ann'));
    write('c.csv', LINES + line('bob').repeat(9));
    await read();
    const users = async () =>
      (await all())
        .map((row) => String(row[5]).slice(0, 3))
        .sort()
        .join(' ');
    expect(await users()).toBe(`${'ann '.repeat(4)}${'bob '.repeat(9).trim()}`);
    rmSync(path.join(folder, 'c.csv'));
    await read();
    expect(await users()).toBe(`${'ann '.repeat(4)}bob`);
    rmSync(path.join(folder, 'b.csv'));
    await read();
    expect(await users()).toBe('ann ann bob');
  });

  it('is another one with the same id and another user, time, address, outcome or country', async () => {
    const other = { userPrincipalName: 'bob@corp.example' };
    write('a.json', JSON.stringify([entra(1)]));
    write(
      'b.json',
      JSON.stringify([
        entra(1, other),
        entra(1, { createdDateTime: '2026-11-18T09:30:01Z' }),
        entra(1, { ipAddress: '192.0.2.8' }),
        entra(1, { status: { errorCode: 50126 } }),
        entra(1, { location: { city: 'Paris', countryOrRegion: 'FR' } }),
      ]),
    );
    write('c.json', JSON.stringify([{ ...entra(1), id: ID(2) }]));
    await read();
    expect(await all()).toHaveLength(7);
  });

  it('names every place in the logs, those of missing logs last', async () => {
    write(
      'a.json',
      JSON.stringify({ value: [entra(9, { userPrincipalName: 'bob@corp.example' }), entra(1)] }, null, 1),
    );
    write('b.csv', `${PORTAL}\n${portal(2).replace('ann@', 'bob@')}\n${portal(1)}\n`);
    write(
      'sub/c.jsonl',
      `${JSON.stringify(entra(1))}\n${JSON.stringify(entra(1, { location: { countryOrRegion: 'FR' } }))}\n`,
    );
    await read();
    const logins = (await rows()).filter((row) => row[5] !== 'bob@corp.example');
    const query = (row: unknown[] = []) => ({ module: 'evidence', id: row[8], user: row[5], time: row[6] });
    const places = async (row: unknown[] | undefined) => {
      const answer = await evidence.call('logins.places', { query: query(row) });
      return [
        answer.total,
        ...answer.places.map((place) => [place.file, place.line, place.entry, place.absent].join(' ')),
      ];
    };
    const ofFirst = logins.find((row) => row[3] === 'DE' && row[0] !== null);
    const lines = readFileSync(path.join(folder, 'a.json'), 'utf8').split('\n');
    const row = lines.findIndex((line) => line.includes('Ann@corp.example')) - 2;
    expect(lines[row]?.trim()).toBe('{');
    const inJson = `a.json ${row + 1} 2 `;
    expect(await places(ofFirst)).toEqual([3, inJson, 'b.csv 3  ', 'sub/c.jsonl 1  ']);
    expect(await places(logins.find((row) => row[3] === 'FR'))).toEqual([1, 'sub/c.jsonl 2  ']);
    rmSync(path.join(folder, 'a.json'));
    evidence.store.db.exec(
      "INSERT INTO evidence_absent SELECT 'log', id, 'kept' FROM evidence_logs WHERE path = 'a.json'",
    );
    expect(await places(ofFirst)).toEqual([3, 'b.csv 3  ', 'sub/c.jsonl 1  ', `${inJson}gone`]);
    for (const other of [{ user: 'bob@corp.example' }, { time: '2026-11-18T09:30:01Z' }, { id: 999 }]) {
      const [status] = await evidence.refused('logins.places', { query: { ...query(ofFirst), ...other } });
      expect(status).toBe(404);
    }
  });

  it('is not gone with a log, unless it was the last', async () => {
    const many = Array.from({ length: 30 }, (_, index) => entra(index));
    write('a.json', JSON.stringify(many));
    write('b.json', JSON.stringify(many.slice(0, 15)));
    await read();
    rmSync(path.join(folder, 'a.json'));
    expect(await read()).toMatchObject({ known: 30, gone: 15, unreachable: 0 });
  });

  it('is one after a stopped import', async () => {
    for (const name of ['a', 'b', 'c']) write(`${name}.json`, JSON.stringify([entra(1), entra(2)]));
    const stop = new AbortController();
    const { db } = evidence.store;
    db.function('cancel', () => void stop.abort());
    db.exec('CREATE TEMP TRIGGER t AFTER INSERT ON logins WHEN new.id = 3 BEGIN SELECT cancel(); END');
    await expect(read({ signal: stop.signal })).rejects.toThrow();
    db.exec('DROP TRIGGER t');
    expect(await rows()).toHaveLength(2);
    await read();
    expect(await rows()).toHaveLength(2);
  });
});

describe.skipIf(!existsSync(LOGS))('published real-world logs', () => {
  it.each(['azure_sentinel_signin.jsonl', 'msticpy_aad_logons.jsonl', 'rba_sample.jsonl'])(
    '%s',
    async (name) => {
      const text = readFileSync(path.join(LOGS, name), 'utf8');
      write(name, text);
      await ingestEvidence(evidence.store, folder);
      const all = Number(evidence.one('SELECT count(*) FROM logins'));
      expect(all).toBeGreaterThan(text.trim().split('\n').length * 0.9);
    },
  );
});
