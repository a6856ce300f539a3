/** A reporter of node:test that writes the counts of the whole run, and what failed, as JSON. */
import { relative } from 'node:path';
import type { TestEvent } from 'node:test/reporters';
import { ROOT } from '../../village/paths.ts';

type Failed = Extract<TestEvent, { type: 'test:fail' }>['data'];

export default async function* countReporter(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const failures: string[] = [];
  for await (const event of source) {
    if (event.type === 'test:fail' && !isOfItsTests(event.data)) failures.push(describe(event.data));
    // One summary comes for each file and one, without a file, for all of them.
    if (event.type !== 'test:summary' || event.data.file !== undefined) continue;
    const { tests, passed, skipped, todo } = event.data.counts;
    yield JSON.stringify({ passed, failed: tests - passed - skipped - todo, skipped, failures });
  }
}

/** Whether it failed only because a test within it did, which has its own line. */
const isOfItsTests = ({ details }: Failed): boolean => 'failureType' in details.error && details.error.failureType === 'subtestsFailed';

function describe({ file = '', line, name, details: { error } }: Failed): string {
  const reason = error.cause instanceof Error ? error.cause.message : error.message;
  return `${relative(ROOT, file)}:${line} ${name}: ${reason.replaceAll(/\s+/g, ' ')}`;
}
