/**
 * Ends a test file whose tests are done while something still keeps its process alive: a server, a connection, a timer.
 * node:test bounds each test, and waits without a limit for the process of a file. Loaded with `--import`.
 */
import { after } from 'node:test';
import { isMainThread } from 'node:worker_threads';

/** Longer than any child process of a test needs to end after a signal, and than timers of a minute. */
const GRACE_MS = Number(process.env['HAMLET_TEST_GRACE_MS'] ?? 90_000);

/** Workers and programs that a test starts inherit the option `--import`, and are not test files. */
const isTestFile = isMainThread && (process.argv[1]?.endsWith('.test.ts') ?? false);

if (isTestFile) {
  // The timer keeps no process alive: it fires only if something else does.
  after(() => void setTimeout(fail, GRACE_MS).unref());
}

function fail(): void {
  const open = process.getActiveResourcesInfo().join(', ');
  console.error(`${process.argv[1]}: its tests are done, but this keeps the process alive: ${open}`);
  console.error('  fix: close it in an after() of the test');
  process.exit(1);
}
