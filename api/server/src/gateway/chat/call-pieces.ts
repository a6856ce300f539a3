import type { ChatCompletion, ChatCompletionChunk } from '@hamlet/contract';
import type { ToolCall } from '@hamlet/models';
import type { VisiblePiece } from '../carry-out.ts';
import { inputOfCustom } from './custom-tools.ts';
import { HeldCalls, isEmpty } from './held-calls.ts';

type WireCall = NonNullable<ChatCompletion['choices'][number]['message']['tool_calls']>[number];
type WirePiece = NonNullable<ChatCompletionChunk['choices'][number]['delta']['tool_calls']>[number];

/** A call as its caller knows it: a custom tool gets its text. */
export function wireCall(call: ToolCall, customs: ReadonlySet<string>): WireCall {
  const { id, name, arguments: text } = call;
  if (customs.has(name)) return { id, type: 'custom', custom: { name, input: inputOfCustom(call) } };
  return { id, type: 'function', function: { name, arguments: text } };
}

/**
 * Numbers the tool calls of one stream from 0 in the order in which they begin. A custom call comes whole at the end,
 * because its text is in its arguments. Stateful, because it counts.
 */
export class CallPieces {
  readonly #calls: HeldCalls;
  readonly #customs: ReadonlySet<string>;
  #next = 0;

  constructor(messages: number, customs: ReadonlySet<string>) {
    this.#calls = new HeldCalls(messages, (name) => customs.has(name));
    this.#customs = customs;
  }

  deltasOf(piece: Extract<VisiblePiece, { readonly kind: 'tool' }>): readonly WirePiece[] {
    const taken = this.#calls.take(piece);
    if (taken === null) return [];
    const { call, isFirst, text } = taken;
    if (!isFirst) return [{ index: call.index ?? 0, function: { arguments: text } }];
    call.index = this.#next++;
    const { id, name, index } = call;
    return [{ index, id, type: 'function', function: { name, arguments: text } }];
  }

  /** The calls that were held until the end, and `{}` for begun calls without arguments. `calls`: all of the answer, in the order of their slots. */
  restOf(calls: readonly ToolCall[]): readonly WirePiece[] {
    const held = this.#calls.inOrder();
    return calls.flatMap((call, at): readonly WirePiece[] => {
      const begun = held[at];
      if (begun === undefined || begun.index === null)
        return [{ index: this.#next++, ...wireCall(call, this.#customs) }];
      return isEmpty(begun) ? [{ index: begun.index, function: { arguments: call.arguments } }] : [];
    });
  }
}
