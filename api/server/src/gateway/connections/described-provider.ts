import type { ConnectedProvider, ModelOffer } from '@hamlet/contract';
import { answerLimit, parseModelsConfig } from '@hamlet/models';

const CONTEXT_TOKENS = 32_768;

export interface Description {
  readonly kind: ConnectedProvider['kind'];
  readonly base_url?: string | undefined;
  readonly models: readonly ModelOffer[];
  readonly max_in_flight?: number | undefined;
}

function ownUrl(kind: ConnectedProvider['kind']): string {
  const parsed = parseModelsConfig({ providers: { own: { kind, credential: 'own' } }, routes: [] });
  const settings = parsed.ok ? parsed.config.providers['own'] : undefined;
  if (settings === undefined || !('baseUrl' in settings))
    throw new Error(`a provider of the kind ${kind} needs an address`);
  return settings.baseUrl;
}

export function describedProvider({
  kind,
  base_url: url,
  models,
  max_in_flight: places,
}: Description): ConnectedProvider {
  return {
    kind,
    base_url: url ?? ownUrl(kind),
    models: models.map(({ name, model = name, context_tokens = CONTEXT_TOKENS, answer_tokens, ...abilities }) => ({
      ...abilities,
      name,
      model,
      context_tokens,
      answer_tokens: answer_tokens ?? answerLimit(model, context_tokens),
    })),
    max_in_flight: places ?? null,
  };
}
