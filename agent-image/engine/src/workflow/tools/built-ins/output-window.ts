/** Bytes that are kept of the beginning of an output, and as many of its end. */
export const WINDOW_BYTES = 16 << 10;

/** The beginning and the end of an output, in bounded memory. It changes with each part that a process writes. */
export class OutputWindow {
  #head = Buffer.alloc(0);
  #tail: Buffer[] = [];
  #tailBytes = 0;
  #bytes = 0;

  add(part: Buffer): void {
    this.#bytes += part.length;
    const room = WINDOW_BYTES - this.#head.length;
    if (room > 0) this.#head = Buffer.concat([this.#head, part.subarray(0, room)]);
    const rest = part.subarray(room > 0 ? room : 0);
    if (rest.length === 0) return;
    // A copy, because the part belongs to a larger buffer of the stream.
    this.#tail.push(Buffer.from(rest.subarray(-WINDOW_BYTES)));
    this.#tailBytes += Math.min(rest.length, WINDOW_BYTES);
    while (this.#tailBytes - (this.#tail[0]?.length ?? 0) >= WINDOW_BYTES)
      this.#tailBytes -= this.#tail.shift()?.length ?? 0;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** The output as text. A note stands for what is left out, and no character is cut. */
  text(): string {
    const tail = Buffer.concat(this.#tail).subarray(-WINDOW_BYTES);
    const left = this.#bytes - this.#head.length - tail.length;
    if (left === 0) return Buffer.concat([this.#head, tail]).toString();
    const [head, end] = [this.#head.toString(), tail.toString()];
    return `${head.replace(/\uFFFD$/, '')}\n[… ${left} bytes left out …]\n${end.replace(/^\uFFFD{1,3}/, '')}`;
  }
}
