/** Writes the tests that passed only on a retry to test-results/retried.json, for `npm test` to report. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';

const FOLDER = path.join(import.meta.dirname, '../../test-results');

export default class RetriedReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const names = modules.flatMap((module) =>
      [...module.children.allTests()]
        .filter((test) => test.diagnostic()?.flaky)
        .map((test) => `${module.relativeModuleId} > ${test.fullName}`),
    );
    mkdirSync(FOLDER, { recursive: true });
    writeFileSync(path.join(FOLDER, 'retried.json'), JSON.stringify(names));
  }
}
