export interface CallPiece {
  readonly id: string;
  readonly index: number | null;
  readonly name: string;
  readonly arguments: string;
}

interface Slot {
  readonly number: number;
  id: string;
  index: number | null;
  name: string;
  arguments: string;
}

/** Looks at the last character first, because a server may repeat the name in each of many pieces. */
function isWhole({ name, arguments: text }: Slot): boolean {
  if (!/[}\]]\s*$/.test(text.slice(-8))) return false;
  try {
    JSON.parse(text);
    return name !== '';
  } catch {
    return false;
  }
}

/** True if the piece begins another call, although its id or index is the same: it names a tool after a complete call. */
function beginsAnother(slot: Slot, { name, arguments: text }: CallPiece): boolean {
  return name !== '' && (text.trim() !== '' || name !== slot.name) && isWhole(slot);
}

/**
 * Gives each tool call of a stream one slot. Servers differ: most number calls by `index`; some leave it out and repeat
 * the id; some number every call 0 and change the id; some give all calls the same id. Mutable because slots belong to
 * one stream.
 */
export class CallSlots {
  readonly #slots: Slot[] = [];

  of(piece: CallPiece): number {
    const found = this.#find(piece);
    const slot = found === undefined || beginsAnother(found, piece) ? this.#open() : found;
    slot.id ||= piece.id;
    slot.index ??= piece.index;
    slot.name ||= piece.name;
    slot.arguments += piece.arguments;
    return slot.number;
  }

  #find({ id, index, name }: CallPiece): Slot | undefined {
    const last = (test: (slot: Slot) => boolean): Slot | undefined => this.#slots.findLast(test);
    if (index !== null && id !== '')
      return (
        last((slot) => slot.id === id && slot.index === index) ??
        last((slot) => (slot.id === id && slot.index === null) || (slot.id === '' && slot.index === index))
      );
    if (index !== null) return last((slot) => slot.index === index);
    if (id !== '') return last((slot) => slot.id === id);
    const newest = this.#slots.at(-1);
    return name === '' || newest?.name === '' ? newest : undefined;
  }

  #open(): Slot {
    const slot: Slot = { number: this.#slots.length, id: '', index: null, name: '', arguments: '' };
    this.#slots.push(slot);
    return slot;
  }
}
