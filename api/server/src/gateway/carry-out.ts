import { formatAiDollars, type Refusal } from '@hamlet/contract';
import { tokenCost } from '@hamlet/core';
import { EMPTY_ANSWER, estimateTokens, foldDelta, FollowingAbort, outcomeOf } from '@hamlet/models';
import type { AnswerState, ChatDelta, Finish, ModelError, ReasoningItem, TokenUsage, ToolCall } from '@hamlet/models';
import { endModelRequest, type ModelRequestEnd, type ProviderCost } from '@hamlet/store';
import { accepted, refused, type Outcome, type Refused } from '../http/outcome.ts';
import { refusalOfError } from '../http/respond.ts';
import type { Reservation } from '../money/compute/token-meter.ts';
import { AnswerClock } from './answer-clock.ts';
import type { GatewayPorts, Ticket } from './admit-request.ts';
import { callLine, sealChat, type CallSeal } from './texts/call-seal.ts';
import { keepText } from './texts/keep-text.ts';
import { loggedFailure, refusalOfModel } from './refusal-of-model.ts';

export type ModelUsage = Omit<TokenUsage, 'totalTokens'>;

export interface Completed {
  readonly content: string;
  readonly reasoning: readonly ReasoningItem[];
  readonly logprobs: readonly unknown[];
  readonly toolCalls: readonly ToolCall[];
  readonly finish: Finish;
  readonly usage: ModelUsage;
  readonly provider: string;
  readonly queueMs: number;
  readonly ttftMs: number | null;
  readonly tokensPerS: number | null;
  readonly price: string;
  readonly seal: CallSeal;
}

export type VisiblePiece = Extract<ChatDelta, { readonly kind: 'text' | 'tool' | 'reasoning' | 'logprobs' }>;

/** The wire format of an answer: whole, or in chunks. */
export interface AnswerShape<Whole, Chunk> {
  whole(completed: Completed): Whole;
  first(): readonly Chunk[];
  piece(piece: VisiblePiece, provider: string): readonly Chunk[];
  last(completed: Completed): readonly Chunk[];
}

interface ChatCaller {
  readonly gone: AbortSignal;
  readonly onPiece: (piece: VisiblePiece, provider: string) => void;
}

class Gathered {
  state: AnswerState = EMPTY_ANSWER;
  askedMs: number | null = null;
  firstMs: number | null = null;
  error: unknown = null;
}

function sumOf(usages: readonly ModelUsage[]): ModelUsage {
  return usages.reduce((sum, usage) => ({
    promptTokens: sum.promptTokens + usage.promptTokens,
    completionTokens: sum.completionTokens + usage.completionTokens,
    cachedPromptTokens: sum.cachedPromptTokens + usage.cachedPromptTokens,
    cacheWriteTokens: sum.cacheWriteTokens + usage.cacheWriteTokens,
    reasoningTokens: sum.reasoningTokens + usage.reasoningTokens,
    estimated: sum.estimated || usage.estimated,
  }));
}

function usageOf({ plan }: Ticket, { state }: Gathered): ModelUsage {
  const { last, failedAttempts, content } = state;
  const touched = content !== '' || state.calls.length > 0;
  const unreported = {
    promptTokens: touched ? plan.promptTokens : 0,
    completionTokens: estimateTokens(content),
    cachedPromptTokens: 0,
    cacheWriteTokens: 0,
    reasoningTokens: 0,
    estimated: true,
  };
  return sumOf([last?.usage ?? unreported, ...failedAttempts.map(({ usage }) => usage)]);
}

/** Micro-aiDollars that the agent is charged. */
export function chargeOf({ perThousand, held }: Reservation, usedTokens: number): bigint {
  const cost = tokenCost(usedTokens, perThousand);
  return cost > held ? held : cost;
}

/** The estimated cost of all attempts in the currency of the newest; null if none has a known price. Pure. */
function providerCostOf({ last, failedAttempts }: Pick<AnswerState, 'last' | 'failedAttempts'>): ProviderCost | null {
  const costs = [...failedAttempts, ...(last === null ? [] : [last])].flatMap(({ costEstimate }) => costEstimate ?? []);
  const currency = costs.at(-1)?.currency;
  if (currency === undefined) return null;
  const same = costs.filter((cost) => cost.currency === currency);
  return { currency, micros: same.reduce((sum, { micros }) => sum + micros, 0n) };
}

export interface Conclusion {
  readonly outcome: ModelRequestEnd['outcome'];
  readonly usage: ModelUsage;
  readonly providerCost: ProviderCost | null;
  /** The provider that was asked last. */
  readonly provider: string;
  readonly seal: CallSeal;
}

