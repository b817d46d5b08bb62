import type { FileHandle } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { dateOrderOf, formatOf, isLogName, type SigninFormat, signinLines } from './signin-file.ts';
import { signinReader } from './signin-row.ts';

/** A file whose second read fails. */
function failingAfter(text: string): FileHandle {
  const file: Pick<FileHandle, 'read'> = {
    read: (async (buffer: Buffer, _offset: number, _length: number, position: number) => {
      if (position > 0) throw Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO' });
      return { bytesRead: buffer.write(text), buffer };
    }) as FileHandle['read'],
  };
  return file as FileHandle;
}

const linesOf = async (file: FileHandle, format: SigninFormat): Promise<number> => {
  let count = 0;
  for await (const _ of signinLines(file, format, 0)) count += 1;
  return count;
};

it.each<[string, SigninFormat]>([
  ['time,user\n2026-01-05T10:00:00Z,a@x.example\n', { kind: 'csv', delimiter: ',', from: 1 }],
  ['{"time":"2026-01-05T10:00:00Z","user":"a@x.example"}\n', { kind: 'lines' }],
  ['[{"time":"2026-01-05T10:00:00Z","user":"a@x.example"},', { kind: 'json' }],
])('[bad input] a read error ends the log with that error: %s', async (text, format) => {
  await expect(linesOf(failingAfter(text), format)).rejects.toMatchObject({ code: 'EIO' });
});

function fileOf(bytes: Buffer): FileHandle {
  const file: Pick<FileHandle, 'read'> = {
    read: (async (buffer: Buffer, offset: number, length: number, position: number) => ({
      bytesRead: bytes.copy(buffer, offset, position, position + length),
      buffer,
    })) as FileHandle['read'],
  };
  return file as FileHandle;
}

/** The users of the sign-ins, and of lines left out, the reasons. */
async function usersOf(name: string, text: string | Buffer, lacking = 0): Promise<(string | null)[]> {
  const bytes = Buffer.from(text as string);
  const file = fileOf(bytes);
  const format = await formatOf(file, name, {}, bytes.length);
  if (format === null) throw new Error('It is no sign-in log');
  const read = signinReader();
  const users: (string | null)[] = [];
  for await (const { content } of signinLines(file, format, bytes.length + lacking)) {
    const row = typeof content === 'string' ? content : read(content);
    users.push(typeof row === 'string' ? row : row.login.user);
  }
  return users;
}

const TIME = '2026-01-05T10:00:00Z';

