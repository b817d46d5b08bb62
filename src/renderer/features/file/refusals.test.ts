import { expect, test } from 'vitest';
import type { ResponseKind } from '#shared/model/responses.ts';
import { accessWarning, FILE_RESPONSES, stateRefusal } from './refusals.ts';

const refused = (kind: ResponseKind, state: { deleted?: boolean; held?: boolean; why?: string }) =>
  stateRefusal(kind, {
    profile: { is_deleted: state.deleted ?? false },
    held: state.held ?? false,
    notRestorable: state.why ?? null,
  });

test.each([
  ['quarantine', {}, null],
  ['quarantine', { held: true }, 'Already in quarantine.'],
  ['quarantine', { deleted: true }, 'The file is deleted.'],
  ['restore', {}, 'Not in quarantine.'],
  ['restore', { held: true }, null],
  ['restore', { held: true, why: 'The owner left' }, 'The owner left'],
  ['restore', { held: true, deleted: true }, 'The file is deleted.'],
  ['delete', { held: true }, null],
  ['delete', { deleted: true }, 'The file is deleted.'],
  ['decline', { held: true }, 'Only emails can have a release request.'],
] as const)('%s of %j', (kind, state, why) => expect(refused(kind, state)).toBe(why));

test('rescanning, reporting and identifying are always possible', () => {
  const free = FILE_RESPONSES.filter((kind) => refused(kind, { deleted: true, held: true }) === null);
  expect(free).toEqual(['rescan', 'report', 'identify']);
});

test.each([
  [0, null],
  [50, null],
  [51, '51 permission entries lose access at once.'],
  [null, 'How many permission entries lose access is unknown.'],
])('%s entries that lose access', (people, warning) => expect(accessWarning(people)).toBe(warning));
