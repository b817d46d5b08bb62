// All suites: unit, contract, integration and faults in Vitest, then the whole product in Chromium and Electron.
// The last line sums them up; any failure, and any suite that did not run, fails.
import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { build } from './build.mjs';
import { bin, root, runNode } from './node.mjs';

const results = path.join(root, 'test-results');
const vitestReport = path.join(results, 'vitest.json');
const e2eReport = path.join(results, 'e2e.json');

const readReport = (file) => {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return null;
  }
};

function countVitest(code) {
  const report = readReport(vitestReport);
  if (report === null) return { passed: 0, failed: 1, skipped: 0 };
  // A file that does not load fails without a failed test of its own.
  const broken = report.testResults.filter(
    (file) => file.status === 'failed' && file.assertionResults.length === 0,
  );
  const failed = report.numFailedTests + broken.length;
  return {
    passed: report.numPassedTests,
    failed: failed === 0 && code !== 0 ? 1 : failed,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}

function countE2e(code) {
  const report = readReport(e2eReport);
  if (report === null) return { passed: 0, failed: 1, skipped: 0 };
  const { expected, unexpected, flaky, skipped } = report.stats;
  if (flaky > 0)
    console.log(`${flaky} of the end-to-end tests passed only when tried again: they are named above.`);
  return {
    passed: expected + flaky,
    failed: unexpected === 0 && code !== 0 ? 1 : unexpected,
    skipped,
  };
}

async function main() {
  rmSync(results, { recursive: true, force: true });
  const built = await build({ quiet: true });
  if (built !== 0) {
    console.log('The build failed.\n0 passed, 1 failed, 0 skipped');
    return 1;
  }
  const unit = await runNode([
    bin('vitest'),
    'run',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${vitestReport}`,
  ]);
  const e2e = await runNode([bin('@playwright/test', 'playwright'), 'test']);
  const counts = [countVitest(unit), countE2e(e2e)];
  const sum = (key) => counts.reduce((total, count) => total + count[key], 0);
  console.log(`${sum('passed')} passed, ${sum('failed')} failed, ${sum('skipped')} skipped`);
  return sum('failed') === 0 ? 0 : 1;
}

process.exitCode = await main();
