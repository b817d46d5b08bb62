/** With PARAPET_COST, before all else of every test file: what its process used since the file before it. */
import { relative } from 'node:path';
import { afterAll, expect } from 'vitest';
import { costFile, noteCost, processorSeconds } from './cost.ts';

/** Seconds that the process had used when the file before ended; files of a process follow one another. */
const counter: { parapetSeconds?: number } = globalThis as object;

if (costFile !== undefined)
  afterAll(() => {
    const now = processorSeconds();
    const file = relative(process.cwd(), expect.getState().testPath ?? '');
    noteCost(file, null, now - (counter.parapetSeconds ?? 0));
    counter.parapetSeconds = now;
  });
