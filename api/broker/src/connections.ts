import type { Duplex } from 'node:stream';

/** Maximum number of open connections, of one agent and of all. */
export interface ConnectionLimits {
  readonly ofAgent: number;
  readonly inAll: number;
}

/** Connections from a pod, and of its tunnels. A browser opens dozens. */
export const OPEN_CONNECTIONS: ConnectionLimits = { ofAgent: 128, inAll: 8192 };
/** Connections to servers for requests that the broker reads, also idle ones. */
export const SERVER_CONNECTIONS: ConnectionLimits = { ofAgent: 256, inAll: 8192 };

/** The open connections of each life, so that a brake ends them at once. */
export class Connections {
  readonly #open = new Map<string, Set<Duplex>>();
  readonly #limits: ConnectionLimits;
  #count = 0;

  constructor(limits: ConnectionLimits) {
    this.#limits = limits;
  }

  get count(): number {
    return this.#count;
  }

  /** Tracks a connection until it closes. False if this agent, or all agents together, have too many. */
  add(uid: string, socket: Duplex): boolean {
    const own = this.#open.get(uid) ?? new Set();
    if (own.has(socket)) return true;
    if (socket.destroyed || own.size >= this.#limits.ofAgent || this.#count >= this.#limits.inAll) return false;
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
