import { expect, test } from 'vitest';
import type { Permission } from '#shared/model/entities.ts';
import { PERMISSION_FLAGS, type PermissionFlag } from '#shared/model/enums.ts';
import { outsideOf, rightsOf } from './permissions.ts';

const labels = Object.fromEntries(
  PERMISSION_FLAGS.map((flag) => [flag, flag.slice('can_'.length)]),
) as Record<PermissionFlag, string>;
const holding = (held: readonly string[], roles: string[] = [], userId = 'u-1'): Permission => ({
  userId,
  roles,
  ...(Object.fromEntries(PERMISSION_FLAGS.map((flag) => [flag, held.includes(flag)])) as Record<
    PermissionFlag,
    boolean
  >),
});

test.each([
  [[...PERMISSION_FLAGS], 'Full access'],
  [[], 'No access'],
  [['can_view'], 'View'],
  [['can_share', 'can_view', 'can_download'], 'View, download, share'],
])('%j', (held, words) => expect(rightsOf(holding(held), labels)).toBe(words));

test('rights that the service does not mention are not shown as denied', () => {
  const unknown = Object.fromEntries(PERMISSION_FLAGS.map((flag) => [flag, null])) as Record<
    PermissionFlag,
    null
  >;
  expect(rightsOf({ ...holding([]), ...unknown }, labels)).toBe('Not recorded');
  expect(rightsOf({ ...holding([]), ...unknown, can_view: true }, labels)).toBe('View (7 not recorded)');
  expect(rightsOf({ ...holding([]), can_share: null }, labels)).toBe('No access (1 not recorded)');
});

test.each([
  [['viewer', 'link'], 'u-1', 'anyone'],
  [['viewer'], 'anyone', 'anyone'],
  [['Editor', 'Guest'], 'x-1', 'outside'],
  [['owner'], 'u-1', null],
  [[], 'u-1', null],
])('roles %j of %s', (roles, userId, outside) => expect(outsideOf(holding([], roles, userId))).toBe(outside));
