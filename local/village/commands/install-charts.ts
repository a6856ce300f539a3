import { join } from 'node:path';
import { RESOURCE_KINDS } from '../backup/resources.ts';
import type { BuiltImage } from '../images/build.ts';
import { helm, kubectl, type Place } from '../kubectl.ts';
import { ROOT, stateFile } from '../paths.ts';
import { writePrivate, type Secrets } from '../secrets.ts';
import type { StepContext } from '../steps.ts';

const TIMEOUT = '5m';
/** Storage class of the local cluster whose volumes cannot outgrow their size, so that an agent fills only its own disk. */
const SIZED_VOLUMES = 'hamlet-local-sized';
/** Nodes with this many cores have room for the chart's own tiers. */
const ENOUGH_CORES = 4;

export interface ModelValues {
  readonly models?: object;
  readonly api?: object;
}

export interface Installation {
  readonly place: Place;
  readonly images: Readonly<Partial<Record<BuiltImage['name'], string>>>;
  /** Node of Postgres, Redis and the first api; if undefined, the scheduler chooses it. */
  readonly coreNode: string | undefined;
  readonly secrets: Secrets;
  readonly model: ModelValues;
  /** File with the operator's own values, which override all others. */
  readonly ownValues: string | null;
  /** Cores of each node of the local cluster; undefined elsewhere. */
  readonly cores?: number;
}

export function valuesOf({
  images,
  coreNode,
  secrets,
  model,
  cores,
}: Omit<Installation, 'place' | 'ownValues'>): object {
  return {
    images,
    ...(coreNode === undefined ? {} : { core: { nodeName: coreNode } }),
    ...(cores === undefined ? {} : { ...localTiers(cores), agentPods: { storageClassName: SIZED_VOLUMES } }),
    ...model,
    api: { ...model.api, keys: { adminToken: secrets.adminToken, memberToken: secrets.memberToken } },
  };
}

/** Tiers for nodes with few cores, on which the chart's tier-2 would have no seat. Pure. */
export function localTiers(cores: number): object {
  if (cores >= ENOUGH_CORES) return {};
  // A pod requests half of its limits: a quarter of a node with two cores, which leaves room for the village.
  return { entitlements: { 'tier-2': { compute: { resources: { cpu: '1', memory: '1Gi' } } } } };
}

/** Runs `helm upgrade --install` for both charts, and waits for api, operator, broker, Postgres and Redis. */
export async function installCharts(installation: Installation, context: StepContext): Promise<void> {
  const { place } = installation;
  context.doing('hamlet-crds');
  // All villages of the cluster share one release of the CRDs.
  const crds = ['upgrade', '--install', 'hamlet-crds', join(ROOT, 'charts/hamlet-crds')];
  await helm({ ...place, namespace: 'kube-system' }, crds, context);
  const names = RESOURCE_KINDS.map((kind) => `crd/${kind}`);
  await kubectl(place, ['wait', '--for=condition=Established', ...names, '--timeout=60s'], context);
  const values = stateFile('values.json');
  writePrivate(values, valuesOf(installation));
  const own = installation.ownValues === null ? [] : ['--values', installation.ownValues];
  context.doing('hamlet');
  // Only this machine upgrades its local cluster, one command at a time.
  if (installation.cores !== undefined) await forgetInterrupted(place, context);
  await helm(
    place,
    ['upgrade', '--install', 'hamlet', join(ROOT, 'charts/hamlet'), '--values', values, ...own],
    context,
  );
  // `helm --wait` is not used, because it would also wait for Agents that are asleep.
  for (const workload of await installedWorkloads(place)) {
    context.doing(`waiting for ${workload}`);
    await kubectl(place, ['rollout', 'status', workload, `--timeout=${TIMEOUT}`], {
      ...context,
      fix: `make logs WHO=${workload.replace(/.*hamlet-/, '')}, and kubectl -n ${place.namespace} get events`,
    });
  }
}

const WORKLOADS = [
  'statefulset/hamlet-postgres',
  'statefulset/hamlet-redis',
  'deployment/hamlet-api',
  'deployment/hamlet-api-more',
  'deployment/hamlet-operator',
  'deployment/hamlet-broker',
] as const;

/** The workloads that the chart installed: with stores of one's own, or one api, it leaves some out. */
async function installedWorkloads(place: Place): Promise<readonly string[]> {
  const selector = 'app.kubernetes.io/part-of=hamlet';
  const names = await kubectl(place, ['get', 'statefulsets,deployments', '-l', selector, '-o', 'name']);
  const installed = new Set(names.replaceAll('.apps/', '/').split('\n'));
  return WORKLOADS.filter((workload) => installed.has(workload));
}

const INTERRUPTED = 'owner=helm,name=hamlet,status in (pending-install,pending-upgrade,pending-rollback)';

/** Deletes the revision of an upgrade that was interrupted: helm refuses every other one while it is pending. */
async function forgetInterrupted(place: Place, context: StepContext): Promise<void> {
  await kubectl(place, ['delete', 'secret', '--selector', INTERRUPTED], context);
}

/** Creates the namespace. Its pods may run as root in a user namespace, but never privileged. */
export async function ensureNamespace(place: Place): Promise<void> {
  const metadata = { name: place.namespace, labels: { 'pod-security.kubernetes.io/enforce': 'baseline' } };
  const input = JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata });
  await kubectl(place, ['apply', '--server-side', '--field-manager=hamlet-up', '-f', '-'], { input });
}
