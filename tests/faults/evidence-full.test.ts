/**
 * An import onto a disk that really becomes full: a small in-memory file system, which needs root to mount. Skipped
 * with a notice where that is not possible.
 */
import { mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, expect, it, vi } from 'vitest';
import type { Job } from '#shared/bridge/operations.ts';
import { type Core, memoryKeychain, startCore, temporaryProfile } from '#tests/support/core.ts';
import { generatedMail } from '#tests/support/generated-mail.ts';
import { mountDisk, unmountDisk } from '#tests/support/small-disk.ts';

const MB = 1024 * 1024;
/** Twice as many as fit on the full disk. */
const MAILS = 1_500;

const disk = mountDisk(128 * MB);
if (disk === null)
  console.log('The test of an import onto a full disk is skipped here: mounting a file system needs root.');
const evidence = temporaryProfile();

const cores: Core[] = [];
afterEach(async () => {
  await Promise.all(cores.splice(0).map((core) => core.stop()));
});
afterAll(() => {
  evidence.remove();
  if (disk === null) return;
  unmountDisk(disk);
});

const jobsOf = async (core: Core): Promise<Job[]> =>
  (await core.bridge.call('jobs.list', {})).jobs.filter(({ kind }) => kind === 'evidence-import');

it.skipIf(disk === null)(
  'what was read stays, the job gives the reason, and reading resumes once there is space',
  { timeout: 180_000 },
  async () => {
    mkdirSync(evidence.path, { recursive: true });
    for (let index = 0; index < MAILS; index++)
      writeFileSync(
        join(evidence.path, `${String(index).padStart(5, '0')}.eml`),
        generatedMail(index, 600).replace('the second table', `table ${index}`),
      );
    const core = await startCore({ profile: join(String(disk), 'profile'), keychain: memoryKeychain() });
    cores.push(core);
    // Another program takes nearly all the space: a few hundred mails fit.
    const foreign = join(String(disk), 'foreign');
    const { bavail, bsize } = statfsSync(String(disk));
    writeFileSync(foreign, Buffer.alloc(bavail * bsize - 10 * MB, 1));
    await core.app.connect({ kind: 'evidence', path: evidence.path });
    const connectionId = String((await core.bridge.call('connections.list', {})).state.connectionId);
    const stateOf = async () => (await core.bridge.call('evidence.state', { connectionId })).state;
    const become = (phase: string) =>
      vi.waitFor(async () => expect((await stateOf())?.phase).toBe(phase), { timeout: 60_000, interval: 50 });
    await become('failed');
    expect((await stateOf())?.reason).toMatch(/disk is full.*What was read stays/);
    expect((await jobsOf(core))[0]).toMatchObject({
      state: 'failed',
      error: { code: 'disk-full', retryable: true },
    });
    const { imported } = await core.bridge.call('evidence.problems', { connectionId });
    expect(imported).toBeGreaterThan(100);
    expect(imported).toBeLessThan(MAILS);

    rmSync(foreign);
    await core.bridge.call('evidence.read', { connectionId });
    await become('read');
    const after = await core.bridge.call('evidence.problems', { connectionId });
    expect(after).toMatchObject({ imported: MAILS, problems: [] });
  },
);
