/** Installs both charts, or upgrades them. */
import { join } from 'node:path';
import type { BuiltImage } from '../images/build.ts';
import { helm, kubectl, type Place } from '../kubectl.ts';
import { ROOT, stateFile } from '../paths.ts';
import { writePrivate, type Secrets } from '../secrets.ts';
import type { StepContext } from '../steps.ts';
import { localTiers } from './local-tiers.ts';

/** Longest wait for the village's own pods. */
const TIMEOUT = '5m';

export interface Installation {
  readonly place: Place;
  /** Reference of each image by the name of its value. */
  readonly images: Readonly<Partial<Record<BuiltImage['name'], string>>>;
  /** Node of Postgres, Redis and the first api; undefined leaves it to the scheduler. */
  readonly coreNode: string | undefined;
  readonly secrets: Secrets;
  /** Cores of each node of the local cluster; undefined elsewhere. */
  readonly cores?: number;
}

/** The values that a command sets; everything else is the chart's default. */
export function valuesOf({ images, coreNode, secrets, cores }: Omit<Installation, 'place'>): object {
  return {
    images,
    ...(coreNode === undefined ? {} : { core: { nodeName: coreNode } }),
    ...(cores === undefined ? {} : localTiers(cores)),
    api: { keys: { adminToken: secrets.adminToken, memberToken: secrets.memberToken } },
  };
}

/** `helm upgrade --install` of both charts; returns when api, operator, Postgres and Redis are ready. */
export async function installCharts(installation: Installation, context: StepContext): Promise<void> {
  const { place } = installation;
  const options = { log: context.log, onLine: context.doing };
  await ensureNamespace(place);
  context.doing('hamlet-crds');
  // Its own namespace, because every village of the cluster shares it.
  await helm(
    { ...place, namespace: 'kube-system' },
    ['upgrade', '--install', 'hamlet-crds', join(ROOT, 'charts/hamlet-crds')],
    options,
  );
  await kubectl(
    place,
    [
      'wait',
      '--for=condition=Established',
      'crd/agents.hamlet.village',
      'crd/entitlements.hamlet.village',
      'crd/schedules.hamlet.village',
      '--timeout=60s',
    ],
    options,
  );
  const values = stateFile('values.json');
  writePrivate(values, valuesOf(installation));
  context.doing('hamlet');
  await helm(place, ['upgrade', '--install', 'hamlet', join(ROOT, 'charts/hamlet'), '--values', values], options);
  // Not helm's own wait: it would wait for every Agent too, and people put agents to sleep.
  for (const workload of [
    'statefulset/hamlet-postgres',
    'statefulset/hamlet-redis',
    'deployment/hamlet-api',
    'deployment/hamlet-api-more',
    'deployment/hamlet-operator',
  ]) {
    context.doing(`waiting for ${workload}`);
    await kubectl(place, ['rollout', 'status', workload, `--timeout=${TIMEOUT}`], {
      ...options,
      fix: `make logs WHO=${workload.replace(/.*hamlet-/, '')}, and kubectl -n ${place.namespace} get events`,
    });
  }
}

/** The namespace, where pods may be root within a user namespace but never privileged. */
async function ensureNamespace(place: Place): Promise<void> {
  const namespace = {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: place.namespace, labels: { 'pod-security.kubernetes.io/enforce': 'baseline' } },
  };
  await kubectl(place, ['apply', '--server-side', '--field-manager=hamlet-up', '-f', '-'], {
    input: JSON.stringify(namespace),
  });
}
