import { API_VERSION, type AgentStatus } from '@hamlet/contract/kinds';
import {
  CLAIMS,
  isStatus,
  KubeError,
  PODS,
  type EventRecorder,
  type KubeClient,
  type KubeObject,
  type NewObject,
  type Reflector,
  type ResourceType,
} from '@hamlet/kube';
import { AGENTS } from './agents.ts';
import { claimTaken, isOurClaim } from './child/claim.ts';
import type { HoldPort } from '../../village/hold-client.ts';
import type { Action } from './plan.ts';
import { statusPatch } from './status/status-patch.ts';
import {
  FIELD_MANAGER,
  type AgentView,
  type ClaimView,
  type PodView,
  type Refusal,
  type ResizeRefusal,
} from './views.ts';

/** The Agent that actions are for. */
export interface Subject {
  /** As the cache holds it, which changes with every action that writes it. */
  readonly latest: () => AgentView | undefined;
  /** The status that belongs to `agent` in the present circumstances. */
  readonly statusOf: (agent: AgentView) => AgentStatus;
}

/** What actions act on. Every answer is learned at once, so that nothing is done twice. */
export interface ApplyPorts {
  readonly client: KubeClient;
  readonly agents: Reflector<AgentView>;
  readonly pods: Reflector<PodView>;
  readonly claims: Reflector<ClaimView>;
  readonly recorder: EventRecorder;
  /** Has the api take the agent out of the world and close its account; throws if it did not. */
  readonly closeAccount: (agentId: string, uid: string) => Promise<void>;
  /** Where money for pods is set aside. */
  readonly holds: HoldPort;
}

const QUERY = { fieldManager: FIELD_MANAGER };

interface At {
  readonly namespace?: string;
  readonly name: string;
}

function atAgent({ metadata }: AgentView): At {
  return inNamespace(metadata.namespace, metadata.name);
}

function inNamespace(namespace: string | undefined, name: string): At {
  return namespace === undefined ? { name } : { namespace, name };
}

/** A volume claim of somebody else has the name of an agent's. */
export class ClaimTakenError extends Error {
  override readonly name = 'ClaimTakenError';
}

interface Child<T extends KubeObject> {
  readonly type: ResourceType;
  readonly known: Reflector<T>;
  /** Throws where an object that has the name already may not be taken. */
  readonly check?: (found: T) => void;
}

/** Creates a child. One that is there already is met as if the watch had shown it: the next plan sees whose it is and how far it has come. */
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

/** Writes a status by merge patch: the uid makes it fail on another life of the name. Fields to remove are null. */
export async function patchStatus(
  ports: ApplyPorts,
  agent: AgentView,
  change: { readonly status: object; readonly resourceVersion?: string },
): Promise<void> {
  const { uid } = agent.metadata;
  const metadata = change.resourceVersion === undefined ? { uid } : { uid, resourceVersion: change.resourceVersion };
  const at = { ...atAgent(agent), subresource: 'status', query: QUERY };
  ports.agents.learn(await ports.client.mergePatch<AgentView>(AGENTS, { metadata, status: change.status }, at));
}

async function setFinalizers(ports: ApplyPorts, agent: AgentView, finalizers: readonly string[]): Promise<void> {
  // The list is written as a whole, so it must be the list that was read.
  const { uid, resourceVersion } = agent.metadata;
  const answer = await ports.client.mergePatch<AgentView>(
    AGENTS,
    { metadata: { uid, resourceVersion, finalizers } },
    { ...atAgent(agent), query: QUERY },
  );
  if (answer.metadata.deletionTimestamp === undefined || finalizers.length > 0) ports.agents.learn(answer);
}

async function deleteObject<T extends KubeObject>(
  ports: ApplyPorts,
  type: ResourceType,
  at: At & { readonly uid: string; readonly graceSeconds?: number },
): Promise<T | undefined> {
  try {
    return await ports.client.delete<T>(type, at);
  } catch (error) {
    // Another life has the name by now: that one was not meant.
    if (!isStatus(error, 409)) throw error;
    return undefined;
  }
}

type Kind = Action['kind'];
type Of<K extends Kind> = Extract<Action, { readonly kind: K }>;
/** The Agent at the moment of the action. */
type Now = Pick<Subject, 'statusOf'> & { readonly agent: AgentView };

/** The cycle goes out with the conditions that belong to it, so that nobody sees the new cycle with the session of the old. */
async function endCycle(
  ports: ApplyPorts,
  { agent, statusOf }: Now,
  { cycle, power, rebootedAt }: Of<'endCycle'>,
): Promise<void> {
  const { podName: _pod, nodeName: _node, rebootedAt: _before, ...kept } = agent.status;
  const ended = { ...agent, status: { ...kept, cycle, power, ...(rebootedAt === null ? {} : { rebootedAt }) } };
  const status = statusPatch(agent.status, statusOf(ended)) ?? {};
  return patchStatus(ports, agent, { status, resourceVersion: agent.metadata.resourceVersion });
}

async function createClaim(
  { client, claims }: ApplyPorts,
  { agent: { metadata } }: Now,
  { manifest }: Of<'createClaim'>,
): Promise<void> {
  const check = (found: ClaimView): void => {
    if (!isOurClaim(found, metadata.name)) throw new ClaimTakenError(claimTaken(found.metadata.name, metadata.name));
  };
  await create(client, { type: CLAIMS, known: claims, check }, manifest);
}

/** Of a refusal: the pod that is about to go takes what the new one lacks. */
const EXCEEDED = /exceeded quota/;

