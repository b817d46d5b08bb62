import { describe, expect, it, test } from 'vitest';
import { compareApps, type OrderedApp, parseAppState, parseLicence } from './app-order.ts';
import * as constants from './constants.ts';
import { exceptionTarget } from './exception-target.ts';
import { allowedHashes, HASH_ERROR_WORDS, HASH_FLAGS, hashType, validateHash } from './hashes.ts';
import { linkReplacementLabel, parseLinkReplacement } from './link-replacement.ts';
import { parseQueryStatus } from './query-status.ts';
import { restoreState } from './restore.ts';
import { isEndedScan, parseScanResult } from './scan-results.ts';
import { parseSeverity, severityLabel, severityToServer } from './severity.ts';

const HOSTILE: unknown[] = [
  null,
  undefined,
  NaN,
  {},
  [],
  '__proto__',
  'constructor',
  '\0',
  'x'.repeat(1e6),
  -1,
  1.5,
];

test('[spec 8, spec 9] section 9: business constants and limits', () => {
  expect(constants).toMatchObject({
    CACHE_TTL_MS: 300_000,
    DEFAULT_PAGE_SIZE: 25,
    SCROLL_LIFE_MS: 60_000,
    PERMISSION_PAGE_SIZE: 20,
    FILE_EVENTS_PAGE: 100,
    DEBUG_LINKS_MAX: 100_000,
    EXCEPTION_SEARCH_PAGE: 20,
    HEAT_MAP_PAGE_MAX: 5000,
    HEAT_MAP_ZOOM_MAX: 3000,
    DOWNLOAD_RETRIES: 3,
    EXCEPTION_WINDOW_MONTHS: 6,
    ICON_Z_INDEX: { modal: 1100, overlay: 1000 },
  });
});

describe('[spec 3] severity is 1 (VeryLow) to 5 (Critical). The server uses the words verylow, low, medium, high, veryhigh.', () => {
  test.each([
    ['verylow', 1],
    ['lowest', 1],
    ['low', 2],
    ['medium', 3],
    ['high', 4],
    ['veryhigh', 5],
    ['VeryLow', 1],
    ['very high', 5],
    ['Critical', 5],
    ['3', 3],
    [1, 1],
    [5, 5],
    [0, null],
    [6, null],
    ['-5', null],
    ['severe', null],
  ])('%j is %j', (value, severity) => expect(parseSeverity(value)).toBe(severity));

  it('is null for anything else', () => {
    for (const value of HOSTILE) expect(parseSeverity(value)).toBeNull();
  });
  it('is sent to the server as its word', () => {
    expect(([1, 2, 3, 4, 5] as const).map(severityToServer)).toEqual([
      'verylow',
      'low',
      'medium',
      'high',
      'veryhigh',
    ]);
  });
  test.each([
    ['verylow', 'Very low'],
    [5, 'Critical'],
    ['blazing', 'blazing'],
    [null, 'Unknown'],
    ['', 'Unknown'],
  ])('%j is shown as %j', (value, label) => expect(severityLabel(value)).toBe(label));
});

describe("status values: unknown, saved, running, stopped. The legacy value 'pause' becomes 'paused'.", () => {
  test.each([
    ['unknown', 'unknown'],
    ['saved', 'saved'],
    ['running', 'running'],
    ['stopped', 'stopped'],
    ['paused', 'paused'],
    ['pause', 'paused'],
    [' PAUSE ', 'paused'],
    ['archived', 'unknown'],
  ])('%j is %j', (value, status) => expect(parseQueryStatus(value)).toBe(status));
  it('[spec 3] is unknown for anything else', () => {
    for (const value of HOSTILE) expect(parseQueryStatus(value)).toBe('unknown');
  });
});

describe('[spec 4] App state order: enabled, disabled, display_only. Within that, by licence', () => {
  const app = (state: string, license_info: string | null, label = 'App'): OrderedApp => ({
    name: label.toLowerCase(),
    label,
    state,
    license_info,
  });
  it('[spec 4] paid before demo, expired later, contact-support last', () => {
    const ordered = [
      app('enabled', 'paid', 'A'),
      app('enabled', 'paid', 'b'),
      app('enabled', 'demo'),
      app('enabled', null),
      app('enabled', 'expired'),
      app('enabled', 'contact-support'),
      app('disabled', 'paid'),
      app('disabled', 'contact_support'),
      app('display_only', 'paid'),
      app('degraded', 'paid'),
    ];
    expect([...ordered].reverse().sort(compareApps)).toEqual(ordered);
  });
  it('reads known states, and keeps unknown ones', () => {
    expect(parseAppState('Display Only')).toBe('display_only');
    expect(parseLicence('contact-support')).toBe('contact_support');
    for (const value of HOSTILE) expect([parseAppState(value), parseLicence(value)]).toEqual([null, null]);
  });
});

