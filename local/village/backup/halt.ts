/** Ends everything of a village that writes, and begins it again. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '../failure.ts';
import { kubectl, tryKubectl, type Place } from '../kubectl.ts';

/** First the operator: it acts on what the api says. */
const WRITERS = ['hamlet-operator', 'hamlet-api', 'hamlet-api-more'] as const;
const GONE_MS = 120_000;
const READY_SECONDS = 300;
const PAUSE_MS = 500;
/** How many a Deployment shall have, kept on it while it has none, so that a second attempt finds the number. */
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

/** Scales operator and apis to nothing and waits until their pods are gone. Returns how many are ended, in words. */
export async function halt(place: Place, doing: (text: string) => void): Promise<string> {
  const found = await writers(place);
  for (const { metadata, spec } of found) {
    if (spec.replicas > 0)
      await kubectl(place, ['annotate', 'deployment', metadata.name, '--overwrite', `${ANNOTATION}=${spec.replicas}`]);
    await kubectl(place, ['scale', 'deployment', metadata.name, '--replicas', '0']);
  }
  const deadlineMs = performance.now() + GONE_MS;
  for (;;) {
    const pods = await kubectl(place, [
      'get',
      'pods',
      '-l',
      'app.kubernetes.io/component in (api,operator)',
      '-o',
      'name',
    ]);
    if (pods === '') return found.map(({ metadata }) => metadata.name).join(', ');
    doing(`waiting for ${pods.replaceAll('\n', ', ')}`);
    if (performance.now() > deadlineMs)
      throw new Failure(
        `these pods do not end: ${pods.replaceAll('\n', ', ')}`,
        'kubectl describe them, and restore again once they are gone',
      );
    await sleep(PAUSE_MS);
  }
}

/** As many as before; waits until they are ready. */
export async function resume(place: Place, doing: (text: string) => void): Promise<string> {
  const found = await writers(place);
  for (const { metadata, spec } of found) {
    const before = metadata.annotations?.[ANNOTATION];
    await kubectl(place, [
      'scale',
      'deployment',
      metadata.name,
      '--replicas',
      before ?? String(Math.max(1, spec.replicas)),
    ]);
    await kubectl(place, ['annotate', 'deployment', metadata.name, `${ANNOTATION}-`]);
  }
  for (const { metadata } of found) {
    const { code, output } = await tryKubectl(
      place,
      ['rollout', 'status', `deployment/${metadata.name}`, `--timeout=${READY_SECONDS}s`],
      { onLine: doing },
    );
    if (code !== 0)
      throw new Failure(
        `${metadata.name} is not ready: ${output.trim().split('\n').at(-1) ?? ''}`,
        `kubectl logs deployment/${metadata.name} --all-containers`,
      );
  }
  return found.map(({ metadata }) => metadata.name).join(', ');
}
