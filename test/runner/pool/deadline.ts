/** The end of a run that takes too long: it names the test files that still run, and ends them. */
import { leftovers } from '../leftovers.ts';
import { endRunningFiles } from './pool.ts';

const MINUTE_MS = 60_000;
/** Killed files free their workers. Queued files get this long before they are killed too. */
const EVERY_MS = 3 * MINUTE_MS;
/** Time for the run to report, and to take its village down. */
const REPORT_MS = 9 * MINUTE_MS;
const LISTED = 20;

/** After this many minutes, ends the running test files, and those that start later; ends the run itself 9 minutes later. */
export function endAtDeadline(minutes: number): void {
  setTimeout(() => {
    endTestFiles(minutes);
    setInterval(() => endTestFiles(minutes), EVERY_MS).unref();
    setTimeout(() => void endRun(), REPORT_MS).unref();
  }, minutes * MINUTE_MS).unref();
}

async function endRun(): Promise<void> {
  const left = await leftovers();
  console.log(`the run does not end; ${left.length} processes still run:\n${left.slice(0, LISTED).join('\n')}`);
  console.log('0 passed, 1 failed');
  process.exit(1);
}

function endTestFiles(minutes: number): void {
  const files = endRunningFiles();
  console.log(`the tests have run for over ${minutes} minutes; ending the ${files.length} files that still run`);
  for (const file of files) console.log(`ended: ${file}`);
}
