/** One message of a conversation, in the form that providers take. */
export interface PromptMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly text: string;
}

/** A request to a provider. */
export interface ModelRequest {
  readonly model: string;
  readonly messages: readonly PromptMessage[];
  /** Maximum number of tokens of the answer. */
  readonly maxTokens: number;
  /** With the same seed, messages and model, a provider gives the same answer if it can. */
  readonly seed: number;
  /** The answer ends before the first of these texts. */
  readonly stop: readonly string[];
}

export interface ModelUsage {
  readonly promptTokens: number;
  readonly completionTokens: number;
}

/** A piece of an answer; the last piece is the end, and there is exactly one. */
export type ModelPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'end'; readonly finish: 'stop' | 'length'; readonly usage: ModelUsage };

/** A model as its provider offers it. */
export interface ServedModel {
  readonly model: string;
  /** Maximum number of tokens of a prompt and its answer together. */
  readonly contextTokens: number;
  /** Maximum number of tokens of an answer if the request names no limit. */
  readonly answerTokens: number;
  /** Creation time of the model, in Unix seconds. */
  readonly createdS: number;
}

/**
 * A provider of models. The gateway checks tier, quota and money before it asks, and charges the usage that the end
 * reports. The result of `countTokens` may be too high but must not be too low, because the gateway reserves that
 * number.
 */
export interface ModelProvider {
  readonly name: string;
  /** True if the provider composes sentences from a list instead of asking a language model. */
  readonly scripted: boolean;
  readonly models: readonly ServedModel[];
  countTokens(model: string, messages: readonly PromptMessage[]): number;
  /** Answers in pieces. Throws if the provider fails; stops soon after the signal aborts. */
  complete(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelPart>;
}

/** A model and the provider that serves it. */
export interface ModelRoute {
  readonly provider: ModelProvider;
  readonly served: ServedModel;
}

/** Maps each model to the first provider that offers it. */
export function routesOf(providers: readonly ModelProvider[]): ReadonlyMap<string, ModelRoute> {
  const all = providers.flatMap((provider) =>
    provider.models.map((served) => [served.model, { provider, served }] as const),
  );
  return new Map(all.toReversed());
}
