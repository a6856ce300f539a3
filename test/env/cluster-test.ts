/** node:test for files that need the programs of the local cluster: their tests are skipped until those are built. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import * as node from 'node:test';

const BUILD = join(import.meta.dirname, '../../local/cluster/build.sh');

function areProgramsBuilt(): boolean {
  try {
    execFileSync(BUILD, ['--print-bin'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** The runner of `make test` builds the programs and sets the variable: there a failed build fails the tests. */
const isSkipped = process.env['HAMLET_TEST_BUILT'] !== '1' && !areProgramsBuilt();
const skip = "needs the cluster's programs: run `make programs` once";

interface Test {
  (name: string, fn: node.TestFn): Promise<void>;
  (name: string, options: node.TestOptions, fn: node.TestFn): Promise<void>;
}
type Hook = typeof node.before;
const skipped: Test = (name: string) => node.test(name, { skip });
const ignored: Hook = () => undefined;

export const test: Test = isSkipped ? skipped : node.test;
export const before: Hook = isSkipped ? ignored : node.before;
export const after: Hook = isSkipped ? ignored : node.after;
export const afterEach: Hook = isSkipped ? ignored : node.afterEach;
