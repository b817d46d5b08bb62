/**
 * Starts, stops and removals of embedded services in any order: never two on one database, and none on files that are
 * being removed.
 */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Embedded } from '#main/embedded/manager.ts';

const ENTRY = new URL('../support/held-worker.ts', import.meta.url);

function laid() {
  const folder = mkdtempSync(join(tmpdir(), 'parapet-turns-'));
  const mail = join(folder, 'mail');
  mkdirSync(mail);
  const embedded = new Embedded({
    entry: ENTRY,
    jobs: () => {
      throw new Error('nothing is imported here');
    },
    sealedDirectory: () => folder,
    clearDirectory: () => folder,
    databaseKey: () => 'c3'.repeat(32),
    isLocked: () => false,
    rules: () => [],
    ruleText: async () => null,
    changed: () => undefined,
    evidence: () => undefined,
    replaced: () => undefined,
    unwatched: () => undefined,
    died: () => undefined,
  });
  const files = () => (existsSync(join(folder, 'evidence')) ? readdirSync(join(folder, 'evidence')) : []);
  const source = { kind: 'evidence' as const, path: mail };
  return { embedded, files, source, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

const NO_SETTINGS = { believed: [], flags: {} };

it('evidence that cannot be looked up is not called missing', async () => {
  const { embedded, source, remove } = laid();
  const start = (path: string) => embedded.start('a', { ...source, path }, NO_SETTINGS);
  try {
    await expect(start(`${source.path}-gone`)).rejects.toMatchObject({ code: 'path-missing' });
    await expect(start(join(source.path, 'x'.repeat(300)))).rejects.toMatchObject({
      code: 'bad-file',
      message: expect.stringContaining('The evidence cannot be read'),
    });
  } finally {
    remove();
  }
});

it('two connections to one folder share its service, whatever runs concurrently', async () => {
  const step = fc.tuple(
    fc.constantFrom('start', 'stop', 'erase', 'all'),
    fc.constantFrom('a', 'b'),
    fc.boolean(),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 8 }), async (steps) => {
      const { embedded, files, source, remove } = laid();
      const doing: Promise<unknown>[] = [];
      try {
        for (const [what, id, wait] of steps) {
          const work =
            what === 'start'
              ? embedded.start(id, source, NO_SETTINGS)
              : what === 'stop'
                ? embedded.stop(id)
                : what === 'erase'
                  ? embedded.erase(source)
                  : embedded.stopAll('for-now').then(() => embedded.resume());
          // A start overtaken by a stop is refused, which is not an error.
          doing.push(work.catch(() => undefined));
          if (wait) await doing.at(-1);
        }
        await Promise.all(doing);
        expect(files().filter((name) => name.endsWith('.two'))).toEqual([]);
        await embedded.stopAll('for-good');
        expect(files().filter((name) => name.endsWith('.held'))).toEqual([]);
      } finally {
        await embedded.stopAll('for-good');
        remove();
      }
    }),
    { numRuns: process.env['PARAPET_LONG'] === '1' ? 200 : 12 },
  );
});

it('a connection that is being removed starts nothing, and its files stay removed', async () => {
  const { embedded, files, source, remove } = laid();
  try {
    await embedded.start('a', source, NO_SETTINGS);
    const readmit = embedded.retire('a');
    const stopping = embedded.stop('a');
    const probe = embedded.start('a', source, NO_SETTINGS);
    await expect(probe).rejects.toMatchObject({ code: 'no-connection' });
    await stopping;
    await embedded.erase(source);
    expect(files()).toEqual([]);
    readmit();
    await embedded.start('a', source, NO_SETTINGS);
    // Files that another connection uses are not removed.
    await embedded.erase(source);
    expect(files()).toHaveLength(2);
  } finally {
    await embedded.stopAll('for-good');
    remove();
  }
});
