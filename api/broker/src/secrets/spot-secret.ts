import { Transform } from 'node:stream';

/** Minimum length of a part of an encoding; shorter ones occur by chance. */
const MIN_LENGTH = 6;
/** Minimum length of a line of wrapped base64: 64 characters in PEM (RFC 7468), 76 in MIME (RFC 2045). */
const LINE_LENGTH = 60;
const LINE_BREAKS = /[\r\n]/g;
/** Pause after which held bytes pass, so that an answer of events arrives. */
const PAUSE_MS = 100;

const percentEncoded = (bytes: Buffer): string =>
  [...bytes].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
const jsonEscaped = (text: string): string =>
  [...Array(text.length).keys()].map((at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`).join('');

/** Base64 of a text at any offset within a longer one, without the characters that depend on its neighbours. */
function base64Parts(bytes: Buffer): readonly string[] {
  return [0, 1, 2].map((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    const first = offset === 0 ? 0 : offset + 1;
    const last = (offset + bytes.length) % 3 === 0 ? text.length : text.length - 1;
    return text.slice(first, last);
  });
}

/** A secret in the encodings in which servers echo headers. */
function shapesOf(secret: string): readonly Buffer[] {
  const bytes = Buffer.from(secret, 'utf8');
  const base64 = base64Parts(bytes);
  const html = secret.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const encoded = [
    encodeURIComponent(secret),
    encodeURIComponent(secret).replaceAll('%20', '+'),
    encodeURIComponent(secret).replaceAll(/%../g, (code) => code.toLowerCase()),
    percentEncoded(bytes),
    percentEncoded(bytes).toUpperCase(),
    ...base64,
    ...base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_')),
    bytes.toString('hex'),
    bytes.toString('hex').toUpperCase(),
    secret.replaceAll('/', '\\/'),
    JSON.stringify(secret).slice(1, -1),
    jsonEscaped(secret),
    html,
    html.replaceAll('"', '&quot;').replaceAll("'", '&#39;'),
    html.replaceAll('"', '&#34;').replaceAll("'", '&#x27;'),
    [...secret].toReversed().join(''),
  ].filter((text) => text.length >= MIN_LENGTH);
  const wide = Buffer.from(secret, 'utf16le');
  return [...new Set([secret, ...encoded])]
    .map((text) => Buffer.from(text, 'utf8'))
    .concat([wide, Buffer.from(wide).swap16()]);
}

class SecretReturned extends Error {}

/** Finds a secret in any of its encodings in texts and streamed bodies. Best effort: a custom cipher would hide it. */
export class SecretSpotter {
  readonly #shapes: readonly Buffer[];
  /** Maximum number of bytes from the first to the last one of an encoded secret, with its line breaks. */
  readonly #longest: number;

  constructor(secret: string) {
    this.#shapes = shapesOf(secret);
    const longest = Math.max(...this.#shapes.map(({ length }) => length));
    this.#longest = longest + 2 * Math.ceil(longest / LINE_LENGTH);
  }

  /** True if the bytes contain the secret, even if line breaks divide it. */
  isIn(bytes: Buffer): boolean {
    const unwrapped = bytes.includes('\n')
      ? Buffer.from(bytes.toString('latin1').replaceAll(LINE_BREAKS, ''), 'latin1')
      : bytes;
    return this.#shapes.some((shape) => bytes.includes(shape) || unwrapped.includes(shape));
  }

  /**
   * Streams a body, and fails with `SecretReturned` before the last byte of a secret. It always holds back the same number
   * of bytes, and passes them on after the same pause: otherwise a program could guess the secret from the sizes of chunks.
   */
  stream(): Transform {
    let kept: Buffer = Buffer.alloc(0);
    let shown = 0;
    let timer: NodeJS.Timeout | undefined;
    const pass = (stream: Transform, upTo: number): void => {
      if (upTo <= shown) return;
      stream.push(kept.subarray(shown, upTo));
      shown = upTo;
    };
    const stream = new Transform({
      transform: (chunk: Buffer, _encoding, done) => {
        kept = kept.length === 0 ? chunk : Buffer.concat([kept, chunk]);
        if (this.isIn(kept)) return done(new SecretReturned());
        const from = Math.max(0, kept.length - this.#longest + 1);
        pass(stream, from);
        kept = kept.subarray(from);
        shown = Math.max(0, shown - from);
        clearTimeout(timer);
        timer = setTimeout(() => pass(stream, kept.length), PAUSE_MS);
        done();
      },
      flush: (done) => {
        clearTimeout(timer);
        pass(stream, kept.length);
        done();
      },
      destroy: (error, done) => {
        clearTimeout(timer);
        done(error);
      },
    });
    return stream;
  }
}
