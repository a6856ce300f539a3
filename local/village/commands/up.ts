/** `make up` on this machine: from nothing to a village in the browser. */
import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { checkMachine } from '../doctor/machine.ts';
import { run } from '../command.ts';
import { buildPrograms, clusterStatus, hamletCluster, program } from '../cluster.ts';
import { buildImages, referenceOf, type BuiltImage } from '../images/build.ts';
import { waitForAgents } from '../install/agents-ready.ts';
import { installCharts } from '../install/charts.ts';
import { makeFirstAdmin } from '../install/first-admin.ts';
import { loadImages } from '../install/images.ts';
import { isKept, putBack, setAside } from './kept-data.ts';
import { kubectl, secretValue, type Place } from '../kubectl.ts';
import { stateFile } from '../paths.ts';
import { secrets, writePrivate } from '../secrets.ts';
import type { Settings } from '../settings.ts';
import { runSteps, type StepContext } from '../steps.ts';
import { buildWeb } from '../web.ts';

/** The node of Postgres, Redis and the first api; the second api is on the other. */
const CORE_NODE = 'sparky1';

/** Brings the local village up and prints how to get in; safe to repeat. */
export async function up(settings: Settings): Promise<void> {
  const url = `http://localhost:${settings.port}`;
  let images: readonly BuiltImage[] = [];
  let place: Place | undefined;
  const here = (): Place => {
    if (place === undefined) throw new Error('the cluster step has not run');
    return place;
  };
  await runSteps('Hamlet: bringing the village up on this machine', [
    { name: 'machine', work: async () => checkMachine() },
    { name: 'packages', work: async (context) => packages(context) },
    { name: 'programs', work: async (context) => buildPrograms({ log: context.log, onLine: context.doing }) },
    { name: 'kept data', work: async () => keptData(settings) },
    {
      name: 'cluster',
      work: async (context) => {
        await hamletCluster(['up'], { log: context.log, onLine: context.doing });
        place = await localPlace(settings.namespace);
      },
    },
    { name: 'web', work: buildWeb },
    { name: 'images', work: async (context) => said((images = await buildImages(context))) },
    { name: 'image import', work: async (context) => loadImages(images, context) },
    {
      name: 'charts',
      work: async (context) => {
        const references = Object.fromEntries(images.map((image) => [image.name, referenceOf(image)]));
        await installCharts(
          { place: here(), images: references, coreNode: CORE_NODE, secrets: secrets(), cores: availableParallelism() },
          context,
        );
      },
    },
    { name: 'port', work: async () => forward(settings) },
    { name: 'first admin', work: async () => firstAdmin(here(), url) },
    { name: 'agents', work: async (context) => waitForAgents(here(), referenceTo('agent', images), context) },
  ]);
  await report(here(), url);
}

/** Where the local village is. */
export async function localPlace(namespace: string): Promise<Place> {
  return {
    kubectl: await program('kubectl'),
    helm: await program('helm'),
    kubeconfig: await hamletCluster(['kubeconfig']),
    namespace,
  };
}

/** A kubeconfig of this checkout whose context is in the village's namespace, so that kubectl needs no flag. */
async function writeKubeconfig(place: Place): Promise<string> {
  const file = stateFile('kubeconfig');
  writeFileSync(file, await kubectl(place, ['config', 'view', '--raw', '--flatten']), { mode: 0o600 });
  await kubectl({ ...place, kubeconfig: file }, ['config', 'set-context', '--current']);
  return file;
}

/** What this village goes on with. A cluster that is up keeps what it has. */
async function keptData({ fresh }: Settings): Promise<string> {
  if ((await clusterStatus()) !== undefined) return 'of the village that is up';
  if (fresh) return setAside();
  putBack();
  return isKept() ? 'the village goes on where it was' : 'none: a new village begins';
}

async function packages(context: StepContext): Promise<void> {
  await run('bash', ['local/village/packages.sh', 'up'], {
    log: context.log,
    onLine: context.doing,
    fix: 'run as root, or install the packages named above yourself',
  });
}

function referenceTo(name: BuiltImage['name'], images: readonly BuiltImage[]): string {
  return images
    .filter((image) => image.name === name)
    .map(referenceOf)
    .join();
}

function said(images: readonly BuiltImage[]): string {
  const fresh = images.filter(({ isNew }) => isNew).map(({ name }) => name);
  return fresh.length === 0 ? 'unchanged' : `built ${fresh.join(', ')}`;
}

async function forward({ port, namespace }: Settings): Promise<string> {
  await hamletCluster(['forward', '--listen', `127.0.0.1:${port}`, '--to', `hamlet-api.${namespace}:8080`]);
  return `http://localhost:${port}`;
}

async function firstAdmin(place: Place, url: string): Promise<string> {
  const { adminName, adminPassword } = secrets();
  const code = await secretValue(place, 'hamlet-bootstrap', 'code');
  const outcome = await makeFirstAdmin({ url, code, name: adminName, password: adminPassword });
  return outcome === 'unknown' ? 'made before, elsewhere: the login printed below is not valid here' : outcome;
}

async function report(place: Place, url: string): Promise<void> {
  const { adminName, adminPassword, adminToken, memberToken } = secrets();
  const kubeconfig = await writeKubeconfig(place);
  writePrivate(stateFile('up.json'), { url, adminToken, memberToken, kubeconfig });
  console.log(`\n${await kubectl(place, ['get', 'village'])}\n`);
  console.log(`The village:  ${url}`);
  console.log(`First admin:  ${adminName}   password  ${adminPassword}`);
  console.log(`kubectl:      export KUBECONFIG=${kubeconfig}; kubectl get village`);
  console.log('For tools:    .hamlet/up.json      To end it: make down, which keeps its data');
}
