/** Evidence that is not fully read: none of its result sets or exports is complete, and each says how much was read. */
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { AppEvent, Job, ResultSet } from '#shared/bridge/operations.ts';
import type { EvidenceState } from '#shared/model/evidence.ts';
import { readWords } from '#shared/model/evidence.ts';
import {
  type Core,
  failingKeychain,
  memoryKeychain,
  startCore,
  temporaryProfile,
  tenantSettings,
} from '#tests/support/core.ts';
import { generatedMail, writeMbox } from '#tests/support/generated-mail.ts';
import { soon } from '#tests/support/soon.ts';

const MIB = 1024 * 1024;
const SMALL = 150;
let profile: ReturnType<typeof temporaryProfile>;
let evidence: ReturnType<typeof temporaryProfile>;
const cores: Core[] = [];
const keychain = memoryKeychain();

beforeEach(() => {
  profile = temporaryProfile();
  evidence = temporaryProfile();
});
afterEach(async () => {
  await Promise.all(cores.splice(0).map((core) => core.stop()));
  profile.remove();
  evidence.remove();
});

const target = () => join(profile.path, 'out.csv');
async function open(path = evidence.path) {
  const core = await startCore({
    profile: profile.path,
    keychain,
    dialogs: { save: async () => ({ path: target(), name: 'out.csv' }), open: async () => null },
  });
  cores.push(core);
  const events: AppEvent[] = [];
  void core.bridge.stream('app.events', {}, (event) => events.push(event)).catch(() => {});
  await core.app.connect({ kind: 'evidence', path });
  const { state } = await core.bridge.call('connections.list', {});
  return { core, id: String(state.connectionId), events };
}
const query = {
  query_domain: 'email',
  saas_id: 'all',
  query_entity_type: 'email',
  condition: { operator: 'and' as const, conditions: [] },
  columns: ['subject'],
  sort_by: [],
  include_copies: false,
};
const run = (core: Core, connectionId: string, refresh = true): Promise<ResultSet> =>
  core.bridge.call('results.open', {
    connectionId,
    payload: query,
    columns: [{ id: 'subject', label: 'Subject', type: 'text', multiValues: false }],
    refresh,
  });
const ended = async (core: Core, id: string): Promise<ResultSet> =>
  soon(async () => {
    const result = await core.bridge.call('results.get', { resultId: id });
    expect(['complete', 'partial']).toContain(result?.state);
    return result as ResultSet;
  });
const stateOf = async (core: Core, connectionId: string): Promise<EvidenceState | null> =>
  (await core.bridge.call('evidence.state', { connectionId })).state;
async function exported(
  core: Core,
  resultId: string,
): Promise<{ job: Job; manifest: Record<string, unknown> }> {
  const grant = await core.bridge.call('dialogs.save', { suggestedName: 'out.csv', kind: 'csv' });
  const started = await core.bridge.call('exports.start', {
    resultId,
    grantId: String(grant?.grantId),
    format: 'csv',
    columns: [{ id: 'subject', label: 'Subject' }],
    raw: false,
    bom: false,
    zone: 'UTC',
  });
  const job = await soon(async () => {
    const job = (await core.bridge.call('jobs.list', {})).jobs.find(({ id }) => id === started.id);
    expect(job?.endedAt).not.toBeNull();
    return job as Job;
  });
  return { job, manifest: job.outcome?.manifest as Record<string, unknown> };
}