describe('the number of a line', () => {
  /** Of each sign-in: its user, and the line of the text in which it begins. */
  async function startsOf(name: string, text: string, size: number): Promise<string[]> {
    const bytes = Buffer.from(text);
    const format = await formatOf(fileOf(bytes), name, {}, bytes.length);
    if (format === null) throw new Error('It is no sign-in log');
    const pieces = fileOf(bytes);
    const read = pieces.read.bind(pieces) as (b: Buffer, o: number, l: number, position: number) => unknown;
    // In pieces, as of a large file.
    pieces.read = ((b: Buffer, o: number, _: number, position: number) =>
      read(b, o, size, position)) as FileHandle['read'];
    const lines = text.split(/\r\n|\n|\r/);
    const problems: string[] = [];
    for await (const { content, line } of signinLines(pieces, format, bytes.length))
      problems.push(typeof content === 'string' ? content : lines.slice(line - 1).join('\n'));
    return problems;
  }

  it.each(['\n', '\r\n', '\r'])(
    '[bad input] CSV with values of several lines, empty lines and a type line: %j',
    async (end) => {
      const note = `"a${end}${end}b"`;
      const text = [
        '#TYPE Signin',
        'time,user,ip,note',
        `${TIME},u1,192.0.2.7,${note}`,
        `${TIME},u2,192.0.2.7,`,
        '',
        '',
        `${TIME},u3,192.0.2.7,${note}`,
        `${TIME},u4,192.0.2.7,"x"`,
        `${TIME},u5,192.0.2.7,${note}`,
        `${TIME},u6,192.0.2.7,y`,
      ].join(end);
      for (const size of [7, 100_000])
        expect((await startsOf('a.csv', text, size)).map((rest) => rest.split(',', 2)[1]).join(' ')).toBe(
          'u1 u2 u3 u4 u5 u6',
        );
    },
  );

  it.each([
    ['a.jsonl', (records: object[]) => records.map((record) => JSON.stringify(record)).join('\n\n')],
    [
      'a.json',
      (records: object[]) => `\n\n${JSON.stringify({ '@odata.context': 'x', value: records }, null, 2)}\n`,
    ],
    ['a.json', (records: object[]) => JSON.stringify(records).replaceAll('},{', '},\n{')],
  ])('JSON: %s', async (name, textOf) => {
    const records = [1, 2, 3, 4].map((number) => ({
      createdDateTime: TIME,
      userPrincipalName: `u${number}`,
      ipAddress: '192.0.2.7',
    }));
    const text = textOf(records);
    for (const size of [7, 100_000])
      expect(
        (await startsOf(name, text, size)).map(
          (rest) => /^[ []*\{\s*"createdDateTime".*?"(u\d)"/s.exec(rest)?.[1],
        ),
      ).toEqual(['u1', 'u2', 'u3', 'u4']);
  });
});

it.each([
  ['a.csv', `time,user,ip\n${TIME},a@x.example,192.0.2.7\n`],
  ['a.jsonl', `{"createdDateTime":"${TIME}","userPrincipalName":"a@x.example","ipAddress":"192.0.2.7"}\n`],
])(
  '[bad input] a log that gets shorter while it is read is not taken for complete: %s',
  async (name, text) => {
    expect(await usersOf(name, text)).toEqual(['a@x.example']);
    await expect(usersOf(name, text, 1)).rejects.toThrow('it changed while it was read');
    await expect(formatOf(fileOf(Buffer.alloc(0)), name, {}, text.length)).rejects.toThrow('it changed');
  },
);

describe('CSV', () => {
  const HEADINGS = 'time,user,ip,result';
  const line = (user: string, rest = '192.0.2.7,ok') => `${TIME},${user},${rest}`;

  it.each([
    ['Date (UTC),Request ID,Correlation ID,User,Username,IP address,Location,Status,Sign-in error code'],
    [
      'Datum (UTC),Anforderungs-ID,Korrelations-ID,Benutzer,Benutzername,IP-Adresse,Standort,Status,Anmeldefehlercode',
    ],
    [
      "Date (UTC),ID de requête,ID de corrélation,Utilisateur,Nom d’utilisateur,Adresse IP,Emplacement,Statut,Code d'erreur de connexion",
    ],
  ])('the table of Entra’s portal in English, German and French: %s', async (headings) => {
    const id = '2ef9a610-4bae-443a-97c0-000000000001';
    const cells = (code: number, word: string) =>
      `${TIME},${id},${id},Ann,ann@x.example,192.0.2.7,"Paris, Ile-de-France, FR",${word},${code}`;
    const text = [headings, cells(0, 'Erfolg'), cells(50126, 'Échec'), ''].join('\n');
    const bytes = Buffer.from(text);
    const format = await formatOf(fileOf(bytes), 'a.csv', {}, bytes.length);
    if (format === null) throw new Error('It is no sign-in log');
    const read = signinReader();
    const rows: unknown[] = [];
    for await (const { content } of signinLines(fileOf(bytes), format, bytes.length)) {
      const row = typeof content === 'string' ? content : read(content);
      if (typeof row === 'string') throw new Error(row);
      const { user, ip, failed, country } = row.login;
      rows.push([user, ip, failed, country, row.identity.isUnique]);
    }
    expect(rows).toEqual([
      ['ann@x.example', '192.0.2.7', false, 'FR', true],
      ['ann@x.example', '192.0.2.7', true, 'FR', true],
    ]);
  });

  it('of equal headings, the first with a value counts', async () => {
    const text = `user,time,ip,user,user\n,${TIME},192.0.2.7,ann,\nbob,${TIME},192.0.2.7,,\n`;
    expect(await usersOf('a.csv', text)).toEqual(['ann', 'bob']);
  });

  it('[bad input] a line with more values than headings is left out, as they are in the wrong columns', async () => {
    const text = [HEADINGS, line('ann'), line('Miller, Bob'), line('cid', '192.0.2.7,ok,,'), ''].join('\n');
    expect(await usersOf('a.csv', text)).toEqual(['ann', 'have more values than there are headings', 'cid']);
  });

  it('[bad input] a last line that is cut short is left out', async () => {
    const text = [HEADINGS, line('ann'), `${TIME},bo`].join('\r\n');
    expect(await usersOf('a.csv', text)).toEqual(['ann', 'are cut short by the end of the file']);
    // Values missing at the end are empty, where the line ends as the others do.
    expect(await usersOf('a.csv', `${text}\r\n`)).toEqual(['ann', 'bo']);
  });

  it('lines that an unexpected quote puts into one value are counted', async () => {
    const inside = 'are inside a quoted value that does not end where it should';
    const text = [HEADINGS, line('"ann'), line('bob'), line('"cid"'), line('dan'), line('"e\ne"'), ''].join(
      '\n',
    );
    expect(await usersOf('a.csv', text)).toEqual([inside, inside, inside, 'dan', 'e\ne']);
  });

  it('says where a quote is not closed', async () => {
    const text = [HEADINGS, line('ann'), line('"bob'), line('cid')].join('\n');
    await expect(usersOf('a.csv', text)).rejects.toThrow(/^after 2 rows a quote is not closed/);
  });

  it('empty lines before the headings', async () => {
    expect(await usersOf('a.csv', `\n\r\nsep=,\n${HEADINGS}\n${line('ann')}\n`)).toEqual(['ann']);
  });
});

describe('JSON', () => {
  const entry = (user: string) => ({ time: TIME, user, ip: '192.0.2.7' });
  const [a, b, c] = ['a', 'b', 'c'].map((user) => JSON.stringify(entry(user), null, 1));

  it.each([
    ['one object', `${a}`, ['a']],
    ['objects one after another', `${a}\n${b}\n${c}`, ['a', 'b', 'c']],
    ['a list and objects outside it', `[${a}] ${b}\n[${c}]`, ['a', 'b', 'c']],
    [
      'several lists in one object',
      `{"value": [], "Records": [${a}], "items": [${b}, ${c}]}`,
      ['a', 'b', 'c'],
    ],
    ['the same on one line', JSON.stringify({ value: [], items: [entry('a')] }), ['a']],
    ['a list of Azure Monitor', `{"records": [${a}]}`, ['a']],
    ['an object without a list', `{"things": [${a}]}`, ['name no time that can be read']],
    ['a hunting query', `{"schema": [{"Name": "time"}], "results": [${a}, ${b}]}`, ['a', 'b']],
    ['the same on one line', JSON.stringify({ schema: [{ Name: 'x' }], results: [entry('a')] }), ['a']],
    ['a comma after the last', `[${a},]`, ['a']],
    [
      'a comma after each line',
      `${JSON.stringify(entry('a'))},\n${JSON.stringify(entry('b'))},\n`,
      ['a', 'b'],
    ],
  ])('%s', async (_, text, users) => {
    expect(await usersOf('a.json', text)).toEqual(users);
  });
});

it.each([
  ['a.jsonl', true],
  // As Filebeat and Elastic name JSON lines.
  ['okta.log', true],
  ['a.txt', false],
  ['signin-columns.json', false],
])('%s may be a sign-in log by its name: %s', (name, is) => {
  expect(isLogName(name)).toBe(is);
});

it('a .log of a web server, whose lines have a status but no user, is no sign-in log', async () => {
  const line = { time: TIME, remote_ip: '192.0.2.7', status: 200, uri: '/login' };
  const formatNamed = (name: string, more: object) =>
    formatOf(fileOf(Buffer.from(`${JSON.stringify({ ...line, ...more })}\n`)), name, {});
  expect(await formatNamed('access.log', {})).toBeNull();
  expect(await formatNamed('access.log', { user: 'ann' })).toEqual({ kind: 'lines' });
  expect(await formatNamed('signins.json', {})).toEqual({ kind: 'lines' });
});

it('Splunk: events as their log wrote them, within its own JSON and table', async () => {
  const event = JSON.stringify({
    properties: { createdDateTime: TIME, userPrincipalName: 'ann', ipAddress: '::1' },
  });
  const result = { _raw: event, _time: '2026-01-05 10:00:05.000 UTC', host: 'h' };
  expect(await usersOf('a.json', `${JSON.stringify({ preview: false, result })}\n`)).toEqual(['ann']);
  expect(await usersOf('a.csv', `_time,_raw\n${TIME},"${event.replaceAll('"', '""')}"\n`)).toEqual(['ann']);
});

describe('the order of day and month in a log', () => {
  const orderIn = async (...times: string[]) => {
    const file = fileOf(
      Buffer.from(['time,user,ip', ...times.map((time) => `"${time}",a,::1`), ''].join('\n')),
    );
    const format = await formatOf(file, 'a.csv', {});
    return format && (await dateOrderOf(file, format, {}));
  };

  it('is that of its dates that only allow one', async () => {
    const many = Array.from({ length: 2_000 }, () => '3/4/2026 9:30 AM');
    expect(await orderIn(...many, '3/14/2026 9:30 AM')).toBe('month first');
    expect(await orderIn(...many, '14/3/2026 9:30 AM')).toBe('day first');
    expect(await orderIn(...many)).toBeNull();
    // As in logs that were joined.
    expect(await orderIn('3/14/2026 9:30 AM', '14/3/2026 9:30 AM')).toBeNull();
    expect(await orderIn(TIME)).toBeNull();
  });

  it('is looked for beyond the first thousand lines only if these have such dates', async () => {
    const none = Array.from({ length: 999 }, () => TIME);
    expect(await orderIn(...none, '14/3/2026 9:30 AM')).toBe('day first');
    expect(await orderIn(...none, TIME, '14/3/2026 9:30 AM')).toBeNull();
  });

  it('is the one that the mapping states', async () => {
    expect(await dateOrderOf(failingAfter(''), { kind: 'lines' }, { dates: 'day first' })).toBe('day first');
  });

  it('is what was read before the log broke off', async () => {
    const text = 'time,user,ip\n14/3/2026 09:30,a,::1\n3/4/2026 09:30,a,::1\n';
    const format: SigninFormat = { kind: 'csv', delimiter: ',', from: 1 };
    expect(await dateOrderOf(failingAfter(text), format, {})).toBe('day first');
  });
});

it.each(['a.json', 'a.csv'])('UTF-16 without a byte order mark: %s', async (name) => {
  const text =
    name === 'a.json' ? `[{"time":"${TIME}","user":"ü","ip":"::1"}]` : `time,user,ip\n${TIME},ü,::1\n`;
  const bytes = Buffer.from(text, 'utf16le');
  expect(await usersOf(name, bytes)).toEqual(['ü']);
  expect(await usersOf(name, bytes.swap16())).toEqual(['ü']);
});
