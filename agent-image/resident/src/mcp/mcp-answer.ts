import { compareText } from '@hamlet/core/compare-text';
import { firstChars, isJsonObject, type OutcomeImage } from '@hamlet/engine';
import { IMAGE_MAX_BYTES, imageTypeOf } from '../hands/files/image-type.ts';

/** Maximum length of one answer; a note replaces the rest. */
const TEXT_MAX_CHARS = 262_144;
const IMAGES_MAX = 8;
const BASE64_CHARS_PER_BYTE = 4 / 3;
const HEAD_CHARS = 64;
const UNKNOWN_MAX_CHARS = 2_000;

export interface McpAnswer {
  readonly isError: boolean;
  readonly text: string;
  readonly images: readonly OutcomeImage[];
}

/** The result of a call for a model. Contents of unknown kinds are shown as JSON. Null if it is not a result. Pure. */
export function answerOf(result: unknown): McpAnswer | null {
  if (!isJsonObject(result)) return null;
  const { content, structuredContent, isError } = result;
  if (content !== undefined && !Array.isArray(content) && typeof content !== 'string') return null;
  const items: unknown[] = typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? []);
  const images: OutcomeImage[] = [];
  const parts = items.map((item) => {
    const shown = partOf(item);
    if (typeof shown === 'string') return shown;
    if (images.length === IMAGES_MAX) return '[one more image, which is not shown]';
    images.push(shown);
    return `[image ${images.length}: ${shown.mediaType}]`;
  });
  if (structuredContent !== undefined && structuredContent !== null)
    parts.push(...dataBeside(parts, structuredContent));
  return { isError: isError === true, text: shortened(parts.join('\n').toWellFormed()), images };
}

/** Structured content, unless a text has the same data, as the protocol recommends. */
function dataBeside(parts: readonly string[], data: unknown): readonly string[] {
  const json = JSON.stringify(data);
  const isThere = parts.some((part) => part.length >= json.length && sameJson(part, json));
  return isThere ? [] : [json];
}

function sameJson(text: string, json: string): boolean {
  try {
    return JSON.stringify(sorted(JSON.parse(text))) === JSON.stringify(sorted(JSON.parse(json)));
  } catch {
    return false;
  }
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([one], [other]) => compareText(one, other))
      .map(([name, each]) => [name, sorted(each)]),
  );
}

function partOf(item: unknown): string | OutcomeImage {
  if (!isJsonObject(item)) return JSON.stringify(item) ?? '';
  const { type, text, data, mimeType } = item;
  if (type === 'text') return typeof text === 'string' ? text : (JSON.stringify(text) ?? '');
  if (type === 'image') return imageOf(data, mimeType);
  if (type === 'audio') return `[${bytesIn(data, mimeType, 'audio')}, which is not played]`;
  if (type === 'resource') return resourceOf(item['resource']);
  if (type === 'resource_link') return linkOf(item);
  return JSON.stringify(item).slice(0, UNKNOWN_MAX_CHARS);
}

/** Reads the type of an image from its bytes: providers refuse images with a wrong type. */
function imageOf(data: unknown, mimeType: unknown): string | OutcomeImage {
  const kind = bytesIn(data, mimeType, 'image');
  if (typeof data !== 'string') return `[${kind}, without data]`;
  const mediaType = imageTypeOf(Buffer.from(data.slice(0, HEAD_CHARS), 'base64'));
  if (mediaType === null) return `[${kind}: not a png, jpeg, gif or webp image, so it is not shown]`;
  if (data.length > IMAGE_MAX_BYTES * BASE64_CHARS_PER_BYTE) return `[${kind}: too large to be shown]`;
  return { mediaType, data };
}

function resourceOf(resource: unknown): string | OutcomeImage {
  if (!isJsonObject(resource)) return '[an empty resource]';
  const { uri, mimeType, text, blob } = resource;
  const address = typeof uri === 'string' ? uri : 'a resource';
  if (typeof text === 'string') return `${address}:\n${text}`;
  if (typeof mimeType === 'string' && mimeType.startsWith('image/')) {
    const image = imageOf(blob, mimeType);
    return typeof image === 'string' ? `${address}: ${image}` : image;
  }
  return `[${address}: ${bytesIn(blob, mimeType, 'binary data')}, which is not shown]`;
}

function linkOf({ uri, name, title, description, mimeType }: Record<string, unknown>): string {
  const words = [title ?? name, mimeType, description].filter((word) => typeof word === 'string' && word !== '');
  return `[${String(uri)}${words.length === 0 ? '' : `: ${words.join(', ')}`}]`;
}

function bytesIn(data: unknown, mimeType: unknown, kind: string): string {
  const type = typeof mimeType === 'string' ? mimeType : kind;
  return typeof data === 'string' ? `${type}, ${Math.floor(data.length / BASE64_CHARS_PER_BYTE)} bytes` : type;
}

function shortened(text: string): string {
  if (text.length <= TEXT_MAX_CHARS) return text;
  const head = firstChars(text, TEXT_MAX_CHARS);
  return `${head}\n[… ${text.length - head.length} characters left out …]`;
}
