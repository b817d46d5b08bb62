import { describe, expect, it } from 'vitest';
import { ruleWords } from '#shared/exceptions/words.ts';
import { entityOf, entryRow } from './entry.ts';
import { radiusWarning, radiusWords, uncheckedWords, verdictWords } from './labels.ts';
import { DEFAULT_SEARCH, isToolUnsaid, searchBody, unheeded, windowStart } from './search.ts';

const NOW = Date.UTC(2026, 10, 19, 8, 47);
const radius = {
  matches: 5,
  mailboxes: 1,
  mailboxesAtLeast: false,
  verdicts: [
    { verdict: 'found', count: 3 },
    { verdict: 'clean', count: 1 },
    { verdict: null, count: 1 },
  ],
  checked: { emails: 10, results: 1 },
  unchecked: [
    { reason: 'Not kept', rows: 1_000 },
    { reason: 'Copies', rows: 0 },
  ],
  sample: [],
  query: null,
  since: null,
  fetchedAt: null,
  ms: 1,
};

describe('a listed entry', () => {
  it('shows its rule: type, match, defanged URLs, and the number of further conditions', () => {
    const row = entryRow(
      {
        id: '1',
        sec_type: 'ap_guard',
        type: 'blacklist',
        string: 'https://lure.example/x',
        payload: {
          field: 'links',
          matching: 'contains',
          and: [{ field: 'subject', value: 'pay', matching: 'exact' }],
        },
      },
      0,
      'guard',
      '',
    );
    expect(row).toMatchObject({ tool: 'ap_{product}', list: 'block', type: 'Links', matching: 'contains' });
    expect(row.value).toBe('hxxps://lure[.]example/x and 1 more');
    expect(row.rule && ruleWords(row.rule)).toBe(
      'Block: Links contains “hxxps://lure[.]example/x” and Subject is “pay”',
    );
    expect(entityOf(row)).toEqual({ kind: 'url', value: 'https://lure.example/x' });
  });

  it('of an unknown type or tool keeps the service’s ids, and makes direction marks visible', () => {
    const row = entryRow({ type: 'ml_bypass', string: 'a\u202eb', list: 'block' }, 7, 'guard', 'new_tool');
    expect(row).toMatchObject({
      id: 'place 7',
      tool: 'new_tool',
      list: 'block',
      type: 'ml_bypass',
      rule: null,
    });
    expect(row.value).not.toContain('\u202e');
  });

  it('without a reported list is neither allow nor block, and cannot be compared', () => {
    const entry = { sec_type: 'checkpoint_te', type: 'hash', string: 'a'.repeat(32) };
    expect(entryRow(entry, 0, 'guard', '')).toMatchObject({ list: null, rule: null });
    expect(entryRow({ ...entry, list: 'block' }, 0, 'guard', '').rule?.list).toBe('block');
  });

  it('names a hash by its length', () => {
    const hash = (string: string) =>
      entryRow({ sec_type: 'checkpoint_te', type: 'hash', list: 'block', string }, 0, 'guard', '').type;
    expect([hash('a'.repeat(32)), hash('a'.repeat(64))]).toEqual(['MD5', 'SHA-256']);
  });
});

describe('the text of a blast radius', () => {
  it('states the past matches, and warns of clean mail blocked or malicious mail allowed', () => {
    expect(radiusWords(radius, 'block')).toBe('emails would have been blocked, to 1 mailbox');
    expect(radiusWords({ ...radius, mailboxesAtLeast: true }, 'block')).toBe(
      'emails would have been blocked, to at least 1 mailboxes',
    );
    expect(radiusWords({ ...radius, mailboxes: null }, 'allow')).toBe('emails would have been allowed');
    expect(radiusWarning(radius, 'block')).toBe('1 clean email would be blocked.');
    expect(radiusWarning(radius, 'allow')).toBe('3 malicious or suspicious emails would be allowed.');
    expect(radiusWarning({ ...radius, verdicts: [] }, 'allow')).toBeNull();
    const verdicts = [
      { verdict: 'clean', count: 1 },
      { verdict: null, count: 2 },
    ];
    expect(verdictWords({ ...radius, matches: 3, verdicts }, 1)).toBe('at least 1');
    expect(verdictWords({ ...radius, matches: 2, verdicts: verdicts.slice(1) }, 0)).toBe('Unknown');
    expect(verdictWords({ ...radius, matches: 1, verdicts: verdicts.slice(0, 1) }, 1)).toBe('1');
    expect(uncheckedWords(radius)).toEqual(['Not kept (1,000 rows)', 'Copies']);
  });
});

describe('a search that the service ignores in part', () => {
  const entry = { sec_type: 'ap_guard', type: 'blacklist', string: 'Lure.example', comment: 'INC "7"' };
  const searched = (more: object) => ({ ...DEFAULT_SEARCH, ...more });

  it.each([
    [{}, []],
    [{ text: 'lure[.]example' }, []],
    [{ text: 'inc "7"' }, []],
    [{ text: 'other' }, ['the text']],
    [{ type: 'block' }, []],
    [{ type: 'allow' }, ['the list']],
    // The id of a type, which a service may know by another name.
    [{ type: 'whitelist' }, []],
    [{ tool: 'ap_guard' }, []],
    [{ tool: 'checkpoint_te', text: 'other', type: 'allow' }, ['the text', 'the list', 'the tool']],
  ])('%j: %j', (more, parts) => {
    expect(unheeded(searched(more), [entry], 'guard')).toEqual(parts);
    expect(unheeded(searched(more), [], 'guard')).toEqual([]);
  });

  it('reports entries that do not name their tool', () => {
    const nameless = { type: 'hash', string: 'x' };
    expect(unheeded(searched({ tool: 'checkpoint_te', type: 'allow' }), [nameless], 'guard')).toEqual([]);
    expect(isToolUnsaid(searched({ tool: 'checkpoint_te' }), [nameless])).toBe(true);
    expect(isToolUnsaid(searched({ tool: 'ap_guard' }), [entry])).toBe(false);
    expect(isToolUnsaid(DEFAULT_SEARCH, [nameless])).toBe(false);
  });
});

describe('the search', () => {
  it('[spec 9] requests pages of 20; the six-month default is left to the service', () => {
    expect(searchBody(DEFAULT_SEARCH, 2, NOW)).toEqual({ page: 2, size: 20 });
    expect(searchBody({ tool: 'ap_guard', type: 'block', text: ' x ', window: '7d' }, 0, NOW)).toEqual({
      sec_type: 'ap_guard',
      type: 'block',
      search: 'x',
      from: '2026-11-12T00:00:00.000Z',
      page: 0,
      size: 20,
    });
    expect(
      ['meridian[.]example', 'hxxps://meridian[.]example/e', 'm[@]meridian[.]example'].map(
        (text) => searchBody({ ...DEFAULT_SEARCH, text }, 0, NOW).search,
      ),
    ).toEqual(['meridian.example', 'https://meridian.example/e', 'm@meridian.example']);
    expect(windowStart('6M', NOW)).toBe(Date.UTC(2026, 4, 19));
    expect(windowStart('all', NOW)).toBe(0);
    // In a shorter month, the window starts on that month's last day.
    expect(windowStart('6M', Date.UTC(2026, 7, 31, 9))).toBe(Date.UTC(2026, 1, 28));
    expect(windowStart('6M', Date.UTC(2024, 7, 31, 9))).toBe(Date.UTC(2024, 1, 29));
    expect(windowStart('1y', Date.UTC(2024, 1, 29, 9))).toBe(Date.UTC(2023, 1, 28));
  });
});
