/** Runs the two files beside it with a deadline of three seconds, and prints the tally as its last line. */
import { endAtDeadline } from '../deadline.ts';
import { markProcesses } from '../../leftovers.ts';
import { runNodeTests } from '../../node-test.ts';

markProcesses();
endAtDeadline(0.05);
const files = ['loops', 'stays-open'].map((name) => `test/runner/hangs/planted/${name}.test.ts`);
console.log(JSON.stringify(await runNodeTests(files, { concurrency: 2, print: console.log })));
