import type { Finish, ToolPiece } from '../chat/chat-delta.ts';
import type { ChatMessage, ChatRequest } from '../chat/chat-request.ts';
import { ModelFault } from '../chat/model-error.ts';
import { WholeCharacters } from '../chat/whole-characters.ts';
import type { AnswerLimits } from '../transport/answer-limits.ts';

interface Slot {
  id: string;
  name: string;
  /** Arguments that arrived before the name. */
  early: string;
  readonly characters: WholeCharacters;
}

/** Characters that every program keeps in an id; some drop others, and would then take two ids for one. */
const PLAIN = /^[ -~]+$/;

function headOf({ id, name }: Slot): Pick<ToolPiece, 'id' | 'name'> {
  return id === '' ? { name } : { id, name };
}

function idsIn(messages: readonly ChatMessage[]): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const message of messages)
    if (message.role === 'assistant') for (const { id } of message.toolCalls ?? []) ids.add(id);
  return ids;
}

/**
 * Normalizes the tool calls of all adapters: begins each with its name, limits their number, makes ids that are
 * missing, not plain or not unique, requires names, and sets the finish reason `tool_calls`. Mutable because a call spans several pieces.
 */
export class CallCheck {
  readonly #slots = new Map<number, Slot>();
  readonly #messages: readonly ChatMessage[];
  /** The ids of earlier calls, collected with the first call: most answers have none. */
  #earlierIds: ReadonlySet<string> | null = null;
  readonly #most: number;

  constructor({ messages }: ChatRequest, { toolCalls }: Pick<AnswerLimits, 'toolCalls'>) {
    this.#messages = messages;
    this.#most = toolCalls;
  }

  *take(piece: ToolPiece): Generator<ToolPiece> {
    const slot = this.#slotOf(piece.slot);
    const isHead = this.#learnName(slot, piece);
    const words = slot.early + slot.characters.take(piece.arguments ?? '');
    slot.early = slot.name === '' ? words : '';
    if (slot.name !== '' && (isHead || words !== ''))
      yield { kind: 'tool', slot: piece.slot, ...(isHead ? headOf(slot) : {}), arguments: words };
  }

  /** True if the piece gives the name or the id for the first time. */
  #learnName(slot: Slot, { slot: number, id = '', name = '' }: ToolPiece): boolean {
    const isNewId = slot.id === '' && id !== '';
    const isNewName = slot.name === '' && name !== '';
    if (isNewId) slot.id = this.#uniqueId(number, id);
    if (isNewName) slot.name = name;
    return isNewId || isNewName;
  }

  #slotOf(number: number): Slot {
    const slot = this.#slots.get(number) ?? { id: '', name: '', early: '', characters: new WholeCharacters() };
    this.#slots.set(number, slot);
    if (this.#slots.size > this.#most)
      throw new ModelFault('bad_answer', `the answer has more than ${this.#most} tool calls`);
    return slot;
  }

  /** The id of the provider, unless it is not plain or another call of the conversation has it too. */
  #uniqueId(number: number, id: string): string {
    this.#earlierIds ??= idsIn(this.#messages);
    const isTaken = this.#earlierIds.has(id) || [...this.#slots.values()].some((slot) => slot.id === id);
    return isTaken || !PLAIN.test(id) ? this.#madeId(number) : id;
  }

  #madeId(number: number): string {
    return `call_${this.#messages.length}_${number}`;
  }

  /** The ids that the provider left out, and the ends of arguments. */
  *end(): Generator<ToolPiece> {
    for (const [number, { id, name, characters }] of this.#slots) {
      if (name === '') throw new ModelFault('bad_answer', 'a tool call in the answer has no name');
      if (id === '') yield { kind: 'tool', slot: number, id: this.#madeId(number) };
      const rest = characters.end();
      if (rest !== '') yield { kind: 'tool', slot: number, arguments: rest };
    }
  }

  /** Servers disagree on the finish reason of an answer with calls. */
  finishOf(finish: Finish): Finish {
    return this.#slots.size > 0 && finish === 'stop' ? 'tool_calls' : finish;
  }
}
