import { linkedParts, type TextPart } from '../../citations/opened-pages.ts';

/** A part of a line. `post` is a link to a post of this village's board, `web` one to a page of the web. */
export type Inline =
  | Extract<TextPart, { readonly kind: 'web' }>
  | { readonly kind: 'text' | 'strong' | 'code'; readonly text: string }
  | { readonly kind: 'post'; readonly text: string; readonly postId: string };

export type Block =
  | { readonly kind: 'paragraph' | 'heading'; readonly lines: readonly (readonly Inline[])[] }
  | { readonly kind: 'list'; readonly ordered: boolean; readonly items: readonly (readonly Inline[])[] }
  | { readonly kind: 'code'; readonly text: string };

const FENCE = /^\s*(?:```|~~~)/;
const ITEM = /^\s*(?:([-*•])|(\d{1,3})[.)])\s+(.*)$/;
const HEADING = /^#{1,6}\s+(.*)$/;
const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';
const POST = `(?:https?:\\/\\/[^\\s/?#()\\[\\]]{1,255})?\\/?\\?(?:[\\w.-]{1,40}=[^\\s&#()\\[\\]]{0,200}&){0,8}post=(${UUID})(?:&[^\\s()\\[\\]]{0,500})?`;
/** Matches code, bold text, a named link to a post, and its address. All lengths are bounded, against slow matches. */
const INLINE = new RegExp(
  `\`([^\`\\n]{1,1000})\`|\\*\\*([^*\\n]{1,1000})\\*\\*|\\[([^\\]\\n]{1,200})\\]\\(${POST}\\)|${POST}`,
  'gi',
);

/** Parses a text of an agent, finished or not, into blocks. Anything else, such as images and markup, stays text. */
export function textBlocks(text: string): readonly Block[] {
  const blocks: Block[] = [];
  const lines = text.replaceAll('\r\n', '\n').split('\n');
  for (let at = 0; at < lines.length;) {
    const { block, next } = blockAt(lines, at);
    if (block !== null) blocks.push(block);
    at = next;
  }
  return blocks;
}

type Taken = { readonly block: Block | null; readonly next: number };

function blockAt(lines: readonly string[], at: number): Taken {
  const line = lines[at] ?? '';
  if (line.trim() === '') return { block: null, next: at + 1 };
  if (FENCE.test(line)) return codeAt(lines, at);
  const heading = HEADING.exec(line)?.[1];
  if (heading !== undefined) return { block: { kind: 'heading', lines: [inlines(heading)] }, next: at + 1 };
  return ITEM.test(line) ? listAt(lines, at) : paragraphAt(lines, at);
}

function codeAt(lines: readonly string[], at: number): Taken {
  const length = lines.slice(at + 1).findIndex((line) => FENCE.test(line));
  const end = length < 0 ? lines.length : at + 1 + length;
  return { block: { kind: 'code', text: lines.slice(at + 1, end).join('\n') }, next: end + 1 };
}

function listAt(lines: readonly string[], at: number): Taken {
  const ordered = isOrdered(lines[at] ?? '') === true;
  const items: string[] = [];
  let next = at;
  for (; next < lines.length; next += 1) {
    const line = lines[next] ?? '';
    const kind = isOrdered(line);
    if (kind === ordered) items.push(ITEM.exec(line)?.[3] ?? '');
    else if (kind === null && /^\s+\S/.test(line)) items.push(`${items.pop() ?? ''} ${line.trim()}`);
    else break;
  }
  return { block: { kind: 'list', ordered, items: items.map(inlines) }, next };
}

/** True for a numbered item, false for a bulleted one, null if the line begins no item. */
function isOrdered(line: string): boolean | null {
  const item = ITEM.exec(line);
  return item === null ? null : item[2] !== undefined;
}

function paragraphAt(lines: readonly string[], at: number): Taken {
  let next = at + 1;
  while (next < lines.length && isPlain(lines[next] ?? '')) next += 1;
  return { block: { kind: 'paragraph', lines: lines.slice(at, next).map(inlines) }, next };
}

function isPlain(line: string): boolean {
  return line.trim() !== '' && !FENCE.test(line) && !HEADING.test(line) && !ITEM.test(line);
}

function inlines(line: string): readonly Inline[] {
  const parts: Inline[] = [];
  let end = 0;
  for (const match of line.matchAll(INLINE)) {
    if (match.index > end) parts.push(...linkedParts(line.slice(end, match.index)));
    parts.push(...withLinks(inlineOf(match)));
    end = match.index + match[0].length;
  }
  if (end < line.length) parts.push(...linkedParts(line.slice(end)));
  return parts;
}

function withLinks(part: Inline): readonly Inline[] {
  if (part.kind !== 'strong') return [part];
  return linkedParts(part.text).map((each) => (each.kind === 'web' ? each : { kind: 'strong', text: each.text }));
}

function inlineOf([whole, code, strong, name, named, bare]: RegExpMatchArray): Inline {
  if (code !== undefined) return { kind: 'code', text: code };
  if (strong !== undefined) return { kind: 'strong', text: strong };
  const postId = (named ?? bare)?.toLowerCase();
  if (postId === undefined) return { kind: 'text', text: whole };
  return { kind: 'post', postId, text: name ?? 'the post' };
}