/** Records the use of a request: money first, then the tokens of the hour, together with its line in the audit. */
export async function conclude(ports: GatewayPorts, ticket: Ticket, conclusion: Conclusion): Promise<void> {
  const { requestId, plan, reservation, startedMs, run } = ticket;
  const { outcome, usage, provider, seal, providerCost } = conclusion;
  const { promptTokens, completionTokens, estimated } = usage;
  const used = promptTokens + completionTokens;
  const costMicros = chargeOf(reservation, used);
  try {
    await (used === 0 ? ports.meter.release(reservation) : ports.meter.settle(reservation, used));
    const end = { outcome, promptTokens, completionTokens };
    const line = callLine(ticket, { ...end, provider, cost: costMicros, estimated, seal });
    const charge = run === null ? undefined : { runId: run.runId, tokens: used, costMicros: Number(costMicros) };
    await endModelRequest(ports.db, { requestId, line, charge, providerCost }, end);
  } catch (error) {
    ports.metrics.unsettled();
    throw error;
  }
  ports.metrics.ended(plan.served.name, { outcome, usage, costMicros, durationMs: ports.monotonicMs() - startedMs });
  if (outcome === 'done') await ports.health.succeeded({ provider, model: plan.served.name });
}

/** Outcomes of accepted requests for which no provider was asked, by the reason that their callers got. Others were stopped. */
const UNASKED: Readonly<Partial<Record<Refusal, ModelRequestEnd['outcome']>>> = {
  account_closed: 'not_paid',
  insufficient_funds: 'not_paid',
  model_busy: 'failed',
  rate_limited: 'rate_limited',
  unavailable: 'failed',
};

/** Ends a refused request without asking a provider, and frees its tokens. `isGone`: its caller left before the refusal. */
export async function endUnasked(
  { db }: GatewayPorts,
  { requestId }: Pick<Ticket, 'requestId'>,
  { reason, isGone = false }: Pick<Refused, 'reason'> & { readonly isGone?: boolean },
): Promise<void> {
  const outcome = (isGone ? undefined : UNASKED[reason]) ?? 'cancelled';
  await endModelRequest(db, { requestId, line: null }, { outcome, promptTokens: 0, completionTokens: 0 });
}

/** Ends an accepted request that its count refuses, without asking a provider, and frees its money, tokens and place. */
export async function withdraw(ports: GatewayPorts, ticket: Ticket, refusal: Refused): Promise<void> {
  ticket.brake.close();
  ticket.place.release();
  await Promise.all([ports.meter.release(ticket.reservation), endUnasked(ports, ticket, refusal)]);
}

async function keepAnswer(ports: GatewayPorts, { requestId, agentId, run, plan }: Ticket, seal: CallSeal) {
  await keepText(ports, { requestId, agentId, runId: run?.runId ?? null, model: plan.served.name, seal });
}

const providerOf = ({ plan }: Ticket, { state }: Gathered): string => state.target?.provider ?? plan.served.provider;

function failureOf({ state, error }: Gathered): ModelError | null {
  return state.last?.kind === 'failed' && error === null ? state.last.error : null;
}

/** The tokens of an incomplete answer. They include the prompt if a provider was asked, even if no text has arrived. */
function cutUsage(ticket: Ticket, gathered: Gathered): ModelUsage {
  const spent = usageOf(ticket, gathered);
  const isPromptRead = gathered.askedMs !== null && spent.promptTokens === 0;
  return isPromptRead ? { ...spent, promptTokens: ticket.plan.promptTokens, estimated: true } : spent;
}

async function noteFailure(
  ports: GatewayPorts,
  { plan, requestId }: Ticket,
  { gathered, late }: { readonly gathered: Gathered; readonly late: string | null },
): Promise<Refused> {
  const error = failureOf(gathered);
  const provider = error?.provider ?? plan.served.provider;
  await ports.health.failed({ provider, model: plan.served.name }, error);
  ports.log('warn', 'the provider of a model failed', {
    model: plan.served.name,
    provider,
    request_id: requestId,
    error: late ?? (error === null ? gathered.error : loggedFailure(error)),
  });
  if (late !== null)
    return refused('model_failed', `The answer of ${provider} ${late}; the agent pays only for the tokens so far`);
  return refusalOfModel(error, provider);
}

/** The agent pays for the tokens so far; during a freeze, only if text has arrived. */
async function giveUp(
  ports: GatewayPorts,
  ticket: Ticket,
  about: {
    readonly gathered: Gathered;
    readonly gone: boolean;
    readonly late: string | null;
    readonly seal: CallSeal;
  },
): Promise<Refused> {
  const { gathered, gone, late, seal } = about;
  const braked = ticket.brake.refusal();
  const asked = { provider: providerOf(ticket, gathered), providerCost: providerCostOf(gathered.state), seal };
  if (braked === null && !gone) {
    await conclude(ports, ticket, { outcome: 'failed', usage: usageOf(ticket, gathered), ...asked });
    return noteFailure(ports, ticket, { gathered, late });
  }
  const isFrozen = braked?.reason === 'village_frozen';
  const usage = isFrozen ? usageOf(ticket, gathered) : cutUsage(ticket, gathered);
  await conclude(ports, ticket, { outcome: 'cancelled', usage, ...asked });
  return braked ?? refusalOfModel(null, ticket.plan.served.provider);
}

