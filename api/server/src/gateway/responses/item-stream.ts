import type { ResponseEvent, ResponseItem } from '@hamlet/contract';
import type { ToolCall } from '@hamlet/models';
import type { VisiblePiece } from '../carry-out.ts';
import { inputOfCustom } from '../chat/custom-tools.ts';
import { HeldCalls, isEmpty } from '../chat/held-calls.ts';
import type { CallableTool } from './response-tools.ts';

type Piece<K> = Extract<VisiblePiece, { readonly kind: K }>;
type Fields = Omit<ResponseEvent, 'sequence_number'>;

interface OpenText {
  readonly kind: 'reasoning' | 'message';
  readonly index: number;
  text: string;
}

interface StreamIds {
  readonly requestId: string;
  readonly messages: number;
  readonly tools: readonly CallableTool[];
}

const PREFIXES = { reasoning: 'rs', message: 'msg', function_call: 'fc', custom_tool_call: 'ctc' } as const;

/**
 * The items of one answer in the order in which they begin, and the events of a stream. An item ends before the next
 * begins, because clients rely on that to join its pieces: the first call streams, and what a model writes in
 * alternation with it follows at the end. So does a custom call, because its text is in the arguments of a function.
 * Stateful.
 */
export class ItemStream {
  readonly #ids: StreamIds;
  readonly #items: ResponseItem[] = [];
  readonly #calls: HeldCalls;
  readonly #later: VisiblePiece[] = [];
  #text: OpenText | null = null;
  #isCallOpen = false;

  constructor(ids: StreamIds) {
    this.#ids = ids;
    this.#calls = new HeldCalls(ids.messages, (name) => this.#isCallOpen || this.#toolOf(name)?.tool.type === 'custom');
  }

  get items(): readonly ResponseItem[] {
    return this.#items;
  }

  piece(piece: VisiblePiece): readonly Fields[] {
    if (this.#isCallOpen && piece.kind !== 'tool') {
      this.#later.push(piece);
      return [];
    }
    switch (piece.kind) {
      case 'text':
        return piece.text === '' ? [] : this.#say('message', piece.text);
      case 'reasoning':
        return this.#think(piece);
      case 'tool':
        return this.#call(piece);
      case 'logprobs':
        return [];
      default:
        return piece satisfies never;
    }
  }

  /** Ends all items. `calls` are all of the answer, in the order of their slots. */
  end(calls: readonly ToolCall[]): readonly Fields[] {
    const begun = this.#calls.inOrder();
    const ended = (isOpen: boolean): readonly Fields[] =>
      calls.flatMap((call, at) => {
        const held = begun[at];
        const index = held?.index ?? null;
        if ((index !== null) !== isOpen) return [];
        return this.#endCall(call, index, held === undefined || isEmpty(held));
      });
    this.#isCallOpen = false;
    return [
      ...ended(true),
      ...this.#later.flatMap((piece) => this.piece(piece)),
      ...this.#close(null),
      ...ended(false),
    ];
  }

