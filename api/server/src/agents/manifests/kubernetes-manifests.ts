import { API_VERSION, MANIFEST_FILES, type ManifestFiles } from '@hamlet/contract';
import { CONFIG_MAPS, isStatus, KubeError, type KubeClient, type KubeObject } from '@hamlet/kube';
import { accepted, refused, type Outcome, type Refused } from '../../http/outcome.ts';
import { changeSpec, guardWrite, type SpecPatch } from '../../resource-writes/change-spec.ts';
import type { AgentRecord, OnConflict } from '../agent-source.ts';
import { kubernetesConfigMaps, type ConfigMap } from '../config-maps.ts';
import { FIELD_MANAGER, otherOwners } from '../field-owners.ts';
import { AGENTS, recordOf } from '../kubernetes-watch.ts';
import { readManifests } from './read-manifests.ts';
import type { ManifestStore, WantedManifests, WrittenManifests } from './manifest-store.ts';
import { foreignProblem, MANIFESTS_LABEL, manifestsOfMap } from './manifests-of-map.ts';

interface Ports {
  readonly client: KubeClient;
  readonly namespace: string;
  /** Receives each written Agent, so that reads need not wait for the watch. */
  readonly see: (agent: KubeObject) => void;
}

interface WrittenMap {
  readonly map: ConfigMap;
  readonly changed: readonly string[];
  /** True if the Agent does not name its own ConfigMap yet, which has other files: another writer was first. */
  readonly overtaken: boolean;
}

const QUERY = { fieldManager: FIELD_MANAGER, fieldValidation: 'Strict' } as const;
/** The API server's limit for the content of a ConfigMap. */
const MAP_MAX_BYTES = 1 << 20;

/**
 * Manifests in ConfigMaps of the cluster. A write is a merge patch: an apply with the API's field manager would remove the fields that its
 * other applies own, such as the power of an agent.
 */
export function kubernetesManifests(ports: Ports): ManifestStore {
  const { client, namespace } = ports;
  const maps = kubernetesConfigMaps(ports);
  return {
    read: (record) => readManifests(maps, record),
    write: (agentId, wanted) =>
      guardWrite({ missing: 'no_such_agent', refused: 'manifests_unusable' }, async () => {
        const agent = recordOf(await client.get<KubeObject>(AGENTS, { namespace, name: agentId }));
        const put = await guardMap(() => putMap(ports, agent, wanted));
        if (!put.ok) return put;
        if (agent.spec.manifests !== undefined) return accepted(writtenOf(put.data, agent, { wanted, named: false }));
        const named = await nameMap(ports, agent, { name: put.data.map.metadata.name, onConflict: wanted.onConflict });
        if (!named.ok) return named;
        return put.data.overtaken
          ? changedSince(agentId)
          : accepted(writtenOf(put.data, named.data, { wanted, named: true }));
      }),
  };
}

const changedSince = (agentId: string): Refused =>
  refused('manifests_changed', `The manifests of ${agentId} have changed since they were read: read them again`);

function writtenOf(
  { map, changed }: WrittenMap,
  agent: AgentRecord,
  { wanted: { version }, named }: { readonly wanted: WantedManifests; readonly named: boolean },
): WrittenManifests {
  const isFirst = named || (version === null && map.metadata.name === ownName(agent));
  const generation = isFirst ? agent.generation : undefined;
  return { manifests: manifestsOfMap(map), changed, named, agentUid: agent.uid, generation };
}

/** Turns the API server's refusals of a ConfigMap into reasons. */
async function guardMap(work: () => Promise<Outcome<WrittenMap>>): Promise<Outcome<WrittenMap>> {
  return guardWrite({ missing: 'manifests_changed', refused: 'manifests_unusable' }, async () => {
    try {
      return await work();
    } catch (error) {
      if (isStatus(error, 409)) return refused('manifests_changed');
      if (!(error instanceof KubeError) || error.status !== 403) throw error;
      return refused('manifests_unusable', `The API may not write this ConfigMap: upgrade the chart. ${error.message}`);
    }
  });
}

/** Makes the ConfigMap of an agent, or changes it to match the files. */
async function putMap(ports: Ports, agent: AgentRecord, wanted: WantedManifests): Promise<Outcome<WrittenMap>> {
  const bytes = wanted.files.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
  if (bytes > MAP_MAX_BYTES)
    return refused('manifests_unusable', `A ConfigMap holds at most ${MAP_MAX_BYTES} bytes: shorten the files`);
  const named = agent.spec.manifests?.configMapName;
  const name = named ?? ownName(agent);
  const found = await kubernetesConfigMaps(ports).read(name);
  if (found.ok) return changeMap(ports, { agent, map: found.map, isNamed: named !== undefined }, wanted);
  if (!found.missing) return refused('manifests_unusable', found.problem);
  return wanted.version === null ? createMap(ports, { agent, name }, wanted.files) : changedSince(agent.agentId);
}

