import type { WebSocket } from 'ws';
import type { Log } from '../../service/log.ts';

const PING_EVERY_MS = 20_000;
/** How often some of the sockets are pinged: one timer for all, which wakes the process once for many of them. */
const ROUND_MS = 1_000;

interface Kept {
  dueMs: number;
  answered: boolean;
}

/** Pings every socket each 20 s, and ends the one that has not answered the ping before. Mutable: it lists the open sockets. */
export class Pings {
  readonly #kept = new Map<WebSocket, Kept>();
  readonly #timer: NodeJS.Timeout;
  readonly #log: Log;

  constructor(log: Log) {
    this.#log = log;
    this.#timer = setInterval(() => this.#round(performance.now()), ROUND_MS);
  }

  /** Pings a socket until it is closed. */
  keepAlive(webSocket: WebSocket): void {
    const kept: Kept = { dueMs: performance.now() + PING_EVERY_MS, answered: true };
    this.#kept.set(webSocket, kept);
    webSocket.on('pong', () => {
      kept.answered = true;
    });
    webSocket.on('error', (error) => this.#log('debug', 'a socket broke', { error }));
    webSocket.on('close', () => this.#kept.delete(webSocket));
  }

  /** Pings nobody any more. */
  stop(): void {
    clearInterval(this.#timer);
  }

  #round(nowMs: number): void {
    for (const [webSocket, kept] of this.#kept) {
      if (nowMs < kept.dueMs) continue;
      kept.dueMs = nowMs + PING_EVERY_MS;
      if (!kept.answered) webSocket.terminate();
      kept.answered = false;
      webSocket.ping();
    }
  }
}