describe('[spec 5] MD5 is 32 hex characters. SHA256 is 64 hex characters. Both are case-insensitive.', () => {
  const md5 = 'd41d8cd98f00b204e9800998ecf8427e';
  const sha1 = 'a'.repeat(40);
  const sha256 = '0F'.repeat(32);
  const both = { md5: true, sha256: true };
  const onlyMd5 = { md5: true, sha256: false };
  const onlySha256 = { md5: false, sha256: true };
  test.each([
    [md5, onlyMd5, null],
    [md5.toUpperCase(), onlyMd5, null],
    [sha256, onlySha256, null],
    [sha256.toLowerCase(), both, null],
    [md5, both, null],
    [sha256, onlyMd5, 'invalidMd5'],
    [md5, onlySha256, 'invalidSha256'],
    [sha1, both, 'invalidMd5OrSha256'],
    ['', both, 'invalidMd5OrSha256'],
    [`${md5}\n`, onlyMd5, 'invalidMd5'],
    [` ${md5}`, onlyMd5, 'invalidMd5'],
    [md5.slice(1), onlyMd5, 'invalidMd5'],
    [`${sha256}0`, onlySha256, 'invalidSha256'],
    [`g${md5.slice(1)}`, onlyMd5, 'invalidMd5'],
    [md5, { md5: false, sha256: false }, 'invalidMd5OrSha256'],
  ] as const)('%j with %j: %j', (value, allowed, error) => {
    expect(validateHash(value, allowed)).toBe(error);
    if (error) expect(HASH_ERROR_WORDS[error]).toMatch(/^N/);
  });
  test.each([
    [md5, 'md5'],
    [sha1, 'sha1'],
    [sha256, 'sha256'],
    ['x', null],
  ])('%j is %j', (value, type) => expect(hashType(value)).toBe(type));
  test.each([
    ['checkpoint2', {}, onlyMd5],
    ['checkpoint2', { [HASH_FLAGS.sha256]: true }, both],
    ['checkpoint2', { [HASH_FLAGS.sha256]: false }, onlyMd5],
    ['ms_defender', {}, onlySha256],
    ['ms_defender', { [HASH_FLAGS.md5Provider]: true }, both],
    ['ap_{product}', { [HASH_FLAGS.sha256AntiPhishing]: true }, both],
    ['checkpoint_url', { [HASH_FLAGS.sha256]: true }, { md5: false, sha256: false }],
    ['new_engine', {}, both],
    ['__proto__', {}, both],
  ])('Allowed hash types per security tool depend on feature flags: %s %j', (tool, flags, allowed) =>
    expect(allowedHashes(tool, flags)).toEqual(allowed),
  );
});

describe("[spec 5] An exception target with '@' at a position after the first character counts as an email. Otherwise it is a domain.", () => {
  test.each([
    ['a@b.example', 'email'],
    ['@b.example', 'domain'],
    ['b.example', 'domain'],
    ['', 'domain'],
    ['@', 'domain'],
    ['@@', 'domain'],
    ['a@', 'email'],
  ])('%j is %s', (value, target) => expect(exceptionTarget(value)).toBe(target));
});

describe('Restore request: requested, restored, declined', () => {
  test.each([
    [{}, null, false],
    [{ requested: true }, 'requested', false],
    [{ requested: true, restored: true }, 'restored', false],
    [{ requested: true, declined: true }, 'declined', false],
    [{ restored: true, declined: true }, 'declined', true],
    [{ requested: null, restored: false, declined: undefined }, null, false],
  ])('%j is %j', (flags, state, conflict) => expect(restoreState(flags)).toEqual({ state, conflict }));
});

describe('[spec 3] Link replacement: links_replaced, no_links_replaced, link_replaced, no_link_replaced', () => {
  test.each([
    ['links_replaced', { scope: 'email', replaced: true }, 'Links replaced'],
    ['no_links_replaced', { scope: 'email', replaced: false }, 'No links replaced'],
    ['link_replaced', { scope: 'link', replaced: true }, 'Link replaced'],
    ['no_link_replaced', { scope: 'link', replaced: false }, 'Link not replaced'],
    ['half_replaced', null, 'half_replaced'],
    [7, null, 'Unknown'],
  ])('%j', (value, status, label) => {
    expect(parseLinkReplacement(value)).toEqual(status);
    expect(linkReplacementLabel(value)).toBe(label);
  });
});

describe('[spec 3] Scan results: clean, finished, ok, benign, error', () => {
  test.each([
    ['clean', true],
    ['finished', true],
    ['OK', true],
    ['benign', true],
    ['error', false],
    ['running', false],
  ])('%j ended without a complaint: %j', (value, ended) => expect(isEndedScan(value)).toBe(ended));
  it('is null for anything else', () => {
    for (const value of HOSTILE) expect(parseScanResult(value)).toBeNull();
  });
});
