/** Parts of the full suite alone. */
import { stream } from './stream.ts';
import { runFiles, testFiles } from './test-files.ts';
import type { FailedTest, Part, Print, Run, Tally } from './part.ts';

const SCRIPT = 'local/cluster/test.sh';

/** Tests of a separate local cluster: every component killed, `up` run twice, nothing left behind. */
export const CLUSTER_PART: Part = {
  name: 'cluster',
  does: 'the guarantees of the local cluster',
  needs: ['packages', 'programs'],
  onlyInFull: true,
  isOneUnit: true,
  run,
};

export const IMAGES_PART: Part = {
  name: 'images',
  does: 'the images of the other architecture, in an emulator of its processor',
  needs: ['packages', 'programs'],
  onlyInFull: true,
  run: (started: Run): Promise<Tally> => runFiles(started, testFiles('test/images/*.test.ts'), { workers: 1 }),
};

async function run({ print }: Run): Promise<Tally> {
  let passed = 0;
  const failures: FailedTest[] = [];
  const count: Print = (line) => {
    print(line);
    if (line.startsWith('ok   ')) passed += 1;
    if (line.startsWith('FAIL ')) failures.push({ what: line.slice('FAIL '.length), rerun: SCRIPT });
  };
  const code = await stream(count, 'bash', [SCRIPT]);
  if (code !== 0 && failures.length === 0) failures.push({ what: `${SCRIPT} ended with code ${code}`, rerun: SCRIPT });
  return { passed, failed: failures.length, failures };
}
