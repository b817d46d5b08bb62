/** Pipes, devices and links in place of evidence files, and unreachable folders. */

import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openEvidence } from '#service/evidence/source.ts';
import { openRegular, startOf, withRegular } from '#service/formats/files/open-regular.ts';
import { ingestEvidence } from '#service/import/ingest-evidence.ts';
import type { SqliteStore } from '#service/store-sqlite/sqlite-store.ts';
import { mountDisk, pullOut } from '#tests/support/small-disk.ts';

let folder = '';
let store: SqliteStore;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parapet-reach-'));
  store = openEvidence({ path: ':memory:' });
});
afterEach(() => {
  store.close();
  rmSync(folder, { recursive: true, force: true });
});

const posix = process.platform !== 'win32';
const mail = (subject: string) => `From: a@x.example\r\nSubject: ${subject}\r\n\r\nbody\r\n`;
const put = (name: string, text: string) => writeFileSync(join(folder, name), text);
const LOG = 'time,user,ip,city\n2026-01-05T10:00:00Z,ann@x.example,203.0.113.9,Paris\n';
const subjects = () => store.db.prepare('SELECT subject FROM emails ORDER BY subject').pluck().all();
const logins = () => Number(store.db.prepare('SELECT count(*) FROM logins').pluck().get());
const reasons = (problems: readonly { file: string; reason: string }[]) =>
  Object.fromEntries(problems.map(({ file, reason }) => [file, reason]));

describe('a disk mounted inside the evidence', () => {
  it.for(['stick', ''])(
    '[bad input] that is unplugged counts as unreachable, and its mail is kept: %j',
    async (name, { skip }) => {
      const file = join(folder, name);
      mkdirSync(file, { recursive: true });
      const mount = () => mountDisk(1_000_000, file) !== null;
      if (!mount()) skip('mounting a disk needs root');
      const fill = () => {
        writeFileSync(join(file, 'a.eml'), mail('on the stick'));
        writeFileSync(join(file, 'signins.csv'), LOG);
      };
      fill();
      try {
        if (name !== '')
          for (let n = 0; n < 30; n++) put(`${n}.eml`, mail(`on the disk ${String(n).padStart(2, '0')}`));
        expect(await ingestEvidence(store, folder)).toMatchObject({ unreadable: 0, unreachable: 0 });
        const before = subjects();
        pullOut(file);
        // Also if the disk stays unmounted.
        for (let turn = 0; turn < 2; turn++) {
          const report = await ingestEvidence(store, folder);
          expect(report).toMatchObject({ removed: 0, gone: 0, unreachable: 2, unreadable: 1 });
          expect(reasons(report.problems)[name || '.']).toContain('is not connected');
        }
        expect(subjects()).toEqual(before);
        expect(logins()).toBe(1);
        expect(mount()).toBe(true);
        fill();
        expect(await ingestEvidence(store, folder)).toMatchObject({
          imported: 0,
          unreachable: 0,
          unreadable: 0,
        });
        if (name === '') return;
        rmSync(join(file, 'a.eml'));
        expect(await ingestEvidence(store, folder)).toMatchObject({ removed: 1, unreachable: 0 });
      } finally {
        try {
          pullOut(file);
        } catch {
          // It is unmounted already.
        }
      }
    },
  );
});

