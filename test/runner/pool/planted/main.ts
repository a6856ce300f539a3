/** Runs the two files beside it, with a deadline once the second has ended by itself, and prints the tally as its last line. */
import { endAtDeadline } from '../deadline.ts';
import { markProcesses } from '../../leftovers.ts';
import { runFiles } from '../../test-files.ts';

markProcesses();
const files = ['loops', 'stays-open'].map((name) => `test/runner/pool/planted/${name}.test.ts`);
const { promise: firstEnd, resolve: keep } = Promise.withResolvers<string>();
const run = { print: console.log, isFull: false, includes: () => true, before: () => undefined, keep, leaveRoom() {} };
const tally = runFiles(run, files, { workers: 2 });
if (!(await firstEnd).includes('stays-open')) throw new Error('the file that blocks has ended first');
endAtDeadline(0);
console.log(JSON.stringify(await tally));
