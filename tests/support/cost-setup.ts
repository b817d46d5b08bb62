/** With PARAPET_COST, runs before every test file: records the processor time since the previous file of the process. */
import { relative } from 'node:path';
import { afterAll, expect } from 'vitest';
import { costFile, noteCost, processorSeconds } from './cost.ts';

/** Seconds used when the previous file ended; files of a process run one after another. */
const counter: { parapetSeconds?: number } = globalThis as object;

if (costFile !== undefined)
  afterAll(() => {
    const now = processorSeconds();
    const file = relative(process.cwd(), expect.getState().testPath ?? '');
    noteCost(file, null, now - (counter.parapetSeconds ?? 0));
    counter.parapetSeconds = now;
  });
