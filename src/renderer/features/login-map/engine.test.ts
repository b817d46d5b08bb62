import { deflate, gzip } from 'pako';
import { describe, expect, it } from 'vitest';
import { decodeRows } from './decode.ts';
import { type LayerInput, LoginEngine } from './engine.ts';

const NOW = Date.parse('2026-11-20T12:00:00Z');
const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
const packed = (value: unknown) => base64(deflate(JSON.stringify(value)));
const rows = [
  [51.5, -0.12, 40, 'GB', '192.0.2.1', 'ada@corp.example', '2026-11-17T09:00:00Z'],
  [6.45, 3.4, 1, 'NG', '203.0.113.7', 'ada@corp.example', '2026-11-17T10:00:00Z'],
];

describe('decoding', () => {
  it('[spec 7] accepts zlib and gzip, a bare list or one in an object', () => {
    expect(decodeRows(packed(rows))).toEqual(rows);
    expect(decodeRows(base64(gzip(JSON.stringify({ rows }))))).toEqual(rows);
    expect(decodeRows('')).toEqual([]);
  });

  it('keeps text that spans the chunks of a large page', () => {
    const many = Array.from({ length: 40_000 }, (_, n) => [
      1,
      2,
      n,
      'é€𝕏',
      '192.0.2.1',
      `ü${n}@corp.example`,
    ]);
    expect(decodeRows(packed(many))).toEqual(many);
  });

  it.each([
    ['truncated base64', packed(rows).slice(0, -3), /base64|could not be decompressed/],
    ['a character outside the alphabet', '!!!!', /base64/],
    ['wrong magic', Buffer.from('plain text').toString('base64'), /neither gzip nor zlib/],
    [
      'a truncated stream',
      base64(deflate(JSON.stringify(rows)).subarray(0, 40)),
      /could not be decompressed: ./,
    ],
    ['a damaged stream', damaged(), /could not be decompressed: ./],
    ['text that is not JSON', base64(deflate('not json')), /not JSON/],
    ['JSON that is not rows', packed({ answer: 42 }), /not a list of rows/],
    ['a number', packed(7), /not a list of rows/],
  ])('says what is wrong with %s', (_, data, reason) => {
    expect(() => decodeRows(data)).toThrow(reason);
  });

  it('[limit 64 MB] stops a bomb of 1 000 to 1 at the cap', () => {
    const bomb = base64(deflate(new Uint8Array(4 * 1024 * 1024).fill(32)));
    expect(bomb.length * 500).toBeLessThan(4 * 1024 * 1024);
    expect(() => decodeRows(bomb, 1024 * 1024)).toThrow(/decompress to more than/);
  });
});

function damaged(): string {
  const bytes = deflate(JSON.stringify(rows));
  bytes[20] = (bytes[20] ?? 0) ^ 0xff;
  bytes[21] = (bytes[21] ?? 0) ^ 0xff;
  return base64(bytes);
}

function load(engine: LoginEngine, ...pages: LayerInput[]) {
  engine.begin(NOW);
  for (const page of pages) engine.page(page);
  return engine.load({ clock: 'utc', isWhole: true, users: null });
}

