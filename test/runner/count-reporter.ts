/** A reporter of node:test that writes counts, failures and the duration of each file as JSON, and prints each failure at once. */
import { relative } from 'node:path';
import type { TestEvent } from 'node:test/reporters';
import { ROOT } from '../../local/village/paths.ts';

type Failed = Extract<TestEvent, { type: 'test:fail' }>['data'];

export default async function* countReporter(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const failures: { file: string; what: string }[] = [];
  const durations: Record<string, number> = {};
  for await (const event of source) {
    if (event.type === 'test:fail' && !isOfItsTests(event.data)) {
      const what = describe(event.data);
      failures.push({ file: pathOf(event.data), what });
      // The reporter `spec` says why only at the end of all files, which a run that is cut off does not reach.
      process.stderr.write(`✖ ${what}\n`);
    }
    if (event.type !== 'test:summary') continue;
    // node:test emits a summary for each file, and one without a file for the whole run.
    const { file, duration_ms, counts } = event.data;
    if (file !== undefined) {
      durations[relative(ROOT, file)] = Math.round(duration_ms);
      continue;
    }
    const { tests, passed, skipped, todo } = counts;
    yield JSON.stringify({ passed, failed: tests - passed - skipped - todo, skipped, failures, durations });
  }
}

/** True if the test failed only because of a nested test, which has its own line. */
const isOfItsTests = ({ details }: Failed): boolean =>
  'failureType' in details.error && details.error.failureType === 'subtestsFailed';

const pathOf = ({ file = '' }: Failed): string => relative(ROOT, file);

function describe(failed: Failed): string {
  const {
    line,
    name,
    details: { error },
  } = failed;
  const reason = error.cause instanceof Error ? error.cause.message : error.message;
  return `${pathOf(failed)}:${line} ${name}: ${reason.replaceAll(/\s+/g, ' ')}`;
}
