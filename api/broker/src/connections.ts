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
