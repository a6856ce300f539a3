import type { ChatCompletionBody, EmbeddingsBody, ModelReceipt } from '@hamlet/contract';
import { estimateRepeatedThoughts, type ChatRequest, type EmbeddingInput } from '@hamlet/models';
import type { BudgetsLeft } from '@hamlet/store';
import { accepted, refused, type Outcome } from '../http/outcome.ts';
import type { Allowance } from '../limits/agent-limits.ts';
import { refusalOfChat } from './chat/refused-fields.ts';
import { chatRequestOf } from './chat/chat-request-of.ts';
import type { ModelCatalog, ServedModel } from './models/village-models.ts';

export interface PlannedRequest {
  readonly served: ServedModel;
  readonly request: ChatRequest;
  readonly promptTokens: number;
  /** Parts of the request that the model cannot give. */
  readonly notes: NonNullable<ModelReceipt['notes']>;
  /** Maximum number of tokens that the request can use. Their money is held. */
  readonly tokens: number;
  /** Tokens of the hour that are reserved: of a long answer only a share of the hour, because few answers are as long as they may be. */
  readonly quotaTokens: number;
}

/** Tokens that a prompt must leave for an answer, and the share of a small context. */
const ANSWER_ROOM = 4_096;
const ROOM_SHARE = 8;
/** The share of the hour's tokens that one answer reserves at most. */
const HOUR_SHARE = 64;
/** A prompt of code or JSON may have a third more tokens than estimated; a provider refuses an answer that may not fit. */
const UNDERESTIMATE = 4 / 3;

interface Overflow {
  readonly name: string;
  readonly promptTokens: number;
  readonly contextTokens: number;
  readonly least: number;
}

/** Begins as Anthropic's message and continues as OpenAI's, because clients compact a conversation by these words. */
function tooLong({ name, promptTokens, contextTokens, least }: Overflow): string {
  return `prompt is too long: ${promptTokens} tokens > ${contextTokens - least} maximum. The maximum context length of ${name} is ${contextTokens} tokens, including its answer: shorten the messages`;
}

function namesOf(models: readonly string[]): string {
  return models.length === 0 ? 'no models' : models.join(', ');
}

export interface Asking {
  readonly agentId: string;
  readonly catalog: ModelCatalog;
}

export function servedModel(
  model: string,
  { tier, limits: { models } }: Allowance,
  { catalog, agentId }: Asking,
): Outcome<ServedModel> {
  if (!models.includes(model))
    return refused('model_not_in_tier', `The tier ${tier} includes ${namesOf(models)}, but not ${model}`);
  const found = catalog.find(model, agentId);
  if (found === null)
    return refused(
      'model_not_served',
      `The tier includes ${model}, but no provider of this village serves it; the village serves ${namesOf(catalog.served(agentId))}`,
    );
  if ('missing' in found) return refused('model_not_served', `The village cannot serve ${model}: ${found.missing}`);
  return accepted(found);
}

/** Anthropic alone has the field. Programs send it with each request, so that a refusal would end them. */
const ignoresThinking = ({ thinking }: ChatCompletionBody, { kind }: ServedModel): boolean =>
  thinking !== null && thinking !== undefined && thinking.type !== 'disabled' && kind !== 'anthropic';

/** A conversation that the model can answer, or its refusal. Pure. */
export function planRequest(body: ChatCompletionBody, allowance: Allowance, asking: Asking): Outcome<PlannedRequest> {
  const refusal = refusalOfChat(body);
  if (refusal !== null) return refusal;
  const found = servedModel(body.model, allowance, asking);
  if (!found.ok) return found;
  const served = found.data;
  const { name, contextTokens, answerTokens } = served;
  const { request: asked, toolsIgnored } = served.fit(chatRequestOf(body));
  const promptTokens = served.countTokens(asked);
  const answer = Math.min(body.max_completion_tokens ?? body.max_tokens ?? answerTokens, answerTokens);
  const least = Math.min(answer, ANSWER_ROOM, Math.floor(contextTokens / ROOM_SHARE));
  if (promptTokens + least > contextTokens)
    return refused('context_too_long', tooLong({ name, promptTokens, contextTokens, least }));
  const room = contextTokens - Math.ceil(promptTokens * UNDERESTIMATE);
  const maxTokens = Math.min(answer, Math.max(least, room));
  const readTokens = promptTokens + estimateRepeatedThoughts(asked);
  return accepted({
    served,
    promptTokens,
    tokens: readTokens + maxTokens,
    quotaTokens: readTokens + Math.min(maxTokens, reservable(allowance)),
    request: { ...asked, maxTokens },
    notes: [
      ...(toolsIgnored ? (['tools_ignored'] as const) : []),
      ...(ignoresThinking(body, served) ? (['thinking_ignored'] as const) : []),
    ],
  });
}

