/** What every case creates: the objects that the operator makes of an Agent, so that all cases do the same work. */
import { API_VERSION } from '@hamlet/contract/kinds';
import { CLAIMS, PODS, type KubeClient, type KubeObject, type NewObject } from '@hamlet/kube';
import { AGENTS, agentView, claimManifest, Environment, ENTITLEMENTS, podManifest, settingsOf, statusOf, tierView, type AgentView, type TierView } from '@hamlet/operator';
import { inParallel, type ControlPlane } from './control-plane.ts';

const IMAGE = 'hamlet/agent:bench';
const MANAGER = { fieldManager: 'bench' };

/** The environment that the operator runs with; the manifests of all cases come from it too. */
export function operatorEnvironment(apiUrl: string): { readonly HAMLET_API_URL: string; readonly HAMLET_AGENT_IMAGE: string; readonly HAMLET_KUBE_QPS: string } {
  return { HAMLET_API_URL: apiUrl, HAMLET_AGENT_IMAGE: IMAGE, HAMLET_KUBE_QPS: '1000' };
}

const SETTINGS = settingsOf(Environment.parse(operatorEnvironment('http://127.0.0.1:8081')));
const TIER = {
  apiVersion: API_VERSION,
  kind: 'Entitlement',
  metadata: { name: 'tier-0' },
  spec: { rank: 0, limits: { requestsPerMinute: 120, concurrentTools: 1, tokensPerHour: 20_000 }, compute: { resources: { cpu: '250m', memory: '256Mi' } } },
};

const agentObject = (index: number): NewObject => ({
  apiVersion: API_VERSION,
  kind: 'Agent',
  metadata: { name: `agent-${index}` },
  spec: { displayName: `Agent ${index}`, persona: { identity: 'One of a thousand.', personality: 'Even.', instructions: 'Walk.' }, loop: { every: '30s' } },
} as NewObject);

export async function createTier({ client, namespace }: ControlPlane): Promise<void> {
  await client.create(ENTITLEMENTS, TIER, { namespace });
}

export async function createAgents({ client, namespace }: ControlPlane, count: number): Promise<void> {
  await inParallel(count, (index) => client.create(AGENTS, agentObject(index), { namespace, query: MANAGER }));
}

const standIn = (index: number, namespace: string): AgentView =>
  agentView({ metadata: { name: `agent-${index}`, namespace, uid: crypto.randomUUID(), resourceVersion: '1', generation: 1 }, ...({ spec: {} } as object) });

interface Children {
  readonly tier: TierView;
  readonly agent: AgentView;
}

/** Children without an owner, or the garbage collector would take them. */
function orphaned(manifest: NewObject): NewObject {
  const { ownerReferences: _owners, ...metadata } = manifest.metadata as NewObject['metadata'] & { ownerReferences?: unknown };
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

function claimOf(agent: AgentView): NewObject {
  if (agent.spec === undefined) throw new Error(agent.problem);
  return claimManifest(agent, agent.spec, SETTINGS);
}

const localTier = (): TierView => tierView({ metadata: { name: 'tier-0', uid: 'tier', resourceVersion: '1' }, ...({ spec: TIER.spec } as object) });

/** The pods alone, with the same spec but for the volume. */
export async function createBarePods({ client, namespace }: ControlPlane, count: number): Promise<void> {
  const tier = localTier();
  await inParallel(count, (index) => client.create(PODS, orphaned(withoutClaim(podOf({ agent: standIn(index, namespace), tier }))), { namespace, query: MANAGER }));
}

/** Claims and pods. */
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
    { agent, pods: [], nameTaken: false, claim: undefined, tiers: [tier], node: undefined, volumeNode: undefined, standing: undefined, presence: undefined, apiReachable: true, upgrade: 'none', refusal: undefined, settings: SETTINGS },
    new Date().toISOString().replace(/\.\d+Z$/, 'Z'),
  );
  const { name, uid, namespace = '' } = agent.metadata;
  await client.mergePatch(AGENTS, { metadata: { uid }, status: { ...status, cycle: 1, power: 'Awake' } }, { namespace, name, subresource: 'status', query: MANAGER });
}

/** The same Agents, claims, pods and one status write each, by a script: no watch, no queue, no controller. */
export async function runScript({ client, namespace }: ControlPlane, count: number): Promise<void> {
  const tier = localTier();
  await inParallel(count, async (index) => {
    const agent = agentView(await client.create<KubeObject>(AGENTS, agentObject(index), { namespace, query: MANAGER }));
    await client.create(CLAIMS, claimOf(agent), { namespace, query: MANAGER });
    await client.create(PODS, podOf({ agent, tier }), { namespace, query: MANAGER });
    await writeStatus(client, { agent, tier });
  });
}
