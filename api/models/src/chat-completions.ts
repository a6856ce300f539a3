/** Exports only the part for a server with OpenAI's Chat Completions: loaded code takes memory in the process of each agent. */
export { createChatAdapter } from './adapters/chat-completions/chat-adapter.ts';
export { CHAT_PROFILES } from './adapters/chat-completions/chat-profile.ts';
export type { ChatImage, ChatMessage, JsonSchema, ReasoningItem, ToolDefinition } from './chat/chat-request.ts';
export { EMPTY_ANSWER, foldDelta, outcomeOf } from './chat/fold-answer.ts';
export { MODEL_ERRORS } from './chat/model-error.ts';
export { createModel } from './routing/create-model.ts';
export { ANSWER_LIMITS } from './transport/answer-limits.ts';
export type { ModelPorts } from './transport/model-ports.ts';
export { SYSTEM_PORTS } from './transport/model-ports.ts';
