import type {
  ChatCompletion,
  ChatCompletionBody,
  ChatCompletionChunk,
  CompletionUsage,
  ModelReceipt,
} from '@hamlet/contract';
import type { Finish } from '@hamlet/models';
import type { Ticket } from '../admit-request.ts';
import { sealView } from '../texts/call-seal.ts';
import type { AnswerShape, Completed, VisiblePiece } from '../carry-out.ts';
import { CallPieces, wireCall } from './call-pieces.ts';
import { customNames } from './custom-tools.ts';
import { MODELS_MADE_S, type ModelCatalog } from '../models/village-models.ts';

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

/** The words of the thoughts; a provider may hide some. */
const thoughtsOf = ({ reasoning }: Pick<Completed, 'reasoning'>): string => reasoning.map(({ text }) => text).join('');

export function usageOf({ usage }: Pick<Completed, 'usage'>): CompletionUsage {
  const { promptTokens, completionTokens, cachedPromptTokens, reasoningTokens } = usage;
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    prompt_tokens_details: { cached_tokens: cachedPromptTokens },
    completion_tokens_details: { reasoning_tokens: reasoningTokens },
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
    ...(plan.notes.length === 0 ? {} : { notes: [...plan.notes] }),
  };
}

function thoughtFields(
  completed: Completed,
): Pick<ChatCompletion['choices'][number]['message'], 'reasoning_content' | 'reasoning_items'> {
  if (completed.reasoning.length === 0) return {};
  return {
    reasoning_content: thoughtsOf(completed),
    reasoning_items: completed.reasoning.map((item) => ({ ...item })),
  };
}

export function headAt({ isScripted }: Pick<ModelCatalog, 'isScripted'>, now: Date): CompletionHead {
  return { createdS: Math.floor(now.getTime() / 1_000), isScripted };
}

function completionOf(
  ticket: Ticket,
  completed: Completed,
  { head, customs }: { readonly head: CompletionHead; readonly customs: ReadonlySet<string> },
): ChatCompletion {
  const { content, toolCalls, finish, provider } = completed;
  const calls = toolCalls.length === 0 ? {} : { tool_calls: toolCalls.map((call) => wireCall(call, customs)) };
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
          ...thoughtFields(completed),
          ...calls,
        },
        logprobs: probabilitiesOf(completed.logprobs),
        finish_reason: finish,
      },
    ],
    usage: usageOf(completed),
    hamlet: receiptOf(ticket, completed, head),
  };
}

function probabilitiesOf(tokens: readonly unknown[]): ChatCompletion['choices'][number]['logprobs'] {
  return tokens.length === 0 ? null : { content: [...tokens], refusal: null };
}

function thoughtDelta({ text, sealed = null }: Extract<VisiblePiece, { readonly kind: 'reasoning' }>): Delta {
  return {
    ...(text === '' ? {} : { reasoning_content: text }),
    ...(sealed === null ? {} : { reasoning_items: [{ text, sealed }] }),
  };
}

const NO_CHANGE = { index: 0, delta: {}, finish_reason: null } as const;

export function completionShape(
  ticket: Ticket,
  { stream_options: streamOptions, tools }: Pick<ChatCompletionBody, 'stream_options' | 'tools'>,
  head: CompletionHead,
): AnswerShape<ChatCompletion, ChatCompletionChunk> {
  const includeUsage = streamOptions?.include_usage === true;
  const { isScripted } = head;
  const customs = customNames(tools ?? []);
  const calls = new CallPieces(ticket.plan.request.messages.length, customs);
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
    whole: (completed) => completionOf(ticket, completed, { head, customs }),
    first: () => [chunk(ticket.plan.served.provider, { role: 'assistant', content: '' })],
    piece: (piece, provider) => {
      if (piece.kind === 'text') return [chunk(provider, { content: piece.text })];
      if (piece.kind === 'logprobs')
        return [{ ...chunk(provider, {}), choices: [{ ...NO_CHANGE, logprobs: probabilitiesOf(piece.tokens) }] }];
      if (piece.kind === 'reasoning') return [chunk(provider, thoughtDelta(piece))];
      return calls.deltasOf(piece).map((call) => chunk(provider, { tool_calls: [call] }));
    },
    last: (completed) => {
      const { provider, finish } = completed;
      const hamlet = receiptOf(ticket, completed, head);
      return [
        ...calls.restOf(completed.toolCalls).map((call) => chunk(provider, { tool_calls: [call] })),
        { ...chunk(provider, {}, finish), hamlet },
        ...(includeUsage ? [{ ...headBy(provider), hamlet, choices: [], usage: usageOf(completed) }] : []),
      ];
    },
  };
}
