/** Stops the operator and the api, which write to the database, and starts them again. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '../failure.ts';
import { kubectl, tryKubectl, type Place } from '../kubectl.ts';

/** The operator stops first, because it acts on answers of the api. */
const WRITERS = ['hamlet-operator', 'hamlet-api', 'hamlet-api-more'] as const;
const GONE_MS = 120_000;
const READY_SECONDS = 300;
const PAUSE_MS = 500;
/** The replicas of a Deployment before it was stopped, so that a second attempt can restore them. */
const ANNOTATION = 'hamlet.village/replicas-before-restore';

interface Deployment {
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> };
  readonly spec: { readonly replicas: number };
}

async function writers(place: Place): Promise<readonly Deployment[]> {
  const { items } = JSON.parse(
    await kubectl(place, ['get', 'deployments', '-l', 'app.kubernetes.io/part-of=hamlet', '-o', 'json']),
  ) as { readonly items: readonly Deployment[] };
  return WRITERS.flatMap((name) => items.find(({ metadata }) => metadata.name === name) ?? []);
}

/** Scales operator and apis to 0 and waits until their pods are gone. Returns the names of the Deployments. */
export async function halt(place: Place, doing: (text: string) => void): Promise<string> {
  const found = await writers(place);
  for (const { metadata, spec } of found) {
    if (spec.replicas > 0)
      await kubectl(place, ['annotate', 'deployment', metadata.name, '--overwrite', `${ANNOTATION}=${spec.replicas}`]);
    await kubectl(place, ['scale', 'deployment', metadata.name, '--replicas', '0']);
  }
  const deadlineMs = performance.now() + GONE_MS;
  for (;;) {
    const selector = 'app.kubernetes.io/component in (api,operator)';
    const pods = await kubectl(place, ['get', 'pods', '-l', selector, '-o', 'name']);
    if (pods === '') return found.map(({ metadata }) => metadata.name).join(', ');
    doing(`waiting for ${pods.replaceAll('\n', ', ')}`);
    if (performance.now() > deadlineMs)
      throw new Failure(
        `these pods do not end: ${pods.replaceAll('\n', ', ')}`,
        'kubectl describe them, and restore again when they are gone',
      );
    await sleep(PAUSE_MS);
  }
}

/** Scales operator and apis back and waits until they are ready. Returns the names of the Deployments. */
export async function resume(place: Place, doing: (text: string) => void): Promise<string> {
  const found = await writers(place);
  for (const { metadata, spec } of found) {
    const before = metadata.annotations?.[ANNOTATION];
    const replicas = before ?? String(Math.max(1, spec.replicas));
    await kubectl(place, ['scale', 'deployment', metadata.name, '--replicas', replicas]);
    await kubectl(place, ['annotate', 'deployment', metadata.name, `${ANNOTATION}-`]);
  }
  for (const { metadata } of found) {
    const args = ['rollout', 'status', `deployment/${metadata.name}`, `--timeout=${READY_SECONDS}s`];
    const { code, output } = await tryKubectl(place, args, { doing });
    if (code !== 0)
      throw new Failure(
        `${metadata.name} is not ready: ${output.trim().split('\n').at(-1) ?? ''}`,
        `kubectl logs deployment/${metadata.name} --all-containers`,
      );
  }
  return found.map(({ metadata }) => metadata.name).join(', ');
}
