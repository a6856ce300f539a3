import type { MessageAnswer, MessageEvent } from '@hamlet/contract';
import type { Finish, ReasoningItem, ToolCall } from '@hamlet/models';
import type { Ticket } from '../admit-request.ts';
import type { AnswerShape, Completed, ModelUsage, VisiblePiece } from '../carry-out.ts';
import { receiptOf, type CompletionHead } from '../chat/completion-shape.ts';

type Content = MessageAnswer['content'][number];
type ToolPiece = Extract<VisiblePiece, { readonly kind: 'tool' }>;
type Thought = Extract<VisiblePiece, { readonly kind: 'reasoning' }>;

type Counted = Omit<ModelUsage, 'estimated' | 'reasoningTokens'>;

const STOP_REASONS: Readonly<Record<Finish, MessageAnswer['stop_reason']>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
};

/** In Anthropic's format, the tokens of the prompt are in three numbers without overlap. */
function usageOf({ promptTokens, completionTokens, cachedPromptTokens: read, cacheWriteTokens: written }: Counted) {
  return {
    input_tokens: promptTokens - read - written,
    output_tokens: completionTokens,
    cache_creation_input_tokens: written,
    cache_read_input_tokens: read,
  };
}

function inputOf({ arguments: text }: ToolCall): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  } catch {
    // The text is passed on as the model wrote it.
  }
  return { invalid_arguments: text };
}

const textBlock = (text: string): Content => ({ type: 'text', text, citations: null });
/** A thought whose words the provider keeps to itself has only a seal. */
function thoughtBlock({ text, sealed }: ReasoningItem): Content {
  if (text === '' && sealed !== null) return { type: 'redacted_thinking', data: sealed };
  return { type: 'thinking', thinking: text, signature: sealed ?? '' };
}

const toolBlock = ({ id, name }: Pick<ToolCall, 'id' | 'name'>): Content => ({ type: 'tool_use', id, name, input: {} });

function headOf({ requestId, plan }: Ticket) {
  return {
    id: `msg_${requestId}`,
    type: 'message',
    role: 'assistant',
    model: plan.served.name,
    stop_sequence: null,
  } as const;
}

function wholeOf(ticket: Ticket, completed: Completed, head: CompletionHead): MessageAnswer {
  const { content, reasoning, toolCalls, finish, usage } = completed;
  return {
    ...headOf(ticket),
    content: [
      ...reasoning.map(thoughtBlock),
      ...(content === '' ? [] : [textBlock(content)]),
      ...toolCalls.map((call): Content => ({ type: 'tool_use', id: call.id, name: call.name, input: inputOf(call) })),
    ],
    stop_reason: STOP_REASONS[finish],
    usage: usageOf(usage),
    hamlet: receiptOf(ticket, completed, head),
  };
}

/**
 * The content blocks of one stream. A block must end before the next begins, but a model may alternate between tool
 * calls: the first call streams, and the pieces of the others follow at the end. Stateful.
 */
class BlockStream {
  readonly #messages: number;
  readonly #unnamed = new Set<number>();
  #blocks = 0;
  #open: Content['type'] | null = null;
  #sentChars = 0;
  #call: { readonly slot: number; readonly id: string; readonly name: string } | null = null;

  constructor(messages: number) {
    this.#messages = messages;
  }

  piece(piece: VisiblePiece): readonly MessageEvent[] {
    if (piece.kind === 'logprobs') return [];
    if (piece.kind === 'reasoning') return this.#thought(piece);
    return piece.kind === 'text' ? this.#text(piece.text) : this.#tool(piece);
  }

