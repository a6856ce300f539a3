/** The slots whose occupants a viewer can name: one bit each. Mutable: it lives as long as a connection. */
export class KnownSlots {
  #bits = new Uint8Array(32);

  has(slot: number): boolean {
    return ((this.#bits[slot >> 3] ?? 0) & (1 << (slot & 7))) !== 0;
  }

  add(slot: number): void {
    const at = slot >> 3;
    if (at >= this.#bits.length) {
      const grown = new Uint8Array(Math.max(at + 1, this.#bits.length * 2));
      grown.set(this.#bits);
      this.#bits = grown;
    }
    this.#bits[at] = (this.#bits[at] ?? 0) | (1 << (slot & 7));
  }

  forget(slot: number): void {
    const at = slot >> 3;
    if (at < this.#bits.length) this.#bits[at] = (this.#bits[at] ?? 0) & ~(1 << (slot & 7));
  }

  clear(): void {
    this.#bits.fill(0);
  }
}