const ownName = ({ agentId }: AgentRecord): string => `${agentId}-manifests`;

async function createMap(
  { client, namespace }: Ports,
  { agent, name }: { readonly agent: AgentRecord; readonly name: string },
  files: ManifestFiles,
): Promise<Outcome<WrittenMap>> {
  const owner = { apiVersion: API_VERSION, kind: 'Agent', name: agent.agentId, uid: agent.uid };
  const object = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name,
      namespace,
      labels: { [MANIFESTS_LABEL]: 'true' },
      // A ConfigMap with another name may serve several agents, so it outlives each of them.
      ...(name === ownName(agent) ? { ownerReferences: [owner] } : {}),
    },
    data: Object.fromEntries(files.map(({ path, text }) => [path, text])),
  };
  const map = await client.create<ConfigMap>(CONFIG_MAPS, object, { namespace, query: QUERY });
  return accepted({ map, changed: files.map(({ path }) => path), overtaken: false });
}

async function changeMap(
  { client, namespace }: Ports,
  { agent, map, isNamed }: Readonly<{ agent: AgentRecord; map: ConfigMap; isNamed: boolean }>,
  { files, version, onConflict }: WantedManifests,
): Promise<Outcome<WrittenMap>> {
  const { name, uid, resourceVersion } = map.metadata;
  const foreign = foreignProblem(map) ?? (isNamed ? null : strangerProblem(map, agent));
  if (foreign !== null) return refused('manifests_unusable', foreign);
  const data = differenceOf(map, files);
  const changed = Object.keys(data);
  if (changed.length === 0) return accepted({ map, changed, overtaken: false });
  if (!isNamed) return accepted({ map, changed: [], overtaken: true });
  if (resourceVersion !== version) return changedSince(agent.agentId);
  const held = onConflict === 'refuse' ? ownedElsewhere(map, changed) : null;
  if (held !== null) return held;
  const patch = { metadata: { uid, resourceVersion }, data };
  const after = await client.mergePatch<ConfigMap>(CONFIG_MAPS, patch, { namespace, name, query: QUERY });
  return accepted({ map: after, changed, overtaken: false });
}

/** Why a ConfigMap with the name of the agent's own is not its own, and the fix; null if it is. */
function strangerProblem({ metadata: { name, ownerReferences = [] } }: ConfigMap, agent: AgentRecord): string | null {
  return ownerReferences.some(({ uid }) => uid === agent.uid)
    ? null
    : `The agent does not own the ConfigMap ${name}: name it in spec.manifests of ${agent.agentId}, or delete it`;
}

/** The merge patch of the keys that differ; null removes a key. Pure. */
function differenceOf({ data = {} }: ConfigMap, files: ManifestFiles): Readonly<Record<string, string | null>> {
  const wanted = new Map<string, string>(files.map(({ path, text }) => [path, text]));
  const changed = MANIFEST_FILES.filter((path) => data[path] !== wanted.get(path));
  return Object.fromEntries(changed.map((path) => [path, wanted.get(path) ?? null]));
}

function ownedElsewhere({ metadata: { name, managedFields } }: ConfigMap, keys: readonly string[]): Refused | null {
  const held = [...otherOwners(managedFields, keys, 'f:data')].map(
    ([key, manager]) => `${key} of ConfigMap ${name} is managed by "${manager}"`,
  );
  return held.length === 0 ? null : refused('field_owned_elsewhere', held.join('; '));
}

/** Names the ConfigMap in `spec.manifests`, unless another writer has named one in the meantime. */
async function nameMap(
  { client, namespace, see }: Ports,
  { agentId, uid }: AgentRecord,
  { name, onConflict }: { readonly name: string; readonly onConflict: OnConflict },
): Promise<Outcome<AgentRecord>> {
  const plan = (object: KubeObject): SpecPatch | Refused => {
    const present = recordOf(object).spec.manifests?.configMapName;
    if (object.metadata.uid !== uid || (present ?? name) !== name) return changedSince(agentId);
    return present === name
      ? { spec: {}, paths: [] }
      : { spec: { manifests: { configMapName: name } }, paths: ['manifests.configMapName'] };
  };
  const outcome = await changeSpec({ client, type: AGENTS, namespace }, { name: agentId, onConflict, plan });
  if (!outcome.ok) return outcome;
  see(outcome.data.object);
  return accepted(recordOf(outcome.data.object));
}
