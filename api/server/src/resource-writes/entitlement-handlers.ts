import type { Db } from '@hamlet/store';
import type { AgentRecord, AgentSource, EntitlementRecord } from '../agents/agent-source.ts';
import { entitlementView } from '../agents/describe-agent.ts';
import { plain, type Handlers } from '../http/handler.ts';
import { accepted, refused, type Accepted, type Outcome, type Refused } from '../http/outcome.ts';
import type { SpecWriter, Written } from './spec-writer.ts';
import { inCluster, type WrittenObject } from './write-cluster.ts';

interface EntitlementServices {
  readonly db: Db;
  readonly source: AgentSource;
  readonly specWriter: SpecWriter;
}

const etagIn = (header: string | undefined): string | undefined => header?.split(',')[0]?.trim().replace(/^W\//, '');

function refuseUnknownTier(source: AgentSource, name: string): Refused | null {
  return source.entitlement(name) === null ? refused('no_such_entitlement', `There is no tier ${name}`) : null;
}

function tierAnswer(record: EntitlementRecord): Accepted<ReturnType<typeof entitlementView>> {
  const view = entitlementView(record);
  return view.etag === null ? accepted(view) : { ...accepted(view), headers: { etag: view.etag } };
}

function writtenOf<T>(outcome: Outcome<Written<T>>): Outcome<WrittenObject<Written<T>>> {
  if (!outcome.ok) return outcome;
  const { uid, generation, changed } = outcome.data;
  return accepted({ data: outcome.data, uid, generation, changed });
}

function putEntitlement({ db, specWriter }: EntitlementServices): Handlers['putEntitlement'] {
  return inCluster(db, ({ params: { name }, query: { on_conflict: onConflict }, body, headers }) =>
    accepted({
      kind: 'Entitlement',
      name,
      action: 'entitlement.change',
      write: async ({ resumed }) =>
        writtenOf(
          await specWriter.putEntitlement(name, body, { onConflict, ifMatch: etagIn(headers['if-match']), resumed }),
        ),
      detail: ({ uid, generation }) => ({ uid, generation, spec: body, on_conflict: onConflict }),
      answer: ({ record }: Written<EntitlementRecord>) => tierAnswer(record),
    }),
  );
}

function putAgentEntitlement({ db, source, specWriter }: EntitlementServices): Handlers['putAgentEntitlement'] {
  return inCluster(db, ({ params: { agent_id: agentId }, query: { on_conflict: onConflict }, body }) => {
    if (source.get(agentId) === null) return refused('no_such_agent');
    const unknown = body.policy === 'Pinned' ? refuseUnknownTier(source, body.name) : null;
    if (unknown !== null) return unknown;
    return accepted({
      kind: 'Agent',
      name: agentId,
      action: 'agent.entitlement',
      write: async () => writtenOf(await specWriter.putAgentEntitlement(agentId, body, onConflict)),
      detail: ({ uid, generation }) => ({ uid, generation, ...body, on_conflict: onConflict }),
      answer: ({ record, changed }: Written<AgentRecord>) => {
        const { policy, name } = record.spec.entitlement;
        return accepted({ agent_id: agentId, policy, name: name ?? null, tier: record.status.tier ?? null, changed });
      },
    });
  });
}

export function entitlementHandlers(services: EntitlementServices) {
  const { source } = services;
  return {
    getEntitlement: plain(async ({ params }) => {
      const record = source.entitlements().find(({ name }) => name === params.name);
      if (record === undefined) return refused('no_such_entitlement', `There is no tier ${params.name}`);
      return tierAnswer(record);
    }),
    putEntitlement: putEntitlement(services),
    putAgentEntitlement: putAgentEntitlement(services),
  } satisfies Partial<Handlers>;
}
