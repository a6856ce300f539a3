import { CONNECTABLE_KINDS, type ConnectableKind } from '@hamlet/contract';

/** A kind of provider as the form offers it. `address` is null if the kind has an address of its own. */
export interface ProviderKind {
  readonly word: string;
  readonly hint: string;
  readonly address: string | null;
  readonly key: 'needed' | 'optional';
  /** The provider's name of a model, as an example. */
  readonly model: string;
}

export const PROVIDER_KINDS: Readonly<Record<ConnectableKind, ProviderKind>> = {
  openai: { word: 'OpenAI', hint: 'GPT models', address: null, key: 'needed', model: 'gpt-5-mini' },
  openrouter: {
    word: 'OpenRouter',
    hint: 'Models of many makers with one key',
    address: null,
    key: 'needed',
    model: 'qwen/qwen3-32b',
  },
  anthropic: {
    word: 'Anthropic',
    hint: 'Claude models',
    address: null,
    key: 'needed',
    model: 'claude-haiku-4-5',
  },
  ollama: {
    word: 'Ollama',
    hint: 'Models on your own machine',
    address: 'http://ollama:11434/v1',
    key: 'optional',
    model: 'qwen3:8b',
  },
  vllm: {
    word: 'vLLM',
    hint: 'Models on your own GPUs',
    address: 'http://vllm:8000/v1',
    key: 'optional',
    model: 'Qwen/Qwen3-8B',
  },
  compatible: {
    word: 'Other server',
    hint: 'Any server that speaks the format of OpenAI',
    address: 'http://server:8080/v1',
    key: 'optional',
    model: 'my-model',
  },
  completions: {
    word: 'Base model',
    hint: 'A model that only continues a text, without tools',
    address: 'http://server:8080/v1',
    key: 'optional',
    model: 'my-base-model',
  },
};

/** The kind of a provider in a word; a kind that this page does not know is named by its own name. */
export function kindLabel(kind: string): string {
  const known = CONNECTABLE_KINDS.find((each) => each === kind);
  if (known !== undefined) return PROVIDER_KINDS[known].word;
  return kind === 'scripted' ? 'Scripted mind' : kind === 'openai-subscription' ? 'Subscription' : kind;
}
