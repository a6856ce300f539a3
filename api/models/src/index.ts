export type {
  ChatImage,
  ChatMessage,
  ChatRequest,
  JsonSchema,
  ReasoningItem,
  ResponseSchema,
  ToolCall,
  ToolChoice,
  ToolDefinition,
} from './chat/chat-request.ts';
export type {
  AdapterDelta,
  ChatAnswer,
  ChatDelta,
  ChatOutcome,
  FailedAttempt,
  Finish,
  PartialAnswer,
  ReasoningPiece,
  Target,
} from './chat/chat-delta.ts';
export type { AdapterCall, ChatAdapter, Model } from './chat/model.ts';
export { callsOf, collectAnswer, EMPTY_ANSWER, foldDelta, outcomeOf } from './chat/fold-answer.ts';
export type { AnswerState } from './chat/fold-answer.ts';
export { EXTRA_FIELDS, extraFieldsFor } from './chat/extra-fields.ts';
export type { ExtraField, ExtraFields } from './chat/extra-fields.ts';
export { MODEL_ERROR_CODES, MODEL_ERRORS, ModelFault } from './chat/model-error.ts';
export type { ModelError, ModelErrorCode } from './chat/model-error.ts';
export { estimatePromptTokens, estimateRepeatedThoughts, estimateTokens } from './chat/token-usage.ts';
export type { TokenUsage } from './chat/token-usage.ts';
export { estimateCost } from './chat/cost-estimate.ts';
export type { CostEstimate, ModelPrice } from './chat/cost-estimate.ts';
export { bareCloseTag } from './chat/thought-splitter.ts';
export { createModel } from './routing/create-model.ts';
export type { ModelSetup, ModelTarget } from './routing/create-model.ts';
export { RETRY_POLICY } from './routing/decide-next.ts';
export type { RetryPolicy } from './routing/decide-next.ts';
export { ANSWER_LIMITS } from './transport/answer-limits.ts';
export { FollowingAbort } from './transport/following-abort.ts';
export type { AnswerLimits } from './transport/answer-limits.ts';
export { createHttpFetch } from './transport/http-fetch.ts';
export { SYSTEM_PORTS } from './transport/model-ports.ts';
export type { ModelPorts } from './transport/model-ports.ts';
export { parseModelsConfig, QUEUE_WAIT_MAX_MS } from './routing/models-config.ts';
export type { ConfigError, ModelsConfig, ParsedConfig } from './routing/models-config.ts';
export { findCapabilities, fitToRoute } from './routing/fit-request.ts';
export type { Capabilities } from './routing/fit-request.ts';
export { answerLimit } from './routing/answer-limit.ts';
export { findRoute } from './routing/find-route.ts';
export type { Chain } from './routing/find-route.ts';
export { openEmbedder } from './routing/open-embedder.ts';
export type { Embedder, EmbeddingInput, EmbeddingOutcome, EmbeddingRequest } from './routing/open-embedder.ts';
export { openModel } from './routing/open-models.ts';
export type { Credentials, ModelsSetup, OpenedModel } from './routing/open-models.ts';
export { createSubscriptionTokens } from './adapters/responses/subscription-tokens.ts';
export type { OAuthTokenStore, SubscriptionTokens } from './adapters/responses/subscription-tokens.ts';
export { exchangeCode, revokeTokens } from './adapters/responses/oauth-requests.ts';
export type { GrantedCode, OAuthServer, OAuthTokens, SignedIn } from './adapters/responses/oauth-requests.ts';
export type { AdapterKit } from './transport/provider-exchange.ts';
export { SUBSCRIPTION_NOTICE } from './adapters/responses/subscription-adapter.ts';
export { oneServerConfig } from './routing/one-server-config.ts';
export type { OneServer } from './routing/one-server-config.ts';
