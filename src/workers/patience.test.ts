import { describe, expect, it } from 'vitest';
import { patiently, patientlySync, pausesOn } from './patience.ts';

/** Fails with the codes, one after the other, and then answers how often it was called. */
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
  it('waits on Windows until nobody reads the file any more', async () => {
    expect(await run(failing('EPERM', 'EBUSY', 'EACCES'), WINDOWS)).toBe(4);
  });

  it('does not try again what cannot succeed', async () => {
    await expect(run(failing('ENOENT'), WINDOWS)).rejects.toThrow('ENOENT');
    await expect(run(failing('EPERM'), pausesOn('linux'))).rejects.toThrow('EPERM');
  });

  it('gives up', async () => {
    await expect(run(failing('EPERM', 'EPERM', 'EBUSY'), [1, 1])).rejects.toThrow('EBUSY');
  });
});
