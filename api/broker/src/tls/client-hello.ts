/** Maximum bytes of a ClientHello; real ones have at most a few KiB. */
export const MAX_HELLO_BYTES = 16_384;

const HANDSHAKE_RECORD = 22;
const CLIENT_HELLO = 1;
const SERVER_NAME = 0;
const HOST_NAME = 0;
const RECORD_HEADER = 5;

/** The result of reading the first bytes of a connection (RFC 8446 4.1.2, RFC 6066 3). */
export type Hello =
  | { readonly kind: 'partial' }
  | { readonly kind: 'not_tls' }
  | { readonly kind: 'hello'; readonly serverName: string | null };

class Reader {
  #at = 0;
  readonly #bytes: Buffer;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get left(): number {
    return this.#bytes.length - this.#at;
  }

  number(size: 1 | 2 | 3): number {
    const value = this.#bytes.readUIntBE(this.#at, size);
    this.#at += size;
    return value;
  }

  take(length: number): Buffer {
    if (length > this.left) throw new RangeError('a length exceeds the message');
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }

  /** A field that begins with its length in `size` bytes. */
  vector(size: 1 | 2 | 3): Reader {
    return new Reader(this.take(this.number(size)));
  }

  bytes(): Buffer {
    return this.take(this.left);
  }
}

/** The handshake bytes of all complete and partial records; null if a record is of another type. */
function handshakeBytes(bytes: Buffer): Buffer | null {
  const parts: Buffer[] = [];
  let at = 0;
  while (at < bytes.length) {
    if (bytes[at] !== HANDSHAKE_RECORD || (bytes[at + 1] ?? 3) !== 3) return null;
    if (bytes.length - at < RECORD_HEADER) break;
    const length = bytes.readUInt16BE(at + 3);
    parts.push(bytes.subarray(at + RECORD_HEADER, at + RECORD_HEADER + length));
    at += RECORD_HEADER + length;
  }
  return Buffer.concat(parts);
}

function serverNameOf(body: Buffer): string | null {
  const hello = new Reader(body);
  hello.take(2 + 32);
  hello.vector(1);
  hello.vector(2);
  hello.vector(1);
  if (hello.left === 0) return null;
  const extensions = hello.vector(2);
  while (extensions.left > 0) {
    const type = extensions.number(2);
    const extension = extensions.vector(2);
    if (type !== SERVER_NAME) continue;
    const names = extension.vector(2);
    return names.number(1) === HOST_NAME ? names.vector(2).bytes().toString('latin1').toLowerCase() : null;
  }
  return null;
}

/** Reads the name that a TLS client asks for, from the bytes that have arrived so far. */
export function readClientHello(bytes: Buffer): Hello {
  const handshake = handshakeBytes(bytes);
  if (handshake === null || (handshake.length > 0 && handshake[0] !== CLIENT_HELLO)) return { kind: 'not_tls' };
  const isComplete = handshake.length >= 4 && handshake.length >= 4 + handshake.readUIntBE(1, 3);
  if (!isComplete) return bytes.length > MAX_HELLO_BYTES ? { kind: 'not_tls' } : { kind: 'partial' };
  try {
    return { kind: 'hello', serverName: serverNameOf(handshake.subarray(4, 4 + handshake.readUIntBE(1, 3))) };
  } catch (error) {
    if (error instanceof RangeError) return { kind: 'not_tls' };
    throw error;
  }
}
