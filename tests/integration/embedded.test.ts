/** Demo and evidence connections: the embedded service in its worker, started, used, offline, stopped. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AppEvent, Job } from '#shared/bridge/operations.ts';
import { type Core, memoryKeychain, readAll, startedCores, temporaryProfile } from '#tests/support/core.ts';
import { soon } from '#tests/support/soon.ts';
import { allowUncaught } from '#tests/support/uncaught.ts';

// These tests start and stop many cores, workers and processes.
let profile: ReturnType<typeof temporaryProfile>;
let evidence: ReturnType<typeof temporaryProfile>;
const { start, stop, stopAll } = startedCores(() => ({ profile: profile.path }));

beforeEach(() => {
  profile = temporaryProfile();
  evidence = temporaryProfile();
});
afterEach(async () => {
  await stopAll();
  profile.remove();
  evidence.remove();
});

const active = async (core: Core) => {
  const { connections, state } = await core.bridge.call('connections.list', {});
  const connection = connections.find(({ id }) => id === state.connectionId);
  if (connection === undefined) throw new Error('no connection is active');
  return connection;
};
const execute = {
  query_domain: 'email',
  saas_id: 'all',
  query_entity_type: 'email',
  condition: { operator: 'and' as const, conditions: [] },
  columns: ['subject'],
  sort_by: [],
  include_copies: false,
  count_only: false,
  size: 10,
};
const total = async (core: Core, connectionId: string) => {
  const { snapshots, error } = await readAll(core.bridge, {
    connectionId,
    endpoint: 'query.execute',
    body: execute,
    refresh: true,
  });
  if (error !== null) throw error;
  return (snapshots.at(-1)?.data as { total_rows: number } | undefined)?.total_rows;
};

const mail = (subject: string, id: string) =>
  `From: Ann <ann@sender.example>\r\nTo: bob@tenant.example\r\nSubject: ${subject}\r\nMessage-ID: <${id}@sender.example>\r\nDate: Mon, 5 Jan 2026 10:00:00 +0000\r\n\r\nHello\r\n`;

describe('the demo tenant', () => {
  it('starts, is the same connection the second time, and can be read offline', async () => {
    const keychain = memoryKeychain();
    const first = await start({ keychain });
    await first.app.connect({ kind: 'demo', emails: 120, seed: 5 });
    const { id, kind } = await active(first);
    expect(kind).toBe('demo');
    expect(await total(first, id)).toBeGreaterThan(0);
    await soon(async () =>
      expect((await first.bridge.call('connections.list', {})).state.phase).toBe('online'),
    );
    const before = await readAll(first.bridge, { connectionId: id, endpoint: 'apps.list' });
    await first.bridge.call('connections.offline', { offline: true });
    await stop(first);

    const second = await start({ keychain });
    expect((await active(second)).id).toBe(id);
    const offline = await readAll(second.bridge, { connectionId: id, endpoint: 'apps.list' });
    expect(offline.snapshots).toMatchObject([{ freshness: { source: 'cache', offline: true } }]);
    expect(offline.snapshots[0]?.data).toEqual(before.snapshots[0]?.data);
    await second.bridge.call('connections.offline', { offline: false });
    await second.app.connect({ kind: 'demo', emails: 120, seed: 5 });
    expect((await active(second)).id).toBe(id);
    expect((await second.bridge.call('connections.list', {})).connections).toHaveLength(1);
  });

  it('[bad input] with a damaged database is generated again, and a notice names the file that was kept', async () => {
    const file = join(profile.path, 'demo-40-5.sqlite');
    writeFileSync(file, Buffer.alloc(8_192, 7));
    const core = await start();
    await core.app.connect({ kind: 'demo', emails: 40, seed: 5 });
    expect(await total(core, (await active(core)).id)).toBeGreaterThan(0);
    const [aside = ''] = readdirSync(profile.path).filter((name) => name.includes('.damaged-'));
    expect(readFileSync(join(profile.path, aside))).toEqual(Buffer.alloc(8_192, 7));
    const { notices } = await core.bridge.call('app.info', {});
    expect(notices).toContainEqual({
      id: 'replaced-demo-40-5.sqlite',
      level: 'error',
      message: expect.stringContaining(`demo tenant was damaged, so the demo tenant was made anew`),
    });
    expect(notices.map(({ message }) => message).join(' ')).toContain(`kept as ${aside}`);
  });

  it('whose database cannot be opened for another reason says why, and the file stays', async () => {
    // A folder, which SQLite cannot open, even as root.
    mkdirSync(join(profile.path, 'demo-40-6.sqlite'));
    const core = await start();
    await core.app.connect({ kind: 'demo', emails: 40, seed: 6 });
    await soon(async () =>
      expect((await core.bridge.call('connections.list', {})).state).toMatchObject({
        phase: 'failed',
        error: { code: 'permission-denied', message: expect.stringContaining('It was left as it is. Give') },
      }),
    );
    expect(readdirSync(profile.path).filter((name) => name.includes('demo-40-6'))).toEqual([
      'demo-40-6.sqlite',
    ]);
  });

  it('can be left without choosing another', async () => {
    const core = await start();
    await core.app.connect({ kind: 'none' });
    expect((await core.bridge.call('connections.list', {})).state).toMatchObject({
      connectionId: null,
      phase: 'none',
    });
  });
});

describe('evidence', () => {
  it('is imported as a job, its problems are listed, and it is encrypted on disk', async () => {
    writeFileSync(join(evidence.path, 'a.eml'), mail('First-needle', '1'));
    writeFileSync(join(evidence.path, 'b.eml'), mail('Second', '2'));
    writeFileSync(join(evidence.path, 'c.bin'), Buffer.alloc(2000, 0xfe));
    const keychain = memoryKeychain();
    const core = await start({ keychain });
    const jobs = new Map<string, Job>();
    const events: AppEvent[] = [];
    void core.bridge
      .stream('app.events', {}, (event) => {
        events.push(event);
        if (event.type === 'job') jobs.set(event.job.id, event.job);
      })
      .catch(() => {});
    await core.app.connect({ kind: 'evidence', path: evidence.path });
    const { id, sourceLabel } = await active(core);
    expect(evidence.path.endsWith(String(sourceLabel))).toBe(true);
    await soon(async () => expect(await total(core, id)).toBe(2));
    const report = await core.bridge.call('evidence.problems', { connectionId: id });
    expect(report).toMatchObject({ imported: 2 });
    expect(report.problems.map(({ file }) => file)).toEqual([expect.stringContaining('c.bin')]);
    await soon(() => expect([...jobs.values()].map(({ state }) => state)).toEqual(['done']));
    expect(events.some((event) => event.type === 'invalidated' && event.connectionId === id)).toBe(true);
    await stop(core);
    const files = readdirSync(profile.path, {
      recursive: true,
      encoding: 'utf8',
      withFileTypes: true,
    }).filter((entry) => entry.isFile());
    expect(files.some(({ parentPath }) => parentPath.endsWith('evidence'))).toBe(true);
    for (const file of files)
      expect(readFileSync(join(file.parentPath, file.name)).includes('First-needle'), file.name).toBe(false);

    // What was imported stays when the folder is gone.
    rmSync(evidence.path, { recursive: true });
    const again = await start({ keychain });
    expect(await total(again, id)).toBe(2);
    await soon(async () =>
      expect((await again.bridge.call('jobs.list', {})).jobs).toContainEqual(
        expect.objectContaining({
          state: 'failed',
          error: expect.objectContaining({ code: 'path-missing' }),
        }),
      ),
    );
    mkdirSync(evidence.path);
    await again.bridge.call('connections.remove', { id });
    expect(readdirSync(join(profile.path, 'evidence'))).toEqual([]);
  });

  it('that does not exist is reported, and Parapet stays up', async () => {
    const core = await start();
    await expect(
      core.app.connect({ kind: 'evidence', path: join(evidence.path, 'nowhere') }),
    ).rejects.toMatchObject({
      code: 'path-missing',
    });
    expect((await core.bridge.call('connections.list', {})).connections).toEqual([]);
  });
});

describe('a worker', () => {
  const script = (code: string) =>
    new URL(
      `data:text/javascript,${encodeURIComponent(`import { parentPort, workerData } from 'node:worker_threads';\n${code}`)}`,
    );

  it('that does not start marks the connection failed, with its reason', async () => {
    const core = await start({
      workers: {
        embedded: script(
          "parentPort.postMessage({ type: 'failed', error: { code: 'bad-file', message: 'No.', retryable: false } });",
        ),
      },
    });
    await core.app.connect({ kind: 'demo' });
    await soon(async () =>
      expect((await core.bridge.call('connections.list', {})).state).toMatchObject({
        phase: 'failed',
        error: { code: 'bad-file' },
      }),
    );
    const { id } = await active(core);
    expect((await readAll(core.bridge, { connectionId: id, endpoint: 'apps.list' })).error).toMatchObject({
      code: 'bad-file',
    });
  });

  it('that crashes marks the connection failed; the next call starts another', async () => {
    allowUncaught(/broken/);
    const starts = join(profile.path, 'starts');
    const core = await start({
      workers: {
        embedded: script(
          `import { appendFileSync } from 'node:fs'; appendFileSync(${JSON.stringify(starts)}, '.'); throw new Error('broken');`,
        ),
      },
    });
    await core.app.connect({ kind: 'demo' });
    await soon(async () =>
      expect((await core.bridge.call('connections.list', {})).state).toMatchObject({
        phase: 'failed',
        error: { code: 'internal' },
      }),
    );
    const before = readFileSync(starts).length;
    const { connections } = await core.bridge.call('connections.list', {});
    const { error } = await readAll(core.bridge, { connectionId: connections[0]!.id, endpoint: 'apps.list' });
    expect(error).toMatchObject({ code: 'internal', retryable: true });
    expect(readFileSync(starts).length).toBeGreaterThan(before);
  });

  it('that does not stop is terminated', async () => {
    const core = await start({
      workers: {
        embedded: script(
          "parentPort.on('message', () => {}); parentPort.postMessage({ type: 'ready', port: 9 });",
        ),
      },
    });
    await core.app.connect({ kind: 'demo' });
    await soon(async () =>
      expect((await core.bridge.call('connections.list', {})).state.phase).not.toBe('starting'),
    );
    await stop(core);
  });
});
