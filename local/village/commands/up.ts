/** `make up` on this machine: from nothing to a village in the browser. */
import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildPrograms, clusterStatus, hamletCluster } from '../cluster.ts';
import { run } from '../command.ts';
import { checkMachine } from '../doctor/machine.ts';
import { Failure } from '../failure.ts';
import { buildImages, referenceOf, type BuiltImage } from '../images/build.ts';
import { importImages } from '../images/import.ts';
import { removeOldImages } from '../images/old-images.ts';
import { buildWeb } from '../images/web.ts';
import { kubectl, localPlace, secretValue, type Place } from '../kubectl.ts';
import { stateFile } from '../paths.ts';
import { secrets, writePrivate } from '../secrets.ts';
import type { Settings } from '../settings.ts';
import { runSteps, type StepContext } from '../steps.ts';
import { waitForAgents } from './agents-ready.ts';
import { otherCheckout, recordCheckout } from './checkout-record.ts';
import { ensureNamespace, installCharts } from './install-charts.ts';
import { ownValues } from './own-values.ts';
import { connectModel, type ConnectedModel } from './village-model.ts';
import { isKept, putBack, setAside } from './kept-data.ts';

/** The node of Postgres, Redis and the first api; the second api runs on the other. */
const CORE_NODE = 'sparky1';
const ADMIN_ATTEMPTS = 30;
const ADMIN_PAUSE_MS = 1_000;

/** Starts the local village and prints its address and first login. Safe to repeat. */
export async function up(settings: Settings): Promise<void> {
  const url = `http://localhost:${settings.port}`;
  const own = ownValues(settings.values);
  let web: Promise<string> | undefined;
  let images: readonly BuiltImage[] = [];
  let place: Place | undefined;
  let model: ConnectedModel = { label: '', values: {} };
  const here = (): Place => {
    if (place === undefined) throw new Error('the cluster step has not run');
    return place;
  };
  await runSteps('Hamlet: starting the village on this machine', [
    { name: 'machine', work: async () => checkMachine() },
    { name: 'packages', work: installPackages },
    { name: 'programs', startsWith: 'packages', work: buildPrograms },
    { name: 'kept data', work: async () => keptData(settings) },
    { name: 'cluster', work: async (context) => void (place = await startCluster(settings, context)) },
    { name: 'web', startsWith: 'programs', work: async (context) => (web = buildWeb(context)) },
    {
      name: 'images',
      startsWith: 'programs',
      work: async (context) => {
        await web;
        return builtOf((images = await buildImages(context, { tools: settings.tools })));
      },
    },
    { name: 'image import', work: async (context) => importImages(images, context) },
    {
      name: 'model',
      work: async () => {
        await ensureNamespace(here());
        model = await connectModel(here(), settings);
        return model.label;
      },
    },
    {
      name: 'charts',
      work: async (context) => {
        const references = Object.fromEntries(images.map((image) => [image.name, referenceOf(image)]));
        await installCharts(
          {
            place: here(),
            images: references,
            coreNode: CORE_NODE,
            secrets: secrets(),
            model: model.values,
            ownValues: own,
            cores: availableParallelism(),
          },
          context,
        );
      },
    },
    { name: 'port', work: async () => forward(settings) },
    { name: 'first admin', work: async () => firstAdmin(here(), url) },
    { name: 'agents', work: async (context) => waitForAgents(here(), agentImage(images), context) },
    { name: 'old images', startsWith: 'charts', work: async (context) => removeOldImages(images, context) },
  ]);
  await report(here(), url);
}

export async function installPackages(context: StepContext): Promise<void> {
  const fix = 'run as root, or install the packages named above yourself';
  await run('bash', ['local/village/packages.sh', 'up'], { ...context, fix });
}

async function startCluster({ outside, namespace }: Settings, context: StepContext): Promise<Place> {
  // Recorded before the start too, so that make down can end a cluster that failed to start.
  if ((await clusterStatus()) === undefined) recordCheckout();
  await hamletCluster(['up', ...(outside === undefined ? [] : ['--outside', outside])], context);
  recordCheckout();
  return localPlace(namespace);
}

/** Chooses the data that the village starts with. A running cluster keeps its own. */
async function keptData({ fresh }: Settings): Promise<string> {
  if ((await clusterStatus()) !== undefined) {
    const other = otherCheckout();
    return `of the running village${other === null ? '' : ', which this checkout takes over from another'}`;
  }
  if (fresh) return setAside();
  putBack();
  return isKept() ? 'the village continues with it' : 'none: a new village begins';
}

function builtOf(images: readonly BuiltImage[]): string {
  const built = images.filter(({ isNew }) => isNew).map(({ name }) => name);
  return built.length === 0 ? 'unchanged' : `built ${built.join(', ')}`;
}

function agentImage(images: readonly BuiltImage[]): string {
  const image = images.find(({ name }) => name === 'agent');
  return image === undefined ? '' : referenceOf(image);
}

async function forward({ port, namespace }: Settings): Promise<string> {
  await hamletCluster(['forward', '--listen', `127.0.0.1:${port}`, '--to', `hamlet-api.${namespace}:8080`]);
  return `http://localhost:${port}`;
}

/**
 * Creates the first admin with the one-time code, and retries while the api starts. Returns the outcome in words,
 * because the account may exist already.
 */
async function firstAdmin(place: Place, url: string): Promise<string> {
  const code = await secretValue(place, 'hamlet-bootstrap', 'code');
  let last = '';
  for (let attempt = 0; attempt < ADMIN_ATTEMPTS; attempt++) {
    if (attempt > 0) await sleep(ADMIN_PAUSE_MS);
    try {
      const response = await postLogin(url, '/accounts/bootstrap', { code });
      if (response.ok) return 'created';
      last = await response.text();
      if (last.includes('bootstrap_closed'))
        return (await postLogin(url, '/login', {})).ok
          ? 'exists'
          : 'exists from an earlier installation: the login printed below does not work';
      if (response.status < 500 && response.status !== 429) break;
    } catch (error) {
      last = String(error);
    }
  }
  throw new Failure(`the api did not create the first admin: ${last}`, 'make logs WHO=api');
}

async function postLogin(url: string, path: string, more: object): Promise<Response> {
  const { adminName: name, adminPassword: password } = secrets();
  return fetch(`${url}/api/v1${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: url },
    body: JSON.stringify({ name, password, ...more }),
  });
}

/** Writes a kubeconfig for this checkout. Its context has the village's namespace, so that kubectl needs no flag. */
async function writeKubeconfig(place: Place): Promise<string> {
  const file = stateFile('kubeconfig');
  writeFileSync(file, await kubectl(place, ['config', 'view', '--raw', '--flatten']), { mode: 0o600 });
  await kubectl({ ...place, kubeconfig: file }, ['config', 'set-context', '--current']);
  return file;
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