function passOn(
  { plan, run }: Ticket,
  piece: VisiblePiece,
  about: { readonly gathered: Gathered; readonly onPiece: ChatCaller['onPiece'] },
): void {
  if (piece.kind === 'text') run?.publisher?.publish(piece.text);
  about.onPiece(piece, about.gathered.state.target?.provider ?? plan.served.provider);
}

const VISIBLE: ReadonlySet<ChatDelta['kind']> = new Set(['text', 'tool', 'reasoning', 'logprobs']);
const isVisible = (delta: ChatDelta): delta is VisiblePiece => VISIBLE.has(delta.kind);

interface Asked {
  readonly gathered: Gathered;
  readonly clock: AnswerClock;
}

async function ask(
  ports: GatewayPorts,
  ticket: Ticket,
  about: Asked & { readonly signal: AbortSignal; readonly onPiece: ChatCaller['onPiece'] },
): Promise<void> {
  const { signal, gathered, clock } = about;
  const { run, requestId } = ticket;
  const { served, request } = ticket.plan;
  try {
    const traceparent = run === null ? undefined : await ports.tracing?.ofModelRequest(run.runId, requestId);
    signal.throwIfAborted();
    gathered.askedMs = ports.monotonicMs();
    for await (const delta of served.port.stream({ ...request, traceparent, signal })) {
      clock.take(delta);
      gathered.state = foldDelta(gathered.state, delta);
      if (signal.aborted) continue;
      if (isVisible(delta) || delta.kind === 'held') gathered.firstMs ??= ports.monotonicMs();
      if (isVisible(delta)) passOn(ticket, delta, about);
    }
  } catch (error) {
    gathered.error = error;
  }
}

function completedOf(
  ports: GatewayPorts,
  ticket: Ticket,
  { gathered, seal }: { readonly gathered: Gathered; readonly seal: CallSeal },
): Completed | null {
  const { state, askedMs, firstMs, error } = gathered;
  if (error !== null || askedMs === null || state.last?.kind !== 'end') return null;
  const outcome = outcomeOf(state);
  if (!outcome.ok) return null;
  const usage = usageOf(ticket, gathered);
  const writingMs = firstMs === null ? 0 : ports.monotonicMs() - firstMs;
  const { content, reasoningItems: reasoning, logprobs, toolCalls, finish, target } = outcome.answer;
  const { completionTokens } = outcome.answer.usage;
  return {
    content,
    reasoning,
    logprobs,
    toolCalls,
    finish,
    usage,
    provider: target.provider,
    queueMs: Math.round(askedMs - ticket.startedMs),
    ttftMs: firstMs === null ? null : Math.round(firstMs - askedMs),
    tokensPerS: writingMs > 0 ? Math.round((completionTokens / writingMs) * 10_000) / 10 : null,
    price: formatAiDollars(chargeOf(ticket.reservation, usage.promptTokens + usage.completionTokens)),
    seal,
  };
}

/** Logs that the end of a request could not be recorded, and refuses it. Its provider was asked. */
export function refuseUnrecorded({ log }: GatewayPorts, { requestId }: Ticket, error: unknown): Refused {
  log('error', 'the end of a model request could not be recorded', { request_id: requestId, error });
  return { ...refusalOfError(error), asked: true };
}

/** Throws if the end cannot be recorded, so that the caller gets no complete answer that is not paid for. */
export async function carryOut(ports: GatewayPorts, ticket: Ticket, caller: ChatCaller): Promise<Outcome<Completed>> {
  const { brake } = ticket;
  const gathered = new Gathered();
  const clock = new AnswerClock(ports.answerTimes);
  const abort = new FollowingAbort([caller.gone, brake.signal, clock.signal]);
  try {
    await ask(ports, ticket, { signal: abort.signal, gathered, clock, onPiece: caller.onPiece });
    const seal = sealChat(ticket.plan.request.messages, gathered.state);
    await keepAnswer(ports, ticket, seal);
    const completed = completedOf(ports, ticket, { gathered, seal });
    if (completed === null)
      return await giveUp(ports, ticket, { gathered, gone: caller.gone.aborted, late: clock.late, seal });
    await conclude(ports, ticket, { ...completed, outcome: 'done', providerCost: providerCostOf(gathered.state) });
    return accepted(completed);
  } finally {
    abort.leave();
    clock.stop();
    brake.close();
    ticket.place.release();
  }
}
