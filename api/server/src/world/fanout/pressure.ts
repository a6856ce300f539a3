import { CLOSE_ABOVE_BYTES, DROP_ABOVE_BYTES, RESUME_BELOW_BYTES, STALL_TICKS } from './limits.ts';

/**
 * The messages that a viewer can take: all (`open`), none (`full`), first the missed keyframes (`drained`), or none
 * ever again (`lost`).
 */
export type Capacity = 'open' | 'full' | 'drained' | 'lost';

/** The backlog of one socket. Mutable: it follows the socket. */
export class Pressure {
  /** Cells whose changes were not sent; a keyframe repairs each of them. */
  readonly dirty = new Set<number>();
  /** Pinned agents whose changes were not sent; they may be in any cell. */
  readonly stalePins = new Set<number>();
  readonly #port: ViewerPort;
  /** Tick since which the viewer has been full, or -1. */
  #fullSince = -1;

  constructor(port: ViewerPort) {
    this.#port = port;
  }

  /** True if the viewer accepts messages between updates. */
  get open(): boolean {
    return this.#fullSince < 0 && this.#port.bufferedAmount <= DROP_ABOVE_BYTES;
  }

  /**
   * The capacity at a tick. A full viewer stays full until its queue falls below the lower limit, so that it does not
   * fill again at once.
   */
  capacity(tick: number): Capacity {
    const queued = this.#port.bufferedAmount;
    if (queued > CLOSE_ABOVE_BYTES) return 'lost';
    if (this.#fullSince < 0) {
      if (queued <= DROP_ABOVE_BYTES) return 'open';
      this.#fullSince = tick;
      return 'full';
    }
    if (queued >= RESUME_BELOW_BYTES) return tick - this.#fullSince >= STALL_TICKS ? 'lost' : 'full';
    this.#fullSince = -1;
    return 'drained';
  }
}

export interface ViewerPort {
  /** Queues one message: bytes as a binary message, a string as text. */
  send(message: Uint8Array | string): void;
  readonly bufferedAmount: number;
  close(code: number, reason: string): void;
}

export type FrameFormat = 'binary' | 'json';
