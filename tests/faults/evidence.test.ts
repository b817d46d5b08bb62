/**
 * Problems with evidence: missing, empty, unreadable, garbage, very large; queried, cancelled and changed while it is
 * imported.
 */
import { execFileSync, fork } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { Uint8ArrayReader, Uint8ArrayWriter, ZipWriter } from '@zip.js/zip.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { evidenceSource } from '#service/evidence/source.ts';
import { openStore } from '#service/store-sqlite/sqlite-store.ts';
import type { Job } from '#shared/bridge/operations.ts';
import { type Core, memoryKeychain, readAll, startCore, temporaryProfile } from '#tests/support/core.ts';
import { generatedMail, writeMbox } from '#tests/support/generated-mail.ts';
import type { ImportChildMessage } from '#tests/support/import-child.ts';
import { soon } from '#tests/support/soon.ts';

const LONG = process.env['PARAPET_LONG'] === '1';
const MIB = 1024 * 1024;
const CHILD = new URL('../support/import-child.ts', import.meta.url);
// These tests start and stop many cores, workers and processes.
let profile: ReturnType<typeof temporaryProfile>;
let evidence: ReturnType<typeof temporaryProfile>;
const cores: Core[] = [];

beforeEach(() => {
  profile = temporaryProfile();
  evidence = temporaryProfile();
});
afterEach(async () => {
  await Promise.all(cores.splice(0).map((core) => core.stop()));
  profile.remove();
  evidence.remove();
});

const keychain = memoryKeychain();
async function open(path = evidence.path): Promise<{ core: Core; id: string }> {
  const core = await startCore({ profile: profile.path, keychain });
  cores.push(core);
  await core.app.connect({ kind: 'evidence', path });
  const { state } = await core.bridge.call('connections.list', {});
  return { core, id: String(state.connectionId) };
}
const jobOf = async (core: Core): Promise<Job | undefined> =>
  (await core.bridge.call('jobs.list', {})).jobs.find(({ kind }) => kind === 'evidence-import');
const problemsOf = (core: Core, id: string) => core.bridge.call('evidence.problems', { connectionId: id });
const query = {
  query_domain: 'email',
  saas_id: 'all',
  query_entity_type: 'email',
  condition: { operator: 'and' as const, conditions: [] },
  columns: ['subject'],
  sort_by: [],
  include_copies: false,
};
async function counted(core: Core, connectionId: string): Promise<number> {
  const body = { ...query, size: 0, count_only: true };
  const { snapshots, error } = await readAll(core.bridge, {
    connectionId,
    endpoint: 'query.execute',
    body,
    refresh: true,
  });
  if (error !== null) throw error;
  return (snapshots.at(-1)?.data as { total_rows: number } | undefined)?.total_rows ?? Number.NaN;
}
const openResults = (core: Core, connectionId: string) =>
  core.bridge.call('results.open', {
    connectionId,
    payload: query,
    columns: [{ id: 'subject', label: 'Subject', type: 'text', multiValues: false }],
    refresh: false,
  });

interface Run {
  end: Extract<ImportChildMessage, { type: 'end' }>;
  progress: Extract<ImportChildMessage, { type: 'progress' }>[];
}
/** Imports in a separate process, which is told to stop after `cancelAfter` messages. */
async function importAlone(args: readonly string[], cancelAfter = Number.POSITIVE_INFINITY): Promise<Run> {
  const child = fork(CHILD, [join(profile.path, 'evidence.sqlite'), ...args], { stdio: 'pipe' });
  let errors = '';
  child.stderr?.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const progress: Run['progress'] = [];
  let end: Run['end'] | null = null;
  child.on('message', (message: ImportChildMessage) => {
    if (message.type === 'end') end = message;
    else {
      progress.push(message);
      if (message.messages >= cancelAfter) child.send('cancel');
    }
  });
  await once(child, 'exit');
  if (end === null) throw new Error(`The import ended without a word:\n${errors}`);
  return { end, progress };
}

