import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { KubeClient } from '@hamlet/kube';
import { kubeClient, village, type Village } from '@hamlet/test/env/village';
import { buildPrograms, clusterStatus, program } from '../../../local/village/cluster.ts';
import { run } from '../../../local/village/command.ts';
import { Failure } from '../../../local/village/failure.ts';
import { setAside } from '../../../local/village/commands/kept-data.ts';
import { NODE, ROOT, STATE } from '../../../local/village/paths.ts';
import { openGuard, type Guard } from '../guard.ts';

export const BENCH_LABEL = 'hamlet.village/bench';

/** Removes the objects of the bench from a running village: $1 kubectl, $2 the namespace, $3 the label. */
const CLEAR = `
trap '' INT TERM HUP
"$1" --namespace "$2" delete pods --selector "$3" --ignore-not-found --wait=false
"$1" --namespace "$2" delete agents --selector "$3" --ignore-not-found --timeout=180s
"$1" --namespace "$2" delete entitlements --selector "$3" --ignore-not-found
`;
const RUN = `
trap '' INT TERM HUP
"$@"
`;

/** The village of this checkout, on nodes with kubelets and cgroups. */
export interface RealVillage {
  readonly place: Village;
  readonly client: KubeClient;
  readonly namespace: string;
  /** Removes the objects of the bench, or the whole village if the bench started it. */
  end(): Promise<void>;
}

const villageCommand = (command: 'up' | 'down'): readonly [string, string, string] => [
  NODE,
  join(ROOT, 'local/village/main.ts'),
  command,
];

/** Starts the village. The guard that stops it starts first. */
async function bringUp(): Promise<Guard> {
  console.log('no village is up: the bench starts one and takes it down at the end');
  setAside();
  const guard = openGuard(RUN, villageCommand('down'), { ...process.env, WIPE: '1' });
  const [node, ...args] = villageCommand('up');
  await run(node, args, { env: { FRESH: '1' } }).catch(async (error: unknown) => {
    await guard.clear();
    throw error;
  });
  return guard;
}

async function guardOf({ kubeconfig, namespace }: Village): Promise<Guard> {
  return openGuard(CLEAR, [await program('kubectl'), namespace, BENCH_LABEL], {
    ...process.env,
    KUBECONFIG: kubeconfig,
  });
}

/** The running village, or a new one. After any kind of end, the bench leaves nothing behind. */
export async function openVillage(): Promise<RealVillage> {
  await buildPrograms({});
  const wasUp = (await clusterStatus()) !== undefined;
  if (wasUp && !existsSync(join(STATE, 'up.json')))
    throw new Failure('the village of another checkout is up', 'run this there, or make down there');
  const brought = wasUp ? undefined : await bringUp();
  const place = await village();
  const guard = brought ?? (await guardOf(place));
  const client = await kubeClient(place);
  return {
    place,
    client,
    namespace: place.namespace,
    end: async () => {
      await client.close();
      await guard.clear();
    },
  };
}
