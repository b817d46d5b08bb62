import { expect, it } from 'vitest';
import { ParapetError } from '#shared/bridge/errors.ts';
import { Notices } from './app-notices.ts';
import { readWorkspace } from './app-profile.ts';

const log = { info: () => undefined, warn: () => undefined, error: () => undefined };

async function noticesOf(
  recover: () => Promise<{ doubtful: number; unsent: number }>,
  unreadable: string[] = [],
  unreadRules = 0,
) {
  const notices = new Notices(() => undefined);
  await readWorkspace({
    records: { load: async () => unreadable },
    rules: { load: async () => unreadRules },
    journal: { recover },
    notices,
    log,
  } as unknown as Parameters<typeof readWorkspace>[0]);
  return notices.list().map(({ id }) => id);
}

it('changes of earlier runs are reported, also when they cannot be checked', async () => {
  expect(await noticesOf(async () => ({ doubtful: 0, unsent: 0 }))).toEqual([]);
  expect(await noticesOf(async () => ({ doubtful: 1, unsent: 2 }), ['Tenant'])).toEqual([
    'unreadable-connections',
    'unsent-changes',
    'unknown-changes',
  ]);
  expect(await noticesOf(async () => ({ doubtful: 0, unsent: 0 }), [], 1)).toEqual(['unreadable-rules']);
  const full = () => Promise.reject(new ParapetError('disk-full', 'There is no room.'));
  expect(await noticesOf(full)).toEqual(['unchecked-changes']);
});
