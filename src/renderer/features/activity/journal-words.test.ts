import { describe, expect, it } from 'vitest';
import type { JournalEntry } from '#shared/bridge/operations.ts';
import { requestText, scopeWords, targetWords } from './journal-words.ts';

const action = (targets: number, done: number) =>
  ({
    action: {
      targets,
      counts: { pending: 0, sending: 0, done, failed: targets - done, 'not-sent': 0, unknown: 0 },
    },
  }) as Pick<JournalEntry, 'action'>;

describe('the journal in words', () => {
  it.each([
    [action(1500, 1500), '1,500'],
    [action(151, 140), '140 of 151'],
    [{ action: null }, ''],
  ])('says how many targets were done', (entry, words) => expect(targetWords(entry)).toBe(words));

  it.each([
    ['matching', 'All that matched'],
    ['toString', 'toString'],
  ])('knows the scope %s', (scope, words) => expect(scopeWords(scope)).toBe(words));

  it('indents requests and shows what would turn or hide text', () => {
    expect(requestText('{"a":{"b":1}}')).toBe('{\n  "a": {\n    "b": 1\n  }\n}');
    expect(requestText('not json')).toBe('not json');
    expect(requestText('{"name":"a\u202eb"}')).not.toContain('\u202e');
  });
});