describe('a path', () => {
  it.each<[what: string, prepare: (path: string) => string, code: string]>([
    ['that is missing', (path) => join(path, 'nowhere'), 'path-missing'],
    [
      'that lies below a file',
      (path) => {
        writeFileSync(join(path, 'a.eml'), generatedMail(1));
        return join(path, 'a.eml', 'mail');
      },
      'path-missing',
    ],
  ])('[bad input] %s is refused, and nothing of it is stored', async (_, prepare, code) => {
    const core = await startCore({ profile: profile.path, keychain });
    cores.push(core);
    await expect(core.app.connect({ kind: 'evidence', path: prepare(evidence.path) })).rejects.toMatchObject({
      code,
    });
    expect((await core.bridge.call('connections.list', {})).connections).toEqual([]);
  });

  it('[bad input] that is an empty folder opens empty, without an error', async () => {
    const { core, id } = await open();
    await soon(async () => expect(await counted(core, id)).toBe(0));
    expect(await problemsOf(core, id)).toEqual({ imported: 0, notMail: 0, problems: [] });
    expect((await jobOf(core))?.state ?? 'done').toBe('done');
  });

  it.runIf(process.platform === 'linux')(
    '[bad input] that cannot be read is reported by the job, with the reason',
    async () => {
      // Reading it fails with EIO, even for root.
      const { core } = await open('/proc/self/mem');
      await soon(async () =>
        expect(await jobOf(core)).toMatchObject({
          state: 'failed',
          error: {
            code: 'bad-file',
            message: expect.stringContaining('/mem cannot be read: the disk reports a read error.'),
          },
        }),
      );
    },
  );

  it.skipIf(process.platform === 'win32')(
    '[bad input] with a locked file and a locked folder yields the rest and names both',
    async () => {
      mkdirSync(join(evidence.path, 'locked'));
      writeFileSync(join(evidence.path, 'a.eml'), generatedMail(1));
      writeFileSync(join(evidence.path, 'b.eml'), generatedMail(2));
      chmodSync(evidence.path, 0o755);
      chmodSync(join(evidence.path, 'b.eml'), 0);
      chmodSync(join(evidence.path, 'locked'), 0);
      const { end } = await importAlone([evidence.path, 'as-nobody']);
      chmodSync(join(evidence.path, 'locked'), 0o700);
      expect(end).toMatchObject({ imported: 1, stored: 1, error: null });
      expect(end.problems.toSorted((a, b) => (a.file < b.file ? -1 : 1))).toEqual([
        { file: 'b.eml', reason: 'no permission to read it' },
        { file: 'locked', reason: 'no permission to read it' },
      ]);
    },
  );

  it.skipIf(process.platform === 'win32')('below a locked folder is refused', async () => {
    chmodSync(evidence.path, 0);
    const { end } = await importAlone([join(evidence.path, 'mail'), 'as-nobody']);
    chmodSync(evidence.path, 0o700);
    expect(end).toMatchObject({ imported: null, error: 'EACCES' });
  });
});

describe('a directory of garbage', () => {
  /** Pseudo-random bytes, the same every time. */
  const noise = (seed: number, length: number) => {
    let state = seed * 2_654_435_761 + 1;
    return Buffer.from(
      Uint8Array.from({ length }, () => {
        state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
        return state >>> 24;
      }),
    );
  };

  it('[bad input] opens; every file is a mail or is listed with its reason', async () => {
    const names = ['.eml', '.mbox', '', '.bin', '.zip'];
    for (let index = 0; index < 250; index++)
      writeFileSync(join(evidence.path, `g${index}${names[index % 5]}`), noise(index, (index * 37) % 5_000));
    writeFileSync(join(evidence.path, 'z.eml'), generatedMail(7));
    const { core, id } = await open();
    // A zip that cannot be opened may have contained mail.
    await soon(async () => expect((await jobOf(core))?.state).toBe('partial'));
    const { imported, problems } = await problemsOf(core, id);
    const listed = new Set(problems.map(({ file }) => file));
    expect(listed.size + imported).toBeGreaterThanOrEqual(251);
    expect(problems.every(({ reason }) => reason !== '')).toBe(true);
    expect(listed.has('z.eml')).toBe(false);
    expect(await counted(core, id)).toBe(imported);
  });
});

describe('[bad input] an import in progress shows itself and can be cancelled', () => {
  it('shows at once what it has read, can be cancelled, keeps what it read, and resumes at the next opening', async () => {
    writeFileSync(join(evidence.path, 'a.bin'), Buffer.alloc(2_000, 0xfe));
    const count = await writeMbox(join(evidence.path, 'b.mbox'), 12 * MIB);
    const first = await open();
    const early = await soon(async () => {
      const report = await problemsOf(first.core, first.id);
      expect(report.notMail).toBe(1);
      return report;
    });
    const job = await jobOf(first.core);
    expect(job?.state).toBe('running');
    expect(early.imported).toBeLessThan(count);
    await first.core.bridge.call('jobs.control', { id: String(job?.id), action: 'cancel' });
    await soon(async () => expect((await jobOf(first.core))?.state).toBe('cancelled'));
    const imported = (await problemsOf(first.core, first.id)).imported;
    expect(imported).toBeGreaterThan(0);
    expect(imported).toBeLessThan(count);
    await first.core.stop();
    cores.splice(0);

    const second = await open();
    await soon(async () => expect((await jobOf(second.core))?.state).toBe('done'));
    expect((await jobOf(second.core))?.outcome).toMatchObject({
      imported: count - imported,
      unchanged: imported,
    });
  });

  it('marks result sets of the folder stale, whatever their age', async () => {
    writeFileSync(join(evidence.path, 'a.eml'), generatedMail(1));
    const first = await open();
    await soon(async () => expect((await openResults(first.core, first.id)).total).toBe(1));
    await first.core.stop();
    cores.splice(0);
    writeFileSync(join(evidence.path, 'b.eml'), generatedMail(2));
    const second = await open();
    await soon(async () => expect((await openResults(second.core, second.id)).total).toBe(2));
  });
});