  #idOf(type: ResponseItem['type'], index: number): string {
    return `${PREFIXES[type]}_${this.#ids.requestId}_${index}`;
  }

  #add(item: ResponseItem): Fields {
    this.#items.push(item);
    return { type: 'response.output_item.added', output_index: this.#items.length - 1, item };
  }

  #done(index: number, item: ResponseItem): Fields {
    this.#items[index] = item;
    return { type: 'response.output_item.done', output_index: index, item };
  }

  #think({ text, sealed = null }: Piece<'reasoning'>): readonly Fields[] {
    const said = text === '' && this.#text?.kind === 'reasoning' ? [] : this.#say('reasoning', text);
    return sealed === null ? said : [...said, ...this.#close(sealed)];
  }

  #say(kind: OpenText['kind'], text: string): readonly Fields[] {
    const begun = this.#text?.kind === kind ? [] : [...this.#close(null), ...this.#begin(kind)];
    const open = this.#text;
    if (open === null || text === '') return begun;
    open.text += text;
    const at = { item_id: this.#idOf(kind, open.index), output_index: open.index, delta: text };
    const event: Fields =
      kind === 'message'
        ? { type: 'response.output_text.delta', ...at, content_index: 0, logprobs: [] }
        : { type: 'response.reasoning_summary_text.delta', ...at, summary_index: 0 };
    return [...begun, event];
  }

  #begin(kind: OpenText['kind']): readonly Fields[] {
    const index = this.#items.length;
    const id = this.#idOf(kind, index);
    this.#text = { kind, index, text: '' };
    const at = { item_id: id, output_index: index };
    if (kind === 'message')
      return [
        this.#add({ type: 'message', id, status: 'in_progress', role: 'assistant', content: [] }),
        { type: 'response.content_part.added', ...at, content_index: 0, part: outputText('') },
      ];
    return [
      this.#add({ type: 'reasoning', id, summary: [], encrypted_content: null }),
      { type: 'response.reasoning_summary_part.added', ...at, summary_index: 0, part: summaryText('') },
    ];
  }

  #close(sealed: string | null): readonly Fields[] {
    const open = this.#text;
    if (open === null) return [];
    this.#text = null;
    const { kind, index, text } = open;
    const id = this.#idOf(kind, index);
    const at = { item_id: id, output_index: index };
    if (kind === 'message') {
      const part = outputText(text);
      return [
        { type: 'response.output_text.done', ...at, content_index: 0, text, logprobs: [] },
        { type: 'response.content_part.done', ...at, content_index: 0, part },
        this.#done(index, { type: 'message', id, status: 'completed', role: 'assistant', content: [part] }),
      ];
    }
    const part = summaryText(text);
    const summary = text === '' ? [] : [part];
    return [
      { type: 'response.reasoning_summary_text.done', ...at, summary_index: 0, text },
      { type: 'response.reasoning_summary_part.done', ...at, summary_index: 0, part },
      this.#done(index, { type: 'reasoning', id, summary, encrypted_content: sealed }),
    ];
  }

  #toolOf(name: string): CallableTool | undefined {
    return this.#ids.tools.find(({ flat }) => flat === name);
  }

  #call(piece: Piece<'tool'>): readonly Fields[] {
    const taken = this.#calls.take(piece);
    if (taken === null) return [];
    const { call, isFirst, text } = taken;
    if (!isFirst) return [this.#argumentsDelta(call.index ?? 0, text)];
    const closed = this.#close(null);
    const index = this.#items.length;
    call.index = index;
    this.#isCallOpen = true;
    const begun = this.#add(this.#callItem({ ...call, arguments: '' }, index, 'in_progress'));
    return [...closed, begun, ...(text === '' ? [] : [this.#argumentsDelta(index, text)])];
  }

  #argumentsDelta(index: number, delta: string): Fields {
    const item_id = this.#idOf('function_call', index);
    return { type: 'response.function_call_arguments.delta', item_id, output_index: index, delta };
  }

  #callItem(call: ToolCall, index: number, status: 'in_progress' | 'completed'): ResponseItem {
    const known = this.#toolOf(call.name);
    const namespace = known?.namespace ?? null;
    const fields = {
      status,
      call_id: call.id,
      name: known?.tool.name ?? call.name,
      ...(namespace === null ? {} : { namespace }),
    };
    if (known?.tool.type === 'custom')
      return {
        type: 'custom_tool_call',
        id: this.#idOf('custom_tool_call', index),
        ...fields,
        input: status === 'completed' ? inputOfCustom(call) : '',
      };
    return { type: 'function_call', id: this.#idOf('function_call', index), ...fields, arguments: call.arguments };
  }

  #endCall(call: ToolCall, begun: number | null, isSilent: boolean): readonly Fields[] {
    const index = begun ?? this.#items.length;
    const added = begun === null ? [this.#add(this.#callItem({ ...call, arguments: '' }, index, 'in_progress'))] : [];
    const item = this.#callItem(call, index, 'completed');
    const at = { item_id: item.id, output_index: index };
    const name = this.#toolOf(call.name)?.tool.name ?? call.name;
    const said: readonly Fields[] =
      item.type === 'custom_tool_call'
        ? [
            { type: 'response.custom_tool_call_input.delta', ...at, delta: item.input },
            { type: 'response.custom_tool_call_input.done', ...at, input: item.input },
          ]
        : [
            ...(begun === null || isSilent ? [this.#argumentsDelta(index, call.arguments)] : []),
            { type: 'response.function_call_arguments.done', ...at, name, arguments: call.arguments },
          ];
    return [...added, ...said, this.#done(index, item)];
  }
}

const outputText = (text: string) => ({
  type: 'output_text' as const,
  text,
  annotations: [] as [],
  logprobs: [] as [],
});
const summaryText = (text: string) => ({ type: 'summary_text' as const, text });
