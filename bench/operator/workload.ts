/** The objects that every case creates, with the operator's own functions, so that all cases do the same work. */
import { setTimeout as sleep } from 'node:timers/promises';
import { API_VERSION } from '@hamlet/contract/kinds';
import { CLAIMS, KubeError, PODS, type KubeClient, type KubeObject, type NewObject } from '@hamlet/kube';
import type { CachedAgent, TierView } from '@hamlet/operator';
import {
  AGENTS,
  cachedAgent,
  claimManifest,
  Environment,
  ENTITLEMENTS,
  observedFrom,
  podManifest,
  settingsOf,
  statusOf,
  tierView,
} from '@hamlet/operator';
import { inParallel, type ControlPlane } from './control-plane.ts';

const IMAGE = 'hamlet/agent:bench';
const MANAGER = { fieldManager: 'bench' };
const UNSERVED_ATTEMPTS = 10;
const UNSERVED_PAUSE_MS = 1_000;

/** The environment of the operator, which also determines the manifests of all cases. */
export function operatorEnvironment(apiUrl: string): {
  readonly HAMLET_API_URL: string;
  readonly HAMLET_AGENT_IMAGE: string;
  readonly HAMLET_KUBE_QPS: string;
} {
  return { HAMLET_API_URL: apiUrl, HAMLET_AGENT_IMAGE: IMAGE, HAMLET_KUBE_QPS: '1000' };
}

const SETTINGS = settingsOf(Environment.parse(operatorEnvironment('http://127.0.0.1:8081')));
const LIMITS = { requestsPerMinute: 120, concurrentTools: 1, tokensPerHour: 20_000 };
/** The size of the tier that a balance of 10 opens. */
export const LARGER = { cpu: '500m', memory: '512Mi' };

const entitlement = (
  name: string,
  spec: object,
): {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: object;
} => ({
  apiVersion: API_VERSION,
  kind: 'Entitlement',
  metadata: { name },
  spec: { limits: LIMITS, ...spec },
});
const TIER = entitlement('tier-0', { rank: 0, compute: { resources: { cpu: '250m', memory: '256Mi' } } });
const TIERS = [TIER, entitlement('tier-1', { rank: 1, minBalance: '10', compute: { resources: LARGER } })];

export const agentName = (index: number): string => `agent-${index}`;

const agentObject = (index: number): NewObject =>
  ({
    apiVersion: API_VERSION,
    kind: 'Agent',
    metadata: { name: agentName(index) },
    spec: {
      displayName: `Agent ${index}`,
      persona: { identity: 'One of a thousand.', personality: 'Even.', instructions: 'Walk.' },
      loop: { every: '30s' },
    },
  }) as NewObject;

export async function createTiers({ client, namespace }: ControlPlane): Promise<void> {
  for (const tier of TIERS) await client.create(ENTITLEMENTS, tier, { namespace });
}

export function setPowerOf(
  { client, namespace }: Pick<ControlPlane, 'client' | 'namespace'>,
  name: string,
  power: 'Awake' | 'Asleep',
): Promise<unknown> {
  return client.mergePatch(AGENTS, { spec: { power } }, { namespace, name, query: MANAGER });
}

export async function setPower(plane: ControlPlane, count: number, power: 'Awake' | 'Asleep'): Promise<void> {
  await inParallel(count, (index) => setPowerOf(plane, agentName(index), power));
}

/** Creates one Agent. For some seconds after a CRD is created an API server may answer 503 for objects of its kind. */
async function createAgent({ client, namespace }: ControlPlane, index: number): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await client.create(AGENTS, agentObject(index), { namespace, query: MANAGER });
      return;
    } catch (error) {
      if (!(error instanceof KubeError) || error.status !== 503 || attempt === UNSERVED_ATTEMPTS) throw error;
      await sleep(UNSERVED_PAUSE_MS);
    }
  }
}

export async function createAgents(plane: ControlPlane, count: number): Promise<void> {
  await inParallel(count, (index) => createAgent(plane, index));
}

