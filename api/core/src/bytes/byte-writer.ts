const encoder = new TextEncoder();
const FIRST_CAPACITY = 256;

/** Appends little-endian numbers and texts to a growing buffer. Mutable for speed: every frame is written with it. */
export class ByteWriter {
  #bytes = new Uint8Array(FIRST_CAPACITY);
  #view = new DataView(this.#bytes.buffer);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  finish(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }

  /** Keeps the memory. */
  clear(): void {
    this.#length = 0;
  }

  #reserve(count: number): number {
    const at = this.#length;
    this.#length += count;
    if (this.#length > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(this.#length, this.#bytes.length * 2));
      grown.set(this.#bytes);
      this.#bytes = grown;
      this.#view = new DataView(grown.buffer);
    }
    return at;
  }

  u8(value: number): void {
    const at = this.#reserve(1);
    this.#bytes[at] = value;
  }

  u16(value: number): void {
    const at = this.#reserve(2);
    this.#view.setUint16(at, value, true);
  }

  u32(value: number): void {
    const at = this.#reserve(4);
    this.#view.setUint32(at, value, true);
  }

  /** An unsigned number below 2^32 in one to five bytes. */
  varint(value: number): void {
    let rest = value >>> 0;
    while (rest > 0x7f) {
      this.u8((rest & 0x7f) | 0x80);
      rest >>>= 7;
    }
    this.u8(rest);
  }

  /** A signed 32-bit integer in one to five bytes; numbers near zero take few. */
  signed(value: number): void {
    this.varint(((value << 1) ^ (value >> 31)) >>> 0);
  }

  text(value: string): void {
    if (!this.#ascii(value)) this.#utf8(value);
  }

  /** Copies a short ASCII text: TextEncoder costs ten times as much. False, and writes nothing, for any other text. */
  #ascii(value: string): boolean {
    const start = this.#length;
    const { length } = value;
    if (length > 0x7f) return false;
    const at = this.#reserve(length + 1);
    const bytes = this.#bytes;
    bytes[at] = length;
    for (let index = 0; index < length; index += 1) {
      const code = value.charCodeAt(index);
      if (code > 0x7f) {
        this.#length = start;
        return false;
      }
      bytes[at + 1 + index] = code;
    }
    return true;
  }

  #utf8(value: string): void {
    const encoded = encoder.encode(value);
    this.varint(encoded.length);
    this.bytes(encoded);
  }

  bytes(value: Uint8Array): void {
    const at = this.#reserve(value.length);
    this.#bytes.set(value, at);
  }
}
