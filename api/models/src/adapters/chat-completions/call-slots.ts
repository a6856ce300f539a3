interface PieceName {
  readonly id: string;
  readonly index: number | null;
  readonly name: string;
}

/**
 * Gives each tool call of a stream one slot. Servers differ: most number calls by `index`; some leave it out and repeat
 * the id; some number every call 0 and change the id. Mutable because slots belong to one stream.
 */
export class CallSlots {
  readonly #slotOfIndex = new Map<number, number>();
  readonly #slotOfId = new Map<string, number>();
  readonly #idOfSlot = new Map<number, string>();
  #next = 0;
  #last = 0;

  of(piece: PieceName): number {
    const slot = this.#find(piece) ?? this.#open();
    if (piece.index !== null) this.#slotOfIndex.set(piece.index, slot);
    if (piece.id !== '') {
      this.#slotOfId.set(piece.id, slot);
      this.#idOfSlot.set(slot, piece.id);
    }
    this.#last = slot;
    return slot;
  }

  #find({ id, index, name }: PieceName): number | undefined {
    const byId = id === '' ? undefined : this.#slotOfId.get(id);
    if (byId !== undefined) return byId;
    if (index === null) return name !== '' || this.#next === 0 ? undefined : this.#last;
    const slot = this.#slotOfIndex.get(index);
    const isOther = slot !== undefined && id !== '' && this.#idOfSlot.has(slot);
    return isOther ? undefined : slot;
  }

  #open(): number {
    const slot = this.#next;
    this.#next += 1;
    return slot;
  }
}
