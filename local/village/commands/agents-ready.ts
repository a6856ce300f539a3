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

/** The annotation with the image that the operator set. Admission may have replaced the image in the container. */
const IMAGE_ANNOTATION = 'hamlet.village/image';

interface PodObject {
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> };
  readonly spec: { readonly containers: readonly { readonly image: string }[] };
}

/** `ready`; `asleep` if the spec of the agent says so; otherwise the reason why the agent is neither. */
export function stateOf(agent: AgentObject): string {
  if (agent.spec.power === 'Asleep') return 'asleep';
  const ready = agent.status?.conditions?.find(({ type }) => type === 'Ready');
  if (ready?.status === 'True') return 'ready';
  return ready === undefined
    ? 'has no status from the operator yet'
    : `${ready.reason ?? 'unknown'}: ${ready.message ?? ''}`;
}

/**
 * Waits until each agent is Ready on the installed image or asleep as its spec says. Returns a line with their nodes.
 */
export async function waitForAgents(place: Place, image: string, context: StepContext): Promise<string> {
  const deadline = Date.now() + LIMIT_MS;
  for (;;) {
    const agents = await listOf<AgentObject>(place, ['agents']);
    const pods = await listOf<PodObject>(place, ['pods', '-l', 'hamlet.village/role=agent']);
    const waiting = agents.map((agent) => whyNot(agent, pods, image)).filter((why) => why !== undefined);
    if (waiting.length === 0) return agents.map(placeOf).join(', ');
    context.doing(waiting.join('; '));
    if (Date.now() > deadline)
      throw new Failure(
        `not ready after ${LIMIT_MS / 1000} s: ${waiting.join('; ')}`,
        `make logs WHO=operator, or kubectl -n ${place.namespace} describe agents`,
      );
    await sleep(PAUSE_MS);
  }
}

/** The reason why the agent is not as its spec says; undefined when it is. */
export function whyNot(agent: AgentObject, pods: readonly PodObject[], image: string): string | undefined {
  const { name } = agent.metadata;
  const state = stateOf(agent);
  if (state === 'asleep') return undefined;
  if (state !== 'ready') return `${name} ${state}`;
  const pod = pods.find(({ metadata }) => metadata.name === agent.status?.podName);
  if (pod === undefined) return `${name}: the operator is creating its pod`;
  const wanted = pod.metadata.annotations?.[IMAGE_ANNOTATION] ?? pod.spec.containers[0]?.image;
  return wanted === image ? undefined : `${name} waits for its new image`;
}

function placeOf({ metadata, spec, status }: AgentObject): string {
  return `${metadata.name} ${spec.power === 'Asleep' ? 'asleep' : `on ${status?.nodeName ?? '?'}`}`;
}

async function listOf<T>(place: Place, kinds: readonly string[]): Promise<readonly T[]> {
  return (JSON.parse(await kubectl(place, ['get', ...kinds, '-o', 'json'])) as { items: T[] }).items;
}
