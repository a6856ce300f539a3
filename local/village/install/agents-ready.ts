/** Waits until the agents of the village are as their owners want them. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '../failure.ts';
import { kubectl, type Place } from '../kubectl.ts';
import type { StepContext } from '../steps.ts';

const LIMIT_MS = 180_000;
const PAUSE_MS = 1_000;

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

interface AgentObject {
  readonly metadata: { readonly name: string; readonly generation?: number };
  readonly spec: { readonly power?: string };
  readonly status?: {
    readonly conditions?: readonly Condition[];
    readonly nodeName?: string;
    readonly podName?: string;
  };
}

/** Which image the operator asked for; admission may have written another into the container. */
const IMAGE_ANNOTATION = 'hamlet.village/image';

interface PodObject {
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> };
  readonly spec: { readonly containers: readonly { readonly image: string }[] };
}

/** How an agent stands: `ready`, `asleep` because somebody wants it so, or the reason it is neither. */
export function standingOf(agent: AgentObject): string {
  if (agent.spec.power === 'Asleep') return 'asleep';
  const ready = agent.status?.conditions?.find(({ type }) => type === 'Ready');
  if (ready?.status === 'True') return 'ready';
  return ready === undefined ? 'not seen by the operator yet' : `${ready.reason ?? 'unknown'}: ${ready.message ?? ''}`;
}

/**
 * Returns a line that says where everyone is once no agent is on the way any more: each Ready on the image that
 * was installed (the operator replaces older pods one after the other), or asleep by its owner's wish.
 */
export async function waitForAgents(place: Place, image: string, context: StepContext): Promise<string> {
  const deadline = Date.now() + LIMIT_MS;
  for (;;) {
    const agents = await listOf<AgentObject>(place, ['agents']);
    const pods = await listOf<PodObject>(place, ['pods', '-l', 'hamlet.village/role=agent']);
    const waiting = agents.map((agent) => whyNot(agent, pods, image)).filter((why) => why !== undefined);
    if (waiting.length === 0) return agents.map(whereabouts).join(', ');
    context.doing(waiting.join('; '));
    if (Date.now() > deadline)
      throw new Failure(
        `not ready after ${LIMIT_MS / 1000} s: ${waiting.join('; ')}`,
        `make logs WHO=operator, or kubectl -n ${place.namespace} describe agents`,
      );
    await sleep(PAUSE_MS);
  }
}

/** What an agent is waited for; undefined when it is as it shall be. */
export function whyNot(agent: AgentObject, pods: readonly PodObject[], image: string): string | undefined {
  const { name } = agent.metadata;
  const standing = standingOf(agent);
  if (standing === 'asleep') return undefined;
  if (standing !== 'ready') return `${name} ${standing}`;
  const pod = pods.find(({ metadata }) => metadata.name === agent.status?.podName);
  if (pod === undefined) return `${name} gets another pod`;
  const made = pod.metadata.annotations?.[IMAGE_ANNOTATION] ?? pod.spec.containers[0]?.image;
  return made === image ? undefined : `${name} waits for its new image`;
}

function whereabouts({ metadata, spec, status }: AgentObject): string {
  return `${metadata.name} ${spec.power === 'Asleep' ? 'asleep' : `on ${status?.nodeName ?? '?'}`}`;
}

async function listOf<T>(place: Place, what: readonly string[]): Promise<readonly T[]> {
  return (JSON.parse(await kubectl(place, ['get', ...what, '-o', 'json'])) as { items: T[] }).items;
}
