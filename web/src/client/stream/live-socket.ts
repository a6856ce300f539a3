import { reconnectMs } from './backoff.ts';

/** `lagging`: open but silent for too long. `outdated`: this page cannot read the messages; a newer one can. */
export type Connection = 'connecting' | 'live' | 'lagging' | 'reconnecting' | 'outdated';

interface SocketOptions {
  /** Returns the address. Each connection asks for it, because the address says where to resume. */
  url(): string;
  /** Throws if the message is unreadable, for example because the server is newer than this page. */
  message(data: ArrayBuffer | string): void;
  connection(state: Connection): void;
  greeting(): readonly object[];
  /** The server sends a message at least this often. The page reconnects after three such times of silence. */
  readonly beatMs: number;
}
export type LiveSocket = Readonly<{ send(message: object): void; close(): void }>;

/** Times of `beatMs` until a silent connection lags, and until the page replaces it: a dead one can look open. */
const LAG_BEATS = 1.2;
const DEAD_BEATS = 3;
/** A timer that is later than this belongs to a page that was suspended. */
const SUSPENDED_MS = 2000;

export function openLiveSocket(options: SocketOptions): LiveSocket {
  const line = new Line(options);
  line.connect();
  return line;
}

export function socketUrl(path: string): string {
  const url = new URL(path, window.location.href);
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  return url.href;
}

/** Mutable because it owns the socket and its timers. */
class Line implements LiveSocket {
  readonly #options: SocketOptions;
  #socket: WebSocket | null = null;
  #attempt = 0;
  #receivedMs = 0;
  #watchTimer: ReturnType<typeof setTimeout> | undefined;
  #nextTimer: ReturnType<typeof setTimeout> | undefined;
  #closed = false;

  constructor(options: SocketOptions) {
    this.#options = options;
  }

  connect(): void {
    const socket = new WebSocket(this.#options.url());
    this.#socket = socket;
    socket.binaryType = 'arraybuffer';
    socket.addEventListener('open', () => {
      this.#receivedMs = performance.now();
      for (const message of this.#options.greeting()) this.send(message);
      this.#watch();
    });
    socket.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
      if (this.#socket !== socket || !(data instanceof ArrayBuffer || typeof data === 'string')) return;
      this.#receivedMs = performance.now();
      if (this.#reads(data)) return;
      // A page that cannot read this message cannot read the next ones. It reconnects later, because the server may be
      // rolled back.
      this.#socket = null;
      socket.close();
      this.#again('outdated');
    });
    socket.addEventListener('close', () => {
      if (this.#socket === socket) this.#again('reconnecting');
    });
  }

  send(message: object): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }

  close(): void {
    this.#closed = true;
    this.#clearTimers();
    this.#socket?.close();
  }

  #reads(data: ArrayBuffer | string): boolean {
    try {
      this.#options.message(data);
    } catch (error) {
      console.warn('the page cannot read a live message', error);
      return false;
    }
    this.#attempt = 0;
    this.#options.connection('live');
    return true;
  }

  #again(state: 'reconnecting' | 'outdated'): void {
    this.#clearTimers();
    if (this.#closed) return;
    this.#options.connection(state);
    this.#nextTimer = setTimeout(() => this.connect(), reconnectMs(this.#attempt, Math.random()));
    this.#attempt += 1;
  }

  /** Checks the connection when its silence would be too long, so that no timer ticks on a page at rest. */
  #watch(): void {
    const { beatMs } = this.#options;
    const [lagMs, deadMs] = [beatMs * LAG_BEATS, beatMs * DEAD_BEATS];
    const silentMs = performance.now() - this.#receivedMs;
    const dueMs = performance.now() + (silentMs < lagMs ? lagMs : deadMs) - silentMs;
    const check = (): void => {
      const nowMs = performance.now();
      // A suspended page receives nothing; the server was not silent in that time.
      this.#receivedMs += Math.max(0, nowMs - dueMs - SUSPENDED_MS);
      const silentMs = nowMs - this.#receivedMs;
      if (silentMs < deadMs) {
        if (silentMs >= lagMs) this.#options.connection('lagging');
        return this.#watch();
      }
      const dead = this.#socket;
      this.#socket = null;
      dead?.close();
      this.#again('reconnecting');
    };
    // A timer counts whole milliseconds, and may end a part of one early.
    this.#watchTimer = setTimeout(check, Math.max(0, Math.ceil(dueMs - performance.now()) + 1));
  }

  #clearTimers(): void {
    clearTimeout(this.#watchTimer);
    clearTimeout(this.#nextTimer);
  }
}
