// Runs test files and counts what became of them.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { root } from '../steps.mjs';
import { execute } from './execute.mjs';

/**
 * Files with a failure run once more, alone: a test that misses its deadline because the machine had too much else to do is told from one that
 * is right about a fault. What passes only then is named, so that nobody gets used to it; what fails twice has failed.
 */
export async function vitest(stage) {
  const { name } = stage;
  const first = await runVitest(stage, stage.files ?? []);
  if (first.failedFiles.length === 0) return { name, ...first };
  await stage.onFailure?.();
  console.error(`\nOnce more, alone: ${first.failedFiles.join(', ')}`);
  const second = await runVitest(stage, first.failedFiles);
  const unsteady = first.failedTests.filter((test) => !second.failedTests.includes(test));
  for (const test of unsteady) console.error(`passed only at the second attempt: ${test}`);
  if (second.failedFiles.length > 0) await stage.onFailure?.();
  const again = new Set(first.failedFiles);
  const tests = [...first.tests.filter(({ file }) => !again.has(file)), ...second.tests];
  const { skipped } = first;
  return { name, passed: first.passed + unsteady.length, failed: second.failed, skipped, tests };
}

async function runVitest({ config, env, withinMs, parameters = [] }, files) {
  const folder = mkdtempSync(join(tmpdir(), 'berth-test-'));
  const report = join(folder, 'report.json');
  try {
    const vitest = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--config', config, ...files, ...parameters];
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
    const code = await execute([...vitest, ...reporters], { env, withinMs });
    const counts = countTests(report);
    // Such as an error outside of every test, or a run that was cut off.
    if (code !== 0 && counts.failed === 0) counts.failed = 1;
    return counts;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function countTests(report) {
  let result;
  try {
    result = JSON.parse(readFileSync(report, 'utf8'));
  } catch {
    console.error('the test run left no report');
    return { passed: 0, failed: 1, skipped: 0, failedFiles: [], failedTests: [], tests: [] };
  }
  // A file that cannot be loaded has no tests that could fail.
  const broken = result.testResults.filter((file) => file.status === 'failed' && file.assertionResults.length === 0);
  if (result.numTotalTests === 0) console.error('there was no test to run');
  const tests = result.testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.map(({ fullName, status, meta }) => ({
      file: relative(root, name),
      name: fullName,
      status,
      assertions: meta?.assertions,
    })),
  );
  return {
    passed: result.numPassedTests,
    failed: result.numFailedTests + broken.length + (result.numTotalTests === 0 ? 1 : 0),
    skipped: result.numPendingTests + (result.numTodoTests ?? 0),
    failedFiles: result.testResults.filter((file) => file.status === 'failed').map((file) => relative(root, file.name)),
    failedTests: tests.filter(({ status }) => status === 'failed').map(({ file, name }) => `${file}: ${name}`),
    tests,
  };
}
