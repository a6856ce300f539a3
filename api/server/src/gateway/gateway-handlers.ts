import {
  tierLimitsBy,
  type ChatCompletionBody,
  type ModelRequestView,
  type ModelUse,
  type ModelView,
} from '@hamlet/contract';
import { readModelHour, readModelRequests, type ModelRequestRow } from '@hamlet/store';
import { plain, type Handlers } from '../http/handler.ts';
import { accepted, refused } from '../http/outcome.ts';
import { admitRequest, modelLimits, requestLife, type GatewayPorts } from './admit-request.ts';
import { completionShape } from './chat/completion-shape.ts';
import { conversing } from './conversations/converse.ts';
import { planEmbedding, servedModel } from './plan-request.ts';
import { refuseUnrecorded } from './carry-out.ts';
import { carryOutEmbedding } from './carry-out-embedding.ts';
import { MODELS_MADE_S, type ServedModel } from './models/village-models.ts';
import type { Village } from '../village.ts';

const RECENT_REQUESTS = 20;
const NOTHING = tierLimitsBy('name', () => 0);

function requestView({
  requestId,
  model,
  provider,
  runId,
  podUid,
  promptTokens,
  completionTokens,
  outcome,
  startedAt,
  endedAt,
}: ModelRequestRow): ModelRequestView {
  return {
    request_id: requestId,
    model,
    provider,
    run_id: runId,
    pod_uid: podUid,
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    ms: endedAt === null ? null : endedAt.getTime() - startedAt.getTime(),
    outcome,
    started_at: startedAt.toISOString(),
  };
}

const completeChat = (village: Village): Handlers['completeChat'] =>
  conversing(village, { bodyOf: (body: ChatCompletionBody) => body, shapeOf: completionShape });

function createEmbeddings({ source, gateway }: Village): Handlers['createEmbeddings'] {
  return plain(async ({ actor: agent, body, headers, traceparent }) => {
    if (source.get(agent.agentId) === null) return refused('no_such_agent');
    const asking = { agentId: agent.agentId, catalog: gateway.catalog };
    const ticket = await admitRequest(gateway, {
      agent,
      model: body.model,
      metadata: null,
      headers,
      plan: (allowance) => planEmbedding(body, allowance, asking),
      traceparent,
      gone: AbortSignal.timeout(gateway.answerTimes.totalMs),
    });
    if (!ticket.ok) return ticket;
    const answer = await carryOutEmbedding(gateway, ticket.data, body).catch((error: unknown) =>
      refuseUnrecorded(gateway, ticket.data, error),
    );
    return answer.ok ? { ...answer, limits: ticket.data.limits } : { ...answer, asked: true };
  });
}

function modelView({ name, provider, contextTokens }: ServedModel): ModelView {
  return { id: name, object: 'model', created: MODELS_MADE_S, owned_by: provider, context_tokens: contextTokens };
}

function isServed({ catalog }: GatewayPorts, model: string, agentId: string): boolean {
  const found = catalog.find(model, agentId);
  return found !== null && !('missing' in found);
}

function listModels({ db, source, gateway }: Village): Handlers['listModels'] {
  return plain(async ({ actor: { agentId } }) => {
    if (source.get(agentId) === null) return refused('no_such_agent');
    const allowance = await gateway.limits.of(agentId);
    const data = (allowance?.limits.models ?? []).flatMap((name) => {
      const found = gateway.catalog.find(name, agentId);
      return found === null || 'missing' in found ? [] : [modelView(found)];
    });
    const life = requestLife(gateway.answerTimes);
    const limits = allowance === null ? [] : modelLimits(allowance, await readModelHour(db, agentId, life));
    return { ...accepted({ object: 'list' as const, data }), limits };
  });
}

function getModel({ source, gateway }: Village): Handlers['getModel'] {
  return plain(async ({ actor: { agentId }, params: { model } }) => {
    if (source.get(agentId) === null) return refused('no_such_agent');
    const allowance = await gateway.limits.of(agentId);
    if (allowance === null) return refused('model_not_in_tier', `${agentId} has no tier now`);
    const served = servedModel(model, allowance, { agentId, catalog: gateway.catalog });
    return served.ok ? accepted(modelView(served.data)) : served;
  });
}

function getModelUse({ db, source, gateway }: Village): Handlers['getModelUse'] {
  return plain(async ({ params: { agent_id: agentId }, now }) => {
    if (source.get(agentId) === null) return refused('no_such_agent');
    const allowance = await gateway.limits.of(agentId);
    const [hour, recent] = await Promise.all([
      readModelHour(db, agentId, requestLife(gateway.answerTimes)),
      readModelRequests(db, agentId, RECENT_REQUESTS),
    ]);
    const limits = allowance?.limits ?? { ...NOTHING, models: [] };
    const quota = limits.tokens_per_hour ?? 0;
    const use: ModelUse = {
      agent_id: agentId,
      tier: allowance?.tier ?? null,
      limits,
      tokens: {
        quota,
        used: hour.used,
        remaining: Math.max(0, quota - hour.used),
        resets_at: hour.resetsInS === 0 ? null : new Date(now.getTime() + hour.resetsInS * 1_000).toISOString(),
      },
      in_flight: hour.inFlight,
      models: limits.models.map((model) => ({ model, served: isServed(gateway, model, agentId) })),
      recent: recent.map(requestView),
    };
    return accepted(use);
  });
}

export function gatewayHandlers(village: Village) {
  return {
    completeChat: completeChat(village),
    createEmbeddings: createEmbeddings(village),
    listModels: listModels(village),
    getModel: getModel(village),
    getModelUse: getModelUse(village),
  } satisfies Partial<Handlers>;
}
