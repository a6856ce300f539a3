/** A reporter of node:test that sends the result of each file of a worker to its parent. */
import { relative } from 'node:path';
import type { TestEvent } from 'node:test/reporters';
import { inspect } from 'node:util';
import { ROOT } from '../../../local/village/paths.ts';

type Failed = Extract<TestEvent, { type: 'test:fail' }>['data'];

/** The result of one file. */
export interface FileResult {
  readonly file: string;
  readonly passed: number;
  readonly skipped: number;
  readonly failures: readonly FailedCase[];
  /** CPU time of the worker, in milliseconds, without that of its child processes. */
  readonly cpuMs: number;
}

export interface FailedCase {
  /** The file with its line, the name of the test and the reason, in one line. */
  readonly what: string;
  /** The error with its stack and diff. */
  readonly error: string;
}

export default async function* poolReporter(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  let counted: Counted = NOTHING;
  let cpu = process.cpuUsage();
  for await (const event of source) {
    if (event.type !== 'test:pass' && event.type !== 'test:fail') continue;
    counted = count(counted, event);
    if (event.data.nesting > 0) continue;
    const { user, system } = process.cpuUsage(cpu);
    const result: FileResult = { ...counted, file: event.data.name, cpuMs: Math.round((user + system) / 1000) };
    if (process.connected) process.send?.(result);
    else noteLate(event.data.name);
    [counted, cpu] = [NOTHING, process.cpuUsage()];
    yield '';
  }
}

/** A test that was registered after its file was loaded runs at the end of its worker, which then counts as failed. */
function noteLate(name: string): void {
  console.error(`"${name}" was registered after its file was loaded. Fix: await what registers it`);
  process.exitCode = 1;
}

type Counted = Pick<FileResult, 'passed' | 'skipped' | 'failures'>;
const NOTHING: Counted = { passed: 0, skipped: 0, failures: [] };

/** Counts the tests, and not their suites; a failed hook of a suite counts as a failure. */
function count(counted: Counted, event: Extract<TestEvent, { type: 'test:pass' | 'test:fail' }>): Counted {
  const { passed, skipped, failures } = counted;
  if (event.type === 'test:fail')
    return isOfItsTests(event.data) ? counted : { ...counted, failures: [...failures, describeFailure(event.data)] };
  if (event.data.skip !== undefined && event.data.skip !== false) return { ...counted, skipped: skipped + 1 };
  return event.data.details.type === 'suite' ? counted : { ...counted, passed: passed + 1 };
}

/** True if the test failed only because of a nested test, which has its own line. */
const isOfItsTests = ({ details }: Failed): boolean =>
  'failureType' in details.error && details.error.failureType === 'subtestsFailed';

function describeFailure({ file = '', line, name, nesting, details: { error } }: Failed): FailedCase {
  const cause = error.cause ?? error;
  const reason = cause instanceof Error ? cause.message : error.message;
  const place = nesting === 0 ? name : `${relative(ROOT, file)}:${line} ${name}`;
  return { what: `${place}: ${reason.replaceAll(/\s+/g, ' ')}`, error: inspect(cause, { depth: 6 }) };
}
