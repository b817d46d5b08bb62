import { describe, expect, it } from 'vitest';
import { outcomeWords } from '#renderer/state/journal-words.ts';
import { countWords } from '#shared/model/responses.ts';
import { alreadyDone, cleanTargets, leftOutWords, paramOf } from './labels.ts';

const mix = [
  {
    column: 'verdict',
    values: [
      { value: 'found', count: 9 },
      { value: 'clean', count: 2 },
    ],
  },
];

describe('the targets of an action', () => {
  it.each([
    [1, 'email', '1 email'],
    [1904, 'email', '1,904 emails'],
    [2, 'planet', '2 entities'],
  ])('%i of %s is %s', (count, domain, words) => expect(countWords(count, domain)).toBe(words));

  it('[promise] rows already in the target state are excluded, named in the config’s own values', () => {
    const state = { id: 'state', dbId: 'state', label: 'State', type: 'enum', operators: [] };
    const allowedValues = ['Inbox', 'Quarantined', 'Restore asked'].map((value) => ({ value, label: value }));
    const config = { fields: [{ ...state, allowedValues }], entityField: 'entity_id' };
    const out = [{ column: 'state', values: ['Quarantined', 'Restore asked'] }];
    expect(alreadyDone({ id: 'quarantine' }, config)).toEqual(out);
    expect(alreadyDone({ id: 'delete' }, config)).toEqual([]);
    expect(alreadyDone({ id: 'constructor' }, config)).toEqual([]);
    expect(alreadyDone({ id: 'quarantine' }, { ...config, entityField: null })).toEqual([]);
    expect(alreadyDone({ id: 'quarantine' }, { ...config, fields: [] })).toEqual([]);
    expect(
      leftOutWords([
        { column: 'state', values: ['Quarantined', 'Restore asked'] },
        { column: 'verdict', values: ['clean'] },
      ]),
    ).toBe('already quarantined, clean');
  });

  it('clean targets are counted for destructive actions only', () => {
    expect(cleanTargets({ id: 'delete', label: 'Delete', danger: true }, mix)).toBe(2);
    expect(cleanTargets({ id: 'tag', label: 'Tag' }, mix)).toBeNull();
  });
});

describe('the outcome of an action', () => {
  it('omits states without targets', () => {
    expect(outcomeWords({ done: 140, failed: 3, 'not-sent': 0, unknown: 0, pending: 6, sending: 2 })).toBe(
      '140 done, 3 failed, 8 pending',
    );
  });

  it.each([
    ['params.folder', 'folder'],
    ['action_params.text', 'text'],
    ['actionId', null],
    [undefined, null],
  ])('%s names %s', (field, param) => expect(paramOf(field)).toBe(param));
});
