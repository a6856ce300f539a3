import type { ChatCompletionBody } from '@hamlet/contract';
import { decideModelRequest } from '@hamlet/core';
import {
  addModelRequest,
  endModelRequest,
  holdModelHour,
  inTransaction,
  isRunOf,
  isVillageFrozenError,
  MODEL_HOUR_S,
} from '@hamlet/store';
import type { Db, ModelHour, ModelRequestEnd } from '@hamlet/store';
import type { FreezeCache } from '../freeze/freeze-cache.ts';
import type { AgentActor } from '../http/actor.ts';
import type { ShownLimit } from '../http/rate-limit.ts';
import { accepted, refused } from '../http/outcome.ts';
import type { Outcome, Refused } from '../http/outcome.ts';
import type { AgentLimits, Allowance } from '../limits/agent-limits.ts';
import type { Log } from '../service/log.ts';
import type { Reservation, TokenMeter } from '../money/compute/token-meter.ts';
import type { GatewayMetrics } from './gateway-metrics.ts';
import type { ModelPart, ModelRoute, ModelUsage } from './model-provider.ts';
import { planRequest } from './plan-request.ts';
import type { PlannedRequest } from './plan-request.ts';

/** Timeout of a provider's whole answer. */
export const ANSWER_LIMIT_MS = 120_000;
/** Age in seconds beyond which a request cannot be under way on any replica. */
export const REQUEST_LIFE = { limitS: ANSWER_LIMIT_MS / 1_000 + 30 } as const;

export interface GatewayPorts {
  readonly db: Db;
  readonly limits: AgentLimits;
  readonly routes: ReadonlyMap<string, ModelRoute>;
  readonly meter: TokenMeter;
  /** Cancels requests under way when the village is frozen. */
  readonly freeze: Pick<FreezeCache, 'signal'>;
  readonly metrics: GatewayMetrics;
  readonly log: Log;
  readonly monotonicMs: () => number;
}

export interface AskedChat {
  readonly agent: AgentActor;
  readonly body: ChatCompletionBody;
  readonly traceparent: string;
}

/** An accepted request, with its tokens and money reserved. The caller must pass it to `carryOut`, which ends it in every case. */
export interface Ticket {
  readonly requestId: string;
  readonly plan: PlannedRequest;
  readonly reservation: Reservation;
  /** The limits of the tier, with the part of each that is left. */
  readonly limits: readonly ShownLimit[];
  readonly startedMs: number;
}

export interface Completed {
  readonly text: string;
  readonly finish: 'stop' | 'length';
  readonly usage: ModelUsage;
}

/** The limits of models as response headers. Pure. */
export function modelLimits({ limits }: Allowance, { used, resetsInS, inFlight }: ModelHour): readonly ShownLimit[] {
  const tokens = limits.tokens_per_hour ?? 0;
  const atOnce = limits.concurrent_tools ?? 0;
  return [
    {
      name: 'tokens',
      quota: tokens,
      remaining: Math.max(0, tokens - used),
      unit: 'tokens',
      windowS: MODEL_HOUR_S,
      resetS: resetsInS,
    },
    { name: 'in-flight', quota: atOnce, remaining: Math.max(0, atOnce - inFlight), unit: 'concurrent-requests' },
  ];
}

function tooMuch(
  reason: 'too_many_in_flight' | 'token_quota_exhausted',
  allowance: Allowance,
  { hour, tokens }: { readonly hour: ModelHour; readonly tokens: number },
): Refused {
  const limits = modelLimits(allowance, hour);
  const { tokens_per_hour: quota, concurrent_tools: atOnce } = allowance.limits;
  if (reason === 'too_many_in_flight') {
    return {
      ...refused(
        reason,
        `The tier ${allowance.tier} allows ${atOnce ?? 0} requests at one time, and ${hour.inFlight} are under way`,
      ),
      limits,
      retryAfterS: 1,
    };
  }
  const detail = `This request can use ${tokens} tokens. The tier ${allowance.tier} allows ${quota ?? 0} an hour, and ${Math.max(0, (quota ?? 0) - hour.used)} are left for the next ${hour.resetsInS} s`;
  return { ...refused(reason, detail), limits, retryAfterS: hour.resetsInS };
}

