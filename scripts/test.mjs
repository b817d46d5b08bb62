// Every suite, or one part of them: npm test -- [unit|service|faults|e2e] [NAME] [options of its runner]. NAME is
// part of a test file's path. Failed tests are listed again before the last line, the summary. Fails on any failure and
// on any suite that did not run.
import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { build } from './build.mjs';
import { bin, root, runNode } from './node.mjs';

const parts = ['unit', 'service', 'faults', 'e2e'];
const results = path.join(root, 'test-results');
const vitestReport = path.join(results, 'vitest.json');
const e2eReport = path.join(results, 'e2e.json');
/** Written by tests/support/retried-reporter.ts. */
const retriedReport = path.join(results, 'retried.json');

/** The result of a runner that left no report, or failed without a failed test. */
const unexplained = (runner, code) => ({
  passed: 0,
  skipped: 0,
  failed: [`${runner} ended with ${code}: see its output`],
});

const readReport = (file) => {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return null;
  }
};

/** Counts, and names of failed tests; a file that fails outside its tests counts as one. */
function readVitest(report, code) {
  if (report === null) return unexplained('Vitest', code);
  const failed = report.testResults.flatMap((file) => {
    const name = path.relative(root, file.name);
    const tests = file.assertionResults.filter((test) => test.status === 'failed');
    if (file.status === 'failed' && tests.length === 0) return [`${name}: ${file.message.split('\n')[0]}`];
    return tests.map((test) => `${name} > ${[...test.ancestorTitles, test.title].join(' > ')}`);
  });
  return {
    passed: report.numPassedTests,
    skipped: report.numPendingTests + report.numTodoTests,
    retried: readReport(retriedReport) ?? [],
    failed: failed.length === 0 && code !== 0 ? unexplained('Vitest', code).failed : failed,
  };
}

/** The same for Playwright's report. */
function readPlaywright(report, code) {
  if (report === null) return unexplained('Playwright', code);
  const failed = [];
  const retried = [];
  const visit = (suite, titles) => {
    for (const spec of suite.specs ?? [])
      for (const { status } of spec.tests) {
        const name = [`tests/e2e/${spec.file}`, ...titles, spec.title].join(' > ');
        if (status === 'unexpected') failed.push(name);
        if (status === 'flaky') retried.push(name);
      }
    for (const inner of suite.suites ?? []) visit(inner, [...titles, inner.title]);
  };
  for (const file of report.suites) visit(file, []);
  const { expected, flaky = 0, skipped } = report.stats;
  return {
    passed: expected + flaky,
    retried,
    skipped,
    failed: failed.length === 0 && code !== 0 ? unexplained('Playwright', code).failed : failed,
  };
}

/** The closing lines of a run. */
function summary(reports) {
  const sum = (key) => reports.reduce((total, report) => total + report[key], 0);
  const failed = reports.flatMap((report) => report.failed);
  return [
    ...reports.flatMap(({ retried = [] }) => retried).map((name) => `RETRIED ${name}`),
    ...failed.map((name) => `FAILED ${name}`),
    `${sum('passed')} passed, ${failed.length} failed, ${sum('skipped')} skipped`,
  ];
}

async function main([first, ...rest]) {
  const part = parts.includes(first) ? first : null;
  if (part === null && first !== undefined) {
    console.error(
      `There is no part "${first}": npm test -- [${parts.join('|')}] [NAME] [options of its runner]`,
    );
    return 2;
  }
  rmSync(results, { recursive: true, force: true });
  if ((await build({ quiet: true })) !== 0) {
    console.log('The build failed.\n0 passed, 1 failed, 0 skipped');
    return 1;
  }
  const reports = [];
  if (part !== 'e2e') {
    const code = await runNode(
      [
        bin('vitest'),
        'run',
        ...(part === null ? [] : [`--project=${part}*`]),
        '--reporter=default',
        '--reporter=json',
        '--reporter=./tests/support/retried-reporter.ts',
        `--outputFile.json=${vitestReport}`,
        ...rest,
      ],
      { env: { ...process.env, PARAPET_BUILT: '1' } },
    );
    reports.push(readVitest(readReport(vitestReport), code));
  }
  if (part === null || part === 'e2e') {
    const code = await runNode([bin('@playwright/test', 'playwright'), 'test', ...rest]);
    reports.push(readPlaywright(readReport(e2eReport), code));
  }
  console.log(summary(reports).join('\n'));
  return reports.some((report) => report.failed.length > 0) ? 1 : 0;
}

process.exitCode = await main(process.argv.slice(2));