describe.runIf(posix)('anything that is not a regular file is never opened for reading', () => {
  it.each(['signin-columns.json', 'x.eml', 'x.mbox', 'bare', 'log.csv', 'log.json'])(
    'a pipe named %s',
    async (name) => {
      put('a.eml', mail('a'));
      put('signins.csv', LOG);
      execFileSync('mkfifo', [join(folder, name)]);
      const report = await ingestEvidence(store, folder);
      expect(subjects()).toEqual(['a']);
      expect(logins()).toBe(name === 'signin-columns.json' ? 0 : 1);
      expect(reasons(report.problems)[name]).toBe('not a regular file');
    },
  );

  it.each(['signin-columns.json', 'x.eml', 'x.mbox', 'bare', 'log.csv'])(
    'a link named %s to an endless device',
    async (name) => {
      put('a.eml', mail('a'));
      put('signins.csv', LOG);
      symlinkSync('/dev/zero', join(folder, name));
      const before = process.memoryUsage().rss;
      const report = await ingestEvidence(store, folder);
      expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024);
      expect(subjects()).toEqual(['a']);
      expect(reasons(report.problems)[name]).toBe('a symbolic link, not followed');
    },
  );

  it('the columns of a log are not guessed when its column mapping file cannot be read', async () => {
    put('signins.csv', LOG);
    symlinkSync(join(folder, 'elsewhere'), join(folder, 'signin-columns.json'));
    const report = await ingestEvidence(store, folder);
    expect(logins()).toBe(0);
    expect(reasons(report.problems)['signins.csv']).toContain('signin-columns.json');
  });

  it.each([
    [65_536, 1],
    [65_537, 0],
  ])('[limit 64 KB] a file of column names with %i bytes', async (bytes, read) => {
    put('signins.csv', LOG);
    put('signin-columns.json', '{}'.padEnd(bytes));
    const report = await ingestEvidence(store, folder);
    expect(logins()).toBe(read);
    if (read === 0) expect(reasons(report.problems)['signins.csv']).toContain('64 KB');
  });

  it('a socket, and a folder that is named like a mail', async () => {
    mkdirSync(join(folder, 'x.eml'));
    put('x.eml/in.eml', mail('inside'));
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(join(folder, 's.eml'), resolve));
    try {
      const report = await ingestEvidence(store, folder);
      expect(subjects()).toEqual(['inside']);
      expect(reasons(report.problems)).toEqual({ 's.eml': 'not a regular file' });
    } finally {
      await new Promise((resolve) => server.close(resolve));
    }
  });

  it('a replacement for a file after it was listed', async () => {
    put('a.eml', mail('a'));
    symlinkSync(join(folder, 'a.eml'), join(folder, 'l.eml'));
    execFileSync('mkfifo', [join(folder, 'p.eml')]);
    mkdirSync(join(folder, 'd'));
    put('d/in.eml', mail('in'));
    symlinkSync(join(folder, 'd'), join(folder, 'linked'));
    for (const name of ['l.eml', 'p.eml', 'd', 'linked/in.eml']) {
      await expect(openRegular(join(folder, name)), name).rejects.toMatchObject({ name: 'NotRegularError' });
      expect(() => withRegular(join(folder, name), () => null), name).toThrow(
        expect.objectContaining({ name: 'NotRegularError' }),
      );
    }
    expect(withRegular(join(folder, 'a.eml'), (fd, size) => startOf(fd, size, size))).toEqual(
      Buffer.from(mail('a')),
    );
    const { handle, size } = await openRegular(join(folder, 'a.eml'));
    await handle.close();
    expect(size).toBe(mail('a').length);
  });

  it('[limit 4 MB] an endless line in a log does not fill the memory', async () => {
    put('log.jsonl', '{"time":"2026-01-05T10:00:00Z","user":"a@x.example","ip":"203.0.113.9"}\n');
    truncateSync(join(folder, 'log.jsonl'), 300 * 1024 * 1024);
    const before = process.memoryUsage().rss;
    await ingestEvidence(store, folder);
    expect(logins()).toBe(1);
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024);
  });
});

it('problems of an unchanged file are not lost with a verification that is cancelled', async () => {
  put('a.eml', mail('a'));
  // Cut inside; the file itself is read to its end.
  writeFileSync(join(folder, 'b.gz'), gzipSync(mail('b')).subarray(0, -9));
  const problems = async () => (await ingestEvidence(store, folder)).problems;
  const before = await problems();
  expect(before).toMatchObject([{ file: expect.stringContaining('b.gz') }]);
  const stop = new AbortController();
  store.db.function('cancel', () => void stop.abort());
  store.db.exec('CREATE TEMP TRIGGER t AFTER DELETE ON evidence_problems BEGIN SELECT cancel(); END');
  const verifying = ingestEvidence(store, folder, { verifies: true, signal: stop.signal });
  await expect(verifying).rejects.toThrow();
  store.db.exec('DROP TRIGGER t');
  expect(await problems()).toEqual(before);
});

