import type { ChatImage, ChatMessage, ChatRequest } from './chat-request.ts';

/** The text in place of an image for a model that does not see. */
function textOfImage({ mediaType, data }: ChatImage): string {
  const kilobytes = Math.ceil((data.length * 3) / 4 / 1_000);
  return `[${mediaType}, ${kilobytes} kB: this model cannot see images]`;
}

function withoutImages(message: ChatMessage): ChatMessage {
  if ((message.role !== 'user' && message.role !== 'tool') || message.images === undefined) return message;
  const { images, ...rest } = message;
  return { ...rest, content: [rest.content, ...images.map(textOfImage)].filter((part) => part !== '').join('\n') };
}

export const hasImages = ({ messages }: Pick<ChatRequest, 'messages'>): boolean =>
  messages.some((message) => 'images' in message && message.images !== undefined && message.images.length > 0);

/** The request for a model that does not see: a text takes the place of each image. Pure. */
export function describeImages(request: ChatRequest): ChatRequest {
  if (!hasImages(request)) return request;
  return { ...request, messages: request.messages.map(withoutImages) };
}

/**
 * Moves the images of tool results into a user message after the results, because many providers take text alone as a
 * result. Joins it with the next message if that is the user's, because some chat templates refuse two in a row. Pure.
 */
export function moveResultImages(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  if (!hasImages({ messages })) return messages;
  const moved: ChatMessage[] = [];
  let pending: readonly ChatImage[] = [];
  for (const message of messages) {
    if (message.role === 'tool') {
      const { images = [], ...rest } = message;
      pending = [...pending, ...images];
      moved.push(rest);
      continue;
    }
    if (message.role === 'user' && pending.length > 0)
      moved.push({ ...message, images: [...pending, ...(message.images ?? [])] });
    else moved.push(...(pending.length > 0 ? [userMessage(pending)] : []), message);
    pending = [];
  }
  return pending.length > 0 ? [...moved, userMessage(pending)] : moved;
}

function userMessage(images: readonly ChatImage[]): ChatMessage {
  return { role: 'user', content: 'The images of the results above:', images };
}

/** The image as the address that web pages and most providers use. */
export const dataUrl = ({ mediaType, data }: ChatImage): string => `data:${mediaType};base64,${data}`;
