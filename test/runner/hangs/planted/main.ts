/** Runs the two files beside it, with a deadline once the second has ended by itself, and prints the tally as its last line. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endAtDeadline } from '../deadline.ts';
import { markProcesses } from '../../leftovers.ts';
import { runNodeTests } from '../../node-test.ts';
import { until } from '../../../env/until.ts';

const folder = mkdtempSync(join(tmpdir(), 'hamlet-planted-'));
const ended = join(folder, 'ended');
process.env['HAMLET_PLANTED_END'] = ended;
markProcesses();
const files = ['loops', 'stays-open'].map((name) => `test/runner/hangs/planted/${name}.test.ts`);
const tally = runNodeTests(files, { concurrency: 2, print: console.log });
await until('the file that stays open has ended', async () => existsSync(ended));
endAtDeadline(0);
console.log(JSON.stringify(await tally));
rmSync(folder, { recursive: true });
