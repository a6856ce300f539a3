import { Transform, type TransformCallback } from 'node:stream';
import type { OutgoingHttpHeaders } from 'node:http';

/** The secret, and the encodings in which a server may return it. */
function shapesOf(secret: string): readonly string[] {
  const base64 = Buffer.from(secret, 'utf8').toString('base64').replace(/=+$/, '');
  return [...new Set([secret, encodeURIComponent(secret), base64])].toSorted((a, b) => b.length - a.length);
}

export function scrubText(text: string, secret: string, placeholder: string): string {
  return shapesOf(secret).reduce((scrubbed, shape) => scrubbed.replaceAll(shape, placeholder), text);
}

/**
 * Replaces a secret in a body that passes through, also if it spans two chunks. It holds back bytes only while they can
 * be the beginning of a shape.
 */
export class Scrub extends Transform {
  readonly #shapes: readonly Buffer[];
  readonly #placeholder: Buffer;
  #kept: Buffer = Buffer.alloc(0);

  constructor(secret: string, placeholder: string) {
    super();
    this.#shapes = shapesOf(secret).map((shape) => Buffer.from(shape, 'utf8'));
    this.#placeholder = Buffer.from(placeholder, 'utf8');
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#replace(this.#kept.length === 0 ? chunk : Buffer.concat([this.#kept, chunk]), false);
    done();
  }

  override _flush(done: TransformCallback): void {
    this.#replace(this.#kept, true);
    done();
  }

  #replace(bytes: Buffer, isLast: boolean): void {
    let from = 0;
    for (;;) {
      const next = this.#next(bytes, from);
      if (next === null) break;
      this.push(bytes.subarray(from, next.at));
      this.push(this.#placeholder);
      from = next.at + next.length;
    }
    const keep = isLast ? 0 : this.#begun(bytes, from);
    this.push(bytes.subarray(from, bytes.length - keep));
    this.#kept = bytes.subarray(bytes.length - keep);
  }

  #next(bytes: Buffer, from: number): { readonly at: number; readonly length: number } | null {
    const found = this.#shapes
      .map((shape) => ({ at: bytes.indexOf(shape, from), length: shape.length }))
      .filter(({ at }) => at >= 0);
    return found.reduce<{ at: number; length: number } | null>((a, b) => (a === null || b.at < a.at ? b : a), null);
  }

  /** Number of last bytes that can be the beginning of a shape. */
  #begun(bytes: Buffer, from: number): number {
    const most = Math.min(bytes.length - from, Math.max(...this.#shapes.map(({ length }) => length)) - 1);
    for (let length = most; length > 0; length -= 1) {
      const end = bytes.subarray(bytes.length - length);
      if (this.#shapes.some((shape) => shape.length > length && shape.subarray(0, length).equals(end))) return length;
    }
    return 0;
  }
}

const BASIC = /^Basic ([A-Za-z0-9+/]+=*)$/i;

function replaced(value: string, placeholder: string, secret: string): string {
  const basic = BASIC.exec(value)?.[1];
  if (basic === undefined) return value.replaceAll(placeholder, secret);
  const text = Buffer.from(basic, 'base64').toString('latin1');
  if (!text.includes(placeholder)) return value;
  return `Basic ${Buffer.from(text.replaceAll(placeholder, secret), 'latin1').toString('base64')}`;
}

/** Replaces the placeholder by the secret in headers, also within Basic credentials, which git sends. */
export function withSecret(headers: OutgoingHttpHeaders, placeholder: string, secret: string): OutgoingHttpHeaders {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => {
      if (typeof value === 'string') return [name, replaced(value, placeholder, secret)];
      if (Array.isArray(value)) return [name, value.map((one) => replaced(one, placeholder, secret))];
      return [name, value];
    }),
  );
}
