import { lockResource, noteResource, type Tx } from '@hamlet/store';
import type { AgentSource } from '../agents/agent-source.ts';
import { entitlementView } from '../agents/describe-agent.ts';
import { inTx, plain, type Handlers } from '../http/handler.ts';
import { accepted, refused, type Refused } from '../http/outcome.ts';
import { recordAct } from '../audit/record-act.ts';
import type { SpecWriter } from './spec-writer.ts';

export interface EntitlementServices {
  readonly source: AgentSource;
  readonly specWriter: SpecWriter;
}

function etagIn(header: string | undefined): string | undefined {
  return header?.split(',')[0]?.trim().replace(/^W\//, '');
}

function refuseUnknownTier(source: AgentSource, name: string): Refused | null {
  return source.entitlement(name) === null ? refused('no_such_entitlement', `There is no tier ${name}`) : null;
}

function putEntitlement({ specWriter }: EntitlementServices): Handlers['putEntitlement'] {
  return inTx(async (request, tx: Tx) => {
    const { query, body, headers } = request;
    const { name } = request.params;
    await lockResource(tx, 'Entitlement', name);
    const outcome = await specWriter.putEntitlement(name, body, {
      onConflict: query.on_conflict,
      ifMatch: etagIn(headers['if-match']),
    });
    if (!outcome.ok) return outcome;
    const { record, changed, uid, generation } = outcome.data;
    if (changed) {
      await noteResource(tx, { uid, kind: 'Entitlement', name, generation });
      await recordAct(tx, request, {
        action: 'entitlement.change',
        object: name,
        detail: { uid, generation, spec: body, on_conflict: query.on_conflict },
      });
    }
    const view = entitlementView(record);
    return view.etag === null ? accepted(view) : { ...accepted(view), headers: { etag: view.etag } };
  });
}

/** Handlers for tiers and for agents that are pinned to them. They write custom resources, each with an audit row. */
export function entitlementHandlers(services: EntitlementServices) {
  const { source, specWriter } = services;
  return {
    getEntitlement: plain(async ({ params }) => {
      const record = source.entitlements().find(({ name }) => name === params.name);
      if (record === undefined) return refused('no_such_entitlement', `There is no tier ${params.name}`);
      const view = entitlementView(record);
      return view.etag === null ? accepted(view) : { ...accepted(view), headers: { etag: view.etag } };
    }),
    putEntitlement: putEntitlement(services),
    putAgentEntitlement: inTx(async (request, tx: Tx) => {
      const { params, query, body } = request;
      const agentId = params.agent_id;
      if (source.get(agentId) === null) return refused('no_such_agent', `There is no agent ${agentId}`);
      const unknown = body.policy === 'Pinned' ? refuseUnknownTier(source, body.name) : null;
      if (unknown !== null) return unknown;
      await lockResource(tx, 'Agent', agentId);
      const outcome = await specWriter.putAgentEntitlement(agentId, body, query.on_conflict);
      if (!outcome.ok) return outcome;
      const { record, changed, uid, generation } = outcome.data;
      if (changed) {
        await noteResource(tx, { uid, kind: 'Agent', name: agentId, generation });
        await recordAct(tx, request, {
          action: 'agent.entitlement',
          object: agentId,
          detail: { uid, generation, ...body, on_conflict: query.on_conflict },
        });
      }
      const { policy, name } = record.spec.entitlement;
      return accepted({ agent_id: agentId, policy, name: name ?? null, tier: record.status.tier ?? null, changed });
    }),
  } satisfies Partial<Handlers>;
}
