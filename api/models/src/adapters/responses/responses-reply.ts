import { z } from 'zod';
import type { AdapterDelta, Finish } from '../../chat/chat-delta.ts';
import { ModelFault } from '../../chat/model-error.ts';
import type { ReportedUsage } from '../../chat/token-usage.ts';
import { classifyError } from '../../transport/classify-error.ts';
import { parseReply, text } from '../../transport/parse-reply.ts';

const Usage = z.object({
  input_tokens: z.int().nonnegative(),
  output_tokens: z.int().nonnegative(),
  input_tokens_details: z.object({ cached_tokens: z.int().nonnegative().nullish() }).nullish(),
});

const Event = z.object({
  type: z.string(),
  output_index: z
    .int()
    .nonnegative()
    .nullish()
    .transform((value) => value ?? 0),
  delta: z.unknown().optional(),
  item: z.object({ type: z.string(), call_id: text, name: text }).nullish(),
  response: z
    .looseObject({
      usage: Usage.nullish(),
      incomplete_details: z
        .object({ reason: text })
        .nullish()
        .transform((value) => value ?? { reason: '' }),
    })
    .nullish(),
});
type Event = z.infer<typeof Event>;

function usageOf({ input_tokens, output_tokens, input_tokens_details }: z.infer<typeof Usage>): ReportedUsage {
  return {
    promptTokens: input_tokens,
    completionTokens: output_tokens,
    cachedPromptTokens: input_tokens_details?.cached_tokens ?? undefined,
  };
}

const piece = ({ delta }: Event): string => (typeof delta === 'string' ? delta : '');

/** Reads the events of one answer. Mutable, because a refusal arrives in pieces. */
export class ResponsesEventReader {
  readonly #nowMs: () => number;
  #refusal = '';

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  *read(body: unknown): Generator<AdapterDelta> {
    const event = parseReply(Event, body);
    switch (event.type) {
      case 'response.output_text.delta':
        yield { kind: 'text', text: piece(event) };
        return;
      case 'response.reasoning_summary_text.delta':
        yield { kind: 'reasoning', text: piece(event) };
        return;
      case 'response.refusal.delta':
        this.#refusal += piece(event);
        return;
      case 'response.function_call_arguments.delta':
        yield { kind: 'tool', slot: event.output_index, arguments: piece(event) };
        return;
      case 'response.output_item.added':
        if (event.item?.type === 'function_call')
          yield { kind: 'tool', slot: event.output_index, id: event.item.call_id, name: event.item.name };
        return;
      default:
        yield* this.#end(event, body);
    }
  }

  *#end({ type, response }: Event, body: unknown): Generator<AdapterDelta> {
    if (type === 'error') throw classifyError({ body: withError(body) }, this.#nowMs());
    if (type === 'response.failed') throw classifyError({ body: response }, this.#nowMs());
    const finish = FINISH[type];
    if (finish === undefined || !response) return;
    if (response.usage) yield { kind: 'usage', usage: usageOf(response.usage) };
    const { reason } = response.incomplete_details;
    if (reason === 'content_filter') throw new ModelFault('content_refused', 'the content filter stopped the answer');
    if (this.#refusal !== '') throw new ModelFault('content_refused', `the model refuses: ${this.#refusal}`);
    yield { kind: 'end', finish, raw: response };
  }
}

const FINISH: Readonly<Record<string, Finish>> = { 'response.completed': 'stop', 'response.incomplete': 'length' };

/** Moves the code and message of an event `error` into its member `error`, because some servers send them at the top level. */
function withError(body: unknown): unknown {
  const nested = z.object({ error: z.looseObject({}) }).safeParse(body);
  if (nested.success) return body;
  const flat = z.object({ code: text, message: text }).safeParse(body);
  return { error: flat.success ? flat.data : {} };
}
