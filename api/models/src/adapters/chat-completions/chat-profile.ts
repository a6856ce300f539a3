/** The differences between servers that speak OpenAI's Chat Completions. */
export interface ChatProfile {
  /** Name of the field for the limit of an answer: OpenAI replaced `max_tokens`, the others did not. */
  readonly limitField: 'max_tokens' | 'max_completion_tokens';
  /** False if the server refuses `stream_options`; usage is then estimated. */
  readonly streamUsage: boolean;
  /** Fields that every request has in addition. */
  readonly extra: Readonly<Record<string, unknown>>;
  /** Headers that every request has in addition. */
  readonly headers: Readonly<Record<string, string>>;
  /** Fields that the server refuses and that are left out: `temperature`, `seed`, `parallel_tool_calls`. */
  readonly omit: readonly string[];
}

const COMMON: ChatProfile = { limitField: 'max_tokens', streamUsage: true, extra: {}, headers: {}, omit: [] };

export const CHAT_PROFILES = {
  openai: { ...COMMON, limitField: 'max_completion_tokens' },
  // The answer then says what it cost and how many tokens came from the cache; the title names the program in OpenRouter's own pages.
  openrouter: { ...COMMON, extra: { usage: { include: true } }, headers: { 'x-title': 'Hamlet' } },
  vllm: COMMON,
  compatible: COMMON,
} as const satisfies Readonly<Record<string, ChatProfile>>;
