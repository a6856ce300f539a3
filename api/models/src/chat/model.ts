import type { AdapterDelta, ChatDelta, ChatOutcome } from './chat-delta.ts';
import type { ChatRequest } from './chat-request.ts';

/**
 * A model. Both methods send the same request; they differ in how the provider answers. Neither throws for an expected
 * failure: `chat` returns it, and a stream ends with `failed`.
 */
export interface Model {
  chat(request: ChatRequest): Promise<ChatOutcome>;
  /** Requests an answer in pieces. A caller that stops reading cancels the request. */
  stream(request: ChatRequest): AsyncIterable<ChatDelta>;
}

export interface AdapterCall {
  readonly request: ChatRequest;
  readonly model: string;
  readonly stream: boolean;
  readonly signal: AbortSignal;
  /** Maximum tokens of a prompt and its answer together, if known. */
  readonly contextTokens?: number | undefined;
}

/**
 * The access to one provider. An adapter makes one attempt and yields the pieces of the answer, in one burst if `stream` is false. It
 * throws a `ModelFault` for an expected failure. It never retries or logs, and has no state except its credential.
 */
export interface ChatAdapter {
  readonly provider: string;
  /** Texts that must not appear in errors and `raw`. */
  readonly secrets: () => readonly string[];
  ask(call: AdapterCall): AsyncIterable<AdapterDelta>;
}
