import { z } from 'zod';
import type { AdapterDelta, Finish } from '../../chat/chat-delta.ts';
import { ModelFault } from '../../chat/model-error.ts';
import type { ReportedUsage } from '../../chat/token-usage.ts';
import { classifyError } from '../../transport/classify-error.ts';
import { isErrorReport } from '../../transport/error-report.ts';
import { argumentsText, count, listOf, parseReply, text, word } from '../../transport/parse-reply.ts';
import { REDACTED, seal } from '../sealed-thought.ts';
import type { AnswerReader } from '../json-adapter.ts';

const Usage = z.object({
  input_tokens: count,
  output_tokens: count,
  cache_read_input_tokens: count,
  cache_creation_input_tokens: count,
});

const Block = z.object({
  type: text,
  text,
  thinking: text,
  signature: text,
  data: text,
  id: word,
  name: text,
  input: z.unknown().optional(),
});
type Block = z.infer<typeof Block>;

const Message = z.object({
  /** A list of blocks; some servers write a text alone. */
  content: z.union([z.string().transform((words) => [Block.parse({ type: 'text', text: words })]), listOf(Block)]),
  stop_reason: text,
  usage: Usage.nullish().catch(null),
});

const Event = z.object({
  type: text,
  index: z.int().nonnegative().catch(0),
  message: Message.nullish().catch(null),
  content_block: Block.nullish().catch(null),
  delta: z
    .object({ text, thinking: text, signature: text, partial_json: argumentsText, stop_reason: text })
    .nullish()
    .catch(null),
  usage: Usage.nullish().catch(null),
});
type Event = z.infer<typeof Event>;

/** The API counts the tokens of its cache separately from `input_tokens`. */
function usageOf(usage: z.infer<typeof Usage> | null | undefined): ReportedUsage {
  if (usage === null || usage === undefined) return {};
  const { input_tokens: input, cache_read_input_tokens: read, cache_creation_input_tokens: written } = usage;
  return {
    ...(input === null || input === undefined
      ? {}
      : {
          promptTokens: input + (read ?? 0) + (written ?? 0),
          cachedPromptTokens: read ?? 0,
          cacheWriteTokens: written ?? 0,
        }),
    completionTokens: usage.output_tokens ?? undefined,
  };
}

const FINISH: Readonly<Record<string, Finish>> = {
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tool_calls',
};

function argumentsOf(input: unknown): string {
  const written = JSON.stringify(input ?? {});
  return written === '{}' ? '' : written;
}

function* blockDeltas(block: Block, slot: number): Generator<AdapterDelta> {
  if (block.type === 'text' && block.text !== '') yield { kind: 'text', text: block.text };
  if (block.type === 'thinking' && block.thinking + block.signature !== '')
    yield { kind: 'reasoning', text: block.thinking, sealed: block.signature === '' ? null : block.signature };
  if (block.type === REDACTED && block.data !== '')
    yield { kind: 'reasoning', text: '', sealed: seal({ type: REDACTED, data: block.data }) };
  if (block.type === 'tool_use')
    yield { kind: 'tool', slot, id: block.id, name: block.name, arguments: argumentsOf(block.input) };
}

/** Reads a whole message, or the events of one stream. */
export class AnthropicReader implements AnswerReader {
  readonly #nowMs: () => number;
  #reason = '';
  #hasBegun = false;
  /** The call whose input came whole at its start, which some servers repeat in pieces. */
  #given: { readonly index: number; readonly text: string } | null = null;
  #raw: unknown = null;
  isEnded = false;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  get isFinished(): boolean {
    return this.#reason !== '';
  }

  *readWhole(body: unknown): Generator<AdapterDelta> {
    // Servers that use this protocol may send an error with status 200.
    if (isErrorReport(body)) throw classifyError({ body }, this.#nowMs());
    const { content, usage, stop_reason: reason } = parseReply(Message, body);
    for (const [slot, block] of content.entries()) yield* blockDeltas(block, slot);
    yield { kind: 'usage', usage: usageOf(usage) };
    this.#hasBegun = content.length > 0 || reason !== '';
    this.#reason = reason;
    this.#raw = body;
  }

  *read(body: unknown): Generator<AdapterDelta> {
    if (isErrorReport(body)) throw classifyError({ body }, this.#nowMs());
    const event = parseReply(Event, body);
    switch (event.type) {
      case 'message_start':
        this.#hasBegun = true;
        yield { kind: 'usage', usage: { ...usageOf(event.message?.usage), completionTokens: undefined } };
        return;
      case 'message_delta':
        this.#raw = body;
        this.#reason = event.delta?.stop_reason || this.#reason;
        yield { kind: 'usage', usage: usageOf(event.usage) };
        return;
      case 'message_stop':
        this.isEnded = true;
        return;
      default:
        yield* this.#block(event);
    }
  }

  /** Reads an event of a block; `ping` and unknown events have nothing to read. */
  *#block(event: Event): Generator<AdapterDelta> {
    if (event.type === 'content_block_start') yield* this.#start(event);
    if (event.type === 'content_block_delta') yield* this.#piece(event);
    if (event.type === 'content_block_stop') yield* this.#giveInput();
  }

  *#start({ content_block: block, index }: Event): Generator<AdapterDelta> {
    if (!block) return;
    if (block.type !== 'tool_use') return yield* blockDeltas(block, index);
    yield* this.#giveInput();
    this.#given = { index, text: argumentsOf(block.input) };
    yield { kind: 'tool', slot: index, id: block.id, name: block.name, arguments: '' };
  }

  /** The input of a call that no piece followed. */
  *#giveInput(): Generator<AdapterDelta> {
    if (this.#given !== null) yield { kind: 'tool', slot: this.#given.index, arguments: this.#given.text };
    this.#given = null;
  }

  *#piece({ delta, index }: Event): Generator<AdapterDelta> {
    if (!delta) return;
    if (delta.text !== '') yield { kind: 'text', text: delta.text };
    if (delta.thinking !== '') yield { kind: 'reasoning', text: delta.thinking };
    if (delta.signature !== '') yield { kind: 'reasoning', text: '', sealed: delta.signature };
    if (delta.partial_json === '') return;
    if (this.#given?.index === index) this.#given = null;
    yield { kind: 'tool', slot: index, arguments: delta.partial_json };
  }

  *end(isComplete: boolean): Generator<AdapterDelta> {
    yield* this.#giveInput();
    if (isComplete && !this.#hasBegun)
      throw new ModelFault('bad_answer', 'the provider sent a message without content');
    if (this.#reason === '' && !isComplete && !this.isEnded)
      throw new ModelFault('network', 'the provider closed the answer before its end');
    if (this.#reason === 'refusal') throw new ModelFault('content_refused', 'the model refuses to answer');
    yield { kind: 'end', finish: FINISH[this.#reason] ?? 'stop', raw: this.#raw };
  }
}
