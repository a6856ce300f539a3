/** `CLUSTER=current make up`: installs into kubectl's current context, after the person confirms it. */
import { Failure } from '../failure.ts';
import { ARCHITECTURES, type Architecture } from '../images/architecture.ts';
import type { BuiltImage } from '../images/build.ts';
import { buildImagesFor } from '../images/foreign/build.ts';
import { pushImages } from '../images/push.ts';
import type { ImageName } from '../images/recipe.ts';
import { buildWeb } from '../images/web.ts';
import { currentContext, currentPlace, kubectl, type Place } from '../kubectl.ts';
import { secrets } from '../secrets.ts';
import type { Settings } from '../settings.ts';
import { confirm, runSteps, type Step } from '../steps.ts';
import { waitForAgents } from './agents-ready.ts';
import { ensureNamespace, installCharts } from './install-charts.ts';
import { installPackages } from './up.ts';
import { ownValues } from './own-values.ts';
import { connectModel, type ConnectedModel } from './village-model.ts';

/** The images to build and push; Postgres and Redis have official ones. */
const OWN_IMAGES: readonly ImageName[] = ['api', 'operator', 'agent'];

/** Installs the village into an existing cluster. Every check that can refuse runs before the first change. */
export async function upCurrent(settings: Settings): Promise<void> {
  const { imageRegistry, namespace } = settings;
  if (imageRegistry === undefined) {
    throw new Failure(
      'CLUSTER=current needs a registry that the cluster can pull from; nothing was changed',
      'CLUSTER=current IMAGE_REGISTRY=host/path make up',
    );
  }
  const own = { ownValues: ownValues(settings.values), secrets: secrets() };
  const context = await currentContext();
  const place = await currentPlace(namespace);
  const architectures = settings.architectures ?? (await architecturesOfNodes(place));
  if (!settings.yes)
    await confirm(
      `Install Hamlet into the context ${context}, namespace ${namespace}, with images for ${architectures.join(' and ')} in ${imageRegistry}?`,
      'set YES=1 to answer yes',
    );
  const images = new Map<Architecture, readonly BuiltImage[]>();
  let model: ConnectedModel = { label: '', values: {} };
  let references: Readonly<Partial<Record<ImageName, string>>> = {};
  await runSteps(`Hamlet: installing into ${context}`, [
    { name: 'packages', work: installPackages },
    { name: 'web', work: buildWeb },
    ...architectures.map((architecture): Step => ({
      name: `images for ${architecture}`,
      work: async (step) =>
        void images.set(
          architecture,
          await buildImagesFor(architecture, step, { names: OWN_IMAGES, tools: settings.tools }),
        ),
    })),
    {
      name: 'push',
      work: async (step) => void (references = await pushImages(images, { prefix: imageRegistry }, step)),
    },
    {
      name: 'model',
      work: async () => {
        await ensureNamespace(place);
        model = await connectModel(place, settings);
        return model.label;
      },
    },
    {
      name: 'charts',
      work: async (step) =>
        installCharts({ place, images: references, coreNode: undefined, model: model.values, ...own }, step),
    },
    { name: 'agents', work: async (step) => waitForAgents(place, references.agent ?? '', step) },
  ]);
  console.log(`\n${await kubectl(place, ['get', 'village'])}\n`);
  console.log(`kubectl -n ${namespace} port-forward service/hamlet-api 8080, then http://localhost:8080`);
  console.log(
    `The code of the first admin: kubectl -n ${namespace} get secret hamlet-bootstrap -o jsonpath='{.data.code}' | base64 -d`,
  );
}

async function architecturesOfNodes(place: Place): Promise<readonly Architecture[]> {
  const text = await kubectl(place, ['get', 'nodes', '-o', 'jsonpath={.items[*].status.nodeInfo.architecture}']);
  const found = new Set(text.split(/\s+/).filter((name) => name !== ''));
  const unknown = [...found].filter((name) => !ARCHITECTURES.some((each) => each === name));
  if (unknown.length > 0) {
    const advice = `remove those nodes from the cluster, or set the architectures to build: ARCH=${ARCHITECTURES.join(',')}`;
    throw new Failure(
      `the cluster has nodes of ${unknown.join(', ')}, and Hamlet has images for ${ARCHITECTURES.join(' and ')}; nothing was changed`,
      advice,
    );
  }
  if (found.size === 0)
    throw new Failure(
      'the cluster has no nodes; nothing was changed',
      `set the architectures to build: ARCH=${ARCHITECTURES.join(',')}`,
    );
  return ARCHITECTURES.filter((architecture) => found.has(architecture));
}
