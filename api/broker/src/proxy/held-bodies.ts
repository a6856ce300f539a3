import type { IncomingMessage } from 'node:http';
import { giveBack, nextChunk } from './first-bytes.ts';

export const MAX_READ_BYTES = 262_144;
const MAX_BYTES_OF_AGENT = 4 * 1024 * 1024;
const MAX_BYTES = 64 * 1024 * 1024;
const READ_MS = 30_000;

/** `whole`: fully read. `unread`: too long, or no memory left for it; its bytes are put back. `cut`: ended early. */
export type Body =
  | { readonly kind: 'whole'; readonly bytes: Buffer; release(): void }
  | { readonly kind: 'unread' }
  | { readonly kind: 'cut' };

const UNREAD: Body = { kind: 'unread' };

/** True if a request frames a body (RFC 9112 6). */
export const hasBody = ({ headers }: Pick<IncomingMessage, 'headers'>): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';

/** Bodies in memory that wait for permissions. Once an agent has used its share, a person decides without seeing further bodies. */
export class HeldBodies {
  readonly #byAgent = new Map<string, number>();
  #total = 0;

  /** Reads a body up to MAX_READ_BYTES. The caller releases a whole one after it was sent or refused. */
  async read(uid: string, request: IncomingMessage): Promise<Body> {
    const { headers } = request;
    if (!hasBody(request)) return { kind: 'whole', bytes: Buffer.alloc(0), release: () => undefined };
    if (Number(headers['content-length'] ?? 0) > MAX_READ_BYTES || !this.#take(uid)) return UNREAD;
    const release = (): void => this.#give(uid);
    const timer = setTimeout(() => request.destroy(), READ_MS);
    const body = await readUpTo(request).finally(() => clearTimeout(timer));
    if (body !== null && 'bytes' in body) return { kind: 'whole', bytes: body.bytes, release };
    release();
    return body ?? UNREAD;
  }

  /** Reserves room for the longest body at once. */
  #take(uid: string): boolean {
    const ofAgent = this.#byAgent.get(uid) ?? 0;
    if (ofAgent + MAX_READ_BYTES > MAX_BYTES_OF_AGENT || this.#total + MAX_READ_BYTES > MAX_BYTES) return false;
    this.#byAgent.set(uid, ofAgent + MAX_READ_BYTES);
    this.#total += MAX_READ_BYTES;
    return true;
  }

  #give(uid: string): void {
    const left = (this.#byAgent.get(uid) ?? 0) - MAX_READ_BYTES;
    if (left > 0) this.#byAgent.set(uid, left);
    else this.#byAgent.delete(uid);
    this.#total -= MAX_READ_BYTES;
  }
}

/** The whole body; null for a longer one, whose bytes are put back. */
async function readUpTo(
  request: IncomingMessage,
): Promise<{ readonly bytes: Buffer } | { readonly kind: 'cut' } | null> {
  const parts: Buffer[] = [];
  for (let length = 0; length <= MAX_READ_BYTES;) {
    const more = await nextChunk(request);
    if (more === null) return request.complete ? { bytes: Buffer.concat(parts) } : { kind: 'cut' };
    parts.push(more);
    length += more.length;
  }
  giveBack(request, Buffer.concat(parts));
  return null;
}
