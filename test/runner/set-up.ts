/** Installs the prerequisites of the tests. */
import { buildPrograms } from '../../local/village/cluster.ts';
import { run } from '../../local/village/command.ts';
import { runSteps, type Step } from '../../local/village/steps.ts';
import type { Part } from './part.ts';

/** Installs packages and builds programs for the parts that need them. */
export async function setUp(parts: readonly Part[]): Promise<void> {
  const needs = new Set(parts.flatMap((part) => part.needs));
  const steps: Step[] = [];
  if (needs.has('packages')) {
    steps.push({
      name: 'packages',
      work: async ({ log, doing }) =>
        void (await run('bash', ['local/village/packages.sh', 'up', 'test'], { log, doing })),
    });
  }
  if (needs.has('programs')) steps.push({ name: 'programs', work: buildPrograms });
  // Tests that need the programs fail from here on if there are none, instead of being skipped.
  process.env['HAMLET_TEST_BUILT'] = '1';
  if (steps.length > 0) await runSteps('Hamlet: setting up the tests', steps);
}
