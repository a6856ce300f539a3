import type { ChatMessage, ChatPart, MessageBlock, MessageLeaf, MessagesBody } from '@hamlet/contract';

type Content = MessageBlock['content'] | MessagesBody['messages'][number]['content'] | MessagesBody['system'];
type Nested = Exclude<NonNullable<MessageBlock['content']>, string>[number];
type AnyBlock = MessageBlock | MessageLeaf | Nested;

const TYPE_MAX_CHARS = 64;

const text = (words: string): ChatPart => ({ type: 'text', text: words });

type Source = Exclude<NonNullable<MessageLeaf['source']>, string>;

const sourceOf = ({ source }: MessageLeaf): Source =>
  source === null || source === undefined || typeof source === 'string' ? { type: '' } : source;

function imageOf(block: MessageLeaf): ChatPart {
  const { type, media_type: mediaType, data, url } = sourceOf(block);
  const address = type === 'base64' ? `data:${mediaType};base64,${data ?? ''}` : url;
  return { type: 'image_url', image_url: { url: address ?? '' } };
}

function documentOf(block: MessageLeaf): readonly ChatPart[] {
  const source = sourceOf(block);
  const name = block.title ?? 'without a title';
  if (source.type === 'text') return [text(`Document ${name}:\n${source.data ?? ''}`)];
  if (source.type === 'content') return [text(`Document ${name}:`), ...nestedParts(source['content'])];
  return [{ type: `document (${name})`.slice(0, TYPE_MAX_CHARS) }];
}

function resultOfSearch(block: AnyBlock): readonly ChatPart[] {
  const from = typeof block.source === 'string' ? ` (${block.source})` : '';
  return [text(`Search result ${block.title ?? ''}${from}:`), ...nestedParts(block['content'])];
}

/** The texts of blocks that the schema has not read, because they are nested too deeply for it. */
function nestedParts(content: unknown): readonly ChatPart[] {
  if (typeof content === 'string') return [text(content)];
  if (!Array.isArray(content)) return [];
  return content.flatMap((block: unknown) =>
    typeof block === 'object' && block !== null && 'text' in block && typeof block.text === 'string'
      ? [text(block.text)]
      : [],
  );
}

/** Blocks that are not part of the content of a message: its calls, their results and its thoughts. */
const APART: ReadonlySet<string> = new Set(['tool_use', 'tool_result', 'thinking', 'redacted_thinking']);

function partsOf(block: AnyBlock): readonly ChatPart[] {
  if (APART.has(block.type)) return [];
  if (typeof block.text === 'string') return [text(block.text)];
  const read = READERS[block.type];
  return read === undefined ? [{ type: block.type }] : read(block);
}

const READERS: Readonly<Record<string, (block: AnyBlock) => readonly ChatPart[]>> = {
  image: (block) => [imageOf(block)],
  document: documentOf,
  search_result: resultOfSearch,
  tool_reference: ({ tool_name: name }) => [text(`The tool ${name ?? ''} can be called now.`)],
};

/** The content of a message in OpenAI's format: a text, and parts only if there is more than text. */
export function contentOf(content: Content): NonNullable<ChatMessage['content']> {
  if (content === null || content === undefined) return '';
  if (typeof content === 'string') return content;
  const parts = content.flatMap((block: AnyBlock) => partsOf(block));
  const words = parts.flatMap(({ text: each }) => (typeof each === 'string' ? [each] : [])).join('\n');
  const others = parts.filter((part) => typeof part.text !== 'string');
  if (others.length === 0) return words;
  return [...(words === '' ? [] : [text(words)]), ...others];
}
