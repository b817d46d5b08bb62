/** The thread that helps a reader to compare texts, started as the reader starts it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Worker } from 'node:worker_threads';
import { expect, it, onTestFinished } from 'vitest';
import { evidenceSource } from '#service/evidence/source.ts';
import type { SharedComparison } from '#service/store/comparison.ts';
import { openStore } from '#service/store/store.ts';
import { comparerOf } from '#service/threads/comparer.ts';

const ENTRY = new URL('../../src/service/worker.ts', import.meta.url);
const MAILS = 5_000;
/** In this thread's shared memory: the last byte may have more bits than there are mails. */
const BYTES = MAILS / 8 + 1;

it('compares all texts that it is sent, over its own connection', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'parapet-comparer-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const spec = {
    source: { kind: 'evidence' as const, path: folder },
    databasePath: path.join(folder, 'x.sqlite'),
    databaseKey: 'cd'.repeat(32),
    believed: [],
    token: '',
    flags: {},
  };
  const store = openStore({ path: spec.databasePath, key: spec.databaseKey }, evidenceSource);
  onTestFinished(() => store.close());
  // It has the database open, so Windows would not remove the folder.
  let comparer: Worker | null = null;
  process.once('worker', (worker) => {
    comparer = worker;
  });
  onTestFinished(async () => void (await comparer?.terminate()));
  store.db.transaction(() => {
    const add = store.db.prepare('INSERT INTO email_texts VALUES (?, ?)');
    for (let id = 1; id <= MAILS; id++) add.run(id, id % 3 === 0 ? 'a b' : 'b a');
  })();
  const shared = (length: number) => new Uint8Array(new SharedArrayBuffer(length));
  const numbers = (length: number) => new Int32Array(new SharedArrayBuffer(length * 4));
  const work: SharedComparison = {
    table: 'email_texts',
    holds: 'instr(t.folded, ?) > 0',
    params: ['a b'],
    newest: MAILS,
    mails: shared(BYTES).fill(0xff),
    held: shared(BYTES),
    next: numbers(1),
    done: numbers(Math.ceil((MAILS + 1) / 1_024)),
  };
  comparerOf({ role: 'reader', spec, linkKey: new Uint8Array() }, ENTRY)(work);
  await expect.poll(() => [...work.done].every((one) => one === 1), { timeout: 20_000 }).toBe(true);
  const found = Array.from({ length: MAILS + 1 }, (_, id) => id).filter(
    (id) => ((work.held[id >> 3] ?? 0) & (1 << (id & 7))) !== 0,
  );
  expect(found).toEqual(Array.from({ length: Math.floor(MAILS / 3) }, (_, at) => 3 * (at + 1)));
});
