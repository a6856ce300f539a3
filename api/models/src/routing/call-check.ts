import type { Finish, ToolPiece } from '../chat/chat-delta.ts';
import type { ChatRequest } from '../chat/chat-request.ts';
import { ModelFault } from '../chat/model-error.ts';
import type { AnswerLimits } from '../transport/answer-limits.ts';

interface Slot {
  hasId: boolean;
  hasName: boolean;
}

/**
 * Gives the answers of all adapters the same ending: tool calls are counted, have ids and names, and lead to the finish
 * reason `tool_calls`. Mutable because a call spans several pieces.
 */
export class CallCheck {
  readonly #slots = new Map<number, Slot>();
  readonly #idBase: number;
  readonly #most: number;

  constructor({ messages }: ChatRequest, { toolCalls }: Pick<AnswerLimits, 'toolCalls'>) {
    this.#idBase = messages.length;
    this.#most = toolCalls;
  }

  take({ slot, id = '', name = '' }: ToolPiece): void {
    const known = this.#slots.get(slot) ?? { hasId: false, hasName: false };
    this.#slots.set(slot, { hasId: known.hasId || id !== '', hasName: known.hasName || name !== '' });
    if (this.#slots.size > this.#most)
      throw new ModelFault('bad_answer', `the answer has more than ${this.#most} tool calls`);
  }

  *missingIds(): Generator<ToolPiece> {
    for (const [slot, { hasId, hasName }] of this.#slots) {
      if (!hasName) throw new ModelFault('bad_answer', 'a tool call of the answer has no name');
      if (!hasId) yield { kind: 'tool', slot, id: `call_${this.#idBase}_${slot}` };
    }
  }

  /** Servers disagree on the finish reason of an answer that ends with calls. */
  finishOf(finish: Finish): Finish {
    return this.#slots.size > 0 && finish === 'stop' ? 'tool_calls' : finish;
  }
}
