import { API_VERSION, LIFE_FIELDS, specProblems } from '@hamlet/contract';
import { afterPatch } from '@hamlet/core';
import { KubeError, type KubeClient, type KubeObject } from '@hamlet/kube';
import { accepted, refused, type Outcome, type Refused } from '../../http/outcome.ts';
import { changeSpec, dryRunQuery, guardWrite, type SpecPatch } from '../../resource-writes/change-spec.ts';
import { FIELD_MANAGER, specFields } from '../field-owners.ts';
import { AGENTS, recordOf } from '../kubernetes-watch.ts';
import type { AgentRemoval, AgentWriter, NewAgent, RemovedAgent } from './agent-writer.ts';
import type { SpecChange, StoredSpec, WrittenSpecChange } from './agent-writer.ts';
import { leafPaths, patchBetween } from './spec-patch.ts';

interface Ports {
  readonly client: KubeClient;
  readonly namespace: string;
  /** Receives each written Agent, so that reads need not wait for the watch. */
  readonly see: (agent: KubeObject) => void;
}

type Spec = Readonly<Record<string, unknown>>;
type StoredAgent = KubeObject & { readonly spec?: Spec };

/** Annotation of an Agent that a person created through the API: the write, so that a retry recognizes it. */
const CREATED_IN_ANNOTATION = 'hamlet.village/created-in';

/**
 * Agents of the cluster. A write is a merge patch of the differences on the version that was read, so a field that another manager owns is
 * never written without a request, and never lost. An apply could not remove what another route of the API wrote, such as a pin of the tier.
 */
export function kubernetesAgents(ports: Ports): AgentWriter {
  const { client, namespace } = ports;
  return {
    read: (agentId) =>
      guarded(async () => accepted(storedOf(await client.get<StoredAgent>(AGENTS, { namespace, name: agentId })))),
    create: (agent) => guarded(() => create(ports, agent)),
    update: (agentId, change) => guarded(() => update(ports, agentId, change)),
    remove: (agentId, removal) => guarded(() => remove(ports, agentId, removal)),
  };
}

/** Also turns the refusal of an admission policy or a quota into `invalid_agent`. */
function guarded<T>(work: () => Promise<Outcome<T>>): Promise<Outcome<T>> {
  return guardWrite({ missing: 'no_such_agent', refused: 'invalid_agent' }, async () => {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof KubeError) || error.status !== 403) throw error;
      return refused('invalid_agent', error.message);
    }
  });
}

/** A refusal with a line for each field that has to change; null if the spec is valid. */
export function refuseProblems(spec: Spec): Refused | null {
  const problems = specProblems(spec);
  const [first] = problems;
  if (first === undefined) return null;
  return { ...refused('invalid_agent', `${first.path}: ${first.message}`), errors: problems };
}

function writtenPart({ spec = {} }: StoredAgent): Spec {
  return Object.fromEntries(Object.entries(spec).filter(([field]) => !LIFE_FIELDS.has(field)));
}

/** A change of status gives an object another resourceVersion, but not another version of its spec. */
const versionOf = ({ metadata: { uid, generation = 0 } }: KubeObject): string => `${uid}.${generation}`;

function storedOf(object: StoredAgent): StoredSpec {
  const { name, uid, generation = 0, labels = {}, managedFields } = object.metadata;
  return {
    agentId: name,
    uid,
    version: versionOf(object),
    generation,
    labels,
    spec: writtenPart(object),
    fields: specFields(managedFields).filter(({ path }) => !LIFE_FIELDS.has(path)),
    record: recordOf(object),
  };
}

async function create(ports: Ports, agent: NewAgent): Promise<Outcome<WrittenSpecChange>> {
  const { client, namespace, see } = ports;
  const { agentId, spec, labels, dryRun, writeId } = agent;
  const annotations = { [CREATED_IN_ANNOTATION]: writeId };
  const metadata = { name: agentId, namespace, labels, annotations };
  const query = { fieldManager: FIELD_MANAGER, fieldValidation: 'Strict', ...dryRunQuery(dryRun) };
  try {
    const object = { apiVersion: API_VERSION, kind: 'Agent', metadata, spec };
    const made = await client.create<StoredAgent>(AGENTS, object, { namespace, query });
    if (!dryRun) see(made);
    return accepted(createdOf(made));
  } catch (error) {
    if (!(error instanceof KubeError) || error.reason !== 'AlreadyExists') throw error;
    return found(ports, agent);
  }
}

/** The Agent that has the name already: the one of an earlier attempt of this request, or a refusal. */
async function found({ client, namespace }: Ports, agent: NewAgent): Promise<Outcome<WrittenSpecChange>> {
  const object = await client.get<StoredAgent>(AGENTS, { namespace, name: agent.agentId });
  const { annotations, deletionTimestamp } = object.metadata;
  if (agent.resumed && annotations?.[CREATED_IN_ANNOTATION] === agent.writeId) return accepted(createdOf(object));
  return deletionTimestamp === undefined
    ? refused('agent_exists', `There is an agent ${agent.agentId} already: choose another name, or change that one`)
    : refused('agent_exists', `The agent ${agent.agentId} is being deleted: wait until it is gone`);
}

function createdOf(object: StoredAgent): WrittenSpecChange {
  const stored = storedOf(object);
  return { stored, paths: Object.entries(stored.spec).flatMap(([field, value]) => leafPaths(value, field)) };
}

async function update(
  { client, namespace, see }: Ports,
  agentId: string,
  { patch, version, onConflict, dryRun, resumed }: SpecChange,
): Promise<Outcome<WrittenSpecChange>> {
  let paths: readonly string[] = [];
  const plan = (object: StoredAgent): SpecPatch | Refused => {
    const before = writtenPart(object);
    const after = afterPatch(before, patch) as Spec;
    const planned = patchBetween(before, after);
    const isDone = resumed && planned.paths.length === 0;
    if (!isDone && versionOf(object) !== version)
      return refused('agent_changed', `${agentId} has changed since it was read: read it again and repeat the change`);
    // A retry finds its change done, and the audit still shows its fields.
    paths = isDone ? Object.entries(patch).flatMap(([field, value]) => leafPaths(value, field)) : planned.paths;
    return refuseProblems(after) ?? planned;
  };
  const wish = { name: agentId, onConflict, dryRun, plan };
  const outcome = await changeSpec({ client, type: AGENTS, namespace }, wish);
  if (!outcome.ok) return outcome;
  if (!dryRun) see(outcome.data.object);
  return accepted({ stored: storedOf(outcome.data.object), paths });
}

async function remove(
  { client, namespace }: Ports,
  agentId: string,
  { volume, onConflict }: AgentRemoval,
): Promise<Outcome<RemovedAgent>> {
  const retain = volume === 'keep' ? 'Retain' : 'Delete';
  const plan = (object: StoredAgent): SpecPatch =>
    object.metadata.deletionTimestamp !== undefined || recordOf(object).spec.memory.retain === retain
      ? { spec: {}, paths: [] }
      : { spec: { memory: { retain } }, paths: ['memory.retain'] };
  const outcome = await changeSpec({ client, type: AGENTS, namespace }, { name: agentId, onConflict, plan });
  if (!outcome.ok) return outcome;
  const { uid, generation = 0, deletionTimestamp } = outcome.data.object.metadata;
  if (deletionTimestamp !== undefined) return accepted({ uid, generation, changed: false });
  await client.delete(AGENTS, { namespace, name: agentId, uid });
  return accepted({ uid, generation, changed: true });
}
