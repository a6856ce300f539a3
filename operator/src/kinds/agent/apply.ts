import { API_VERSION, type AgentStatus } from '@hamlet/contract/kinds';
import type { EventRecorder, KubeClient, KubeObject, NewObject, Reflector, ResourceType } from '@hamlet/kube';
import { CLAIMS, isStatus, KubeError, PODS } from '@hamlet/kube';
import type { CachedAgent, VolumeClaimView } from '../../objects/cached-objects.ts';
import { AGENTS, FIELD_MANAGER } from '../../objects/names.ts';
import type { PodView } from '../../objects/pod-view.ts';
import { patchStatus, statusPatch } from '../../status/status-writer.ts';
import type { HoldPort } from '../../village/village-client.ts';
import type { Refusal, ResizeRefusal } from './facts.ts';
import { claimTaken, isOurClaim } from './volume-claim.ts';
import type { AgentEvent } from './events-for.ts';
import type { Action } from './plan.ts';

export interface Subject {
  readonly latest: () => CachedAgent | undefined;
  readonly statusOf: (agent: CachedAgent) => AgentStatus;
}

/** Clients and caches. A cache stores every response at once, so that the next plan does not repeat the action. */
export interface ApplyPorts {
  readonly client: KubeClient;
  readonly agents: Reflector<CachedAgent>;
  readonly pods: Reflector<PodView>;
  readonly claims: Reflector<VolumeClaimView>;
  readonly recorder: EventRecorder;
  /** Asks the api to remove the agent from the world and to close its account. Throws unless the api did both. */
  readonly closeAccount: (agentId: string, uid: string) => Promise<void>;
  readonly holds: HoldPort;
}

const QUERY = { fieldManager: FIELD_MANAGER };

/** The volume claim with the agent's name belongs to another owner. */
class ClaimTakenError extends Error {
  override readonly name = 'ClaimTakenError';
}

interface Child<T extends KubeObject> {
  readonly type: ResourceType;
  readonly known: Reflector<T>;
  readonly check?: (found: T) => void;
}

/** Creates a child. An existing object of that name is added to the cache: the next plan sees its owner and state. */
async function create<T extends KubeObject>(
  client: KubeClient,
  { type, known, check }: Child<T>,
  manifest: NewObject,
): Promise<T> {
  const { namespace, name } = manifest.metadata;
  try {
    const made = await client.create<T>(type, manifest, { namespace, query: QUERY });
    known.learn(made);
    return made;
  } catch (error) {
    if (!isStatus(error, 409) || error.reason !== 'AlreadyExists') throw error;
    const found = await client.get<T>(type, { namespace, name });
    check?.(found);
    known.meet(found);
    return found;
  }
}

async function setFinalizers(ports: ApplyPorts, agent: CachedAgent, finalizers: readonly string[]): Promise<void> {
  // The patch replaces the whole list, so the API server must refuse it if the Agent has changed since.
  const { namespace, name, uid, resourceVersion } = agent.metadata;
  const answer = await ports.client.mergePatch<CachedAgent>(
    AGENTS,
    { metadata: { uid, resourceVersion, finalizers } },
    { namespace, name, query: QUERY },
  );
  if (answer.metadata.deletionTimestamp === undefined || finalizers.length > 0) ports.agents.learn(answer);
}

async function deleteObject<T extends KubeObject>(
  ports: ApplyPorts,
  type: ResourceType,
  at: Parameters<KubeClient['delete']>[1],
): Promise<T | undefined> {
  try {
    return await ports.client.delete<T>(type, at);
  } catch (error) {
    // Another object has the name by now, and must stay.
    if (!isStatus(error, 409)) throw error;
    return undefined;
  }
}

type Kind = Action['kind'];
type Of<K extends Kind> = Extract<Action, { readonly kind: K }>;
type Now = Pick<Subject, 'statusOf'> & { readonly agent: CachedAgent };

