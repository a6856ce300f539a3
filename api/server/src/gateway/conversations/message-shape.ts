import type { MessageAnswer, MessageEvent } from '@hamlet/contract';
import type { Finish, ToolCall } from '@hamlet/models';
import type { Ticket } from '../admit-request.ts';
import type { Completed, ModelUsage, VisiblePiece } from '../carry-out.ts';
import { receiptOf, type CompletionHead } from '../completion-shape.ts';
import type { AnswerShape } from './converse.ts';

type Content = MessageAnswer['content'][number];
type ToolPiece = Extract<VisiblePiece, { readonly kind: 'tool' }>;

const STOP_REASONS: Readonly<Record<Finish, MessageAnswer['stop_reason']>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
};

function usageOf({ promptTokens, completionTokens }: Pick<ModelUsage, 'promptTokens' | 'completionTokens'>) {
  return {
    input_tokens: promptTokens,
    output_tokens: completionTokens,
    cache_creation_input_tokens: null,
    cache_read_input_tokens: null,
  };
}

function inputOf({ arguments: text }: ToolCall): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  } catch {
    // The text is passed on below.
  }
  return { invalid_arguments: text };
}

const textBlock = (text: string): Content => ({ type: 'text', text, citations: null });
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
  const { content, toolCalls, finish, usage } = completed;
  return {
    ...headOf(ticket),
    content: [
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
  #blocks = 0;
  #isOpen = false;
  #sentChars = 0;
  #call: { readonly slot: number; readonly id: string } | null = null;

  constructor(messages: number) {
    this.#messages = messages;
  }

  piece(piece: VisiblePiece): readonly MessageEvent[] {
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
    return [...(this.#isOpen ? [] : this.#begin(textBlock(''))), this.#delta(text)];
  }

  #tool({ slot, id = '', name = '', arguments: text = '' }: ToolPiece): readonly MessageEvent[] {
    const json = text === '' ? [] : [() => this.#json(text)];
    if (this.#call !== null) return this.#call.slot === slot ? json.map((make) => make()) : [];
    // The whole answer gets the same id if its provider names none.
    this.#call = { slot, id: id === '' ? `call_${this.#messages}_${slot}` : id };
    const begun = [...this.#close(), ...this.#begin(toolBlock({ id: this.#call.id, name }))];
    return [...begun, ...json.map((make) => make())];
  }

  #begin(content_block: Content): readonly MessageEvent[] {
    this.#isOpen = true;
    return [{ type: 'content_block_start', index: this.#blocks, content_block }];
  }

  #delta(text: string): MessageEvent {
    return { type: 'content_block_delta', index: this.#blocks, delta: { type: 'text_delta', text } };
  }

  #json(partial_json: string): MessageEvent {
    return { type: 'content_block_delta', index: this.#blocks, delta: { type: 'input_json_delta', partial_json } };
  }

  #close(): readonly MessageEvent[] {
    if (!this.#isOpen) return [];
    this.#isOpen = false;
    this.#blocks += 1;
    return [{ type: 'content_block_stop', index: this.#blocks - 1 }];
  }
}

export function messageShape(ticket: Ticket, head: CompletionHead): AnswerShape<MessageAnswer, MessageEvent> {
  const blocks = new BlockStream(ticket.plan.request.messages.length);
  const begun = { promptTokens: ticket.plan.promptTokens, completionTokens: 0 };
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
