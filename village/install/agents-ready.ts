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
  readonly status?: { readonly conditions?: readonly Condition[]; readonly nodeName?: string };
}

/** How an agent stands: `ready`, `asleep` because somebody wants it so, or the reason it is neither. */
export function standingOf(agent: AgentObject): string {
  if (agent.spec.power === 'Asleep') return 'asleep';
  const ready = agent.status?.conditions?.find(({ type }) => type === 'Ready');
  if (ready?.status === 'True') return 'ready';
  return ready === undefined ? 'not seen by the operator yet' : `${ready.reason ?? 'unknown'}: ${ready.message ?? ''}`;
}

/** Returns a line that says where everyone is once no agent is on the way any more. */
export async function waitForAgents(place: Place, context: StepContext): Promise<string> {
  const deadline = Date.now() + LIMIT_MS;
  for (;;) {
    const { items } = JSON.parse(await kubectl(place, ['get', 'agents', '-o', 'json'])) as { items: AgentObject[] };
    const waiting = items.map((agent) => ({ agent, standing: standingOf(agent) })).filter(({ standing }) => standing !== 'ready' && standing !== 'asleep');
    if (waiting.length === 0) return items.map(({ metadata, spec, status }) => `${metadata.name} ${spec.power === 'Asleep' ? 'asleep' : `on ${status?.nodeName ?? '?'}`}`).join(', ');
    const why = waiting.map(({ agent, standing }) => `${agent.metadata.name} ${standing}`).join('; ');
    context.doing(why);
    if (Date.now() > deadline) throw new Failure(`not ready after ${LIMIT_MS / 1000} s: ${why}`, `make logs WHO=operator, or kubectl -n ${place.namespace} describe agents`);
    await sleep(PAUSE_MS);
  }
}