/**
 * The request of a program with an answer that its run's budget has room for, or its refusal. A program asks for long
 * answers without knowing the budget; the agent's own engine counts, and ends with a short one. Pure.
 */
export function withinBudget(plan: PlannedRequest, tokensLeft: number): Outcome<PlannedRequest> {
  const { maxTokens: wanted = 0 } = plan.request;
  const readTokens = plan.tokens - wanted;
  const room = tokensLeft - readTokens;
  if (room < Math.min(wanted, 1))
    return refused(
      'run_budget_spent',
      `The run has ${tokensLeft} tokens left, and this request alone has ${readTokens}: end the program, or add tokens to the run`,
    );
  const maxTokens = Math.min(wanted, room);
  return accepted({
    ...plan,
    tokens: readTokens + maxTokens,
    quotaTokens: Math.min(plan.quotaTokens, readTokens + maxTokens),
    request: { ...plan.request, maxTokens },
  });
}

const IN_USE = 'Other requests may use all that the run has left of its budgets: wait for one of them to end';
const WAIT_S = 1;

/**
 * The request of a program within what its run has left, and what no other request may use: a request that only has to
 * wait for the others is refused temporarily. Pure.
 */
export function withinRun(
  plan: PlannedRequest,
  { free, unspentTokens }: Pick<BudgetsLeft, 'free' | 'unspentTokens'>,
): Outcome<PlannedRequest> {
  const planned = withinBudget(plan, free.tokens);
  if (planned.ok && free.costMicros > 0) return planned;
  const alone = withinBudget(plan, unspentTokens);
  return alone.ok ? refused('too_many_in_flight', IN_USE, WAIT_S) : alone;
}

/** Maximum number of tokens that are reserved for one answer. */
function reservable({ limits: { tokens_per_hour: hour } }: Allowance): number {
  return Math.max(ANSWER_ROOM, Math.floor((hour ?? 0) / HOUR_SHARE));
}

/** A text that a base model continues as it is, or its refusal. Pure. */
export function planContinuation(
  body: ChatCompletionBody,
  allowance: Allowance,
  asking: Asking,
): Outcome<PlannedRequest> {
  const planned = planRequest(body, allowance, asking);
  if (!planned.ok) return planned;
  const { served, request } = planned.data;
  if (served.kind !== 'completions')
    return refused('model_bad_request', `${served.name} answers conversations: use /v1/chat/completions`);
  return accepted({ ...planned.data, request: { ...request, continues: true } });
}

const TOKENS =
  'These models read no tokens as input, because their tokenizer may differ: send texts (LangChain: check_embedding_ctx_length=False)';

/** The texts, or lists of tokens, of a request for embeddings. */
export function embeddingInputs(input: EmbeddingsBody['input']): readonly EmbeddingInput[] {
  if (typeof input === 'string') return [input];
  const tokens = input.filter((one) => typeof one === 'number');
  return tokens.length > 0 ? [tokens] : input.filter((one) => typeof one !== 'number');
}

function tokensOf(one: EmbeddingInput, { countTokens }: Pick<ServedModel, 'countTokens'>): number {
  return typeof one === 'string' ? countTokens({ messages: [{ role: 'user', content: one }] }) : one.length;
}

/** A request for embeddings, or its refusal. Only its texts are counted, because the answer has no words. Pure. */
export function planEmbedding(
  { model, input }: EmbeddingsBody,
  allowance: Allowance,
  asking: Asking,
): Outcome<PlannedRequest> {
  const found = servedModel(model, allowance, asking);
  if (!found.ok) return found;
  const served = found.data;
  if (served.embedder === null)
    return refused('model_bad_request', `The provider ${served.provider} has no embeddings: choose another model`);
  const inputs = embeddingInputs(input);
  if (served.kind !== 'openai' && inputs.some((one) => typeof one !== 'string'))
    return refused('unsupported_field', TOKENS);
  const request = { messages: inputs.map((one) => ({ role: 'user' as const, content: String(one) })) };
  const promptTokens = inputs.reduce((sum, one) => sum + tokensOf(one, served), 0);
  return accepted({
    served,
    request,
    promptTokens,
    tokens: promptTokens,
    quotaTokens: promptTokens,
    notes: [],
  });
}
