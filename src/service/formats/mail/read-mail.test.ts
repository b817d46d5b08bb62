import { expect, it } from 'vitest';
import { readMail } from './read-mail.ts';
import { DEFAULT_LIMITS } from './types.ts';

const part = (_: unknown, index: number) =>
  `--b\r\nContent-Type: application/zip; name=${index}.zip\r\n\r\nPK\x03\x04 damaged\r\n`;
const problemsOf = async (zips: number) => {
  const parts = Array.from({ length: zips }, part).join('');
  const raw = Buffer.from(
    `From: a@x.example\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n${parts}--b--\r\n`,
  );
  const reading = {
    limits: DEFAULT_LIMITS,
    believed: [],
    make: ({ problems }: { problems: string[] }) => ({ problems }),
  };
  const read = await readMail({ raw, sha256: 'a'.repeat(64), isParted: false }, reading);
  return read.ok ? read.mail.problems.filter((problem) => problem.startsWith('mail may be in')) : [];
};

it.each([
  [4, 4, []],
  [5, 5, []],
  [6, 5, ['mail may be in 1 further attached file that could not be read']],
  [7, 5, ['mail may be in 2 further attached files that could not be read']],
])(
  '[limit 5 archives] of %d damaged attached archives, %d are named and the rest counted',
  async (zips, named, rest) => {
    const problems = await problemsOf(zips);
    expect(problems.slice(named)).toEqual(rest);
    expect(problems.slice(0, named).every((problem, index) => problem.includes(`“${index}.zip”`))).toBe(true);
  },
);
