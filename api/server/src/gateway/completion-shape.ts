import type {
  ChatCompletion,
  ChatCompletionBody,
  ChatCompletionChunk,
  CompletionUsage,
  ModelReceipt,
} from '@hamlet/contract';
import type { Finish, ToolCall } from '@hamlet/models';
import type { Ticket } from './admit-request.ts';
import { sealView } from './texts/call-seal.ts';
import type { Completed, ModelUsage, VisiblePiece } from './carry-out.ts';
import type { AnswerShape } from './conversations/converse.ts';
import { MODELS_MADE_S, type ModelCatalog } from './models/village-models.ts';

export interface CompletionHead {
  readonly createdS: number;
  readonly isScripted: (provider: string) => boolean;
}

type Delta = ChatCompletionChunk['choices'][number]['delta'];

function headOf(
  { requestId, plan }: Ticket,
  { createdS }: CompletionHead,
  provider: string,
): Pick<ChatCompletion, 'id' | 'created' | 'model' | 'system_fingerprint'> {
  return {
    id: `chatcmpl-${requestId}`,
    created: createdS,
    model: plan.served.name,
    system_fingerprint: `${provider}-${MODELS_MADE_S}`,
  };
}

function usageOf({ promptTokens, completionTokens }: ModelUsage): CompletionUsage {
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
  };
}

export function receiptOf({ plan }: Ticket, completed: Completed, { isScripted }: CompletionHead): ModelReceipt {
  const { provider, usage, queueMs, ttftMs, tokensPerS, price, seal } = completed;
  const { promptTokens: prompt, completionTokens: completion, estimated } = usage;
  return {
    provider,
    scripted: isScripted(provider),
    tokens: { prompt, completion, total: prompt + completion },
    queue_ms: queueMs,
    ttft_ms: ttftMs,
    tokens_per_s: tokensPerS,
    price,
    estimated,
    seal: sealView(seal),
    ...(plan.toolsIgnored ? { notes: ['tools_ignored' as const] } : {}),
  };
}

function callOf({ id, name, arguments: text }: ToolCall) {
  return { id, type: 'function' as const, function: { name, arguments: text } };
}

export function headAt({ isScripted }: Pick<ModelCatalog, 'isScripted'>, now: Date): CompletionHead {
  return { createdS: Math.floor(now.getTime() / 1_000), isScripted };
}

function completionOf(ticket: Ticket, completed: Completed, head: CompletionHead): ChatCompletion {
  const { content, toolCalls, finish, usage, provider } = completed;
  const calls = toolCalls.length === 0 ? {} : { tool_calls: toolCalls.map(callOf) };
  return {
    ...headOf(ticket, head, provider),
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: content === '' && toolCalls.length > 0 ? null : content,
          refusal: null,
          ...calls,
        },
        logprobs: null,
        finish_reason: finish,
      },
    ],
    usage: usageOf(usage),
    hamlet: receiptOf(ticket, completed, head),
  };
}

/** Numbers the tool calls of one stream from 0 in the order of their first pieces. Stateful, because it counts. */
class CallNumbers {
  readonly #slots: number[] = [];
  readonly #messages: number;

  constructor(messages: number) {
    this.#messages = messages;
  }

  deltaOf({ slot, id = '', name = '', arguments: text = '' }: Extract<VisiblePiece, { kind: 'tool' }>): Delta | null {
    const at = this.#slots.indexOf(slot);
    if (at >= 0) return text === '' ? null : { tool_calls: [{ index: at, function: { arguments: text } }] };
    const index = this.#slots.push(slot) - 1;
    // The whole answer gets the same id if its provider names none.
    const named = id === '' ? `call_${this.#messages}_${slot}` : id;
    return { tool_calls: [{ index, id: named, type: 'function', function: { name, arguments: text } }] };
  }
}

export function completionShape(
  ticket: Ticket,
  { stream_options: streamOptions }: Pick<ChatCompletionBody, 'stream_options'>,
  head: CompletionHead,
): AnswerShape<ChatCompletion, ChatCompletionChunk> {
  const includeUsage = streamOptions?.include_usage === true;
  const { isScripted } = head;
  const calls = new CallNumbers(ticket.plan.request.messages.length);
  const beforeUsage = includeUsage ? { usage: null } : {};
  const headBy = (provider: string) => ({
    ...headOf(ticket, head, provider),
    object: 'chat.completion.chunk' as const,
    hamlet: { provider, scripted: isScripted(provider) },
  });
  const chunk = (provider: string, delta: Delta, finish: Finish | null = null): ChatCompletionChunk => ({
    ...headBy(provider),
    ...beforeUsage,
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
  });
  return {
    whole: (completed) => completionOf(ticket, completed, head),
    first: () => [chunk(ticket.plan.served.provider, { role: 'assistant', content: '' })],
    piece: (piece, provider) => {
      const delta = piece.kind === 'text' ? { content: piece.text } : calls.deltaOf(piece);
      return delta === null ? [] : [chunk(provider, delta)];
    },
    last: (completed) => {
      const { provider, finish, usage } = completed;
      const hamlet = receiptOf(ticket, completed, head);
      return [
        { ...chunk(provider, {}, finish), hamlet },
        ...(includeUsage ? [{ ...headBy(provider), hamlet, choices: [], usage: usageOf(usage) }] : []),
      ];
    },
  };
}
