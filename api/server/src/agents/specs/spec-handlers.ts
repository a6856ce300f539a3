import type { AgentSpecView, GoesWith, WrittenAgent } from '@hamlet/contract';
import { plain, type Handlers } from '../../http/handler.ts';
import { accepted, refused, type Accepted, type Outcome } from '../../http/outcome.ts';
import { shownFields } from '../../resource-writes/decide-audit.ts';
import { deletionOf, inCluster, type WrittenObject } from '../../resource-writes/write-cluster.ts';
import type { Village } from '../../village.ts';
import type { StoredSpec, WrittenSpecChange } from './agent-writer.ts';
import { CHARACTERS } from './characters.ts';
import { readGoesWith } from './goes-with.ts';
import { refuseProblems } from './kubernetes-agents.ts';

type SpecServices = Pick<Village, 'db' | 'agentWriter' | 'schedules'>;

export function specHandlers(services: SpecServices) {
  const { agentWriter } = services;
  return {
    createAgent: createAgent(services),
    getAgentSpec: plain(async ({ params: { agent_id: agentId } }): Promise<Outcome<AgentSpecView>> => {
      const stored = await agentWriter.read(agentId);
      if (!stored.ok) return stored;
      return accepted({ ...viewOf(stored.data), goes_with: [...(await readGoesWith(services, stored.data))] });
    }),
    updateAgent: updateAgent(services),
    deleteAgent: deleteAgent(services),
    listCharacters: plain(async () => accepted({ characters: [...CHARACTERS] })),
  } satisfies Partial<Handlers>;
}

function viewOf({ agentId, uid, version, labels, spec, fields }: StoredSpec): Omit<AgentSpecView, 'goes_with'> {
  return { agent_id: agentId, uid, resource_version: version, labels, spec, fields: [...fields] };
}

/** A dry run changes nothing, so it has no generation to record and leaves no audit row. */
function writtenOf(outcome: Outcome<WrittenSpecChange>, dryRun: boolean): Outcome<WrittenObject<WrittenSpecChange>> {
  if (!outcome.ok) return outcome;
  const { stored, paths } = outcome.data;
  const changed = !dryRun && paths.length > 0;
  return accepted({ data: outcome.data, uid: stored.uid, generation: dryRun ? undefined : stored.generation, changed });
}

function answerOf(dryRun: boolean): (written: WrittenSpecChange) => Accepted<WrittenAgent> {
  return ({ stored }) => accepted({ ...viewOf(stored), dry_run: dryRun });
}

function detailOf({ uid, generation, data: { stored, paths } }: WrittenObject<WrittenSpecChange>): object {
  return { uid, generation, fields: shownFields(stored.spec, paths) };
}

function createAgent({ db, agentWriter }: SpecServices): Handlers['createAgent'] {
  return inCluster(db, ({ body: { agent_id: agentId, spec, labels, dry_run: dryRun } }) => {
    const invalid = refuseProblems(spec);
    if (invalid !== null) return invalid;
    return accepted({
      kind: 'Agent',
      name: agentId,
      action: 'agent.create',
      // The request that follows a dry run is a different write, and may have the same key.
      keepsAnswer: !dryRun,
      write: async ({ writeId, resumed }) => {
        const made = writtenOf(await agentWriter.create({ agentId, spec, labels, dryRun, writeId, resumed }), dryRun);
        return made.ok && !dryRun ? accepted({ ...made.data, changed: true }) : made;
      },
      detail: (written: WrittenObject<WrittenSpecChange>) => ({ ...detailOf(written), labels }),
      answer: answerOf(dryRun),
    });
  });
}

function updateAgent({ db, agentWriter }: SpecServices): Handlers['updateAgent'] {
  return inCluster(db, ({ params: { agent_id: agentId }, query: { on_conflict: onConflict }, body }) => {
    const { spec: patch, resource_version: version, dry_run: dryRun } = body;
    return accepted({
      kind: 'Agent',
      name: agentId,
      action: 'agent.change',
      keepsAnswer: !dryRun,
      write: async ({ resumed }) =>
        writtenOf(await agentWriter.update(agentId, { patch, version, onConflict, dryRun, resumed }), dryRun),
      detail: (written: WrittenObject<WrittenSpecChange>) => ({ ...detailOf(written), on_conflict: onConflict }),
      answer: answerOf(dryRun),
    });
  });
}

function deleteAgent(services: SpecServices): Handlers['deleteAgent'] {
  const { db, agentWriter } = services;
  return inCluster(db, ({ params: { agent_id: agentId }, query: { on_conflict: onConflict }, body }) => {
    const { confirm, volume } = body;
    if (confirm !== agentId) return refused('not_confirmed', `confirm is not ${agentId}: write the id of the agent`);
    let lines: readonly GoesWith[] = [];
    return accepted({
      kind: 'Agent',
      name: agentId,
      action: 'agent.delete',
      write: async ({ resumed }) => {
        // Read before the deletion, because a retry after it finds the Agent gone.
        const stored = await agentWriter.read(agentId);
        if (stored.ok) lines = await readGoesWith(services, stored.data);
        const removed = stored.ok ? await agentWriter.remove(agentId, { volume, onConflict }) : stored;
        return deletionOf(db, { kind: 'Agent', name: agentId, resumed }, removed);
      },
      detail: ({ uid }) => ({ uid, volume }),
      answer: () => accepted({ agent_id: agentId, deleted: true as const, goes_with: [...lines] }),
    });
  });
}
