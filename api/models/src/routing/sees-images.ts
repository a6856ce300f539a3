import type { ProviderConfig } from './models-config.ts';

/** Providers whose present models see images, apart from those of `BLIND`. */
const SEEING_KINDS: ReadonlySet<ProviderConfig['kind']> = new Set(['openai', 'anthropic', 'openai-subscription']);
const BLIND = /^(gpt-3|gpt-4($|-0|-1106|-32k)|gpt-oss|o1-mini|o1-preview|o3-mini|claude-2|claude-instant)/i;
/** Names of models that see images and that other servers offer. */
const SEEING =
  /(^|[^a-z])(vl|vlm|vision|omni|gpt-4o|gpt-4\.1|gpt-5|o3|o4-mini|claude|gemini)|llava|bakllava|moondream|pixtral|gemma-?3|gemma-?4|llama-?4|llama-?3\.2-(11|90)b|minicpm-?v|internvl|mistral-small-?3\.[1-9]|mistral-medium-?3|ministral-?3|qwen-?3\.5|glm-4\.[1-9]v|kimi-k2\.5|grok-(2-vision|4)/i;

/** True if a model sees images, by the kind of its provider and its name; a configuration overrides this. Pure. */
export function seesImages(kind: ProviderConfig['kind'], model: string): boolean {
  if (BLIND.test(model)) return false;
  return SEEING_KINDS.has(kind) || SEEING.test(model);
}
