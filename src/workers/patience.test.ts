import { describe, expect, it } from 'vitest';
import { patiently, patientlySync } from './patience.ts';

/** Fails with the codes, one after the other, and then answers how often it was called. */
function failing(...codes: string[]): () => number {
  let calls = 0;
  return () => {
    const code = codes[calls++];
    if (code !== undefined) throw Object.assign(new Error(code), { code });
    return calls;
  };
}

describe.each([
  ['patiently', async (work: () => number, on: NodeJS.Platform) => patiently(async () => work(), on)],
  ['patientlySync', async (work: () => number, on: NodeJS.Platform) => patientlySync(work, on)],
])('%s', (_, run) => {
  it('waits on Windows until nobody reads the file any more', async () => {
    expect(await run(failing('EPERM', 'EBUSY', 'EACCES'), 'win32')).toBe(4);
  });

  it('does not try again what cannot succeed', async () => {
    await expect(run(failing('ENOENT'), 'win32')).rejects.toThrow('ENOENT');
    await expect(run(failing('EPERM'), 'linux')).rejects.toThrow('EPERM');
  });

  it('gives up', async () => {
    await expect(run(failing(...Array.from({ length: 100 }, () => 'EPERM')), 'win32')).rejects.toThrow(
      'EPERM',
    );
  });
});
