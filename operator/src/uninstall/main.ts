/** The chart runs this before an uninstall. It deletes the Agents while the operator can still clean up after them. */
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, KubeClient, KubeError } from '@hamlet/kube';
import * as z from 'zod';
import { Environment } from '../config.ts';
import type { CachedAgent } from '../objects/cached-objects.ts';
import { AGENTS, FINALIZER } from '../objects/names.ts';

const PAUSE_MS = 1_000;
const PAGE = 500;
const NAMED = 5;

const Settings = Environment.pick({
  HAMLET_NAMESPACE: true,
  HAMLET_KUBECONFIG: true,
  HAMLET_SERVICE_ACCOUNT_DIR: true,
}).extend({
  HAMLET_PATIENCE_SECONDS: z.coerce.number().int().min(0).max(3_600).default(60),
});

interface Dismissal {
  readonly client: KubeClient;
  readonly namespace: string;
  /** Time for the operator to end the pods and to ask the api to close the accounts. */
  readonly patienceMs: number;
}

const log = (line: string): void => void process.stdout.write(`${line}\n`);

/**
 * Deletes every Agent of a village before the operator is gone, so that no Agent is stuck with its finalizer. After
 * `patienceMs` it removes the finalizers: Kubernetes then still deletes pods and volumes, but the accounts stay open,
 * and the log says so.
 */
async function dismissAgents(dismissal: Dismissal): Promise<void> {
  const { client, namespace, patienceMs } = dismissal;
  const patientUntilMs = performance.now() + patienceMs;
  for (;;) {
    const { items } = await client.list<CachedAgent>(AGENTS, { namespace, query: { limit: PAGE } });
    if (items.length === 0) return;
    const isPatient = performance.now() < patientUntilMs;
    for (const agent of items) await unlessGone(dismissOne(dismissal, agent, isPatient));
    const names = items.slice(0, NAMED).map(({ metadata }) => metadata.name);
    log(`waiting for ${items.length} agents: ${names.join(', ')}`);
    await sleep(PAUSE_MS);
  }
}

async function dismissOne(
  { client, namespace }: Dismissal,
  { metadata }: CachedAgent,
  isPatient: boolean,
): Promise<void> {
  const { name, uid, deletionTimestamp, finalizers = [] } = metadata;
  if (deletionTimestamp === undefined) {
    await client.delete(AGENTS, { namespace, name, uid });
    return;
  }
  if (isPatient || !finalizers.includes(FINALIZER)) return;
  log(`${name}: removed its finalizer, because the operator has not; its account stays open`);
  const patch = { metadata: { uid, finalizers: finalizers.filter((each) => each !== FINALIZER) } };
  await client.mergePatch(AGENTS, patch, { namespace, name });
}

/** Ignores an object that is gone or has changed, because the next list shows its current state. */
async function unlessGone(done: Promise<void>): Promise<void> {
  try {
    await done;
  } catch (error) {
    if (!(error instanceof KubeError && (error.status === 404 || error.status === 409))) throw error;
  }
}

async function main(): Promise<void> {
  const settings = Settings.parse(process.env);
  const connection = await connect({
    kubeconfig: settings.HAMLET_KUBECONFIG,
    directory: settings.HAMLET_SERVICE_ACCOUNT_DIR,
  });
  const client = new KubeClient(connection);
  const namespace = settings.HAMLET_NAMESPACE ?? connection.namespace;
  try {
    await dismissAgents({ client, namespace, patienceMs: settings.HAMLET_PATIENCE_SECONDS * 1_000 });
  } finally {
    await client.close();
  }
}

await main();
