/** Tests of a separate local cluster: every component killed, `up` run twice, nothing left behind. */
import { stream } from './stream.ts';
import type { FailedTest, Part, Print, Tally } from './part.ts';

const SCRIPT = 'local/cluster/test.sh';

export const CLUSTER_PART: Part = {
  name: 'cluster',
  does: 'the guarantees of the local cluster',
  needs: ['packages', 'programs'],
  run,
};

async function run(print: Print): Promise<Tally> {
  let passed = 0;
  const failures: FailedTest[] = [];
  const count: Print = (line) => {
    print(line);
    if (line.startsWith('ok   ')) passed += 1;
    if (line.startsWith('FAIL ')) failures.push({ what: line.slice('FAIL '.length), rerun: SCRIPT });
  };
  const code = await stream(count, 'bash', [SCRIPT]);
  if (code !== 0 && failures.length === 0) failures.push({ what: `${SCRIPT} ended with ${code}`, rerun: SCRIPT });
  return { passed, failed: failures.length, failures };
}