/** Writes the cycle together with its conditions, so that no reader sees the new cycle with the old session. */
async function endCycle(
  ports: ApplyPorts,
  { agent, statusOf }: Now,
  { cycle, power, rebootedAt }: Of<'endCycle'>,
): Promise<void> {
  const { podName: _pod, nodeName: _node, rebootedAt: _before, ...kept } = agent.status;
  const ended = { ...agent, status: { ...kept, cycle, power, ...(rebootedAt === null ? {} : { rebootedAt }) } };
  const status = statusPatch(agent.status, statusOf(ended)) ?? {};
  return patchStatus({ client: ports.client, type: AGENTS, known: ports.agents }, agent, {
    status,
    resourceVersion: agent.metadata.resourceVersion,
  });
}

async function createClaim(
  { client, claims }: ApplyPorts,
  { agent: { metadata } }: Now,
  { manifest }: Of<'createClaim'>,
): Promise<void> {
  const check = (found: VolumeClaimView): void => {
    if (!isOurClaim(found, metadata.name)) throw new ClaimTakenError(claimTaken(found.metadata.name, metadata.name));
  };
  await create(client, { type: CLAIMS, known: claims, check }, manifest);
}

const EXCEEDED = /exceeded quota/;

/** Throws if the API server would refuse the new pod, so that the running pod stays. */
async function tryPod(ports: ApplyPorts, now: Now, { manifest }: Of<'tryPod'>): Promise<void> {
  const refusal = await dryRun(ports, now, manifest);
  if (refusal !== undefined && !EXCEEDED.test(refusal.message)) throw refusal;
}

async function refusalBy(request: () => Promise<unknown>): Promise<KubeError | undefined> {
  try {
    await request();
    return undefined;
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return error;
  }
}

function dryRun(ports: ApplyPorts, { agent }: Now, manifest: NewObject): Promise<KubeError | undefined> {
  const { namespace } = agent.metadata;
  return refusalBy(() => ports.client.create(PODS, manifest, { namespace, query: { ...QUERY, dryRun: 'All' } }));
}

/** If another owner's pod has the name, the next attempt uses the next name. */
async function createPod(ports: ApplyPorts, { agent }: Now, { manifest }: Of<'createPod'>): Promise<void> {
  const pod = await create(ports.client, { type: PODS, known: ports.pods }, manifest);
  const isOurs = pod.metadata.ownerReferences?.some(({ uid }) => uid === agent.metadata.uid) === true;
  if (!isOurs)
    throw new Error(`another owner's pod has the name ${manifest.metadata.name}: the next attempt uses the next name`);
}

export class ResizeRefusedError extends Error {
  readonly refusal: ResizeRefusal;

  constructor(refusal: ResizeRefusal) {
    super(refusal.message);
    this.refusal = refusal;
  }
}

/** Applies the resources of the agent's container, with the pod's uid as precondition. */
async function applySize(
  { client, pods }: ApplyPorts,
  { agent }: Now,
  { name, uid, spec }: Of<'resizePod'>,
): Promise<KubeError | undefined> {
  const metadata = { namespace: agent.metadata.namespace, name, uid };
  const manifest = { apiVersion: 'v1', kind: 'Pod', metadata, spec } as NewObject;
  return refusalBy(async () =>
    pods.learn(await client.apply<PodView>(PODS, manifest, { fieldManager: FIELD_MANAGER, subresource: 'resize' })),
  );
}

/** Resizes a pod. After a refusal, retries if a dry run accepts a new pod of that size, because the quota may have grown. */
async function resizePod(ports: ApplyPorts, now: Now, action: Of<'resizePod'>): Promise<void> {
  const refused = await applySize(ports, now, action);
  if (refused === undefined) return;
  if ((await dryRun(ports, now, action.instead)) !== undefined)
    throw new ResizeRefusedError({ message: refused.message, newPodToo: true });
  const still = await applySize(ports, now, action);
  if (still !== undefined) throw new ResizeRefusedError({ message: still.message, newPodToo: false });
}

