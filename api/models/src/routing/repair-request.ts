import type { ChatMessage, ChatRequest } from '../chat/chat-request.ts';
import { describeImages, hasImages } from '../chat/image-text.ts';
import type { ModelError } from '../chat/model-error.ts';
import { hasOtherIds, lacksTools, withCalledTools, withPlainIds } from '../chat/older-calls.ts';

const hasThoughts = ({ messages }: ChatRequest): boolean =>
  messages.some((message) => message.role === 'assistant' && (message.reasoning ?? []).length > 0);

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
  /** False once the request is repaired. */
  readonly applies: (request: ChatRequest) => boolean;
  readonly repair: (request: ChatRequest) => ChatRequest;
}

/** The parts of a conversation that a provider may refuse although they were fine where they came from. */
const REPAIRS: readonly Repair[] = [
  { words: /image|vision|multi-?modal|content type/i, applies: hasImages, repair: describeImages },
  { words: /reasoning|thinking|thought|signature|encrypted/i, applies: hasThoughts, repair: forgetThoughts },
  { words: /toolConfig|must define tools|tool calling without/i, applies: lacksTools, repair: withCalledTools },
  { words: /tool.?call.?id|tool_calls\[\d+\]\.id|call_id/i, applies: hasOtherIds, repair: withPlainIds },
];

/**
 * The request without the old images, thoughts, ids or calls of absent tools that the provider refuses, so that one of them
 * does not end the conversation. Null if the refusal has another cause. Each repair applies once, so there are at most four.
 * Pure.
 */
export function repairRequest(request: ChatRequest, { code, message }: ModelError): ChatRequest | null {
  if (code !== 'bad_request') return null;
  const found = REPAIRS.find(({ words, applies }) => words.test(message) && applies(request));
  return found === undefined ? null : found.repair(request);
}