/** Reserves one of the agent's concurrent requests and tokens of the hour, in one transaction that locks the agent. */
async function enter(
  { db }: GatewayPorts,
  { agent }: AskedChat,
  about: { readonly allowance: Allowance; readonly plan: PlannedRequest; readonly runId: string | null },
): Promise<Outcome<Omit<Ticket, 'reservation' | 'startedMs'>>> {
  const { allowance, plan, runId } = about;
  const { route, request, tokens } = plan;
  return inTransaction(db, async (tx) => {
    const hour = await holdModelHour(tx, agent.agentId, REQUEST_LIFE);
    const room = {
      inFlight: hour.inFlight,
      inFlightMax: allowance.limits.concurrent_tools ?? 0,
      used: hour.used,
      quota: allowance.limits.tokens_per_hour ?? 0,
    };
    const verdict = decideModelRequest(room, tokens);
    if (!verdict.ok) return tooMuch(verdict.reason, allowance, { hour, tokens });
    const { agentId, uid: agentUid, podUid } = agent;
    const requestId = await addModelRequest(tx, {
      agentId,
      agentUid,
      podUid,
      runId,
      tier: allowance.tier,
      model: request.model,
      provider: route.provider.name,
      reservedTokens: tokens,
    });
    return accepted({
      requestId,
      plan,
      limits: modelLimits(allowance, { ...hour, used: hour.used + tokens, inFlight: hour.inFlight + 1 }),
    });
  });
}

/** The run that a body names, if it belongs to the agent. */
async function runOf({ db }: GatewayPorts, { agent, body }: AskedChat): Promise<string | null> {
  const runId = body.metadata?.run_id ?? null;
  return runId !== null && (await isRunOf(db, runId, agent.agentId)) ? runId : null;
}

async function letIn(ports: GatewayPorts, asked: AskedChat): Promise<Outcome<Ticket>> {
  const { agent, body, traceparent } = asked;
  const startedMs = ports.monotonicMs();
  const allowance = await ports.limits.of(agent.agentId);
  if (allowance === null) return refused('model_not_in_tier', `${agent.agentId} has no tier now`);
  const plan = planRequest(body, allowance, ports.routes);
  if (!plan.ok) return plan;
  const runId = await runOf(ports, asked);
  const entered = await enter(ports, asked, { allowance, plan: plan.data, runId });
  if (!entered.ok) return entered;
  const { requestId } = entered.data;
  const circumstance = { podUid: agent.podUid, runId, traceparent };
  const reserve = (): Promise<Outcome<Reservation>> =>
    ports.meter.reserve({
      agentId: agent.agentId,
      model: body.model,
      tokens: plan.data.tokens,
      key: requestId,
      circumstance,
    });
  const reserved = await reserve().catch((error: unknown) => {
    if (isVillageFrozenError(error)) return refused('village_frozen');
    throw error;
  });
  if (reserved.ok) return accepted({ ...entered.data, reservation: reserved.data, startedMs });
  await inTransaction(ports.db, (tx) =>
    endModelRequest(tx, requestId, { outcome: 'not_paid', promptTokens: 0, completionTokens: 0 }),
  );
  return reserved;
}

/**
 * Accepts a request or refuses it with a reason. It checks in this order: the tier includes the model, a provider
 * serves it, the prompt is short enough, the agent has fewer requests under way than its tier allows, tokens of the
 * hour are left, money is left.
 */
export async function admitChat(ports: GatewayPorts, asked: AskedChat): Promise<Outcome<Ticket>> {
  const outcome = await letIn(ports, asked);
  if (!outcome.ok) ports.metrics.refused(outcome.reason);
  return outcome;
}