async function deletePod(ports: ApplyPorts, { agent }: Now, { kind: _kind, ...pod }: Of<'deletePod'>): Promise<void> {
  const ending = await deleteObject<PodView>(ports, PODS, { namespace: agent.metadata.namespace, ...pod });
  if (ending !== undefined) ports.pods.learn(ending);
}

async function ownClaim(
  ports: ApplyPorts,
  { agent: { metadata } }: Now,
  { name, uid, owners }: Of<'ownClaim'>,
): Promise<void> {
  const patch = { metadata: { uid, ownerReferences: owners } };
  const at = { namespace: metadata.namespace, name, query: QUERY };
  ports.claims.learn(await ports.client.mergePatch<VolumeClaimView>(CLAIMS, patch, at));
}

export function recordEvent(
  recorder: Pick<EventRecorder, 'record'>,
  { metadata: { namespace = 'default', name, uid } }: CachedAgent,
  { type, reason, message }: Pick<AgentEvent, 'type' | 'message'> & { readonly reason: string },
): void {
  const target = { apiVersion: API_VERSION, kind: AGENTS.kind, namespace, name, uid };
  recorder.record({ target, type, reason, message });
}

const PERFORM: { readonly [K in Kind]: (ports: ApplyPorts, now: Now, action: Of<K>) => Promise<void> } = {
  setFinalizers: (ports, { agent }, { finalizers }) => setFinalizers(ports, agent, finalizers),
  endCycle,
  createClaim,
  ownClaim,
  deleteClaim: async (ports, { agent: { metadata } }, { name, uid }) =>
    void (await deleteObject(ports, CLAIMS, { namespace: metadata.namespace, name, uid })),
  tryPod,
  createPod,
  resizePod,
  deletePod,
  askHold: (ports, { agent: { metadata } }, { tier, cycle, podUid, imageDigest }) =>
    ports.holds.ask({
      agent_id: metadata.name,
      uid: metadata.uid,
      cycle,
      tier,
      pod_uid: podUid,
      image_digest: imageDigest,
    }),
  releaseHold: (ports, { agent: { metadata } }, { version }) =>
    ports.holds.release({ agentId: metadata.name, uid: metadata.uid, version }),
  closeAccount: (ports, { agent: { metadata } }) => ports.closeAccount(metadata.name, metadata.uid),
  recordEvent: ({ recorder }, { agent }, event) => Promise.resolve(recordEvent(recorder, agent, event)),
};

function perform<K extends Kind>(ports: ApplyPorts, now: Now, action: Of<K> & { readonly kind: K }): Promise<void> {
  return PERFORM[action.kind](ports, now, action);
}

export interface Failure {
  readonly action: Action;
  readonly error: unknown;
}

export async function apply(
  ports: ApplyPorts,
  { latest, statusOf }: Subject,
  actions: readonly Action[],
): Promise<Failure | undefined> {
  for (const action of actions) {
    const agent = latest();
    if (agent === undefined) return undefined;
    try {
      await perform(ports, { agent, statusOf }, action);
    } catch (error) {
      return { action, error };
    }
  }
  return undefined;
}

/** HTTP statuses of lasting refusals: a quota, an admission rule, a missing service account or an old API server. */
const REFUSALS: ReadonlySet<number> = new Set([400, 403, 405, 422]);

const isRefusal = (error: unknown): error is KubeError => error instanceof KubeError && REFUSALS.has(error.status);

/** A refusal of a pod or a volume claim that lasts until a person changes something; undefined if it may be temporary. */
export function refusalOf(error: unknown): Refusal | undefined {
  if (error instanceof ClaimTakenError) return { reason: 'VolumeTaken', message: error.message };
  return isRefusal(error) ? { reason: 'PodRefused', message: `the API server refuses: ${error.message}` } : undefined;
}
