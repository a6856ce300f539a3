/** A reporter of node:test that writes the counts of the whole run as JSON. */
import type { TestEvent } from 'node:test/reporters';

export default async function* countReporter(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const event of source) {
    // One summary comes for each file and one, without a file, for all of them.
    if (event.type !== 'test:summary' || event.data.file !== undefined) continue;
    const { tests, passed, skipped, todo } = event.data.counts;
    yield JSON.stringify({ passed, failed: tests - passed - skipped - todo, skipped });
  }
}
