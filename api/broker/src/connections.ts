import type { Duplex } from 'node:stream';

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
const MAX_OF_AN_ADDRESS = 128;
const MAX_STRANGERS = 2048;
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
