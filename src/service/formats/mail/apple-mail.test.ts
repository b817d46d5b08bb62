import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { readEvidence } from '../../import/read-evidence.ts';
import type { EvidenceBatch } from '../../store/evidence.ts';
import { partOf, readMessage } from './attachment.ts';
import type { MailContent } from './types.ts';

/** Opening a file below this path fails as on a failing disk; null: none. */
const disk = vi.hoisted(() => ({ failing: null as string | null }));
vi.mock('../files/open-regular.ts', async (original) => {
  const real = await original<typeof import('../files/open-regular.ts')>();
  return {
    ...real,
    openRegular(path: Parameters<typeof real.openRegular>[0]) {
      if (disk.failing !== null && path.toString().includes(disk.failing))
        return Promise.reject(Object.assign(new Error('EIO'), { code: 'EIO' }));
      return real.openRegular(path);
    },
  };
});

const MESSAGES = 'INBOX.mbox/Data/Messages';
const ATTACHMENTS = 'INBOX.mbox/Data/Attachments';
const PDF = Buffer.from([...'%PDF-1.7\n'].map((item) => item.charCodeAt(0)).concat([0, 255, 13, 10, 61]));
const CSV = Buffer.from('name;amount=1\r\nMüller;2 \r\n');
const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
let root = '';

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'parapet-apple-'));
});
afterEach(async () => {
  disk.failing = null;
  await rm(root, { recursive: true, force: true });
});

async function put(file: string, content: string | Buffer): Promise<void> {
  await mkdir(join(root, dirname(file)), { recursive: true });
  await writeFile(join(root, file), content);
}

const emlx = (mail: string): string =>
  `${Buffer.byteLength(mail)}\n${mail}<?xml version="1.0" encoding="UTF-8"?><plist/>\n`;
const part = (fields: string[], body = ''): string => `--b\n${fields.join('\n')}\n\n${body}\n`;
const leftOutPart = (encoding: string, name: string, type = 'application/pdf'): string =>
  part([
    `Content-Type: ${type}; name="${name}"`,
    `Content-Disposition: attachment; filename="${name}"`,
    `Content-Transfer-Encoding: ${encoding}`,
    'X-Apple-Content-Length: 1234',
  ]);
const mailOf = (...parts: string[]): string =>
  emlx(
    `From: a@x.test\nSubject: report\nContent-Type: multipart/mixed; boundary=b\n\n${parts.join('')}--b--\n`,
  );
const TEXT = part(['Content-Type: text/plain'], 'see the report');

async function read() {
  const all: EvidenceBatch<MailContent> = { messages: [], copies: [], problems: [], files: [] };
  await readEvidence(root, { file: () => false }, (batch) => {
    all.messages.push(...batch.messages);
    all.problems.push(...batch.problems);
    all.files.push(...batch.files);
  });
  const [message] = all.messages;
  if (message === undefined) throw new Error('no mail was read');
  const { mail, source } = message;
  const attachments = mail.attachments.map(({ filename, size, sha256: hash }) => [filename, size, hash]);
  return { ...all, files: all.files.map(({ file }) => file), mail, source, attachments };
}

