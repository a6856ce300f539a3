import { z } from 'zod';
import type { AdapterDelta, Finish } from '../../chat/chat-delta.ts';
import { ModelFault } from '../../chat/model-error.ts';
import type { ReportedUsage } from '../../chat/token-usage.ts';
import { classifyError } from '../../transport/classify-error.ts';
import { isErrorReport } from '../../transport/error-report.ts';
import { argumentsText, count, listOf, parseReply, text, word } from '../../transport/parse-reply.ts';
import type { AnswerReader } from '../json-adapter.ts';
import { REASONING_ITEM, seal } from '../sealed-thought.ts';

const Usage = z.object({
  input_tokens: count,
  output_tokens: count,
  input_tokens_details: z.object({ cached_tokens: count }).nullish().catch(null),
  output_tokens_details: z.object({ reasoning_tokens: count }).nullish().catch(null),
});

const Part = z.object({ type: text, text, refusal: text });
const Item = z.object({
  type: text,
  call_id: word,
  name: text,
  arguments: argumentsText,
  content: listOf(Part),
  summary: listOf(Part),
  encrypted_content: text,
});
type Item = z.infer<typeof Item>;

const Response = z.looseObject({
  status: text,
  error: z.unknown().optional(),
  output: listOf(Item),
  usage: Usage.nullish().catch(null),
  incomplete_details: z.object({ reason: text }).catch({ reason: '' }),
});
type Response = z.infer<typeof Response>;

const Event = z.object({
  type: text,
  output_index: z.int().nonnegative().catch(0),
  delta: text,
  arguments: argumentsText,
  item: Item.nullish().catch(null),
  response: Response.nullish().catch(null),
});
type Event = z.infer<typeof Event>;

function usageOf(usage: z.infer<typeof Usage>): ReportedUsage {
  return {
    promptTokens: usage.input_tokens ?? undefined,
    completionTokens: usage.output_tokens ?? undefined,
    cachedPromptTokens: usage.input_tokens_details?.cached_tokens ?? undefined,
    reasoningTokens: usage.output_tokens_details?.reasoning_tokens ?? undefined,
  };
}

/** The encrypted item without its id, because nothing is stored under it. */
function sealOf({ summary, encrypted_content }: Item): string | null {
  if (encrypted_content === '') return null;
  const parts = summary.map(({ type, text: words }) => ({ type, text: words }));
  return seal({ type: REASONING_ITEM, summary: parts, encrypted_content });
}

/** Reads the events of one answer, or a whole one. Mutable, because a refusal arrives in pieces. */
export class ResponsesReader implements AnswerReader {
  readonly #nowMs: () => number;
  /** The outputs whose pieces have arrived: the event at their end repeats the whole. */
  readonly #begun = new Set<number>();
  #refusal = '';
  #response: Response | null = null;
  #raw: unknown = null;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  get isFinished(): boolean {
    return this.#response !== null;
  }

  get isEnded(): boolean {
    return this.isFinished;
  }

  *read(body: unknown): Generator<AdapterDelta> {
    if (isErrorReport(body)) throw classifyError({ body }, this.#nowMs());
    const event = parseReply(Event, body);
    const { output_index: slot, delta } = event;
    switch (event.type) {
      case 'response.output_text.delta':
        this.#begun.add(slot);
        yield { kind: 'text', text: delta };
        return;
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta':
        this.#begun.add(slot);
        yield { kind: 'reasoning', text: delta };
        return;
      case 'response.refusal.delta':
        this.#begun.add(slot);
        this.#refusal += delta;
        return;
      case 'response.function_call_arguments.delta':
        this.#begun.add(slot);
        yield { kind: 'tool', slot, arguments: delta };
        return;
      default:
        yield* this.#item(event);
        yield* this.#end(event, body);
    }
  }

  *#item({ type, item, output_index: slot }: Event): Generator<AdapterDelta> {
    if (!item) return;
    if (type === 'response.output_item.added' && item.type === 'function_call')
      yield { kind: 'tool', slot, id: item.call_id, name: item.name };
    if (type === 'response.output_item.done') yield* this.#whole(item, slot);
  }

  /** The parts of an item that no piece has brought. */
  *#whole(item: Item, slot: number): Generator<AdapterDelta> {
    const isNew = !this.#begun.has(slot);
    this.#begun.add(slot);
    if (item.type === 'reasoning') {
      const words = [...item.summary, ...item.content].map((part) => part.text).join('\n\n');
      yield { kind: 'reasoning', text: isNew ? words : '', sealed: sealOf(item) };
    }
    if (!isNew) return;
    if (item.type === 'function_call')
      yield { kind: 'tool', slot, id: item.call_id, name: item.name, arguments: item.arguments };
    if (item.type !== 'message') return;
    for (const part of item.content) {
      this.#refusal += part.refusal;
      if (part.text !== '') yield { kind: 'text', text: part.text };
    }
  }

  *#end({ type, response }: Event, body: unknown): Generator<AdapterDelta> {
    if (type === 'response.failed') throw classifyError({ body: response }, this.#nowMs());
    if ((type !== 'response.completed' && type !== 'response.incomplete') || !response) return;
    yield* this.#finish(response, type === 'response.incomplete', body);
  }

  *#finish(response: Response, isCut: boolean, raw: unknown): Generator<AdapterDelta> {
    if (this.#begun.size === 0) for (const [slot, item] of response.output.entries()) yield* this.#whole(item, slot);
    if (response.usage) yield { kind: 'usage', usage: usageOf(response.usage) };
    this.#response = { ...response, status: isCut ? 'incomplete' : 'completed' };
    this.#raw = raw;
  }

  *readWhole(body: unknown): Generator<AdapterDelta> {
    const response = parseReply(Response, body);
    if (isErrorReport(body) || response.status === 'failed') throw classifyError({ body }, this.#nowMs());
    yield* this.#finish(response, response.status === 'incomplete', body);
  }

  *end(): Generator<AdapterDelta> {
    if (this.#response === null) throw new ModelFault('network', 'the provider closed the answer before its end');
    const { status, incomplete_details: details } = this.#response;
    if (details.reason === 'content_filter')
      throw new ModelFault('content_refused', 'the content filter stopped the answer');
    if (this.#refusal !== '') throw new ModelFault('content_refused', `the model refuses: ${this.#refusal}`);
    const finish: Finish = status === 'incomplete' ? 'length' : 'stop';
    yield { kind: 'end', finish, raw: this.#raw };
  }
}
