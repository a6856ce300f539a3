import type { ChatCompletionBody, EmbeddingsBody } from '@hamlet/contract';
import type { ChatRequest } from '@hamlet/models';
import { accepted, refused, type Outcome } from '../http/outcome.ts';
import type { Allowance } from '../limits/agent-limits.ts';
import { chatRequestOf } from './chat-request-of.ts';
import type { ModelCatalog, ServedModel } from './models/village-models.ts';

export interface PlannedRequest {
  readonly served: ServedModel;
  readonly request: ChatRequest;
  readonly promptTokens: number;
  readonly toolsIgnored: boolean;
  readonly tokens: number;
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

export function planRequest(body: ChatCompletionBody, allowance: Allowance, asking: Asking): Outcome<PlannedRequest> {
  const found = servedModel(body.model, allowance, asking);
  if (!found.ok) return found;
  const served = found.data;
  const { name, contextTokens, answerTokens } = served;
  const { request: asked, toolsIgnored } = served.fit(chatRequestOf(body));
  const promptTokens = served.countTokens(asked);
  const room = contextTokens - promptTokens;
  if (room < 1)
    return refused(
      'context_too_long',
      `The messages have ${promptTokens} tokens; ${name} takes at most ${contextTokens}, including its answer: shorten them`,
    );
  const maxTokens = Math.min(body.max_completion_tokens ?? body.max_tokens ?? answerTokens, room);
  return accepted({
    served,
    promptTokens,
    tokens: promptTokens + maxTokens,
    request: { ...asked, maxTokens },
    toolsIgnored,
  });
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
  const texts = typeof input === 'string' ? [input] : input;
  const request = { messages: texts.map((content) => ({ role: 'user' as const, content })) };
  const promptTokens = served.countTokens(request);
  return accepted({ served, request, promptTokens, tokens: promptTokens, toolsIgnored: false });
}
