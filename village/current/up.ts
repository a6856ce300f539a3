/** `CLUSTER=current make up`: installs into the kubectl context in force, after asking. */
import { createInterface } from 'node:readline/promises';
import { run } from '../command.ts';
import { Failure } from '../failure.ts';
import { buildImages, referenceOf, type BuiltImage } from '../images/build.ts';
import { buildah } from '../images/buildah.ts';
import type { ImageName } from '../images/recipe.ts';
import { waitForAgents } from '../install/agents-ready.ts';
import { installCharts } from '../install/charts.ts';
import { kubectl, type Place } from '../kubectl.ts';
import { secrets } from '../secrets.ts';
import type { Settings } from '../settings.ts';
import { runSteps, type StepContext } from '../steps.ts';
import { buildWeb } from '../web.ts';
import { currentContext, currentPlace } from './place.ts';

/** The images that have no official one; Postgres and Redis come from their own projects. */
const OWN_IMAGES: readonly ImageName[] = ['api', 'operator', 'agent'];
/** Kubernetes' names of the architectures by Node's. */
const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };

/** Installs the village into a cluster that is not ours; changes nothing before every refusal has been made. */
export async function upCurrent(settings: Settings): Promise<void> {
  const { imageRegistry, namespace } = settings;
  if (imageRegistry === undefined) {
    throw new Failure('CLUSTER=current needs a registry that the cluster can pull from; nothing was changed', 'CLUSTER=current IMAGE_REGISTRY=host/path make up');
  }
  const context = await currentContext();
  const place = await currentPlace(namespace);
  await refuseOtherArchitectures(place, imageRegistry);
  if (!settings.yes) await ask(`Install Hamlet into the context ${context}, namespace ${namespace}, with images in ${imageRegistry}?`);
  let images: readonly BuiltImage[] = [];
  await runSteps(`Hamlet: installing into ${context}`, [
    { name: 'packages', work: async (step) => void (await run('bash', ['village/packages.sh', 'up'], { log: step.log })) },
    { name: 'web', work: buildWeb },
    { name: 'images', work: async (step) => void (images = await buildImages(step, OWN_IMAGES)) },
    { name: 'push', work: async (step) => push(images, imageRegistry, step) },
    {
      name: 'charts',
      work: async (step) => {
        const references = Object.fromEntries(images.map((image) => [image.name, pushedReference(image, imageRegistry)]));
        await installCharts({ place, images: references, coreNode: undefined, secrets: secrets() }, step);
      },
    },
    { name: 'agents', work: async (step) => waitForAgents(place, agentImage(images, imageRegistry), step) },
  ]);
  console.log(`\n${await kubectl(place, ['get', 'village'])}\n`);
  console.log(`kubectl -n ${namespace} port-forward service/hamlet-api 8080, then http://localhost:8080`);
  console.log(`The code of the first admin: kubectl -n ${namespace} get secret hamlet-bootstrap -o jsonpath='{.data.code}' | base64 -d`);
}

function pushedReference(image: BuiltImage, registry: string): string {
  return `${registry}/hamlet/${image.name}:${image.tag}`;
}

function agentImage(images: readonly BuiltImage[], registry: string): string {
  return images.filter(({ name }) => name === 'agent').map((image) => pushedReference(image, registry)).join();
}

async function push(images: readonly BuiltImage[], registry: string, { log, doing }: StepContext): Promise<void> {
  for (const image of images) {
    doing(`hamlet/${image.name}`);
    await buildah(['push', '--quiet', referenceOf(image), `docker://${pushedReference(image, registry)}`], { log, onLine: doing, fix: `buildah login ${registry.split('/')[0]}` });
  }
}

/** Images are built for this machine's architecture only: nothing here emulates another. */
async function refuseOtherArchitectures(place: Place, registry: string): Promise<void> {
  const text = await kubectl(place, ['get', 'nodes', '-o', 'jsonpath={.items[*].status.nodeInfo.architecture}']);
  const others = new Set(text.split(/\s+/).filter((architecture) => architecture !== ARCHITECTURES[process.arch]));
  if (others.size === 0) return;
  throw new Failure(
    `the cluster has nodes of ${[...others].join(', ')} and this machine builds ${ARCHITECTURES[process.arch] ?? process.arch} alone; nothing was changed`,
    `build for both with docker buildx and install the chart by helm with image.registry=${registry}: docs/DEPLOYMENT.md`,
  );
}

async function ask(question: string): Promise<void> {
  if (!process.stdin.isTTY) throw new Failure('nobody is there to say yes; nothing was changed', 'YES=1 says it beforehand');
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await terminal.question(`${question} [y/N] `);
  terminal.close();
  if (!/^y(es)?$/i.test(answer.trim())) throw new Failure('not confirmed; nothing was changed');
}
