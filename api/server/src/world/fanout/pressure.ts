import { CLOSE_ABOVE_BYTES, DROP_ABOVE_BYTES, RESUME_BELOW_BYTES, STALL_TICKS } from './limits.ts';

/** Capacity of a viewer: everything, nothing, the missed keyframes first, or to be closed. */
export type Capacity = 'open' | 'full' | 'drained' | 'lost';

/** The backlog of one socket. Mutable: it lives as long as the socket. */
export class Pressure {
  /** Cells whose changes were not sent; a keyframe makes each good. */
  readonly dirty = new Set<number>();
  /** Pinned agents whose changes were not sent; they may be anywhere. */
  readonly stalePins = new Set<number>();
  readonly #port: ViewerPort;
  /** Tick since which the viewer has been full, or -1. */
  #fullSince = -1;

  constructor(port: ViewerPort) {
    this.#port = port;
  }

  /** Whether the viewer accepts messages between updates. */
  get open(): boolean {
    return this.#fullSince < 0 && this.#port.bufferedAmount <= DROP_ABOVE_BYTES;
  }

  /** Judges the socket at a tick. Between the two marks a full viewer stays full, so that it is not filled again at once. */
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

/** One websocket, as the fan-out needs it. */
export interface ViewerPort {
  /** Queues one message; bytes go as a binary message, a string as text. */
  send(message: Uint8Array | string): void;
  /** Bytes queued and not yet handed to the network. */
  readonly bufferedAmount: number;
  close(code: number, reason: string): void;
}

export type FrameFormat = 'binary' | 'json';
