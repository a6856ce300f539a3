import type { VisiblePiece } from '../carry-out.ts';

type ToolPiece = Extract<VisiblePiece, { readonly kind: 'tool' }>;

interface HeldCall {
  readonly slot: number;
  id: string;
  name: string;
  /** Arguments that came before the call began, and later ones as long as all of them are blank. */
  held: string;
  /** The place at which the caller has begun the call; null while it is held. */
  index: number | null;
}

/** True if the caller has received no arguments of the call. Clients fail to parse an empty text, so the call ends with `{}`. */
export const isEmpty = ({ held }: HeldCall): boolean => held.trim() === '';

interface TakenPiece {
  readonly call: HeldCall;
  /** True if the caller has to begin the call. */
  readonly isFirst: boolean;
  /** The arguments to pass on. */
  readonly text: string;
}

/**
 * The tool calls of one stream. A call is held until its name is known, and to its end if `isWhole` says so of the name.
 * Stateful.
 */
export class HeldCalls {
  readonly #calls: HeldCall[] = [];
  readonly #messages: number;
  readonly #isWhole: (name: string) => boolean;

  /** @param messages number of messages of the request, which is in the id of a call that the provider gives none. */
  constructor(messages: number, isWhole: (name: string) => boolean) {
    this.#messages = messages;
    this.#isWhole = isWhole;
  }

  /** Null if there is nothing to pass on yet. */
  take(piece: ToolPiece): TakenPiece | null {
    const call = this.#at(piece.slot);
    const { arguments: text = '' } = piece;
    if (call.index !== null) {
      if (isEmpty(call)) call.held += text;
      return text === '' ? null : { call, isFirst: false, text };
    }
    this.#add(call, piece);
    if (call.name === '' || this.#isWhole(call.name)) return null;
    // The whole answer gets the same id if its provider names none.
    if (call.id === '') call.id = `call_${this.#messages}_${call.slot}`;
    return { call, isFirst: true, text: call.held };
  }

  /** All calls in the order of the whole answer. */
  inOrder(): readonly HeldCall[] {
    return this.#calls.toSorted((a, b) => a.slot - b.slot);
  }

  #add(call: HeldCall, { id = '', name = '', arguments: text = '' }: ToolPiece): void {
    call.id ||= id;
    call.name ||= name;
    call.held += text;
  }

  #at(slot: number): HeldCall {
    const known = this.#calls.find((call) => call.slot === slot);
    if (known !== undefined) return known;
    const call: HeldCall = { slot, id: '', name: '', held: '', index: null };
    this.#calls.push(call);
    return call;
  }
}
