import type { Duplex } from 'node:stream';
import { deny } from '@hamlet/core/egress';

/** Maximum number of open connections of one agent, from its pod and to the outside. A browser opens dozens. */
const MAX_OF_AN_AGENT = 128;
const MAX_IN_ALL = 8192;

/** The open connections of each life, so that a brake ends them at once. */
export class Connections {
  readonly #open = new Map<string, Set<Duplex>>();
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** Tracks a connection until it closes. False if this agent, or all agents together, have too many. */
  add(uid: string, socket: Duplex): boolean {
    const own = this.#open.get(uid) ?? new Set();
    if (own.has(socket)) return true;
    if (socket.destroyed || own.size >= MAX_OF_AN_AGENT || this.#count >= MAX_IN_ALL) return false;
    this.#open.set(uid, own.add(socket));
    this.#count += 1;
    socket.once('close', () => {
      own.delete(socket);
      this.#count -= 1;
      if (own.size === 0 && this.#open.get(uid) === own) this.#open.delete(uid);
    });
    return true;
  }

  end(uid: string): void {
    for (const socket of this.#open.get(uid) ?? []) socket.destroy();
  }

  endAll(): void {
    for (const uid of this.#open.keys()) this.end(uid);
  }
}

/** Maximum number of connections from one address without a known agent. A pod opens dozens at once. */
const MAX_OF_AN_ADDRESS = 64;
const MAX_STRANGERS = 8192;
/** Milliseconds that a connection has to identify its agent. */
const STRANGER_MS = 60_000;

/** Connections whose agent is not known yet. The broker ends those above the limit and those that stay unknown. */
export class Strangers {
  readonly #byAddress = new Map<string, number>();
  readonly #leave = new WeakMap<Duplex, () => void>();
  #count = 0;

  add(socket: Duplex & { readonly remoteAddress?: string | undefined }): void {
    const { remoteAddress = '' } = socket;
    const here = this.#byAddress.get(remoteAddress) ?? 0;
    if (here >= MAX_OF_AN_ADDRESS || this.#count >= MAX_STRANGERS) return void socket.destroy();
    this.#byAddress.set(remoteAddress, here + 1);
    this.#count += 1;
    const timer = setTimeout(() => socket.destroy(), STRANGER_MS).unref();
    const leave = (): void => {
      clearTimeout(timer);
      socket.off('close', leave);
      this.#leave.delete(socket);
      this.#count -= 1;
      const left = (this.#byAddress.get(remoteAddress) ?? 1) - 1;
      if (left > 0) this.#byAddress.set(remoteAddress, left);
      else this.#byAddress.delete(remoteAddress);
    };
    this.#leave.set(socket, leave);
    socket.once('close', leave);
  }

  /** Call this once the agent is known: then the agent's own limit applies. */
  known(socket: Duplex): void {
    this.#leave.get(socket)?.();
  }
}

const TOKENS_WHY =
  'this address has sent too many unknown tokens; wait ten seconds, then use the proxy of the resident';
export const TOO_MANY_TOKENS = deny('egress_too_many', TOKENS_WHY);

/** Refused tokens of one address within a window, after which the broker asks the API about none of its tokens. */
const REFUSED_MAX = 50;
const WINDOW_MS = 10_000;
const ADDRESSES_MAX = 10_000;

/** Counts refused tokens by address: a program that invents tokens must not load the API or evict cached admissions. */
export class RefusedTokens {
  readonly #byAddress = new Map<string, { refused: number; readonly untilMs: number }>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  isExhausted(address: string): boolean {
    const count = this.#byAddress.get(address);
    return count !== undefined && count.untilMs > this.#now() && count.refused >= REFUSED_MAX;
  }

  note(address: string): void {
    const nowMs = this.#now();
    const count = this.#byAddress.get(address);
    if (count !== undefined && count.untilMs > nowMs) count.refused += 1;
    else {
      this.#byAddress.delete(address);
      this.#byAddress.set(address, { refused: 1, untilMs: nowMs + WINDOW_MS });
    }
    const [oldest] = this.#byAddress.keys();
    if (this.#byAddress.size > ADDRESSES_MAX && oldest !== undefined) this.#byAddress.delete(oldest);
  }
}
