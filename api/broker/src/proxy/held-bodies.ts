import type { IncomingMessage } from 'node:http';
import { MAX_FETCH_BYTES } from '../git/read-fetch.ts';
import { giveBack, nextChunk } from './first-bytes.ts';

const MIB = 1024 * 1024;
const READ_MS = 30_000;

/** Limits in bytes: of one body, of all bodies of an agent, and of all bodies. */
interface BodyLimits {
  readonly ofBody: number;
  readonly ofAgent: number;
  readonly inAll: number;
}

export const WRITE_BODIES: BodyLimits = { ofBody: 262_144, ofAgent: 4 * MIB, inAll: 64 * MIB };
export const FETCH_BODIES: BodyLimits = { ofBody: MAX_FETCH_BYTES, ofAgent: 4 * MAX_FETCH_BYTES, inAll: 64 * MIB };

/** `whole`: fully read. `unread`: too long, or no memory left for it; its bytes are put back. `cut`: ended early. */
export type Body =
  | { readonly kind: 'whole'; readonly bytes: Buffer; release(): void }
  | { readonly kind: 'unread' }
  | { readonly kind: 'cut' };

const UNREAD: Body = { kind: 'unread' };

/** True if a request frames a body (RFC 9112 6). */
export const hasBody = ({ headers }: Pick<IncomingMessage, 'headers'>): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';

/** Bodies in memory that the broker judges, or that wait for permissions. Once an agent has used its share, further bodies stay unread. */
export class HeldBodies {
  readonly #limits: BodyLimits;
  readonly #byAgent = new Map<string, number>();
  #total = 0;

  constructor(limits: BodyLimits) {
    this.#limits = limits;
  }

  /** Reads a body up to its limit. The caller releases a whole one after it was sent or refused. */
  async read(uid: string, request: IncomingMessage): Promise<Body> {
    const { headers } = request;
    if (!hasBody(request)) return { kind: 'whole', bytes: Buffer.alloc(0), release: () => undefined };
    const { ofBody } = this.#limits;
    const reserved = Number(headers['content-length'] ?? ofBody);
    if (reserved > ofBody || !this.#take(uid, reserved)) return UNREAD;
    const timer = setTimeout(() => request.destroy(), READ_MS);
    const body = await readUpTo(request, ofBody).finally(() => clearTimeout(timer));
    const bytes = body !== null && 'bytes' in body ? body.bytes : Buffer.alloc(0);
    this.#give(uid, reserved - bytes.length);
    if (body === null || 'kind' in body) return body ?? UNREAD;
    return { kind: 'whole', bytes, release: () => this.#give(uid, bytes.length) };
  }

  /** Reserves room before the body is read. */
  #take(uid: string, bytes: number): boolean {
    const ofAgent = (this.#byAgent.get(uid) ?? 0) + bytes;
    if (ofAgent > this.#limits.ofAgent || this.#total + bytes > this.#limits.inAll) return false;
    this.#byAgent.set(uid, ofAgent);
    this.#total += bytes;
    return true;
  }

  #give(uid: string, bytes: number): void {
    const left = (this.#byAgent.get(uid) ?? 0) - bytes;
    if (left > 0) this.#byAgent.set(uid, left);
    else this.#byAgent.delete(uid);
    this.#total -= bytes;
  }
}

/** The whole body; null for a longer one, whose bytes are put back. */
async function readUpTo(
  request: IncomingMessage,
  limit: number,
): Promise<{ readonly bytes: Buffer } | { readonly kind: 'cut' } | null> {
  const parts: Buffer[] = [];
  for (let length = 0; length <= limit;) {
    const more = await nextChunk(request);
    if (more === null) return request.complete ? { bytes: Buffer.concat(parts) } : { kind: 'cut' };
    parts.push(more);
    length += more.length;
  }
  giveBack(request, Buffer.concat(parts));
  return null;
}
