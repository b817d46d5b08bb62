import { describe, expect, it } from 'vitest';
import { choiceAmong, layersOf, requestOf } from './choices.ts';
import {
  arithmetic,
  droppedWords,
  emptyWords,
  isLacking,
  missingWords,
  partialWords,
  spanWords,
  statusWords,
  zoomRefusal,
} from './labels.ts';
import { lineOf } from './save-files.ts';
import type { LayerRead } from './use-layers.ts';

const layer = (module: string, points: number, failed = false) => ({ module, failed, points, error: null });

describe('[spec 9] zooming in needs at most 3000 points of each app', () => {
  it.each([
    [3000, null],
    [3001, 'Mail shows 3,001 points; zoom works up to 3,000 per app'],
  ])('[promise] with %d points of one app: %s', (points, words) => {
    expect(zoomRefusal({ points: new Map(Object.entries({ mail: points, files: 10 })) }, () => 'Mail')).toBe(
      words,
    );
  });

  it('is allowed until the number of points is known', () => {
    expect(zoomRefusal(null, String)).toBeNull();
  });
});

it('[promise] an empty map says whether the filter, the service or a failure is the reason', () => {
  const none = { rows: 0, layers: [] };
  expect(emptyWords(none, 'All failed', 'tenant', []).reason).toBe('All failed: the service returned none.');
  expect(emptyWords(none, 'All failed', 'evidence', []).reason).toBe(
    'All failed: this evidence has none. Sign-in logs in its folder (CSV or JSON) are read with the mail.',
  );
  expect(emptyWords({ ...none, rows: 1200 }, 'All failed', 'evidence', []).reason).toBe(
    'None of 1,200 logins passes the filter.',
  );
  const read = (isBroken: boolean) =>
    ({
      users: null,
      error: isBroken ? { code: 'forbidden', message: 'No.', retryable: false } : null,
    }) as LayerRead;
  expect(emptyWords(none, 'All failed', 'tenant', [read(true)])).toEqual({
    title: 'Logins not loaded',
    reason: 'All failed: 1 of 1 layer could not be read.',
  });
  expect(emptyWords(none, 'All failed', 'tenant', [read(true), read(false)]).reason).toBe(
    'All failed: 1 of 2 layers could not be read, and the rest has no logins.',
  );
});

it('dropped rows are reported with their reason', () => {
  expect(droppedWords({ shape: 0, latitude: 41, other: 1000 })).toEqual([
    '41 rows dropped: latitude out of range',
    '1,000 rows dropped: other',
  ]);
  const loaded = {
    layers: [layer('mail', 7)],
    rows: 7,
    dropped: { latitude: 2 },
    doubts: { future: 1, past: 2 },
    unplaced: 3,
    span: null,
  };
  expect(statusWords({ ...loaded, doubts: { clock: 7 } }, { rows: 7, unplaced: 0 }, [])).toContain(
    '7 timestamps ahead of this machine’s clock, which seems wrong',
  );
  expect(statusWords(loaded, { rows: 5, unplaced: 3 }, [])).toBe(
    '5 of 7 points in 1 layer · 3 unplaced: no coordinates · 2 rows dropped: latitude out of range · 1 timestamp ahead of this machine’s clock ignored · 2 timestamps before 1990 ignored',
  );
});

it('logins of unknown outcome are mentioned where they are not shown', () => {
  const loaded = { layers: [layer('mail', 7)], rows: 7, dropped: {}, doubts: {}, unplaced: 0, span: null };
  const read = (failed: boolean | null, total: number) =>
    ({ module: 'mail', failed, total, pages: [], error: null, users: null }) as unknown as LayerRead;
  const all = [read(false, 7), read(true, 1), read(null, 4)];
  const words = (layers: LayerRead[]) => statusWords(loaded, { rows: 7, unplaced: 0 }, layers, all);
  expect(words(all.slice(0, 1))).toBe('7 points in 1 layer · 4 logins not shown: unknown outcome');
  expect(words(all.slice(0, 2))).toContain('unknown outcome');
  expect(words(all)).not.toContain('unknown outcome');
});

