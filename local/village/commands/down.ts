/** `make down`: ends what this checkout started. The data stays for the next start, unless WIPE=1 removes it. */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { takeClusterDown } from '../cluster.ts';
import { run } from '../command.ts';
import { Failure } from '../failure.ts';
import { currentPlace, helm, kubectl } from '../kubectl.ts';
import { NODE, ROOT, STATE } from '../paths.ts';
import type { Settings } from '../settings.ts';
import { runSteps, type Step } from '../steps.ts';
import { otherCheckout, THIS_CHECKOUT } from './checkout-record.ts';
import { describeData, isCutOff, putBack } from './kept-data.ts';

export async function down(settings: Settings): Promise<void> {
  const isLocal = settings.cluster === 'local';
  await runSteps('Hamlet: taking the village down', isLocal ? localSteps(settings) : currentSteps(settings));
  // model.json names a model whose key was stored in the village.
  const gone = [...(isLocal ? ['up.json'] : []), 'model.json'];
  if (settings.wipe) for (const name of gone) rmSync(join(STATE, name), { force: true });
}

/**
 * The steps that end the dev servers and the village of this checkout; the first step names them.
 * @throws Failure if only another checkout's village runs, or WIPE=1 would remove its data
 */
export function localSteps({ wipe }: Pick<Settings, 'wipe'>, checkout = THIS_CHECKOUT): readonly Step[] {
  const { state, cluster: folder } = checkout;
  const hasCluster = existsSync(join(folder, 'cluster.json'));
  const other = hasCluster ? otherCheckout(checkout) : null;
  const hasDev = existsSync(join(state, 'dev.json'));
  if (other !== null && (wipe || (isCutOff(folder) && !hasDev))) throw refusal(other, folder);
  const dev: Step = {
    name: 'dev servers',
    work: async ({ log }) => void (await run(NODE, [join(ROOT, 'local/dev/src/main.ts'), '--stop'], { log })),
  };
  const cluster: Step = {
    name: 'cluster',
    work: async (context) => {
      if (other !== null) return `left as it is: ${startedBy(other)}`;
      const kept = wipe ? 'data removed' : 'data kept for the next make up; make down WIPE=1 removes it';
      const output = await takeClusterDown(wipe ? [] : ['--keep-data'], context, folder);
      return `${output.split('\n').at(-1) ?? ''}; ${kept}`;
    },
  };
  const toEnd: Step = {
    name: 'to end',
    work: async () => {
      const village = hasCluster && other === null ? [`the village in ${folder}`] : [];
      return [...(hasDev ? ['the dev servers of this checkout'] : []), ...village].join(', ') || 'nothing';
    },
  };
  const toRemove: Step = { name: 'data to remove', work: async () => describeData(folder) };
  const aside: Step = { name: 'data set aside', work: async () => putBack(folder) };
  const ending = wipe ? [toRemove, cluster, aside] : [cluster];
  return [toEnd, ...(hasDev ? [dev] : []), ...ending];
}

const startedBy = (other: string): string =>
  other === 'unknown' ? 'another checkout started it' : `the checkout ${other} started it`;

function refusal(other: string, folder: string): Failure {
  const there = other === 'unknown' ? 'in that checkout' : `in ${other}`;
  return new Failure(
    `this checkout did not start the village in ${folder}: ${startedBy(other)}; nothing was ended`,
    `run make down ${there}, or run make up here, which takes the village over, and then make down`,
  );
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
