import { CLOSE_ABOVE_BYTES, DROP_ABOVE_BYTES, RESUME_BELOW_BYTES, STALL_TICKS } from './limits.ts';

/** The viewer gets all messages (`open`), none (`full`), the missed keyframes first (`drained`), or none ever again (`lost`). */
type Capacity = 'open' | 'full' | 'drained' | 'lost';

export class Pressure {
  /** Cells whose changes were not sent; a keyframe repairs each of them. */
  readonly dirty = new Set<number>();
  /** Pinned agents whose changes were not sent; they may be in any cell. */
  readonly stalePins = new Set<number>();
  readonly #port: ViewerPort;
  #fullSince = -1;

  constructor(port: ViewerPort) {
    this.#port = port;
  }

  get open(): boolean {
    return this.#fullSince < 0 && this.#port.bufferedAmount <= DROP_ABOVE_BYTES;
  }

  /** A full viewer stays full until its queue falls below the lower limit. */
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
  send(message: Uint8Array | string): void;
  readonly bufferedAmount: number;
  close(code: number, reason: string): void;
}

export type FrameFormat = 'binary' | 'json';