describe('an import in progress', () => {
  it('is stated with every result set and export until it ends; then the sets resume automatically', async () => {
    for (let index = 0; index < SMALL; index += 1)
      writeFileSync(join(evidence.path, `${index}.eml`), generatedMail(1_000_000 + index, 100));
    const large = await writeMbox(join(evidence.path, 'z.mbox'), 24 * MIB);
    const { core, id } = await open();
    await soon(async () => expect((await stateOf(core, id))?.files).toBe(SMALL));
    const early = await ended(core, (await run(core, id)).id);
    expect(early).toMatchObject({
      state: 'partial',
      reason: `The evidence is still being read: ${SMALL} of ${SMALL + 1} files read.`,
    });
    const { job, manifest } = await exported(core, early.id);
    expect(job.state).toBe('partial');
    expect(manifest).toMatchObject({ completeness: 'PARTIAL', scope: 'everything' });
    expect(manifest['why']).toContain(`${SMALL} of ${SMALL + 1} files read`);

    // 24 MB, read and indexed while other work is running.
    await vi.waitFor(async () => expect((await stateOf(core, id))?.phase).toBe('read'), { timeout: 60_000 });
    await soon(async () =>
      expect(await core.bridge.call('results.get', { resultId: early.id })).toMatchObject({
        state: 'complete',
        loaded: SMALL + large,
        reason: null,
      }),
    );
    const whole = await exported(core, early.id);
    expect(whole.manifest).toMatchObject({ completeness: 'complete', why: null, rows: SMALL + large });
    expect(readFileSync(target(), 'utf8').trim().split('\r\n')).toHaveLength(SMALL + large + 1);
  });

  it('stays incomplete after a cancel, and in the next run until it is fully read', async () => {
    for (let index = 0; index < SMALL; index += 1)
      writeFileSync(join(evidence.path, `${index}.eml`), generatedMail(1_000_000 + index, 100));
    await writeMbox(join(evidence.path, 'z.mbox'), 24 * MIB);
    const { core, id, events } = await open();
    await soon(async () => expect((await stateOf(core, id))?.files).toBe(SMALL));
    const importing = (await core.bridge.call('jobs.list', {})).jobs.find(
      ({ kind }) => kind === 'evidence-import',
    );
    await core.bridge.call('jobs.control', { id: String(importing?.id), action: 'cancel' });
    await soon(async () => expect((await stateOf(core, id))?.phase).toBe('cancelled'));
    const why = `Reading the evidence was cancelled: ${SMALL} of ${SMALL + 1} files read.`;
    const set = await ended(core, (await run(core, id)).id);
    expect(set).toMatchObject({ state: 'partial', reason: why });
    const { manifest } = await exported(core, set.id);
    expect(manifest).toMatchObject({ completeness: 'PARTIAL', why: expect.stringContaining(why) });
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'evidence', state: expect.objectContaining({ phase: 'cancelled' }) }),
    );
  });
});

describe('open evidence', () => {
  const rowsOf = async (core: Core, id: string) => (await ended(core, (await run(core, id)).id)).loaded;

  it('is read again automatically when it changes, importing only new mail', async () => {
    writeFileSync(join(evidence.path, 'a.eml'), generatedMail(1, 100));
    const { core, id } = await open();
    await soon(async () => expect((await stateOf(core, id))?.phase).toBe('read'));
    mkdirSync(join(evidence.path, 'later'));
    writeFileSync(join(evidence.path, 'later/b.eml'), generatedMail(2, 100));
    await soon(async () => expect(await rowsOf(core, id)).toBe(2));
    await soon(async () => {
      const [latest] = (await core.bridge.call('jobs.list', {})).jobs
        .filter(({ kind }) => kind === 'evidence-import')
        .sort((a, b) => (b.startedAt ?? 0) - (a.startedAt ?? 0));
      expect(latest).toMatchObject({ state: 'done', outcome: { imported: 1, unchanged: 1 } });
    });
  });

  it('resumes after a cancel, automatically or by its job', async () => {
    await writeMbox(join(evidence.path, 'a.mbox'), 8 * MIB);
    const { core, id } = await open();
    const jobs = async (): Promise<Job[]> =>
      (await core.bridge.call('jobs.list', {})).jobs.filter(({ kind }) => kind === 'evidence-import');
    const [first] = await soon(async () => {
      const all = await jobs();
      expect(all).toHaveLength(1);
      return all;
    });
    await core.bridge.call('jobs.control', { id: String(first?.id), action: 'cancel' });
    await soon(async () => expect((await stateOf(core, id))?.phase).toBe('cancelled'));
    const again = await core.bridge.call('jobs.control', { id: String(first?.id), action: 'retry' });
    expect(again.id).not.toBe(first?.id);
    await soon(async () => expect((await stateOf(core, id))?.phase).toBe('read'));
    const all = await rowsOf(core, id);
    expect(all).toBeGreaterThan(100);
    expect((await core.bridge.call('evidence.read', { connectionId: id })).state.phase).toBe('reading');
    await soon(async () => expect((await stateOf(core, id))?.phase).toBe('read'));
    expect(await rowsOf(core, id)).toBe(all);
    await core.bridge.call('evidence.read', { connectionId: id, verify: true });
    const verifying = await soon(async () => {
      const job = (await jobs()).find(({ title, endedAt }) => title.startsWith('Verify') && endedAt !== null);
      expect(job).toMatchObject({
        state: 'done',
        outcome: { imported: 0, unchanged: all, removed: 0 },
        note: readWords({ imported: 0, unchanged: all, removed: 0 }, true),
      });
      return job;
    });
    // Reading it again does more than check for changes.
    const repeated = await core.bridge.call('jobs.control', { id: String(verifying?.id), action: 'retry' });
    expect(repeated.title).toBe(verifying?.title);
  });
});

