import type { ExtraFields } from './extra-fields.ts';

export type JsonSchema = Readonly<Record<string, unknown>>;

/** A tool call of a model. `arguments` is the JSON text exactly as the model wrote it: it may be invalid. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

export interface ChatImage {
  readonly mediaType: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';
  /** The bytes in base64. */
  readonly data: string;
}

/** A thought of a model, which a provider may need again in the next request. */
export interface ReasoningItem {
  /** Empty if the provider keeps the words to itself. */
  readonly text: string;
  /** The provider's signature or encrypted item, verbatim; null without one. A provider ignores the seals of others. */
  readonly sealed: string | null;
}

export type ChatMessage =
  | {
      readonly role: 'system';
      readonly content: string;
      /** True if later requests repeat everything up to here, so that a provider may cache it. */
      readonly cacheable?: boolean | undefined;
    }
  | { readonly role: 'user'; readonly content: string; readonly images?: readonly ChatImage[] | undefined }
  | {
      readonly role: 'assistant';
      readonly content: string;
      readonly toolCalls?: readonly ToolCall[] | undefined;
      readonly reasoning?: readonly ReasoningItem[] | undefined;
    }
  | {
      readonly role: 'tool';
      readonly toolCallId: string;
      readonly content: string;
      readonly images?: readonly ChatImage[] | undefined;
    };

export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonSchema;
  /** True if the arguments must follow the schema, where a provider can enforce it. */
  readonly strict?: boolean | undefined;
}

/** `required`: the model must call a tool. An object names the tool that it must call. */
export type ToolChoice = 'auto' | 'none' | 'required' | { readonly name: string };

/** The schema of an answer that is JSON instead of prose. */
export interface ResponseSchema {
  readonly name: string;
  readonly schema: JsonSchema;
  /** False for a schema that is more than the strict subset of some providers; true by default. */
  readonly strict?: boolean | undefined;
}

/**
 * A request to a model. An adapter refuses an unsupported field with `bad_request`, and silently omits only the fields
 * that its docstring or profile names, such as `temperature` and `seed`.
 */
export interface ChatRequest {
  readonly messages: readonly ChatMessage[];
  /** True if a base model continues the only message as it is, without labels and stop texts of ours. */
  readonly continues?: boolean | undefined;
  readonly tools?: readonly ToolDefinition[] | undefined;
  readonly toolChoice?: ToolChoice | undefined;
  readonly parallelToolCalls?: boolean | undefined;
  readonly responseSchema?: ResponseSchema | undefined;
  /** True if the answer must be one JSON object of any form. `responseSchema` overrides it. */
  readonly jsonObject?: boolean | undefined;
  readonly temperature?: number | undefined;
  readonly maxTokens?: number | undefined;
  /** The answer ends before the first of these texts. */
  readonly stop?: readonly string[] | undefined;
  readonly seed?: number | undefined;
  /** Fields that only some providers have. An adapter refuses the others by name. */
  readonly extra?: ExtraFields | undefined;
  /** Labels for the server. Only the adapters of Chat Completions send them. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /** The W3C header of the trace to which the request belongs, for servers that record traces. */
  readonly traceparent?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}