/** Throws where the API server would not take the pod, so that the one that runs stays. */
async function tryPod({ client }: ApplyPorts, { agent: { metadata } }: Now, { manifest }: Of<'tryPod'>): Promise<void> {
  try {
    await client.create(PODS, manifest, { namespace: metadata.namespace, query: { ...QUERY, dryRun: 'All' } });
  } catch (error) {
    if (!EXCEEDED.test(wordsOfRefusal(error) ?? '')) throw error;
  }
}

/** Makes the pod that begins a cycle. A pod of another owner under its name is met, and the next attempt takes the next name. */
async function createPod(ports: ApplyPorts, { agent }: Now, { manifest }: Of<'createPod'>): Promise<void> {
  const pod = await create(ports.client, { type: PODS, known: ports.pods }, manifest);
  const isOurs = pod.metadata.ownerReferences?.some(({ uid }) => uid === agent.metadata.uid) === true;
  if (!isOurs) throw new Error(`the name ${manifest.metadata.name} belongs to another pod`);
}

/** A resize that the API server refuses. */
export class ResizeRefusedError extends Error {
  readonly refusal: ResizeRefusal;

  constructor(refusal: ResizeRefusal) {
    super(refusal.message);
    this.refusal = refusal;
  }
}

/** Whether a pod could be made, without making it. */
async function isRefused(ports: ApplyPorts, { agent }: Now, manifest: NewObject): Promise<boolean> {
  try {
    await ports.client.create(PODS, manifest, {
      namespace: agent.metadata.namespace,
      query: { ...QUERY, dryRun: 'All' },
    });
    return false;
  } catch (error) {
    if (wordsOfRefusal(error) === undefined) throw error;
    return true;
  }
}

/** By server-side apply: of the pod, our container's resources and nothing else. The uid makes it fail on another life of the name. Returns why it is refused. */
async function applySize(
  { client, pods }: ApplyPorts,
  { agent }: Now,
  { name, uid, spec }: Of<'resizePod'>,
): Promise<string | undefined> {
  const manifest = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { ...inNamespace(agent.metadata.namespace, name), uid },
    spec,
  };
  try {
    pods.learn(await client.apply<PodView>(PODS, manifest, { fieldManager: FIELD_MANAGER, subresource: 'resize' }));
    return undefined;
  } catch (error) {
    const message = wordsOfRefusal(error);
    if (message === undefined) throw error;
    return message;
  }
}

/** A pod is only made anew for its size when a new one would be taken while this one is refused still: a quota may have been lifted between the two questions. */
async function resizePod(ports: ApplyPorts, now: Now, action: Of<'resizePod'>): Promise<void> {
  const refused = await applySize(ports, now, action);
  if (refused === undefined) return;
  if (await isRefused(ports, now, action.instead)) throw new ResizeRefusedError({ message: refused, newPodToo: true });
  const still = await applySize(ports, now, action);
  if (still !== undefined) throw new ResizeRefusedError({ message: still, newPodToo: false });
}

/** A pod that ends lives on for its grace: what the API server says of that is known at once. */
async function deletePod(ports: ApplyPorts, { agent }: Now, { kind: _kind, ...pod }: Of<'deletePod'>): Promise<void> {
  const ending = await deleteObject<PodView>(ports, PODS, {
    ...inNamespace(agent.metadata.namespace, pod.name),
    ...pod,
  });
  if (ending !== undefined) ports.pods.learn(ending);
}

async function ownClaim(
  ports: ApplyPorts,
  { agent: { metadata } }: Now,
  { name, uid, owners }: Of<'ownClaim'>,
): Promise<void> {
  const patch = { metadata: { uid, ownerReferences: owners } };
  ports.claims.learn(
    await ports.client.mergePatch<ClaimView>(CLAIMS, patch, { ...inNamespace(metadata.namespace, name), query: QUERY }),
  );
}

function tell(
  { recorder }: ApplyPorts,
  { agent: { metadata } }: Now,
  { type, reason, message }: Of<'tell'>,
): Promise<void> {
  const { name, uid, namespace = 'default' } = metadata;
  recorder.record({
    target: { apiVersion: API_VERSION, kind: AGENTS.kind, namespace, name, uid },
    type,
    reason,
    message,
  });
  return Promise.resolve();
}

/** How each action is performed, for the Agent as it is known at that moment. */
const PERFORM: { readonly [K in Kind]: (ports: ApplyPorts, now: Now, action: Of<K>) => Promise<void> } = {
  setFinalizers: (ports, { agent }, { finalizers }) => setFinalizers(ports, agent, finalizers),
  endCycle,
  createClaim,
  ownClaim,
  deleteClaim: async (ports, { agent: { metadata } }, { name, uid }) =>
    void (await deleteObject(ports, CLAIMS, { ...inNamespace(metadata.namespace, name), uid })),
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
  tell,
};

function perform<K extends Kind>(ports: ApplyPorts, now: Now, action: Of<K> & { readonly kind: K }): Promise<void> {
  return PERFORM[action.kind](ports, now, action);
}

/** An action that failed, and why. */
export interface Failure {
  readonly action: Action;
  readonly error: unknown;
}

/** Performs the actions in order and stops at the first that fails. */
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

/** Answers that say no, and will until something changes: quota, admission, a missing service account, an older API server. */
const REFUSALS: ReadonlySet<number> = new Set([400, 403, 405, 422]);

/** In what words the API server refuses a request; undefined where it failed otherwise. */
function wordsOfRefusal(error: unknown): string | undefined {
  return error instanceof KubeError && REFUSALS.has(error.status) ? error.message : undefined;
}

/** Why a child cannot be made until somebody changes something; undefined for a failure that may pass. */
export function refusalOf(error: unknown): Refusal | undefined {
  if (error instanceof ClaimTakenError) return { reason: 'VolumeTaken', message: error.message };
  const words = wordsOfRefusal(error);
  return words === undefined ? undefined : { reason: 'PodRefused', message: `the API server refuses: ${words}` };
}