const standIn = (index: number, namespace: string): CachedAgent =>
  cachedAgent({
    metadata: { name: agentName(index), namespace, uid: crypto.randomUUID(), resourceVersion: '1', generation: 1 },
    ...({ spec: {} } as object),
  });

interface Children {
  readonly tier: TierView;
  readonly agent: CachedAgent;
}

/** Children without an owner, so that the garbage collector keeps them. */
function orphaned(manifest: NewObject): NewObject {
  const { ownerReferences: _owners, ...metadata } = manifest.metadata as NewObject['metadata'] & {
    ownerReferences?: unknown;
  };
  return { ...manifest, metadata };
}

function withoutClaim(pod: NewObject): NewObject {
  const { spec, ...rest } = pod as NewObject & { spec: { volumes: { name: string }[] } };
  const volumes = spec.volumes.map((volume) => (volume.name === 'home' ? { name: 'home', emptyDir: {} } : volume));
  return { ...rest, spec: { ...spec, volumes } } as NewObject;
}

function podOf({ agent, tier }: Children): NewObject {
  if (agent.spec === undefined) throw new Error(agent.problem);
  return podManifest({ agent, spec: agent.spec, tier, cycle: 1, settings: SETTINGS });
}

function claimOf(agent: CachedAgent): NewObject {
  if (agent.spec === undefined) throw new Error(agent.problem);
  return claimManifest(agent, agent.spec, SETTINGS);
}

const localTier = (): TierView =>
  tierView({ metadata: { name: 'tier-0', uid: 'tier', resourceVersion: '1' }, ...({ spec: TIER.spec } as object) });

/** A pod without an agent, with the same spec as an agent's pod except for the volume. */
export function barePod(index: number, namespace: string): NewObject {
  return orphaned(withoutClaim(podOf({ agent: standIn(index, namespace), tier: localTier() })));
}

/** Creates only the pods. */
export async function createBarePods({ client, namespace }: ControlPlane, count: number): Promise<void> {
  await inParallel(count, (index) => client.create(PODS, barePod(index, namespace), { namespace, query: MANAGER }));
}

export async function createClaimsAndPods({ client, namespace }: ControlPlane, count: number): Promise<void> {
  const tier = localTier();
  await inParallel(count, async (index) => {
    const agent = standIn(index, namespace);
    await client.create(CLAIMS, orphaned(claimOf(agent)), { namespace, query: MANAGER });
    await client.create(PODS, orphaned(podOf({ agent, tier })), { namespace, query: MANAGER });
  });
}

async function writeStatus(client: KubeClient, { agent, tier }: Children): Promise<void> {
  const status = statusOf(
    observedFrom(
      {
        agent,
        publishedTier: undefined,
        pods: [],
        nameTaken: false,
        nextCycle: 1,
        claim: undefined,
        tiers: [tier],
        node: undefined,
        volumeNode: undefined,
        pinnedNode: undefined,
        standing: undefined,
        presence: undefined,
        apiState: 'Current',
        seat: { granted: true },
        resize: undefined,
        refusal: undefined,
        settings: SETTINGS,
      },
      () => 'none',
    ),
    new Date().toISOString().replace(/\.\d+Z$/, 'Z'),
  );
  const { name, uid, namespace = '' } = agent.metadata;
  await client.mergePatch(
    AGENTS,
    { metadata: { uid }, status: { ...status, cycle: 1, power: 'Awake' } },
    { namespace, name, subresource: 'status', query: MANAGER },
  );
}

/** Creates the same Agents, claims and pods, and writes each status once, by a script without watch, queue or controller. */
export async function runScript({ client, namespace }: ControlPlane, count: number): Promise<void> {
  const tier = localTier();
  await inParallel(count, async (index) => {
    const agent = cachedAgent(
      await client.create<KubeObject>(AGENTS, agentObject(index), { namespace, query: MANAGER }),
    );
    await client.create(CLAIMS, claimOf(agent), { namespace, query: MANAGER });
    await client.create(PODS, podOf({ agent, tier }), { namespace, query: MANAGER });
    await writeStatus(client, { agent, tier });
  });
}
