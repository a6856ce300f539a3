import { KubeError, type KubeClient } from '@hamlet/kube';
import { AGENTS } from '../kinds/agent/agents.ts';
import { FINALIZER, type AgentView } from '../kinds/agent/views.ts';

/** Agents that are asked for at one time. */
const PAGE = 500;

export interface Dismissal {
  readonly client: KubeClient;
  readonly namespace: string;
  /** How long the operator may take to end the pods and to have the accounts closed. */
  readonly patienceMs: number;
  readonly now: () => number;
  readonly pause: () => Promise<void>;
  readonly log: (line: string) => void;
}

/**
 * Deletes every Agent of a village before the operator goes, so that none is left with a finalizer that nobody takes away.
 * The operator does its part where it runs. After the patience the finalizer is taken away here: the Agent's pod and volume
 * still go, because they belong to it; its account is not closed, and the log says so.
 */
export async function dismissAgents(dismissal: Dismissal): Promise<void> {
  const { client, namespace, patienceMs, now, pause, log } = dismissal;
  const patientUntilMs = now() + patienceMs;
  for (;;) {
    const { items } = await client.list<AgentView>(AGENTS, { namespace, query: { limit: PAGE } });
    if (items.length === 0) return;
    const patient = now() < patientUntilMs;
    for (const agent of items) await unlessGone(dismissOne(dismissal, agent, patient));
    log(
      `waiting for ${items.length} agents: ${items
        .slice(0, 5)
        .map(({ metadata }) => metadata.name)
        .join(', ')}`,
    );
    await pause();
  }
}

async function dismissOne(
  { client, namespace, log }: Dismissal,
  { metadata }: AgentView,
  patient: boolean,
): Promise<void> {
  const { name, uid, deletionTimestamp, finalizers = [] } = metadata;
  if (deletionTimestamp === undefined) {
    await client.delete(AGENTS, { namespace, name, uid });
    return;
  }
  if (patient || !finalizers.includes(FINALIZER)) return;
  log(`${name}: the operator does not answer, so its finalizer is taken away; its account was not closed`);
  await client.mergePatch(
    AGENTS,
    { metadata: { uid, finalizers: finalizers.filter((each) => each !== FINALIZER) } },
    { namespace, name },
  );
}

/** An object that went meanwhile is what was wanted; one that changed is looked at again. */
async function unlessGone(done: Promise<void>): Promise<void> {
  try {
    await done;
  } catch (error) {
    if (!(error instanceof KubeError && (error.status === 404 || error.status === 409))) throw error;
  }
}
