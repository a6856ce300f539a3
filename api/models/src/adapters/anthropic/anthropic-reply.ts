import { z } from 'zod';
import type { AdapterDelta, Finish } from '../../chat/chat-delta.ts';
import { ModelFault } from '../../chat/model-error.ts';
import type { ReportedUsage } from '../../chat/token-usage.ts';
import { classifyError } from '../../transport/classify-error.ts';
import { count, parseReply } from '../../transport/parse-reply.ts';
import type { AnswerReader } from '../json-adapter.ts';

const Usage = z.object({
  input_tokens: count,
  output_tokens: count,
  cache_read_input_tokens: count,
  cache_creation_input_tokens: count,
});

const Block = z.object({
  type: z.string(),
  text: z.string().nullish(),
  thinking: z.string().nullish(),
  id: z.string().nullish(),
  name: z.string().nullish(),
  input: z.unknown().optional(),
});
type Block = z.infer<typeof Block>;

const Message = z.object({
  content: z.array(Block),
  stop_reason: z.string().nullish(),
  usage: Usage.nullish(),
});

const Event = z.object({
  type: z.string(),
  index: z.int().nonnegative().nullish(),
  message: Message.nullish(),
  content_block: Block.nullish(),
  delta: z
    .object({
      type: z.string().nullish(),
      text: z.string().nullish(),
      thinking: z.string().nullish(),
      partial_json: z.string().nullish(),
      stop_reason: z.string().nullish(),
    })
    .nullish(),
  usage: Usage.nullish(),
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

function endOf(reason: string | null, raw: unknown): AdapterDelta {
  if (reason === null) throw new ModelFault('network', 'the provider closed the answer before its end');
  if (reason === 'refusal') throw new ModelFault('content_refused', 'the model refuses to answer');
  return { kind: 'end', finish: FINISH[reason] ?? 'stop', raw };
}

function* blockDeltas(block: Block, slot: number): Generator<AdapterDelta> {
  if (block.type === 'text' && block.text) yield { kind: 'text', text: block.text };
  if (block.type === 'thinking' && block.thinking) yield { kind: 'reasoning', text: block.thinking };
  if (block.type === 'tool_use')
    yield {
      kind: 'tool',
      slot,
      id: block.id ?? '',
      name: block.name ?? '',
      arguments: JSON.stringify(block.input ?? {}),
    };
}

/** Reads a whole message, or the events of one stream. */
export class AnthropicReader implements AnswerReader {
  readonly #nowMs: () => number;
  #reason: string | null = null;
  #raw: unknown = null;
  isEnded = false;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  get isFinished(): boolean {
    return this.#reason !== null;
  }

  *readWhole(body: unknown): Generator<AdapterDelta> {
    // Servers that use this protocol may send an error with status 200.
    if (z.object({ type: z.literal('error') }).safeParse(body).success) throw classifyError({ body }, this.#nowMs());
    const { content, usage, stop_reason: reason = null } = parseReply(Message, body);
    for (const [slot, block] of content.entries()) yield* blockDeltas(block, slot);
    yield { kind: 'usage', usage: usageOf(usage) };
    this.#reason = reason;
    this.#raw = body;
  }

  *read(body: unknown): Generator<AdapterDelta> {
    const event = parseReply(Event, body);
    switch (event.type) {
      case 'error':
        throw classifyError({ body }, this.#nowMs());
      case 'message_start':
        yield { kind: 'usage', usage: { ...usageOf(event.message?.usage), completionTokens: undefined } };
        return;
      case 'content_block_start':
        yield* this.#start(event);
        return;
      case 'content_block_delta':
        yield* this.#piece(event);
        return;
      case 'message_delta':
        this.#raw = body;
        this.#reason = event.delta?.stop_reason ?? this.#reason;
        yield { kind: 'usage', usage: usageOf(event.usage) };
        return;
      case 'message_stop':
        this.isEnded = true;
        return;
      default:
      // `ping`, `content_block_stop` and unknown events have nothing to read.
    }
  }

  *#start({ content_block: block, index }: Event): Generator<AdapterDelta> {
    if (block?.type === 'tool_use')
      yield { kind: 'tool', slot: index ?? 0, id: block.id ?? '', name: block.name ?? '', arguments: '' };
    else if (block !== null && block !== undefined) yield* blockDeltas(block, index ?? 0);
  }

  *#piece({ delta, index }: Event): Generator<AdapterDelta> {
    if (delta?.text) yield { kind: 'text', text: delta.text };
    if (delta?.thinking) yield { kind: 'reasoning', text: delta.thinking };
    if (delta?.partial_json) yield { kind: 'tool', slot: index ?? 0, arguments: delta.partial_json };
  }

  end(): AdapterDelta {
    return endOf(this.#reason, this.#raw);
  }
}
