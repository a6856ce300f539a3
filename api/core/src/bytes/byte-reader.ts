const decoder = new TextDecoder();

/** The bytes end early or contain a number that a {@link ByteReader} does not accept. */
export class MalformedBytes extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'MalformedBytes';
  }
}

/** Throws {@link MalformedBytes} if the bytes end early. Mutable: it keeps its position. */
export class ByteReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get done(): boolean {
    return this.#at >= this.#bytes.length;
  }

  #take(count: number): number {
    const at = this.#at;
    this.#at += count;
    if (this.#at > this.#bytes.length)
      throw new MalformedBytes(`the bytes end early: ${this.#at} needed, ${this.#bytes.length} given`);
    return at;
  }

  u8(): number {
    return this.#view.getUint8(this.#take(1));
  }

  u16(): number {
    return this.#view.getUint16(this.#take(2), true);
  }

  u32(): number {
    return this.#view.getUint32(this.#take(4), true);
  }

  varint(): number {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.u8();
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value >>> 0;
    }
    throw new MalformedBytes('a number has more than five bytes');
  }

  signed(): number {
    const value = this.varint();
    return (value >>> 1) ^ -(value & 1);
  }

  text(): string {
    const length = this.varint();
    const at = this.#take(length);
    return decoder.decode(this.#bytes.subarray(at, at + length));
  }
}