/** Writes a mail of at least `bytes`, with a text and an attachment that repeats random bytes. Returns the attachment's hash. */
function writeLargeMail(file: string, bytes: number): string {
  const out = openSync(file, 'w');
  const hash = createHash('sha256');
  writeSync(
    out,
    'From: a@x.example\r\nSubject: Large\r\nContent-Type: multipart/mixed; boundary=cut\r\n\r\n--cut\r\nContent-Type: text/plain\r\n\r\nwords of the large one\r\n--cut\r\nContent-Type: application/octet-stream; name="disk.bin"\r\nContent-Transfer-Encoding: base64\r\n\r\n',
  );
  const piece = randomBytes(57 * 1_000);
  const lines = piece.toString('base64').replace(/.{76}/g, '$&\r\n');
  for (let written = 0; written < bytes; ) {
    hash.update(piece);
    written += writeSync(out, lines);
  }
  writeSync(out, '\r\n--cut--\r\n');
  closeSync(out);
  return hash.digest('hex');
}

async function zipFile(from: string, to: string): Promise<void> {
  const writer = new ZipWriter(new Uint8ArrayWriter(), { useWebWorkers: false, level: 0 });
  await writer.add('large.eml', new Uint8ArrayReader(new Uint8Array(readFileSync(from))));
  writeFileSync(to, await writer.close());
}

describe('a large mail', () => {
  const [alone, packed] = LONG ? [200, 200] : [40, 80];

  // In archives larger than the 64 MiB of a mailbox that are held in memory.
  it.each([
    ['by itself', alone, null],
    ['in a tar', packed, ['-cf', 'large.tar']],
    ['compressed', packed, 'gzip'],
    ['in a zip', packed, 'zip'],
  ] as const)(
    "%s is read whole: headers, text and the attachment's hash, in bounded memory",
    async (_, size, pack) => {
      const mail = join(evidence.path, 'large.eml');
      const sha256 = writeLargeMail(mail, size * MIB);
      if (pack === 'gzip') writeFileSync(`${mail}.gz`, gzipSync(readFileSync(mail), { level: 0 }));
      else if (pack === 'zip') await zipFile(mail, join(evidence.path, 'large.zip'));
      else if (pack !== null) execFileSync('tar', [...pack, 'large.eml'], { cwd: evidence.path });
      if (pack !== null) rmSync(mail);
      writeFileSync(join(evidence.path, 'small.eml'), generatedMail(1));
      const { end } = await importAlone([evidence.path]);
      expect(end).toMatchObject({ imported: 2, stored: 2, problems: [], error: null });
      // The raw bytes, the same as text, and the attachment's bytes; plus what any import needs.
      expect(end.peak - end.before).toBeLessThan(3 * size + 100);
      const store = openStore(
        { path: join(profile.path, 'evidence.sqlite'), key: 'c3'.repeat(32) },
        evidenceSource,
      );
      try {
        const read = store.db.prepare(
          'SELECT e.subject, t.folded, a.name, a.sha256 FROM emails e JOIN email_texts t ON t.email_id = e.id JOIN attachments a ON a.email_id = e.id WHERE e.size > 1000000',
        );
        expect(read.all()).toEqual([
          { subject: 'Large', folded: 'words of the large one', name: 'disk.bin', sha256 },
        ]);
      } finally {
        store.close();
      }
    },
  );
});

describe('[bad input] a large mbox is read in flat memory', () => {
  const size = LONG ? 1024 * MIB : 24 * MIB;

  it(`of ${size / MIB} MB is imported with flat memory and steady progress`, {
    timeout: 900_000,
  }, async () => {
    const file = join(evidence.path, 'large.mbox');
    const count = await writeMbox(file, size, LONG ? 24_000 : 150_000);
    const bytes = statSync(file).size;
    const { end, progress } = await importAlone([evidence.path]);
    rmSync(file);
    expect(end).toMatchObject({ imported: count, stored: count, problems: [], error: null });
    // The database cache (96 MB), one batch (16 MB) and the garbage of a few batches: nothing that grows with the file.
    expect(end.peak - end.before).toBeLessThan(LONG ? 350 : 224);
    for (const [index, step] of progress.entries()) {
      expect(step.totalBytes).toBe(bytes);
      expect(step.bytes).toBeGreaterThanOrEqual(progress[index - 1]?.bytes ?? 0);
    }
    expect(progress.at(-1)?.bytes).toBe(bytes);
  });

  it('can be cancelled half-way; what was read stays', async () => {
    const count = await writeMbox(join(evidence.path, 'large.mbox'), 16 * MIB);
    const { end, progress } = await importAlone([evidence.path], 400);
    expect(end.imported).toBeNull();
    expect(end.stored).toBeGreaterThan(0);
    expect(end.stored).toBeLessThan(count);
    expect(progress.at(-1)?.messages).toBeLessThan(count);
  });
});
