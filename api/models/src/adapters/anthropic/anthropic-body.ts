import { z } from 'zod';
import type { ChatImage, ChatMessage, ChatRequest, ReasoningItem, ToolChoice } from '../../chat/chat-request.ts';
import { effortOf, extraFieldsFor, type ExtraField } from '../../chat/extra-fields.ts';
import { ModelFault } from '../../chat/model-error.ts';
import type { AdapterCall } from '../../chat/model.ts';
import { withCalledTools } from '../../chat/older-calls.ts';
import { openedSeal, REDACTED, sealedTypeOf } from '../sealed-thought.ts';
import { isRepeated, markAt, markNewest, type Turn } from './cache-marks.ts';
import { objectOf } from '../../transport/parse-reply.ts';

/** The Messages API needs a limit in every request. */
export const DEFAULT_MAX_TOKENS = 4_096;

type Block = Readonly<Record<string, unknown>>;

function imageBlock({ mediaType, data }: ChatImage): Block {
  return { type: 'image', source: { type: 'base64', media_type: mediaType, data } };
}

/** The API refuses text that is only white space. */
function textBlocks(content: string): readonly Block[] {
  return content.trim() === '' ? [] : [{ type: 'text', text: content }];
}

/** The API accepts only its own thoughts: those with its signature, and redacted ones. */
function thoughtBlocks(reasoning: readonly ReasoningItem[]): readonly Block[] {
  return reasoning.flatMap((item): readonly Block[] => {
    const redacted = openedSeal(item, REDACTED);
    if (redacted !== null) return [redacted];
    if (item.sealed === null || sealedTypeOf(item) !== null) return [];
    return [{ type: 'thinking', thinking: item.text, signature: item.sealed }];
  });
}

/** An id of a call that another provider made may have characters that the API refuses. */
const wireId = (id: string): string => id.replaceAll(/[^\w-]/g, '_');

function turnOf(message: Exclude<ChatMessage, { readonly role: 'system' }>): Turn {
  switch (message.role) {
    case 'user':
      return { role: 'user', content: [...textBlocks(message.content), ...(message.images ?? []).map(imageBlock)] };
    case 'tool': {
      const images = (message.images ?? []).map(imageBlock);
      const content = images.length === 0 ? message.content : [...textBlocks(message.content), ...images];
      return { role: 'user', content: [{ type: 'tool_result', tool_use_id: wireId(message.toolCallId), content }] };
    }
    case 'assistant': {
      const calls = (message.toolCalls ?? []).map((call) => ({
        type: 'tool_use',
        id: wireId(call.id),
        name: call.name,
        input: objectOf(call),
      }));
      const thoughts = thoughtBlocks(message.reasoning ?? []);
      return { role: 'assistant', content: [...thoughts, ...textBlocks(message.content), ...calls] };
    }
    default:
      return message satisfies never;
  }
}

/** Adjacent messages of the same role become one message: the results of parallel calls must be in one message. */
function joinTurns(turns: readonly Turn[]): readonly Turn[] {
  return turns
    .filter(({ content }) => content.length > 0)
    .reduce<Turn[]>((joined, turn) => {
      const last = joined.at(-1);
      if (last?.role !== turn.role) return [...joined, turn];
      return [...joined.slice(0, -1), { role: last.role, content: [...last.content, ...turn.content] }];
    }, []);
}

function choiceOf(choice: ToolChoice, parallel: boolean | undefined): object {
  const disable = parallel === false && choice !== 'none' ? { disable_parallel_tool_use: true } : {};
  if (typeof choice !== 'string') return { type: 'tool', name: choice.name, ...disable };
  return { type: choice === 'required' ? 'any' : choice, ...disable };
}

