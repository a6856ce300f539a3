import { KubeError, type KubeClient } from '@hamlet/kube';
import { AGENTS, FINALIZER } from '../objects/names.ts';
import type { CachedAgent } from '../objects/cached-objects.ts';

/** Agents in one list. */
const PAGE = 500;

export interface Dismissal {
  readonly client: KubeClient;
  readonly namespace: string;
  /** Time for the operator to end the pods and to have the accounts closed. */
  readonly patienceMs: number;
  readonly now: () => number;
  readonly pause: () => Promise<void>;
  readonly log: (line: string) => void;
}

/**
 * Deletes every Agent of a village before the operator goes, so that no Agent keeps its finalizer for good. The operator
 * does its part if it runs. After the patience this function removes the finalizer: the Agent's pod and volume still go,
 * because they belong to it, but its account is not closed, and the log says so.
 */
export async function dismissAgents(dismissal: Dismissal): Promise<void> {
  const { client, namespace, patienceMs, now, pause, log } = dismissal;
  const patientUntilMs = now() + patienceMs;
  for (;;) {
    const { items } = await client.list<CachedAgent>(AGENTS, { namespace, query: { limit: PAGE } });
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
  { metadata }: CachedAgent,
  patient: boolean,
): Promise<void> {
  const { name, uid, deletionTimestamp, finalizers = [] } = metadata;
  if (deletionTimestamp === undefined) {
    await client.delete(AGENTS, { namespace, name, uid });
    return;
  }
  if (patient || !finalizers.includes(FINALIZER)) return;
  log(`${name}: removed its finalizer, because the operator has not; its account stays open`);
  await client.mergePatch(
    AGENTS,
    { metadata: { uid, finalizers: finalizers.filter((each) => each !== FINALIZER) } },
    { namespace, name },
  );
}

/** Ignores an object that is gone or has changed: the next list decides. */
async function unlessGone(done: Promise<void>): Promise<void> {
  try {
    await done;
  } catch (error) {
    if (!(error instanceof KubeError && (error.status === 404 || error.status === 409))) throw error;
  }
}
