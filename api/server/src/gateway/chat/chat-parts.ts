import type { ChatMessage, ChatPart } from '@hamlet/contract';
import { shorten } from '@hamlet/core';
import type { ChatImage } from '@hamlet/models';

export interface ReadContent {
  readonly text: string;
  readonly images: readonly ChatImage[];
}

type ReadPart = { readonly text: string } | { readonly image: ChatImage };

const MEDIA_TYPES: Readonly<Record<string, ChatImage['mediaType']>> = {
  'image/png': 'image/png',
  'image/jpeg': 'image/jpeg',
  'image/jpg': 'image/jpeg',
  'image/gif': 'image/gif',
  'image/webp': 'image/webp',
};
const NAME_SHOWN_CHARS = 200;

/** A line in place of content that no model of a village can read, so that the model knows that something was there. */
export function leftOut(what: string): string {
  return `\n[${shorten(what.toWellFormed(), NAME_SHOWN_CHARS)}: left out, because these models read text and images alone]\n`;
}

interface DataUrl {
  readonly mediaType: string;
  readonly data: string;
}

function dataIn(url: string): DataUrl | null {
  const [, mediaType] = /^data:([\w.+/-]{1,100})(?:;[\w=-]{1,50})?;base64,/.exec(url.slice(0, NAME_SHOWN_CHARS)) ?? [];
  return mediaType === undefined ? null : { mediaType, data: url.slice(url.indexOf(',') + 1) };
}

/** An image in a data URL; for an image elsewhere or in another format, a line of text. */
function imagePart(url: string): ReadPart {
  const found = dataIn(url);
  if (found === null) return { text: leftOut(`an image at ${url.startsWith('data:') ? 'a broken data URL' : url}`) };
  const mediaType = MEDIA_TYPES[found.mediaType];
  return mediaType === undefined
    ? { text: leftOut(`an image of the type ${found.mediaType}`) }
    : { image: { mediaType, data: found.data } };
}

function filePart({ filename, file_data: url }: NonNullable<ChatPart['file']>): ReadPart {
  const name = filename ?? 'without a name';
  const found = dataIn(url ?? '');
  if (found?.mediaType.startsWith('image/') === true) return imagePart(url ?? '');
  if (found?.mediaType.startsWith('text/') !== true) return { text: leftOut(`the file ${name}`) };
  return { text: `\nFile ${name}:\n${Buffer.from(found.data, 'base64').toString('utf8')}\n` };
}

function readPart({ type, text, refusal, image_url: image, file }: ChatPart): ReadPart {
  const words = text ?? refusal ?? null;
  if (words !== null) return { text: words };
  if (image !== null && image !== undefined) return imagePart(image.url);
  return file === null || file === undefined ? { text: leftOut(`content of the type ${type}`) } : filePart(file);
}

/** The text and the images of a message. Pure. */
export function contentOf({ content }: Pick<ChatMessage, 'content'>): ReadContent {
  if (content === null || content === undefined) return { text: '', images: [] };
  const parts = typeof content === 'string' ? [{ text: content }] : content.map(readPart);
  return {
    text: parts.map((part) => ('text' in part ? part.text : '')).join(''),
    images: parts.flatMap((part) => ('image' in part ? [part.image] : [])),
  };
}
