import type { Duplex } from 'node:stream';

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
