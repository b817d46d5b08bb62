import { describe, expect, it } from 'vitest';
import { patiently, patientlySync, pausesOn } from './retry-locked-file.ts';

/** Fails with each of the codes in turn, then returns how often it was called. */
function failing(...codes: string[]): () => number {
  let calls = 0;
  return () => {
    const code = codes[calls++];
    if (code !== undefined) throw Object.assign(new Error(code), { code });
    return calls;
  };
}

const WINDOWS = pausesOn('win32');

describe.each([
  [
    'patiently',
    async (work: () => number, pauses: readonly number[]) => patiently(async () => work(), pauses),
  ],
  ['patientlySync', async (work: () => number, pauses: readonly number[]) => patientlySync(work, pauses)],
])('%s', (_, run) => {
  it('retries on Windows until no other program reads the file', async () => {
    expect(await run(failing('EPERM', 'EBUSY', 'EACCES'), WINDOWS)).toBe(4);
  });

  it('does not retry other errors', async () => {
    await expect(run(failing('ENOENT'), WINDOWS)).rejects.toThrow('ENOENT');
    await expect(run(failing('EPERM'), pausesOn('linux'))).rejects.toThrow('EPERM');
  });

  it('gives up after the last pause', async () => {
    await expect(run(failing('EPERM', 'EPERM', 'EBUSY'), [1, 1])).rejects.toThrow('EBUSY');
  });
});
