/** `CLUSTER=current make up`: installs into the kubectl context in force, after asking. */
import { run } from '../command.ts';
import { confirm } from '../confirm.ts';
import { Failure } from '../failure.ts';
import { ARCHITECTURES, type Architecture } from '../images/architecture.ts';
import type { BuiltImage } from '../images/build.ts';
import { buildImagesFor } from '../images/foreign/build.ts';
import type { ImageName } from '../images/recipe.ts';
import { waitForAgents } from '../install/agents-ready.ts';
import { installCharts } from '../install/charts.ts';
import { kubectl, type Place } from '../kubectl.ts';
import { secrets } from '../secrets.ts';
import type { Settings } from '../settings.ts';
import { runSteps, type Step } from '../steps.ts';
import { buildWeb } from '../web.ts';
import { currentContext, currentPlace } from './place.ts';
import { pushImages } from './push.ts';

/** The images that have no official one; Postgres and Redis come from their own projects. */
const OWN_IMAGES: readonly ImageName[] = ['api', 'operator', 'agent'];

/** Installs the village into a cluster that is not ours; changes nothing before every refusal has been made. */
export async function upCurrent(settings: Settings): Promise<void> {
  const { imageRegistry, namespace } = settings;
  if (imageRegistry === undefined) {
    throw new Failure(
      'CLUSTER=current needs a registry that the cluster can pull from; nothing was changed',
      'CLUSTER=current IMAGE_REGISTRY=host/path make up',
    );
  }
  const context = await currentContext();
  const place = await currentPlace(namespace);
  const architectures = settings.architectures ?? (await architecturesOfNodes(place));
  if (!settings.yes)
    await confirm(
      `Install Hamlet into the context ${context}, namespace ${namespace}, with images for ${architectures.join(' and ')} in ${imageRegistry}?`,
      'YES=1 says it beforehand',
    );
  const images = new Map<Architecture, readonly BuiltImage[]>();
  let references: Readonly<Partial<Record<ImageName, string>>> = {};
  await runSteps(`Hamlet: installing into ${context}`, [
    {
      name: 'packages',
      work: async (step) => void (await run('bash', ['local/village/packages.sh', 'up'], { log: step.log })),
    },
    { name: 'web', work: buildWeb },
    ...architectures.map((architecture): Step => ({
      name: `images for ${architecture}`,
      work: async (step) => void images.set(architecture, await buildImagesFor(architecture, step, OWN_IMAGES)),
    })),
    {
      name: 'push',
      work: async (step) => void (references = await pushImages(images, { prefix: imageRegistry }, step)),
    },
    {
      name: 'charts',
      work: async (step) => installCharts({ place, images: references, coreNode: undefined, secrets: secrets() }, step),
    },
    { name: 'agents', work: async (step) => waitForAgents(place, references.agent ?? '', step) },
  ]);
  console.log(`\n${await kubectl(place, ['get', 'village'])}\n`);
  console.log(`kubectl -n ${namespace} port-forward service/hamlet-api 8080, then http://localhost:8080`);
  console.log(
    `The code of the first admin: kubectl -n ${namespace} get secret hamlet-bootstrap -o jsonpath='{.data.code}' | base64 -d`,
  );
}

/** The architectures of the cluster's nodes; one that there are no images for is refused. */
async function architecturesOfNodes(place: Place): Promise<readonly Architecture[]> {
  const text = await kubectl(place, ['get', 'nodes', '-o', 'jsonpath={.items[*].status.nodeInfo.architecture}']);
  const found = new Set(text.split(/\s+/).filter((name) => name !== ''));
  const unknown = [...found].filter((name) => !ARCHITECTURES.some((each) => each === name));
  if (unknown.length > 0) {
    const advice = `take those nodes out of the cluster, or say for which nodes to build: ARCH=${ARCHITECTURES.join(',')}`;
    throw new Failure(
      `the cluster has nodes of ${unknown.join(', ')}, and Hamlet has images for ${ARCHITECTURES.join(' and ')}; nothing was changed`,
      advice,
    );
  }
  if (found.size === 0)
    throw new Failure(
      'the cluster has no node; nothing was changed',
      `say for which nodes to build: ARCH=${ARCHITECTURES.join(',')}`,
    );
  return ARCHITECTURES.filter((architecture) => found.has(architecture));
}
