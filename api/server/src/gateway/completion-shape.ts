import type { ChatCompletion, ChatCompletionChunk, CompletionUsage } from '@hamlet/contract';
import type { Completed, Ticket } from './chat-gateway.ts';
import type { ModelUsage } from './model-provider.ts';

function headOf(
  { requestId, plan }: Ticket,
  createdS: number,
): Pick<ChatCompletion, 'id' | 'created' | 'model' | 'system_fingerprint' | 'hamlet'> {
  const { provider, served } = plan.route;
  return {
    id: `chatcmpl-${requestId}`,
    created: createdS,
    model: served.model,
    system_fingerprint: `${provider.name}-${served.createdS}`,
    hamlet: { provider: provider.name, scripted: provider.scripted },
  };
}

function usageOf({ promptTokens, completionTokens }: ModelUsage): CompletionUsage {
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
  };
}

/** A complete answer in OpenAI's format. Pure. */
export function completionOf(ticket: Ticket, { text, finish, usage }: Completed, createdS: number): ChatCompletion {
  return {
    ...headOf(ticket, createdS),
    object: 'chat.completion',
    choices: [
      { index: 0, message: { role: 'assistant', content: text, refusal: null }, logprobs: null, finish_reason: finish },
    ],
    usage: usageOf(usage),
  };
}

/** The chunks of one streamed answer. */
export interface Chunks {
  first(): ChatCompletionChunk;
  text(text: string): ChatCompletionChunk;
  /** The last chunk, and the usage after it if the request asked for it. */
  last(completed: Completed): readonly ChatCompletionChunk[];
}

export function chunksOf(
  ticket: Ticket,
  options: { readonly createdS: number; readonly includeUsage: boolean },
): Chunks {
  const { createdS, includeUsage } = options;
  const head = { ...headOf(ticket, createdS), object: 'chat.completion.chunk' as const };
  const beforeUsage = includeUsage ? { usage: null } : {};
  const chunk = (
    delta: ChatCompletionChunk['choices'][number]['delta'],
    finish: 'stop' | 'length' | null,
  ): ChatCompletionChunk => ({
    ...head,
    ...beforeUsage,
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
  });
  return {
    first: () => chunk({ role: 'assistant', content: '' }, null),
    text: (text) => chunk({ content: text }, null),
    last: ({ finish, usage }) => [
      chunk({}, finish),
      ...(includeUsage ? [{ ...head, choices: [], usage: usageOf(usage) }] : []),
    ],
  };
}
