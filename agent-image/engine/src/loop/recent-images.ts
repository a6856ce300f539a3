import type { Message } from './ports.ts';

/** Maximum number of images in one request; each costs a model about as much as a long text. */
const IMAGES_MAX = 4;
/** Maximum base64 characters of all images of one request; the gateway takes 8 MiB with the texts. */
const IMAGES_MAX_CHARS = 6 << 20;
const OLDER = '[An image was here. It is no longer shown: read it again if you need it.]';

export const hasImages = (messages: readonly Message[]): boolean =>
  messages.some((message) => imagesOf(message).length > 0);

/** The messages with the newest images alone. A text stands for each older one. Pure. */
export function withRecentImages(messages: readonly Message[]): Message[] {
  let [count, chars] = [0, 0];
  const shown: Message[] = [];
  for (const message of messages.toReversed()) {
    const images = imagesOf(message).toReversed();
    const kept = images.filter(({ data }) => {
      count += 1;
      chars += data.length;
      return count <= IMAGES_MAX && chars <= IMAGES_MAX_CHARS;
    });
    shown.push(message.role === 'tool' ? withImages(message, kept.toReversed(), images.length - kept.length) : message);
  }
  return shown.toReversed();
}

type ToolMessage = Extract<Message, { role: 'tool' }>;

const imagesOf = (message: Message): NonNullable<ToolMessage['images']> =>
  message.role === 'tool' ? (message.images ?? []) : [];

function withImages(message: ToolMessage, kept: NonNullable<ToolMessage['images']>, left: number): Message {
  if (left === 0) return message;
  const { images: _, ...rest } = message;
  const content = [message.content, ...Array.from({ length: left }, () => OLDER)].join('\n');
  return { ...rest, content, ...(kept.length > 0 && { images: kept }) };
}
