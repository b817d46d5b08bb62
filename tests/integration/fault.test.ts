/** How an uncaught error is shown to the analyst. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Core, startCore, temporaryProfile } from '#tests/support/core.ts';

let profile: ReturnType<typeof temporaryProfile>;
let core: Core;
beforeEach(async () => {
  profile = temporaryProfile();
  core = await startCore({ profile: profile.path });
});
afterEach(async () => {
  await core.stop();
  profile.remove();
});

it('appears in a notice and in the journal, and calls continue', async () => {
  core.app.fault('read ECONNRESET');
  core.app.fault('write EPIPE');
  const { notices } = await core.bridge.call('app.info', {});
  expect(notices.filter(({ id }) => id === 'fault')).toEqual([
    { id: 'fault', level: 'warning', message: expect.stringContaining('write EPIPE') },
  ]);
  await expect
    .poll(async () => (await core.bridge.call('journal.list', { connectionId: null })).entries)
    .toMatchObject([
      {
        outcome: 'failed',
        endpoint: 'parapet.fault',
        message: expect.stringContaining('write EPIPE'),
      },
      {
        outcome: 'failed',
        endpoint: 'parapet.fault',
        message: expect.stringContaining('ECONNRESET'),
      },
    ]);
});

it('is harmless after the core has stopped', async () => {
  await core.stop();
  expect(() => core.app.fault('late')).not.toThrow();
});