function toolFields({ tools = [], toolChoice, parallelToolCalls }: ChatRequest): object {
  if (tools.length === 0) return {};
  const needsChoice = toolChoice !== undefined || parallelToolCalls === false;
  const wired = tools.map(({ name, description, parameters }) => ({ name, description, input_schema: parameters }));
  return {
    tools: markAt(wired, -1),
    ...(needsChoice ? { tool_choice: choiceOf(toolChoice ?? 'auto', parallelToolCalls) } : {}),
  };
}

/** The system text, with a mark at the end of its part that later requests repeat. */
function systemFields(messages: readonly ChatMessage[]): object {
  const system = messages.filter((message) => message.role === 'system').filter(({ content }) => content.trim() !== '');
  if (system.length === 0) return {};
  const blocks = system.flatMap(({ content }) => textBlocks(content));
  const stable = system.findLastIndex(({ cacheable }) => cacheable === true);
  return { system: stable < 0 ? blocks : markAt(blocks, stable) };
}

const FIELDS: readonly ExtraField[] = ['top_p', 'top_k', 'thinking', 'reasoning_effort', 'service_tier', 'user'];

const THINKING_MIN_TOKENS = 1_024;
const Thinking = z.looseObject({ budget_tokens: z.number().nullish() });

/** The API refuses a budget of thoughts that leaves no answer: the gateway may have lowered the limit of the answer. */
function thinkingField(value: unknown, maxTokens: number): object {
  const { success, data } = Thinking.safeParse(value);
  if (!success) return {};
  const { budget_tokens: budget } = data;
  if (budget === null || budget === undefined || budget < maxTokens) return { thinking: data };
  if (maxTokens <= THINKING_MIN_TOKENS) return {};
  return { thinking: { ...data, budget_tokens: maxTokens - 1 } };
}

function extraFields({ extra, maxTokens = DEFAULT_MAX_TOKENS }: ChatRequest): object {
  const { top_p, top_k, thinking, service_tier: tier, user } = extraFieldsFor(FIELDS, extra);
  return {
    ...(top_p === undefined ? {} : { top_p }),
    ...(top_k === undefined ? {} : { top_k }),
    ...thinkingField(thinking, maxTokens),
    ...(tier === undefined ? {} : { service_tier: tier === 'default' ? 'standard_only' : tier }),
    ...(user === undefined ? {} : { metadata: { user_id: user } }),
  };
}

/** The format and the effort of an answer. */
function outputFields({ responseSchema, extra = {} }: ChatRequest): object {
  const effort = effortOf(extra) ?? null;
  const config = {
    ...(responseSchema === undefined ? {} : { format: { type: 'json_schema', schema: responseSchema.schema } }),
    ...(effort === null ? {} : { effort }),
  };
  return Object.keys(config).length === 0 ? {} : { output_config: config };
}

function answerFields(request: ChatRequest): object {
  const { temperature, stop } = request;
  return {
    ...(temperature === undefined ? {} : { temperature }),
    ...(stop === undefined || stop.length === 0 ? {} : { stop_sequences: stop }),
    ...outputFields(request),
    ...extraFields(request),
  };
}

/** The body of a request to `/v1/messages`. Omits `seed`, which the API lacks. Pure. */
export function anthropicBody({ request: asked, model, stream }: AdapterCall): Record<string, unknown> {
  const request = withCalledTools(asked);
  if (request.jsonObject === true && request.responseSchema === undefined)
    throw new ModelFault('bad_request', 'the Messages API needs a schema for JSON: give one, or ask for text');
  const turns = joinTurns(request.messages.flatMap((message) => (message.role === 'system' ? [] : [turnOf(message)])));
  if (turns.length === 0)
    throw new ModelFault('bad_request', 'the Messages API needs a user message besides the system text: add one');
  return {
    model,
    max_tokens: request.maxTokens ?? DEFAULT_MAX_TOKENS,
    stream,
    ...systemFields(request.messages),
    messages: isRepeated(asked) ? markNewest(turns) : turns,
    ...toolFields(request),
    ...answerFields(request),
  };
}
