import type { ChatRequest } from '../../chat/chat-request.ts';

type Block = Readonly<Record<string, unknown>>;
export interface Turn {
  readonly role: 'user' | 'assistant';
  readonly content: readonly Block[];
}

const EPHEMERAL = { cache_control: { type: 'ephemeral' } } as const;

/** True if later requests will repeat the beginning of this one: an agent uses tools, or the caller says so. */
export function isRepeated({ messages, tools = [] }: ChatRequest): boolean {
  return tools.length > 0 || messages.some((message) => message.role === 'system' && message.cacheable === true);
}

/** The blocks with a mark on the one at the index: the provider caches everything up to it. */
export function markAt<T extends object>(blocks: readonly T[], index: number): readonly T[] {
  const block = blocks.at(index);
  return block === undefined ? blocks : blocks.with(index, { ...block, ...EPHEMERAL });
}

/** The turns with a mark at the end of the newest one of the user, which the next request continues. */
export function markNewest(turns: readonly Turn[]): readonly Turn[] {
  const at = turns.findLastIndex(({ role }) => role === 'user');
  const turn = turns[at];
  return turn === undefined ? turns : turns.with(at, { ...turn, content: markAt(turn.content, -1) });
}