  rest({ content, toolCalls }: Completed): readonly MessageEvent[] {
    const text = content.slice(this.#sentChars);
    const calls = toolCalls.filter(({ id }) => id !== this.#call?.id);
    return [
      ...this.#close(),
      ...(text === '' ? [] : [...this.#begin(textBlock('')), this.#delta(text), ...this.#close()]),
      ...calls.flatMap((call) => [...this.#begin(toolBlock(call)), this.#json(call.arguments), ...this.#close()]),
    ];
  }

  #text(text: string): readonly MessageEvent[] {
    if (this.#call !== null || text === '') return [];
    this.#sentChars += text.length;
    return [...(this.#open === 'text' ? [] : [...this.#close(), ...this.#begin(textBlock(''))]), this.#delta(text)];
  }

  /** Thoughts between calls are left out of a stream: their block would have to begin before the call ends. */
  #thought({ text, sealed = null }: Thought): readonly MessageEvent[] {
    if (this.#call !== null) return [];
    if (this.#open !== 'thinking' && text === '' && sealed !== null)
      return [...this.#close(), ...this.#begin(thoughtBlock({ text, sealed })), ...this.#close()];
    const begun =
      this.#open === 'thinking' ? [] : [...this.#close(), ...this.#begin(thoughtBlock({ text: '', sealed: null }))];
    const index = this.#blocks;
    const words: readonly MessageEvent[] =
      text === '' ? [] : [{ type: 'content_block_delta', index, delta: { type: 'thinking_delta', thinking: text } }];
    if (sealed === null) return [...begun, ...words];
    const signature = { type: 'signature_delta' as const, signature: sealed };
    return [...begun, ...words, { type: 'content_block_delta', index, delta: signature }, ...this.#close()];
  }

  #tool(piece: ToolPiece): readonly MessageEvent[] {
    const { slot, arguments: text = '' } = piece;
    if (this.#call === null && !this.#beginCall(piece)) return [];
    if (this.#call?.slot !== slot) return [];
    const begun = this.#open === 'tool_use' ? [] : [...this.#close(), ...this.#begin(toolBlock(this.#call))];
    return [...begun, ...(text === '' ? [] : [this.#json(text)])];
  }

  /** A block begins with the name of its tool: a call whose name comes late follows at the end. */
  #beginCall({ slot, id = '', name = '' }: ToolPiece): boolean {
    if (name === '' || this.#unnamed.has(slot)) {
      this.#unnamed.add(slot);
      return false;
    }
    // The whole answer gets the same id if its provider names none.
    this.#call = { slot, id: id === '' ? `call_${this.#messages}_${slot}` : id, name };
    return true;
  }

  #begin(content_block: Content): readonly MessageEvent[] {
    this.#open = content_block.type;
    return [{ type: 'content_block_start', index: this.#blocks, content_block }];
  }

  #delta(text: string): MessageEvent {
    return { type: 'content_block_delta', index: this.#blocks, delta: { type: 'text_delta', text } };
  }

  #json(partial_json: string): MessageEvent {
    return { type: 'content_block_delta', index: this.#blocks, delta: { type: 'input_json_delta', partial_json } };
  }

  #close(): readonly MessageEvent[] {
    if (this.#open === null) return [];
    this.#open = null;
    this.#blocks += 1;
    return [{ type: 'content_block_stop', index: this.#blocks - 1 }];
  }
}

export function messageShape(ticket: Ticket, head: CompletionHead): AnswerShape<MessageAnswer, MessageEvent> {
  const blocks = new BlockStream(ticket.plan.request.messages.length);
  const begun = {
    promptTokens: ticket.plan.promptTokens,
    completionTokens: 0,
    cachedPromptTokens: 0,
    cacheWriteTokens: 0,
  };
  return {
    whole: (completed) => wholeOf(ticket, completed, head),
    first: () => [
      {
        type: 'message_start',
        message: { ...headOf(ticket), content: [], stop_reason: null, usage: usageOf(begun) },
      },
    ],
    piece: (piece) => blocks.piece(piece),
    last: (completed) => [
      ...blocks.rest(completed),
      {
        type: 'message_delta',
        delta: { stop_reason: STOP_REASONS[completed.finish], stop_sequence: null },
        usage: usageOf(completed.usage),
        hamlet: receiptOf(ticket, completed, head),
      },
      { type: 'message_stop' },
    ],
  };
}
