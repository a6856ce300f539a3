/** The differences between servers that speak OpenAI's Chat Completions. */
export interface ChatProfile {
  /** Name of the field that limits an answer's tokens: only OpenAI has replaced `max_tokens`. */
  readonly limitField: 'max_tokens' | 'max_completion_tokens';
  /** False if the server refuses `stream_options`; usage is then estimated. */
  readonly streamUsage: boolean;
  readonly extra: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
  /** Fields to omit because the server refuses them: `temperature`, `seed`, `parallel_tool_calls`. */
  readonly omit: readonly string[];
}

const COMMON: ChatProfile = { limitField: 'max_tokens', streamUsage: true, extra: {}, headers: {}, omit: [] };

export const CHAT_PROFILES = {
  openai: { ...COMMON, limitField: 'max_completion_tokens' },
  // With `usage.include`, an answer has its cost and the number of cached tokens. OpenRouter shows the title on its
  // pages.
  openrouter: { ...COMMON, extra: { usage: { include: true } }, headers: { 'x-title': 'Hamlet' } },
  vllm: COMMON,
  compatible: COMMON,
} as const satisfies Readonly<Record<string, ChatProfile>>;
