import type { ChatCompletionBody, ChatMessage } from '@hamlet/contract';
import { hashText } from '@hamlet/core';
import { accepted, refused } from '../http/outcome.ts';
import type { Outcome } from '../http/outcome.ts';
import type { Allowance } from '../limits/agent-limits.ts';
import type { ModelRequest, ModelRoute, PromptMessage } from './model-provider.ts';

/** A request that is ready to be sent: its provider, its content, and the tokens that it can use. */
export interface PlannedRequest {
  readonly route: ModelRoute;
  readonly request: ModelRequest;
  readonly promptTokens: number;
  /** Tokens of the prompt plus the longest answer. */
  readonly tokens: number;
}

function textOf({ content }: ChatMessage): string {
  if (content === null || content === undefined) return '';
  return typeof content === 'string' ? content : content.map(({ text }) => text).join('');
}

function promptOf(messages: readonly ChatMessage[]): readonly PromptMessage[] {
  return messages.map((message) => ({
    role: message.role === 'developer' ? 'system' : message.role,
    text: textOf(message),
  }));
}

function namesOf(models: readonly string[]): string {
  return models.length === 0 ? 'no models' : models.join(', ');
}

/** The request to a provider, or its refusal. Pure. */
export function planRequest(
  body: ChatCompletionBody,
  allowance: Allowance,
  routes: ReadonlyMap<string, ModelRoute>,
): Outcome<PlannedRequest> {
  const { model } = body;
  const { models } = allowance.limits;
  if (!models.includes(model))
    return refused('model_not_in_tier', `The tier ${allowance.tier} includes ${namesOf(models)}, but not ${model}`);
  const route = routes.get(model);
  if (route === undefined)
    return refused(
      'model_not_served',
      `The tier includes ${model}, but no provider of this village serves it; the village serves ${namesOf([...routes.keys()])}`,
    );
  const messages = promptOf(body.messages);
  const promptTokens = route.provider.countTokens(model, messages);
  const { contextTokens, answerTokens } = route.served;
  const room = contextTokens - promptTokens;
  if (room < 1)
    return refused(
      'context_too_long',
      `The messages have ${promptTokens} tokens; ${model} takes at most ${contextTokens}, including its answer`,
    );
  const maxTokens = Math.min(body.max_completion_tokens ?? body.max_tokens ?? answerTokens, room);
  const stop = typeof body.stop === 'string' ? [body.stop] : (body.stop ?? []);
  const seed = hashText(String(body.seed ?? JSON.stringify(messages)));
  return accepted({
    route,
    promptTokens,
    tokens: promptTokens + maxTokens,
    request: { model, messages, maxTokens, seed, stop },
  });
}
