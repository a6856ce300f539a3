import { EXTRA_FIELDS, type ExtraField } from '../../chat/extra-fields.ts';

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
  /** The fields of an assistant message that repeat its thoughts as text; none if the server refuses them. */
  readonly thoughtFields: readonly ('reasoning_content' | 'reasoning')[];
  /** The field that repeats sealed thoughts; null if the server has none. */
  readonly sealField: 'reasoning_items' | 'reasoning_details' | null;
  /** The extra fields that the server has. */
  readonly fields: readonly ExtraField[];
}

/** `thinking` is Anthropic's own. */
const WITHOUT_THINKING = EXTRA_FIELDS.filter((field) => field !== 'thinking');

const COMMON: ChatProfile = {
  limitField: 'max_tokens',
  streamUsage: true,
  extra: {},
  headers: {},
  omit: [],
  thoughtFields: ['reasoning_content'],
  sealField: null,
  fields: WITHOUT_THINKING,
};

export const CHAT_PROFILES = {
  // OpenAI shows no thoughts in this protocol, and refuses unknown fields of a message.
  openai: {
    ...COMMON,
    limitField: 'max_completion_tokens',
    thoughtFields: [],
    fields: WITHOUT_THINKING.filter((field) => field !== 'top_k'),
  },
  // With `usage.include`, an answer has its cost and the number of cached tokens. OpenRouter shows the title on its
  // pages.
  openrouter: {
    ...COMMON,
    extra: { usage: { include: true } },
    headers: { 'x-title': 'Hamlet' },
    thoughtFields: ['reasoning'],
    sealField: 'reasoning_details',
  },
  // Versions of vLLM read one of the two names of thoughts and ignore the other. It also ignores fields that it lacks.
  vllm: {
    ...COMMON,
    thoughtFields: ['reasoning_content', 'reasoning'],
    fields: WITHOUT_THINKING.filter((field) => field !== 'verbosity' && field !== 'service_tier'),
  },
  compatible: COMMON,
  /** The gateway of a village, which keeps the seals of all providers. */
  gateway: { ...COMMON, sealField: 'reasoning_items' },
} as const satisfies Readonly<Record<string, ChatProfile>>;
