import { plain, type Handlers } from '../../http/handler.ts';
import { accepted, refused, type Outcome } from '../../http/outcome.ts';
import { inCluster, type WrittenObject } from '../../resource-writes/write-cluster.ts';
import type { Village } from '../../village.ts';
import type { WrittenManifests } from './manifest-store.ts';

export function manifestHandlers(village: Village) {
  return {
    getAgentManifests: getManifests(village),
    putAgentManifests: putManifests(village),
  } satisfies Partial<Handlers>;
}

function getManifests({ source, manifests }: Village): Handlers['getAgentManifests'] {
  return plain(async ({ params: { agent_id: agentId } }) => {
    const record = source.get(agentId);
    if (record === null) return refused('no_such_agent');
    return accepted(await manifests.read(record));
  });
}

/** A resumed attempt counts as a change: the attempt before it may have been killed between its write and its audit row. */
function writtenOf(outcome: Outcome<WrittenManifests>, resumed: boolean): Outcome<WrittenObject<WrittenManifests>> {
  if (!outcome.ok) return outcome;
  const { agentUid, generation, changed, named } = outcome.data;
  return accepted({
    data: outcome.data,
    uid: agentUid,
    generation,
    changed: resumed || named || changed.length > 0,
  });
}

function putManifests({ db, source, manifests }: Village): Handlers['putAgentManifests'] {
  return inCluster(db, ({ params: { agent_id: agentId }, query: { on_conflict: onConflict }, body }) => {
    if (source.get(agentId) === null) return refused('no_such_agent');
    return accepted({
      kind: 'Agent',
      name: agentId,
      action: 'agent.manifests',
      // The answer has all texts; a retry reads it from the ConfigMap again.
      keepsAnswer: false,
      write: async ({ resumed }) => writtenOf(await manifests.write(agentId, { ...body, onConflict }), resumed),
      detail: ({ uid, data }: WrittenObject<WrittenManifests>) => ({
        uid,
        config_map_name: data.manifests.config_map_name,
        files: data.changed,
        on_conflict: onConflict,
      }),
      answer: (written: WrittenManifests) => accepted(written.manifests),
    });
  });
}