describe('evidence of a locked profile', () => {
  const passphrase = 'correct horse battery';
  const locked = async () => {
    const core = await startCore({ profile: profile.path, keychain: failingKeychain('secrets-unavailable') });
    cores.push(core);
    return core;
  };
  const imports = async (core: Core) =>
    (await core.bridge.call('jobs.list', {})).jobs.filter(({ kind }) => kind === 'evidence-import');
  const current = async (core: Core) => {
    const { connections, state } = await core.bridge.call('connections.list', {});
    return connections.find(({ id }) => id === state.connectionId);
  };
  const stored = () =>
    readdirSync(profile.path, { recursive: true }).filter((name) => /evidence.+sqlite/.test(String(name)));

  beforeEach(async () => {
    writeFileSync(join(evidence.path, 'a.eml'), generatedMail(1, 100));
    const core = await locked();
    await core.bridge.call('secrets.choose', { mode: 'passphrase', passphrase });
    await Promise.all(cores.splice(0).map((core) => core.stop()));
  });

  it.each(['passphrase', 'run'] as const)(
    'is read automatically once the profile is unlocked (%s), and not before',
    async (mode) => {
      const core = await locked();
      await core.app.connect({ kind: 'evidence', path: evidence.path });
      expect((await core.bridge.call('app.info', {})).secrets.locked).toBe(true);
      expect([await current(core), await imports(core), stored()]).toEqual([undefined, [], []]);
      await core.bridge.call('secrets.choose', { mode, ...(mode === 'run' ? {} : { passphrase }) });
      const id = String((await current(core))?.id);
      await soon(async () => expect(await stateOf(core, id)).toMatchObject({ phase: 'read', files: 1 }));
    },
  );

  it('is not read by a connection created while the profile is locked', async () => {
    const core = await startCore({
      profile: profile.path,
      keychain: failingKeychain('secrets-unavailable'),
      dialogs: { open: async () => ({ path: evidence.path, name: 'mail' }), save: async () => null },
    });
    cores.push(core);
    const grant = await core.bridge.call('dialogs.open', { kind: 'evidence-folder' });
    const connection = await core.bridge.call('connections.save', {
      id: null,
      settings: tenantSettings('', { kind: 'evidence', name: 'mail' }),
      credential: null,
      grantId: String(grant?.grantId),
    });
    await core.bridge.call('connections.activate', { id: connection.id });
    await soon(async () =>
      expect((await core.bridge.call('connections.list', {})).state).toMatchObject({
        phase: 'failed',
        error: { code: 'secrets-locked' },
      }),
    );
    expect([await imports(core), stored()]).toEqual([[], []]);
  });
});

