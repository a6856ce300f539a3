/** One message of a conversation, as providers take it. */
export interface PromptMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly text: string;
}

/** A request to a provider. */
export interface ModelRequest {
  readonly model: string;
  readonly messages: readonly PromptMessage[];
  /** Tokens of the answer at most. */
  readonly maxTokens: number;
  /** Same seed, same messages, same model: a provider that can do so gives the same answer. */
  readonly seed: number;
  /** Texts before which the answer ends. */
  readonly stop: readonly string[];
}

export interface ModelUsage {
  readonly promptTokens: number;
  readonly completionTokens: number;
}

/** A piece of an answer; the last is the end, and there is exactly one. */
export type ModelPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'end'; readonly finish: 'stop' | 'length'; readonly usage: ModelUsage };

/** A model as its provider serves it. */
export interface ServedModel {
  readonly model: string;
  /** Tokens of a prompt and its answer together. */
  readonly contextTokens: number;
  /** Tokens of an answer, where the request does not say. */
  readonly answerTokens: number;
  /** When it was made, in Unix seconds. */
  readonly createdS: number;
}

/**
 * A provider of models. The gateway checks tier, quota and money before it asks, and charges the usage that the end reports.
 * `countTokens` may be too high and must not be too low: what it says is set aside.
 */
export interface ModelProvider {
  readonly name: string;
  /** Whether it puts sentences of a list together instead of asking a language model. */
  readonly scripted: boolean;
  readonly models: readonly ServedModel[];
  countTokens(model: string, messages: readonly PromptMessage[]): number;
  /** Answers in pieces. Throws where the provider failed; stops soon after the signal aborts. */
  complete(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelPart>;
}

/** A model and who serves it. */
export interface ModelRoute {
  readonly provider: ModelProvider;
  readonly served: ServedModel;
}

/** Which provider serves which model: the first that names it. */
export function routesOf(providers: readonly ModelProvider[]): ReadonlyMap<string, ModelRoute> {
  const all = providers.flatMap((provider) =>
    provider.models.map((served) => [served.model, { provider, served }] as const),
  );
  return new Map(all.toReversed());
}
