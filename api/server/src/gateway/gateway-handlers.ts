import type { ChatCompletionBody, ModelRequestView, ModelUse, ModelView } from '@hamlet/contract';
import { readModelHour, readModelRequests } from '@hamlet/store';
import type { Db, ModelRequestRow } from '@hamlet/store';
import type { CompletionChannel } from '../http/completion-channel.ts';
import type { Handlers } from '../http/handler.ts';
import { accepted, refused } from '../http/outcome.ts';
import { refusalOfError } from '../http/respond.ts';
import { admitRequest, modelLimits, requestLife } from './admit-request.ts';
import type { GatewayPorts, Ticket } from './admit-request.ts';
import { carryOut } from './carry-out.ts';
import { chunksOf, completionOf } from './completion-shape.ts';
import type { CompletionHead } from './completion-shape.ts';
import { planEmbedding, planRequest, servedModel } from './plan-request.ts';
import type { Allowance } from '../limits/agent-limits.ts';
import { carryOutEmbedding } from './carry-out-embedding.ts';
import { MODELS_MADE_S } from './models/village-models.ts';
import type { ServedModel } from './models/village-models.ts';
import type { AgentSource } from '../agents/agent-source.ts';

export interface GatewayHandlerPorts {
  readonly db: Db;
  readonly source: Pick<AgentSource, 'get'>;
  readonly gateway: GatewayPorts;
}

const RECENT_REQUESTS = 20;
const NOTHING = {
  requests_per_minute: 0,
  concurrent_tools: 0,
  concurrent_model_requests: 0,
  tokens_per_hour: 0,
  models: [],
} as const;

function headAt({ catalog }: GatewayPorts, now: Date): CompletionHead {
  return { createdS: Math.floor(now.getTime() / 1_000), isScripted: (provider) => catalog.isScripted(provider) };
}

/** Streams an answer; after the first chunk, only the stream can report a failure. */
async function stream(
  gateway: GatewayPorts,
  ticket: Ticket,
  about: { readonly body: ChatCompletionBody; readonly now: Date; readonly channel: CompletionChannel },
): Promise<null> {
  const { body, now, channel } = about;
  const chunks = chunksOf(ticket, {
    ...headAt(gateway, now),
    includeUsage: body.stream_options?.include_usage === true,
  });
  channel.begin(ticket.limits);
  channel.send(chunks.first());
  try {
    const outcome = await carryOut(gateway, ticket, {
      gone: channel.gone,
      onPiece: (piece, provider) => {
        const chunk = chunks.piece(piece, provider);
        if (chunk !== null) channel.send(chunk);
      },
    });
    if (outcome.ok) for (const chunk of chunks.last(outcome.data)) channel.send(chunk);
    channel.end(outcome.ok ? undefined : outcome);
  } catch (error) {
    gateway.log('error', 'the end of a streamed model answer could not be recorded', {
      request_id: ticket.requestId,
      error,
    });
    channel.end(refusalOfError(error));
  }
  return null;
}

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

function completeChat({ source, gateway }: GatewayHandlerPorts): Handlers['completeChat'] {
  return {
    kind: 'completion',
    run: async ({ actor: agent, body, traceparent, now }, channel) => {
      if (source.get(agent.agentId) === null) return refused('no_such_agent');
      const asking = { agentId: agent.agentId, catalog: gateway.catalog };
      const asked = {
        agent,
        model: body.model,
        metadata: body.metadata,
        plan: (allowance: Allowance) => planRequest(body, allowance, asking),
        traceparent,
        gone: channel.gone,
      };
      const ticket = await admitRequest(gateway, asked);
      if (!ticket.ok) return ticket;
      if (body.stream === true) return stream(gateway, ticket.data, { body, now, channel });
      const outcome = await carryOut(gateway, ticket.data, { gone: channel.gone, onPiece: () => undefined });
      if (!outcome.ok) return outcome;
      return {
        ...accepted(completionOf(ticket.data, outcome.data, headAt(gateway, now))),
        limits: ticket.data.limits,
      };
    },
  };
}

function createEmbeddings({ source, gateway }: GatewayHandlerPorts): Handlers['createEmbeddings'] {
  return {
    kind: 'plain',
    run: async ({ actor: agent, body, traceparent }) => {
      if (source.get(agent.agentId) === null) return refused('no_such_agent');
      const asking = { agentId: agent.agentId, catalog: gateway.catalog };
      const ticket = await admitRequest(gateway, {
        agent,
        model: body.model,
        metadata: null,
        plan: (allowance) => planEmbedding(body, allowance, asking),
        traceparent,
        gone: AbortSignal.timeout(gateway.answerTimes.totalMs),
      });
      if (!ticket.ok) return ticket;
      const answer = await carryOutEmbedding(gateway, ticket.data, body);
      return answer.ok ? { ...answer, limits: ticket.data.limits } : answer;
    },
  };
}

function modelView({ name, provider, contextTokens }: ServedModel): ModelView {
  return { id: name, object: 'model', created: MODELS_MADE_S, owned_by: provider, context_tokens: contextTokens };
}

/** True if a provider serves the model, and the village has its credential. */
function isServed({ catalog }: GatewayPorts, model: string, agentId: string): boolean {
  const found = catalog.find(model, agentId);
  return found !== null && !('missing' in found);
}

function listModels({ db, source, gateway }: GatewayHandlerPorts): Handlers['listModels'] {
  return {
    kind: 'plain',
    run: async ({ actor: { agentId } }) => {
      if (source.get(agentId) === null) return refused('no_such_agent');
      const allowance = await gateway.limits.of(agentId);
      const data = (allowance?.limits.models ?? []).flatMap((name) => {
        const found = gateway.catalog.find(name, agentId);
        return found === null || 'missing' in found ? [] : [modelView(found)];
      });
      const life = requestLife(gateway.answerTimes);
      const limits = allowance === null ? [] : modelLimits(allowance, await readModelHour(db, agentId, life));
      return { ...accepted({ object: 'list' as const, data }), limits };
    },
  };
}

function getModel({ source, gateway }: GatewayHandlerPorts): Handlers['getModel'] {
  return {
    kind: 'plain',
    run: async ({ actor: { agentId }, params: { model } }) => {
      if (source.get(agentId) === null) return refused('no_such_agent');
      const allowance = await gateway.limits.of(agentId);
      if (allowance === null) return refused('model_not_in_tier', `${agentId} has no tier now`);
      const served = servedModel(model, allowance, { agentId, catalog: gateway.catalog });
      return served.ok ? accepted(modelView(served.data)) : served;
    },
  };
}

function getModelUse({ db, source, gateway }: GatewayHandlerPorts): Handlers['getModelUse'] {
  return {
    kind: 'plain',
    run: async ({ params: { agent_id: agentId }, now }) => {
      if (source.get(agentId) === null) return refused('no_such_agent', `There is no agent ${agentId}`);
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
    },
  };
}

/** Handlers of the model gateway, and of the report on an agent's use of it. */
export function gatewayHandlers(ports: GatewayHandlerPorts) {
  return {
    completeChat: completeChat(ports),
    createEmbeddings: createEmbeddings(ports),
    listModels: listModels(ports),
    getModel: getModel(ports),
    getModelUse: getModelUse(ports),
  } satisfies Partial<Handlers>;
}