describe('[bad input] incomplete rows of a layer are never “no logins”', () => {
  const read = (of: Partial<LayerRead>) =>
    ({
      module: 'mail',
      failed: false,
      total: null,
      users: null,
      error: null,
      pages: [{}],
      ...of,
    }) as LayerRead;
  const loaded = (points: number, change: object = {}) => ({
    layers: [layer('mail', points)],
    rows: points,
    dropped: {},
    doubts: {},
    unplaced: 0,
    span: null,
    ...change,
  });
  const broken = { code: 'forbidden', message: 'No.', retryable: false } as const;
  it.each([
    ['whole by its count', loaded(5000), read({ total: 5000 }), null],
    [
      'fewer than its count',
      loaded(4999),
      read({ total: 5000 }),
      'Mail (successful) has 5,000 rows, and 4,999 were read.',
    ],
    [
      'fewer than its count, as only one user is wanted',
      loaded(9),
      read({ total: 5000, users: ['ann'] }),
      null,
    ],
    ['not counted, less than a page', loaded(4999), read({}), null],
    [
      'not counted, a full page',
      loaded(5000),
      read({}),
      'Mail (successful) may have more than the 5,000 rows that were read.',
    ],
    ['not counted, and its end was found', loaded(5000), read({ isEnded: true }), null],
    [
      'not counted, ended at a page that names another one',
      loaded(5000),
      read({ pages: [{ data: '', next: 'b' }], isOpen: true }),
      'Mail (successful) may have more than the 5,000 rows that were read.',
    ],
    [
      'only one user wanted, ended at a page that names another one',
      loaded(9),
      read({ total: 5000, users: ['ann'], isOpen: true }),
      'Mail (successful) may have more than the 9 rows that were read.',
    ],
    [
      'whole by its count, ended at a page that names another one',
      loaded(9),
      read({ total: 9, isOpen: true }),
      null,
    ],
    [
      'not counted, the last page by its key',
      loaded(5000),
      read({ pages: [{ data: '', next: null }] }),
      null,
    ],
    ['a refusal', loaded(0), read({ error: broken, pages: [] }), 'Mail (successful) could not be read.'],
    [
      'an answer that is no list',
      loaded(0, { layers: [{ ...layer('mail', 0), error: 'not base64' }] }),
      read({}),
      'Mail (successful) could not be read.',
    ],
    [
      'rows dropped',
      loaded(9, { dropped: { latitude: 2 } }),
      read({ total: 11 }),
      '2 rows dropped: latitude out of range.',
    ],
  ])('%s', (_, state, name, words) => {
    expect(missingWords(state, [name], () => 'Mail')).toBe(words);
  });

  it('a full page without a total may not be all, and the status bar says so', () => {
    const summary = { rows: 5000, unplaced: 0 };
    expect(statusWords(loaded(5000), summary, [read({})])).toBe(
      '5,000 points in 1 layer · 1 layer may have more rows than shown',
    );
    expect(statusWords(loaded(5000), summary, [read({ total: 5000 })])).toBe('5,000 points in 1 layer');
  });
});

it('layers that failed to load are not shown as empty or as 0 points', () => {
  const broken = { code: 'not-cached', message: 'Offline.', retryable: true } as const;
  const read = (module: string, pages: number) =>
    ({
      module,
      failed: false,
      total: null,
      users: null,
      requested: 1,
      pages: Array.from({ length: pages }, () => ({ data: '' })),
      isOpen: false,
      error: pages === 0 ? broken : null,
    }) as unknown as LayerRead;
  const nothing = { layers: [], rows: 0, dropped: {}, doubts: {}, unplaced: 0, span: null };
  const lost = [read('mail', 0), read('files', 0)];
  expect(statusWords(nothing, { rows: 0, unplaced: 0 }, lost)).toBe('Logins not loaded');
  expect(lost.every((item) => isLacking(nothing, item))).toBe(true);
  const some = { ...nothing, layers: [layer('mail', 7)], rows: 7 };
  const half = [read('mail', 1), read('files', 0)];
  expect(statusWords(some, { rows: 7, unplaced: 0 }, half)).toBe(
    '7 points in 1 layer · 1 layer not fully loaded',
  );
  expect(half.map((item) => isLacking(some, item))).toEqual([false, true]);
  // A complete saved response counts as complete.
  const saved = { ...read('mail', 1), error: broken };
  expect(statusWords(some, { rows: 7, unplaced: 0 }, [saved])).toBe('7 points in 1 layer');
});

