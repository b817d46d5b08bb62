/** With PARAPET_COST, before all else of every test file: a process runs one file, so its seconds are the file's. */
import { relative } from 'node:path';
import { afterAll, expect } from 'vitest';
import { costFile, noteCost, processorSeconds } from './cost.ts';

if (costFile !== undefined)
  afterAll(() => {
    noteCost(relative(process.cwd(), expect.getState().testPath ?? ''), null, processorSeconds());
  });
