import type { ChatMessage, ChatRequest } from '../chat/chat-request.ts';
import { describeImages } from '../chat/image-text.ts';
import type { ModelError } from '../chat/model-error.ts';

const hasImages = (message: ChatMessage): boolean =>
  (message.role === 'user' || message.role === 'tool') && (message.images ?? []).length > 0;

const hasThoughts = (message: ChatMessage): boolean =>
  message.role === 'assistant' && (message.reasoning ?? []).length > 0;

function forgetThoughts(request: ChatRequest): ChatRequest {
  const messages = request.messages.map((message): ChatMessage => {
    if (message.role !== 'assistant') return message;
    const { reasoning: _, ...rest } = message;
    return rest;
  });
  return { ...request, messages };
}

interface Repair {
  /** The words of a refusal of this part. */
  readonly words: RegExp;
  readonly applies: (message: ChatMessage) => boolean;
  readonly repair: (request: ChatRequest) => ChatRequest;
}

/** The parts of a conversation that a provider may refuse although they were fine where they came from. */
const REPAIRS: readonly Repair[] = [
  { words: /image|vision|multi-?modal|content type/i, applies: hasImages, repair: describeImages },
  { words: /reasoning|thinking|thought|signature|encrypted/i, applies: hasThoughts, repair: forgetThoughts },
];

/**
 * The request without the old images or thoughts that the provider refuses, so that one of them does not end the
 * conversation. Null if the refusal has another cause. Each repair removes something, so there are at most two.
 * Pure.
 */
export function repairRequest(request: ChatRequest, { code, message }: ModelError): ChatRequest | null {
  if (code !== 'bad_request') return null;
  const found = REPAIRS.find(({ words, applies }) => words.test(message) && request.messages.some(applies));
  return found === undefined ? null : found.repair(request);
}
