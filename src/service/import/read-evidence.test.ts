import { chmod, mkdir, mkdtemp, open, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { NO_SYMLINKS } from '#tests/support/symlinks.ts';
import type { MailContent } from '../formats/mail/types.ts';
import { mboxSlots, unquoteFrom } from '../formats/mailboxes/mbox.ts';
import type { EvidenceBatch } from '../store/evidence.ts';
import { type EvidenceKnown, readEvidence } from './read-evidence.ts';
import { isSettled, type ListedFile, walkEvidence } from './walk.ts';

const NOTHING: EvidenceKnown = { file: () => false };
const MAIL = 'From: a@x.example\nSubject: s\n\nbody\n';
const SEPARATOR = 'From a@x.example Mon Jan  1 10:00:00 2024\n';
let folder = '';

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parapet-evidence-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

async function run(root: string, history = NOTHING, batchSize?: number) {
  const all: EvidenceBatch<MailContent> = { messages: [], copies: [], problems: [], files: [] };
  let batches = 0;
  const summary = await readEvidence(
    root,
    history,
    (batch) => {
      batches++;
      all.messages.push(...batch.messages);
      all.copies.push(...batch.copies);
      all.problems.push(...batch.problems);
      all.files.push(...batch.files);
    },
    batchSize === undefined ? {} : { batchSize },
  );
  return { ...all, batches, summary };
}

async function slots(text: string): Promise<string[]> {
  const path = join(folder, 'm.mbox');
  const bytes = Buffer.from(text);
  await writeFile(path, bytes);
  const handle = await open(path, 'r');
  try {
    const out: string[] = [];
    for await (const { offset, length } of mboxSlots(handle))
      out.push(bytes.toString('utf8', offset, offset + length));
    return out;
  } finally {
    await handle.close();
  }
}

describe('[bad input] a file on a disk with timestamps in steps of two seconds', () => {
  const now = 1_800_000_000_500;
  it.each([
    ['written a second ago, in whole seconds', now - 1_500, now - 1_500, false],
    ['written up to a second ahead, as FAT rounds up', now + 1_500, now + 1_500, false],
    ['written long ago, in whole seconds', now - 10_500, now - 10_500, true],
    ['written a second ago, to the millisecond', now - 1_501, now - 1_501, true],
    ['with a modification time set to whole seconds, and an exact change time', now - 1_500, now - 3, true],
  ])('%s: %s, %s', (_, mtimeMs, ctimeMs, expected) => {
    expect(isSettled({ mtimeMs, ctimeMs }, now)).toBe(expected);
  });

  it('is read again the next time if it was just written', async () => {
    for (const name of ['old.eml', 'new.eml']) await writeFile(join(folder, name), MAIL);
    const soon = Math.ceil(Date.now() / 1_000) + 1;
    await utimes(join(folder, 'new.eml'), soon, soon);
    const { files } = await run(folder);
    expect(files.map(({ file, ctimeMs }) => [file, ctimeMs === null])).toEqual([
      ['new.eml', true],
      ['old.eml', false],
    ]);
  });
});

describe('mbox', () => {
  it.each([
    ['two', `${SEPARATOR}${MAIL}\n${SEPARATOR}${MAIL}`, [MAIL, MAIL]],
    [
      'CRLF',
      `${SEPARATOR}${MAIL}\n${SEPARATOR}${MAIL}`.replaceAll('\n', '\r\n'),
      [MAIL, MAIL].map((m) => m.replaceAll('\n', '\r\n')),
    ],
    [
      'From inside a letter',
      `${SEPARATOR}${MAIL}\nFrom here on, at 10:30 2024\nall is well\n`,
      [`${MAIL}\nFrom here on, at 10:30 2024\nall is well\n`],
    ],
    ['From without an empty line above', `${SEPARATOR}${MAIL}${SEPARATOR}${MAIL}`, [MAIL, MAIL]],
    [
      'From that no mail follows',
      `${SEPARATOR}${MAIL}From b@x.example\nhello: you\n`,
      [`${MAIL}From b@x.example\nhello: you\n`],
    ],
    ['neither dates nor empty lines', `From a@x.example\n${MAIL}From b@x.example\n${MAIL}`, [MAIL, MAIL]],
    ['a byte order mark', `\ufeff${SEPARATOR}${MAIL}\n${SEPARATOR}${MAIL}`, [MAIL, MAIL]],
    ['empty lines first', `\r\n\n${SEPARATOR}${MAIL}\n${SEPARATOR}${MAIL}`, [MAIL, MAIL]],
    ['one message after another', `${SEPARATOR}${MAIL}\n`, [MAIL]],
    [
      'a Content-Length that a sender wrote hides nothing',
      `${SEPARATOR}Content-Length: ${5 + 1 + SEPARATOR.length + MAIL.length}\n${MAIL}\n${SEPARATOR}${MAIL}\n${SEPARATOR}${MAIL}`,
      [`Content-Length: ${5 + 1 + SEPARATOR.length + MAIL.length}\n${MAIL}`, MAIL, MAIL],
    ],
    ['no separator at all', MAIL, [MAIL]],
    ['empty', '', []],
    ['only a separator', SEPARATOR, []],
  ])('%s', async (_, text, expected) => {
    expect(await slots(text)).toEqual(expected);
  });

  it('finds separators wherever the read blocks fall', async () => {
    const long = `From: a@x.example\n\n${'x'.repeat(1_048_570)}`;
    for (let shift = 0; shift < 40; shift += 3) {
      const body = `${long}${'y'.repeat(shift)}\n`;
      expect((await slots(`${SEPARATOR}${body}\n${SEPARATOR}${MAIL}`)).map(({ length }) => length)).toEqual([
        body.length,
        MAIL.length,
      ]);
    }
  });

  it.each([
    ['a\n>From b', 'a\nFrom b'],
    ['a\n>>From b\n>From c', 'a\n>From b\nFrom c'],
    ['a >From b', 'a >From b'],
    ['>From x', 'From x'],
    ['From x', 'From x'],
  ])('unquotes %j', (quoted, expected) => {
    expect(unquoteFrom(Buffer.from(quoted)).toString()).toBe(expected);
  });
});

/** The name of a mail in a Maildir; Windows does not allow the colon in file names. */
const FLAGGED = `1700.M1.host${process.platform === 'win32' ? ';' : ':'}2,S`;

describe('walking', () => {
  it('reads mail, names the rest, keeps a fixed order', async () => {
    await mkdir(join(folder, 'sub'));
    await writeFile(join(folder, 'b.eml'), MAIL);
    await writeFile(join(folder, 'a.txt.eml'), `${SEPARATOR}${MAIL}`);
    await writeFile(join(folder, 'inbox'), `${SEPARATOR}${MAIL}`);
    await writeFile(join(folder, 'sub', FLAGGED), MAIL);
    await writeFile(join(folder, 'photo.png'), 'x');
    await writeFile(join(folder, 'README'), 'hello');
    const entries: string[] = [];
    for await (const entry of walkEvidence(folder)) entries.push(`${entry.file} ${entry.kind}`);
    expect(entries).toEqual([
      'README other',
      'a.txt.eml mail',
      'b.eml mail',
      'inbox mbox',
      'photo.png other',
      `sub/${FLAGGED} mail`,
    ]);
  });

  it('does not open what was read in full, whatever it begins with', async () => {
    for (const name of ['cur', 'new', 'tmp']) await mkdir(join(folder, name));
    for (const name of ['cur/1:2,', 'cur/2:2,', 'tmp/3']) await writeFile(join(folder, name), 'not a header');
    const entries: string[] = [];
    const isKnown = ({ file, size }: ListedFile) => size === 12 && file !== 'cur/2:2,';
    for await (const entry of walkEvidence(folder, isKnown)) entries.push(`${entry.file} ${entry.kind}`);
    for await (const entry of walkEvidence(join(folder, 'cur', '1:2,'), () => true)) entries.push(entry.kind);
    expect(entries).toEqual(['cur/1:2, known', 'cur/2:2, other', 'tmp/3 other', 'known']);
  });

  it('follows no link', async ({ skip }) => {
    skip(NO_SYMLINKS !== null, `${NO_SYMLINKS}`);
    await symlink('/', join(folder, 'loop'));
    const entries: string[] = [];
    for await (const entry of walkEvidence(folder)) entries.push(`${entry.file} ${entry.kind}`);
    expect(entries).toEqual(['loop left-out']);
  });
});

describe('import', () => {
  it('delivers everything, marks copies, lists problems', async () => {
    await writeFile(join(folder, 'a.eml'), MAIL);
    await writeFile(join(folder, 'b.eml'), MAIL);
    await writeFile(join(folder, 'c.eml'), '\u0000garbage');
    await writeFile(join(folder, 'd.eml'), '');
    await writeFile(join(folder, 'm.mbox'), `${SEPARATOR}${MAIL}\n${SEPARATOR}Subject: t\n\n>From x\n`);
    await writeFile(join(folder, 'x.pdf'), '');
    const { messages, copies, problems, files, summary } = await run(folder);
    const placeOf = ({ file, offset }: { file: string; offset: number }) => `${file}#${offset}`;
    expect(messages.map(({ source }) => placeOf(source))).toEqual(['a.eml#0', 'm.mbox#120']);
    expect(copies.map(placeOf)).toEqual(['b.eml#0', 'm.mbox#42']);
    expect(problems.map(({ file, kind }) => `${file} ${kind}`)).toEqual([
      'x.pdf not-mail',
      'c.eml unparsable',
      'd.eml unparsable',
    ]);
    expect(files.map(({ file, messages: count }) => [file, count])).toEqual([
      ['a.eml', 1],
      ['b.eml', 1],
      ['c.eml', 1],
      ['d.eml', 1],
      ['m.mbox', 2],
    ]);
    expect(summary).toMatchObject({ files: 5, totalFiles: 5, messages: 6, problems: 3, unchanged: 0 });
    expect(summary.bytes).toBe(summary.totalBytes);
    const last = messages.at(-1);
    expect(last?.raw.toString()).toBe('Subject: t\n\nFrom x\n');
  });

  it('never reports decreasing progress', async () => {
    for (const name of ['a', 'b'])
      await writeFile(join(folder, `${name}.mbox`), `${SEPARATOR}${MAIL}\n`.repeat(50));
    // Enough time passes between any two mails to report each.
    let now = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => (now += 10_000));
    const counts: number[] = [];
    await readEvidence(folder, NOTHING, () => undefined, { onProgress: ({ bytes }) => counts.push(bytes) });
    vi.restoreAllMocks();
    expect(counts.length).toBeGreaterThan(100);
    expect(counts).toEqual(counts.toSorted((item, other) => item - other));
    expect(counts.at(-1)).toBe(2 * 50 * (SEPARATOR.length + MAIL.length + 1));
  });

  it('skips unchanged files, and reads a file named directly', async () => {
    await writeFile(join(folder, 'a.eml'), MAIL);
    await writeFile(join(folder, 'letter.txt'), 'Subject: too little for a mail of this name\n\nx\n');
    const first = await run(folder);
    const again = await run(folder, {
      file: ({ file, size, mtimeMs }) =>
        first.files.some((item) => item.file === file && item.size === size && item.mtimeMs === mtimeMs),
    });
    expect([again.messages.length, again.summary.unchanged, again.summary.seen]).toEqual([0, 1, ['a.eml']]);
    expect((await run(join(folder, 'letter.txt'))).messages.length).toBe(1);
  });

  it('an unreadable file or folder is listed and stops nothing', async (context) => {
    await writeFile(join(folder, 'a.eml'), MAIL);
    await writeFile(join(folder, 'b.eml'), MAIL);
    await chmod(join(folder, 'a.eml'), 0);
    const reads = process.platform === 'win32' || process.getuid?.() === 0;
    context.skip(reads, 'this user reads every file, or there is no such mode');
    const { messages, problems } = await run(folder);
    expect([messages.length, problems]).toEqual([
      1,
      [{ file: 'a.eml', offset: null, kind: 'unreadable', reason: 'no permission to read it' }],
    ]);
  });

  it('a missing path is an error, an empty folder is not', async () => {
    await expect(run(join(folder, 'missing'))).rejects.toThrow(/ENOENT/);
    expect((await run(folder)).summary).toMatchObject({ totalFiles: 0, messages: 0, problems: 0 });
  });

  it('an error of the store ends it and is not taken for one of the file', async () => {
    await writeFile(join(folder, 'a.eml'), MAIL);
    const content = () => {
      throw new Error('the store failed');
    };
    await expect(run(folder, { ...NOTHING, content })).rejects.toThrow('the store failed');
  });

  it('stops on abort, keeping whole batches', async () => {
    for (let index = 0; index < 20; index++) await writeFile(join(folder, `${index}.eml`), `${MAIL}${index}`);
    const controller = new AbortController();
    let files = 0;
    const work = readEvidence(
      folder,
      NOTHING,
      (batch) => {
        files += batch.messages.length;
        controller.abort();
      },
      { signal: controller.signal, batchSize: 6 },
    );
    await expect(work).rejects.toThrow(/abort/i);
    expect(files).toBe(3);
  });

  it('[limit 256 MiB] a message over the limit is listed, its neighbours are read', async () => {
    await writeFile(
      join(folder, 'm.mbox'),
      `${SEPARATOR}${MAIL}\n${SEPARATOR}From: b@x.example\n\n${'z'.repeat(5_000)}\n\n${SEPARATOR}${MAIL}`,
    );
    const kinds: string[] = [];
    const { DEFAULT_LIMITS } = await import('../formats/mail/types.ts');
    await readEvidence(
      folder,
      NOTHING,
      (batch) => {
        kinds.push(
          ...[...batch.messages.map(({ source }) => source), ...batch.copies].map(
            ({ offset }) => `read ${offset}`,
          ),
          ...batch.problems.map(({ kind }) => kind),
        );
      },
      { limits: { ...DEFAULT_LIMITS, maxMessageBytes: 1_000 } },
    );
    expect(kinds).toEqual(['read 42', 'read 5183', 'too-large']);
  });
});