/** Records the use of a request: money first, then the tokens of the hour. */
async function conclude(
  ports: GatewayPorts,
  { requestId, plan, reservation, startedMs }: Ticket,
  end: ModelRequestEnd,
): Promise<void> {
  const usage = { promptTokens: end.promptTokens, completionTokens: end.completionTokens };
  const used = end.promptTokens + end.completionTokens;
  try {
    await (used === 0 ? ports.meter.release(reservation) : ports.meter.settle(reservation, used));
    await inTransaction(ports.db, (tx) => endModelRequest(tx, requestId, end));
  } catch (error) {
    ports.metrics.unsettled();
    throw error;
  }
  ports.metrics.ended(plan.request.model, { outcome: end.outcome, usage, durationMs: ports.monotonicMs() - startedMs });
}

/** The pieces of an answer that have arrived. Mutable because it collects them. */
class Gathered {
  text = '';
  /** True once the gateway has asked the provider, which then reads the prompt. */
  asked = false;
  end: Extract<ModelPart, { kind: 'end' }> | null = null;

  take(part: ModelPart): void {
    if (part.kind === 'end') this.end = part;
    else this.text += part.text;
  }
}

/**
 * Ends a request without a complete answer. The agent pays for the text so far. The gateway counts the tokens of that
 * text, because the provider reported no usage.
 */
async function giveUp(
  ports: GatewayPorts,
  ticket: Ticket,
  {
    gathered,
    error,
    stopped,
  }: { readonly gathered: Gathered; readonly error: unknown; readonly stopped: 'frozen' | 'gone' | null },
): Promise<Refused> {
  const { route, request, promptTokens } = ticket.plan;
  const completionTokens =
    gathered.text === '' ? 0 : route.provider.countTokens(request.model, [{ role: 'assistant', text: gathered.text }]);
  const outcome = stopped === null ? 'failed' : 'cancelled';
  // A provider that was asked has read the prompt, even if the caller leaves before the first word.
  const isPromptPaid = completionTokens > 0 || (stopped === 'gone' && gathered.asked);
  await conclude(ports, ticket, { outcome, promptTokens: isPromptPaid ? promptTokens : 0, completionTokens });
  if (stopped === 'frozen')
    return refused(
      'village_frozen',
      'The village was frozen while the model answered; the agent pays only for the text so far',
    );
  if (stopped === null)
    ports.log('warn', 'the provider of a model failed', {
      model: request.model,
      provider: route.provider.name,
      request_id: ticket.requestId,
      error,
    });
  return refused('model_failed', `The provider ${route.provider.name} failed; the agent pays only for the text so far`);
}

/**
 * Asks the provider, passes each piece of text to the caller, and records the use. Throws if the end cannot be
 * recorded, so that the caller gets no complete answer that is not paid for.
 */
export async function carryOut(
  ports: GatewayPorts,
  ticket: Ticket,
  caller: { readonly gone: AbortSignal; readonly onText: (text: string) => void },
): Promise<Outcome<Completed>> {
  const { route, request } = ticket.plan;
  const gathered = new Gathered();
  const frozen = ports.freeze.signal();
  const signal = AbortSignal.any([caller.gone, frozen, AbortSignal.timeout(ANSWER_LIMIT_MS)]);
  try {
    signal.throwIfAborted();
    gathered.asked = true;
    for await (const part of route.provider.complete(request, signal)) {
      signal.throwIfAborted();
      gathered.take(part);
      if (part.kind === 'text') caller.onText(part.text);
    }
    if (gathered.end === null) throw new Error('the provider closed the answer without sending its end');
  } catch (error) {
    return giveUp(ports, ticket, {
      gathered,
      error,
      stopped: frozen.aborted ? 'frozen' : caller.gone.aborted ? 'gone' : null,
    });
  }
  const { finish, usage } = gathered.end;
  await conclude(ports, ticket, { outcome: 'done', ...usage });
  return accepted({ text: gathered.text, finish, usage });
}