it('a partial load shows its share, and a note appears if only some users’ logins are loaded', () => {
  const read = (total: number | null, users: string[] | null = null) =>
    ({ module: 'mail', failed: false, total, users, pages: [], error: null }) as unknown as LayerRead;
  const shown = { rows: 3 };
  expect(partialWords({ rows: 225_000 }, shown, [read(857_000), read(142)])).toBe(
    'Partial: 225,000 of 857,142 points. Rarity counts only these.',
  );
  const unknown = 'Partial: 7 points so far. Rarity counts only these.';
  expect(partialWords({ rows: 7 }, shown, [read(9), read(null)])).toBe(unknown);
  // Other users' rows from the first page do not count towards the wanted users.
  expect(partialWords({ rows: 5_003 }, shown, [read(9_000, ['ann'])])).toBe(
    'Partial: 3 points so far. Rarity counts only these.',
  );

  const loaded = { layers: [layer('mail', 7)], rows: 7, dropped: {}, doubts: {}, unplaced: 0, span: null };
  const alone = [read(900, ['ann'])];
  expect(statusWords(loaded, { rows: 2, unplaced: 0 }, alone)).toBe(
    '2 points in 1 layer · only the logins of users who match the filter are loaded',
  );
  expect(emptyWords(loaded, 'All failed', 'tenant', alone).reason).toBe(
    'All failed: none passes the filter.',
  );
});

it.each([
  [
    'successful',
    [
      ['a', false],
      ['b', false],
    ],
  ],
  [
    'failed',
    [
      ['a', true],
      ['b', true],
    ],
  ],
  ['unknown', [['b', null]]],
  [
    { module: 'a' },
    [
      ['a', false],
      ['a', true],
    ],
  ],
  [
    { module: 'b' },
    [
      ['b', false],
      ['b', true],
      ['b', null],
    ],
  ],
] as const)('the layers of %j', (choice, layers) => {
  const apps = ['a', 'b'].map((module) => ({ module, label: module }));
  const result = layersOf(choice, apps, new Set(['b']));
  expect(result.map(({ module, failed }) => [module, failed])).toEqual(layers);
  expect(requestOf(result.at(-1) ?? { module: '', failed: false }, 0).query?.fail).toBe(
    layers.at(-1)?.[1] ?? 'unknown',
  );
});

it('the choice “unknown” falls back once no app has unknown outcomes', () => {
  expect(choiceAmong('unknown', new Set())).toBe('successful');
  expect(choiceAmong('unknown', new Set(['a']))).toBe('unknown');
});

it('impossible travel shows its arithmetic', () => {
  expect(arithmetic({ km: 5015.4, hours: 1, kmh: 5015.4 })).toBe('5,015 km ÷ 1 h 0 min = 5,015 km/h');
  expect(arithmetic({ km: 300, hours: 0, kmh: Number.POSITIVE_INFINITY })).toBe('300 km at the same moment');
  expect([spanWords(0.01), spanWords(0.5)]).toEqual(['36 s', '30 min']);
});

it('lines of files are formula-safe in CSV and exact in NDJSON', () => {
  const record = [
    '2026-11-17T09:00:00.000Z',
    '=cmd()',
    '192.0.2.1',
    'GB',
    'Łódź, PL',
    51.5,
    -0.12,
    1,
    'failed',
    'mail',
    1,
  ];
  expect(lineOf('csv', record)).toBe(
    `2026-11-17T09:00:00.000Z,'=cmd(),192.0.2.1,GB,"Łódź, PL",51.5,-0.12,1,failed,mail,1\r\n`,
  );
  expect(JSON.parse(lineOf('ndjson', record))).toMatchObject({ user: '=cmd()', city: 'Łódź, PL', lat: 51.5 });
});
