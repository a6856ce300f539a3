/** `make down`: ends the village and the dev servers. The data stays for the next start, unless WIPE=1 removes it. */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { takeClusterDown } from '../cluster.ts';
import { run } from '../command.ts';
import { currentPlace, helm, kubectl } from '../kubectl.ts';
import { NODE, ROOT, STATE } from '../paths.ts';
import type { Settings } from '../settings.ts';
import { runSteps, type Step } from '../steps.ts';
import { describeData, putBack } from './kept-data.ts';

export async function down(settings: Settings): Promise<void> {
  const isLocal = settings.cluster === 'local';
  await runSteps('Hamlet: taking the village down', isLocal ? localSteps(settings) : currentSteps(settings));
  // The key of the chosen model was in the village.
  const gone = [...(isLocal ? ['up.json'] : []), 'model.json'];
  if (settings.wipe) for (const name of gone) rmSync(join(STATE, name), { force: true });
}

function localSteps({ wipe }: Settings): readonly Step[] {
  const dev: Step = {
    name: 'dev servers',
    work: async ({ log }) => void (await run(NODE, [join(ROOT, 'local/dev/src/main.ts'), '--stop'], { log })),
  };
  const cluster: Step = {
    name: 'cluster',
    work: async (context) => {
      const kept = wipe ? 'data removed' : 'data kept for the next make up; make down WIPE=1 removes it';
      const output = await takeClusterDown(wipe ? [] : ['--keep-data'], context);
      return `${output.split('\n').at(-1) ?? ''}; ${kept}`;
    },
  };
  const toRemove: Step = { name: 'data to remove', work: async () => describeData() };
  const aside: Step = { name: 'data set aside', work: async () => putBack() };
  const ending = wipe ? [toRemove, cluster, aside] : [cluster];
  return existsSync(join(STATE, 'dev.json')) ? [dev, ...ending] : ending;
}

/** The chart's hook deletes the Agents first, while the operator still runs and cleans up after them. */
function currentSteps({ namespace, wipe }: Settings): readonly Step[] {
  const chart: Step = {
    name: 'chart',
    work: async (context) => {
      const args = ['uninstall', 'hamlet', '--ignore-not-found', '--wait'];
      await helm(await currentPlace(namespace), args, context);
      return wipe ? undefined : 'the volume of Postgres stays; WIPE=1 removes it';
    },
  };
  const data: Step = {
    name: 'data',
    work: async () => {
      const args = ['delete', 'pvc,secret', '-l', 'app.kubernetes.io/part-of=hamlet', '--ignore-not-found'];
      await kubectl(await currentPlace(namespace), args);
    },
  };
  return wipe ? [chart, data] : [chart];
}