describe('a mail of Apple Mail', () => {
  it('has the attachments stored beside it, in every encoding, byte for byte', async () => {
    const encodings = ['base64', '8bit', 'quoted-printable', 'base64'];
    const files = encodings.map((_, index) => (index === 0 ? PDF : CSV));
    await put(
      `${MESSAGES}/5.partial.emlx`,
      mailOf(TEXT, ...encodings.map((encoding, index) => leftOutPart(encoding, `f${index}.csv`, 'text/csv'))),
    );
    for (const [index, bytes] of files.entries())
      await put(`${ATTACHMENTS}/5/${index + 2}/f${index}.csv`, bytes);
    const { mail, source, attachments, problems } = await read();
    expect(attachments).toEqual(files.map((bytes, index) => [`f${index}.csv`, bytes.length, sha256(bytes)]));
    expect(mail.text.trim()).toBe('see the report');
    expect(mail.problems).toEqual([]);
    expect(problems).toEqual([]);
    const raw = await readMessage(root, source);
    expect(await partOf(raw, sha256(PDF))).toEqual(PDF);
    expect(raw.toString().split('\n')[0]).toBe(
      'X-Parapet-Converted: from Apple Mail; 4 parts of the mail are from files beside it',
    );
  });

  it('[bad input] is read again later if an attachment beside it could not be read', async () => {
    await put(`${MESSAGES}/5.partial.emlx`, mailOf(TEXT, leftOutPart('base64', 'f.pdf')));
    await put(`${ATTACHMENTS}/5/2/f.pdf`, PDF);
    await put(`${MESSAGES}/6.emlx`, mailOf(TEXT));
    disk.failing = `${ATTACHMENTS}/5/2`;
    const { messages, problems, files } = await read();
    expect(messages).toHaveLength(1);
    expect(files).toEqual([`${MESSAGES}/6.emlx`]);
    expect(problems).toMatchObject([
      {
        file: `${MESSAGES}/5.partial.emlx`,
        kind: 'unreadable',
        reason:
          'an attachment that a mail program keeps in another file cannot be read: the disk reports a read error',
      },
    ]);
  });

  it('has attachments of earlier versions, which are stored encoded', async () => {
    await put(`${MESSAGES}/5.partial.emlx`, mailOf(TEXT, leftOutPart('base64', 'f.pdf')));
    await put(`${MESSAGES}/5.2.emlxpart`, PDF.toString('base64'));
    const { attachments, problems } = await read();
    expect([attachments, problems]).toEqual([[['f.pdf', PDF.length, sha256(PDF)]], []]);
  });

  it('has nested parts, in any Unicode form of the name', async () => {
    const inner = `--c\nContent-Type: text/plain\n\nx\n--c\nContent-Type: image/png; name="é.png"\nContent-Transfer-Encoding: base64\nX-Apple-Content-Length: 9\n\n\n--c--\n`;
    await put(`${MESSAGES}/5.emlx`, mailOf(part(['Content-Type: multipart/related; boundary=c'], inner)));
    await put(`${ATTACHMENTS}/5/1.2/${'é.png'.normalize('NFD')}`, PDF);
    expect((await read()).attachments).toEqual([['é.png', PDF.length, sha256(PDF)]]);
  });

  it('names missing parts, without a size or hash', async () => {
    await put(
      `${MESSAGES}/5.partial.emlx`,
      mailOf(
        part(['Content-Type: text/html', 'X-Apple-Content-Length: 1234']),
        leftOutPart('base64', 'f.pdf'),
        leftOutPart('base64', 'g.pdf'),
      ),
    );
    await put(`${ATTACHMENTS}/5/3/g.pdf`, PDF);
    const { mail, attachments } = await read();
    expect(attachments).toEqual([
      ['f.pdf', null, null],
      ['g.pdf', PDF.length, sha256(PDF)],
    ]);
    expect(mail.problems).toEqual([
      'the text at part 1 is not in this file: Apple Mail keeps it elsewhere, or has not downloaded it',
      'the attachment “f.pdf” is not in this file: Apple Mail keeps it elsewhere, or has not downloaded it',
    ]);
  });

  it('lists files in its folders that are not a part of it', async () => {
    await put(`${MESSAGES}/5.partial.emlx`, mailOf(TEXT, leftOutPart('base64', 'f.pdf')));
    await put(`${ATTACHMENTS}/5/2/f.pdf`, PDF);
    await put(`${ATTACHMENTS}/5/2/.DS_Store`, 'x');
    await put(`${ATTACHMENTS}/5/3/f.pdf`, PDF);
    await put(`${ATTACHMENTS}/5/3/f 2.pdf`, PDF);
    await put(`${ATTACHMENTS}/6/2/f.pdf`, PDF);
    await put(`${MESSAGES}/6.2.emlxpart`, 'x');
    const { attachments, problems } = await read();
    expect(attachments).toEqual([['f.pdf', PDF.length, sha256(PDF)]]);
    expect(problems.map(({ file }) => file.replace('INBOX.mbox/Data/', ''))).toEqual([
      'Attachments/5/2/.DS_Store',
      'Attachments/5/3/f 2.pdf',
      'Attachments/5/3/f.pdf',
      'Attachments/6/2/f.pdf',
      'Messages/6.2.emlxpart',
    ]);
  });

  it('follows no symbolic link, and does not replace a part that is present', async () => {
    const outside = await mkdtemp(join(tmpdir(), 'parapet-outside-'));
    try {
      await writeFile(join(outside, 'f.pdf'), PDF);
      await put(
        `${MESSAGES}/5.partial.emlx`,
        mailOf(
          TEXT,
          leftOutPart('base64', 'f.pdf'),
          part(['Content-Type: text/csv; name="h.csv"', 'X-Apple-Content-Length: 3'], 'a;b'),
        ),
      );
      await put(`${ATTACHMENTS}/5/3/h.csv`, PDF);
      await symlink(outside, join(root, ATTACHMENTS, '5', '2'));
      expect((await read()).attachments).toEqual([
        ['f.pdf', null, null],
        ['h.csv', 3, sha256(Buffer.from('a;b'))],
      ]);
    } finally {
      await rm(outside, { recursive: true });
    }
  });

  it('is reported as changed if a part beside it has changed', async () => {
    await put(`${MESSAGES}/5.partial.emlx`, mailOf(TEXT, leftOutPart('base64', 'f.pdf')));
    await put(`${ATTACHMENTS}/5/2/f.pdf`, PDF);
    const { source } = await read();
    await put(`${ATTACHMENTS}/5/2/f.pdf`, CSV);
    await expect(readMessage(root, source)).rejects.toThrow('has changed since it was imported');
  });
});