describe('layers', () => {
  it('that are partly loaded grow with each page, and mark their counts as provisional', () => {
    const engine = new LoginEngine();
    const page = (data: unknown[]): LayerInput => ({ module: 'mail', failed: false, data: packed(data) });
    const all = Array.from({ length: 4 }, (_, index) => [
      51.5,
      -0.1,
      1,
      'GB',
      '192.0.2.1',
      index < 3 ? 'ann' : 'bob',
    ]);
    const counts = () => {
      engine.summary({});
      return engine.rows(0, 9).map(({ user, seen: count, isProvisional }) => [user, count, isProvisional]);
    };
    engine.begin(NOW);
    engine.page(page(all.slice(0, 1)));
    engine.load({ clock: 'utc', isWhole: false, users: null });
    const part = [['ann', 1, true]];
    expect(counts()).toEqual(part);
    engine.page(page(all.slice(1)));
    expect(counts()).toEqual(part);
    expect(engine.load({ clock: 'utc', isWhole: true, users: ['ann'] }).rows).toBe(4);
    const ann = ['ann', 3, false];
    expect(counts()).toEqual([['bob', 1, true], ann, ann, ann]);
  });

  it('of an unfinished load are not shown yet', () => {
    const engine = new LoginEngine();
    load(engine, { module: 'office365_emails', failed: false, data: packed(rows) });
    engine.begin(NOW);
    engine.page({ module: 'dropbox', failed: true, data: packed(rows.slice(1)) });
    engine.summary({});
    expect(engine.rows(0, 10).map(({ module }) => module)).toEqual(['office365_emails', 'office365_emails']);
    expect(engine.load({ clock: 'utc', isWhole: true, users: null }).layers).toEqual([
      { module: 'dropbox', failed: true, points: 1, error: null },
    ]);
  });

  it('[spec 8] fail separately: one that cannot be decoded is empty and gives the reason', () => {
    const engine = new LoginEngine();
    const loaded = load(
      engine,
      { module: 'office365_emails', failed: false, data: packed(rows) },
      { module: '../../etc/passwd', failed: false, data: '!!!!' },
      { module: 'dropbox', failed: false, data: null },
    );
    expect(loaded.layers.map(({ points }) => points)).toEqual([2, 0, 0]);
    expect(loaded.layers[1]?.error).toMatch(/base64/);
    expect(loaded.layers[2]?.error).toBeNull();
    expect(loaded).toMatchObject({
      rows: 2,
      span: [Date.parse('2026-11-17T09:00:00Z'), Date.parse('2026-11-17T10:00:00Z')],
    });
  });

  it('of unknown outcome are neither successful nor failed, and count for travel', () => {
    const engine = new LoginEngine();
    load(engine, { module: 'evidence', failed: null, data: packed(rows) });
    engine.summary({});
    expect(engine.rows(0, 10).map(({ failed }) => failed)).toEqual([null, null]);
    expect(engine.records(0, 10, 'utc').map((record) => record[8])).toEqual(['unknown', 'unknown']);
    expect(engine.travel({}, 10).total).toBe(1);
  });

  it('report the filtered points per app, over both outcomes', () => {
    const engine = new LoginEngine();
    load(
      engine,
      { module: 'mail', failed: false, data: packed(rows) },
      { module: 'mail', failed: true, data: packed(rows) },
      { module: 'drive', failed: false, data: packed(rows) },
    );
    expect([...engine.summary({}).points]).toEqual(
      expect.arrayContaining([
        ['mail', 4],
        ['drive', 2],
      ]),
    );
    expect([...engine.summary({ countries: ['GB'] }).points]).toEqual(
      expect.arrayContaining([
        ['mail', 2],
        ['drive', 1],
      ]),
    );
  });

  it('return rows, pairs and records in the order of the last summary', () => {
    const engine = new LoginEngine();
    load(engine, { module: 'office365_emails', failed: false, data: packed(rows) });
    engine.summary({});
    expect(engine.rows(0, 10).map(({ country, rarity }) => [country, rarity])).toEqual([
      ['NG', 4],
      ['GB', 1],
    ]);
    expect(engine.travel({}, 10).pairs[0]).toMatchObject({
      from: { country: 'GB' },
      to: { country: 'NG' },
      hours: 1,
    });
    engine.summary({ countries: ['GB'] });
    expect(engine.records(0, 10, 'utc')).toEqual([
      [
        '2026-11-17T09:00:00.000Z',
        'ada@corp.example',
        '192.0.2.1',
        'GB',
        '',
        51.5,
        -0.12,
        40,
        'successful',
        'office365_emails',
        40,
      ],
    ]);
  });
});