it('[bad input] an index that is damaged is kept and named above every screen; the mail is read again', async () => {
  writeFileSync(join(evidence.path, 'a.eml'), generatedMail(1, 100));
  const first = await open();
  await soon(async () => expect((await stateOf(first.core, first.id))?.phase).toBe('read'));
  await first.core.stop();
  cores.splice(0);
  const indexes = join(profile.path, 'evidence');
  const [index = ''] = readdirSync(indexes).filter((name) => name.endsWith('.sqlite'));
  writeFileSync(join(indexes, index), Buffer.alloc(8_192, 7));

  const { core, id } = await open();
  await soon(async () => expect((await stateOf(core, id))?.phase).toBe('read'));
  expect((await ended(core, (await run(core, id)).id)).loaded).toBe(1);
  const { notices } = await core.bridge.call('app.info', {});
  const [aside = ''] = readdirSync(indexes).filter((name) => name.startsWith(`${index}.damaged-`));
  expect(notices.map(({ message }) => message).join(' ')).toContain(`kept as ${aside}`);
  // It belongs to the connection, and goes with it.
  await core.bridge.call('connections.remove', { id });
  await soon(async () => expect(readdirSync(indexes)).toEqual([]));
});

describe('unreachable evidence', () => {
  const fill = () => {
    for (let index = 0; index < 20; index += 1)
      writeFileSync(join(evidence.path, `${index}.eml`), generatedMail(1_000_000 + index, 100));
  };
  const readOnce = async () => {
    const first = await open();
    await soon(async () => expect((await stateOf(first.core, first.id))?.phase).toBe('read'));
    await cores.splice(0)[0]?.stop();
  };

  it.each(['keep', 'remove'] as const)(
    'an empty mount point raises a question, here answered with "%s"',
    async (answer) => {
      fill();
      await readOnce();
      rmSync(evidence.path, { recursive: true });
      mkdirSync(evidence.path);
      const { core, id } = await open();
      const state = await soon(async () => {
        const now = await stateOf(core, id);
        expect(now?.phase).toBe('read');
        return now;
      });
      expect(state).toMatchObject({ gone: 20, known: 20 });
      const set = await ended(core, (await run(core, id)).id);
      expect(set).toMatchObject({ state: 'partial', loaded: 20 });
      expect(set.reason).toContain('20 of 20 emails and logins read earlier are no longer in the evidence');
      const after = await core.bridge.call('evidence.resolve', { connectionId: id, answer });
      expect(after.state).toMatchObject({ phase: 'read', gone: 0 });
      expect(await ended(core, (await run(core, id)).id)).toMatchObject({
        state: 'complete',
        loaded: answer === 'keep' ? 20 : 0,
      });
      await expect(core.bridge.call('evidence.resolve', { connectionId: id, answer })).rejects.toMatchObject({
        code: 'conflict',
      });
      // Permanently: the next start does not ask again, and what was kept is still there.
      await cores.splice(0)[0]?.stop();
      const next = await open();
      await soon(async () =>
        expect(await stateOf(next.core, next.id)).toMatchObject({ phase: 'read', gone: 0 }),
      );
      expect(await ended(next.core, (await run(next.core, next.id)).id)).toMatchObject({
        state: 'complete',
        loaded: answer === 'keep' ? 20 : 0,
      });
    },
  );

  it.runIf(process.platform !== 'win32')(
    'a link in place of the folder is not followed; what was read stays',
    async () => {
      fill();
      await readOnce();
      const away = `${evidence.path}-away`;
      renameSync(evidence.path, away);
      mkdirSync(join(away, 'other'));
      symlinkSync(join(away, 'other'), evidence.path);
      try {
        const core = await startCore({ profile: profile.path, keychain });
        cores.push(core);
        const { connections } = await core.bridge.call('connections.list', {});
        const id = String(connections[0]?.id);
        await core.bridge.call('connections.activate', { id });
        await soon(async () => expect((await stateOf(core, id))?.phase).toBe('failed'));
        const set = await ended(core, (await run(core, id)).id);
        expect(set).toMatchObject({ state: 'partial', loaded: 20 });
        expect(set.reason).toContain('A link stands where the evidence was');
      } finally {
        rmSync(evidence.path);
        renameSync(away, evidence.path);
      }
    },
  );
});