describe('unreachable mail is kept', () => {
  const many = (count: number, under = '') => {
    for (let index = 0; index < count; index += 1)
      put(`${under}${String(index).padStart(3, '0')}.eml`, mail(`m${index}`));
  };

  it('an empty mount point: nothing is removed until the analyst confirms', async () => {
    many(30);
    put('signins.csv', LOG);
    await ingestEvidence(store, folder);
    renameSync(folder, `${folder}-away`);
    mkdirSync(folder);
    try {
      expect(await ingestEvidence(store, folder)).toMatchObject({ removed: 0, gone: 31, known: 31 });
      expect([subjects().length, logins()]).toEqual([30, 1]);
      // The question repeats at every opening until it is answered.
      expect(await ingestEvidence(store, folder)).toMatchObject({ removed: 0, gone: 31, known: 31 });
    } finally {
      rmSync(folder, { recursive: true });
      renameSync(`${folder}-away`, folder);
    }
    // The folder is back: nothing is read twice, and there is no question.
    expect(await ingestEvidence(store, folder)).toMatchObject({
      imported: 0,
      unchanged: 30,
      removed: 0,
      gone: 0,
    });
    expect([subjects().length, logins()]).toEqual([30, 1]);
  });

  it.each(['keep', 'remove'] as const)('the answer "%s" is kept', async (answer) => {
    many(12, '');
    put('signins.csv', LOG);
    await ingestEvidence(store, folder);
    for (let index = 0; index < 12; index += 1) rmSync(join(folder, `${String(index).padStart(3, '0')}.eml`));
    rmSync(join(folder, 'signins.csv'));
    expect(await ingestEvidence(store, folder)).toMatchObject({ gone: 13, removed: 0 });
    expect(await store.evidence.resolve(answer)).toBe(answer === 'keep' ? 0 : 13);
    expect([subjects().length, logins()]).toEqual(answer === 'keep' ? [12, 1] : [0, 0]);
    expect(await ingestEvidence(store, folder)).toMatchObject({ gone: 0, removed: 0 });
    expect([subjects().length, logins()]).toEqual(answer === 'keep' ? [12, 1] : [0, 0]);
  });

  it.each([
    [100, 10, 10, 0],
    [100, 11, 0, 11],
    [120, 11, 11, 0],
    [120, 12, 12, 0],
    [120, 13, 0, 13],
    [2, 1, 1, 0],
    [1, 1, 0, 1],
    [10, 10, 0, 10],
  ])(
    '[limit 10 mails or a tenth] of %i mails %i are gone: %i removed, %i need confirmation',
    async (all, missing, removed, gone) => {
      many(all);
      await ingestEvidence(store, folder);
      for (let index = 0; index < missing; index += 1)
        rmSync(join(folder, `${String(index).padStart(3, '0')}.eml`));
      expect(await ingestEvidence(store, folder)).toMatchObject({ removed, gone, known: all });
      expect(subjects()).toHaveLength(all - removed);
    },
  );

  it('an mbox that was emptied', async () => {
    put(
      'box.mbox',
      Array.from(
        { length: 20 },
        (_, index) => `From a@b Thu Nov 19 08:00:00 2026\n${mail(`m${index}`)}\n`,
      ).join(''),
    );
    await ingestEvidence(store, folder);
    put('box.mbox', '');
    expect(await ingestEvidence(store, folder)).toMatchObject({ removed: 0, gone: 20 });
    expect(subjects()).toHaveLength(20);
  });

  it.runIf(posix)('a folder replaced by a link, and a file', async () => {
    mkdirSync(join(folder, 'sub'));
    many(3, 'sub/');
    put('sub/signins.csv', LOG);
    put('one.eml', mail('one'));
    await ingestEvidence(store, folder);
    renameSync(join(folder, 'sub'), `${folder}-sub`);
    symlinkSync(`${folder}-sub`, join(folder, 'sub'));
    rmSync(join(folder, 'one.eml'));
    symlinkSync(join(folder, 'nowhere'), join(folder, 'one.eml'));
    try {
      expect(await ingestEvidence(store, folder)).toMatchObject({ removed: 0, gone: 0, unreachable: 5 });
      expect([subjects().length, logins()]).toEqual([4, 1]);
    } finally {
      rmSync(`${folder}-sub`, { recursive: true });
    }
  });

  it.runIf(posix && process.getuid?.() === 0)('a folder and a file without permission', async () => {
    mkdirSync(join(folder, 'sub'));
    many(3, 'sub/');
    put('sub/signins.csv', LOG);
    put('one.eml', mail('one'));
    put('two.eml', mail('two'));
    chmodSync(folder, 0o755);
    await ingestEvidence(store, folder);
    chmodSync(join(folder, 'sub'), 0);
    chmodSync(join(folder, 'one.eml'), 0);
    utimesSync(join(folder, 'one.eml'), new Date(), new Date(Date.now() + 5_000));
    process.seteuid?.(65_534);
    try {
      expect(await ingestEvidence(store, folder)).toMatchObject({
        removed: 0,
        gone: 0,
        unreachable: 5,
        unreadable: 2,
      });
    } finally {
      process.seteuid?.(0);
    }
    expect([subjects().length, logins()]).toEqual([5, 1]);
    chmodSync(join(folder, 'sub'), 0o755);
    chmodSync(join(folder, 'one.eml'), 0o644);
    expect(await ingestEvidence(store, folder)).toMatchObject({
      removed: 0,
      unreachable: 0,
      unreadable: 0,
      unchanged: 5,
    });
  });
});
