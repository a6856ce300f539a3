import { once } from 'node:events';
import { BoardMessage, type BoardEvent } from '@hamlet/contract';
import { WebSocket } from 'ws';

/** A viewer of /ws/board that can leave and reconnect to any replica. Collects the messages. */
export class BoardViewer {
  readonly messages: BoardMessage[] = [];
  readonly closes: number[] = [];
  #socket: WebSocket | null = null;
  readonly #token: string | undefined;

  constructor(token?: string) {
    this.#token = token;
  }

  /** Opens a socket that resumes after `after`, by default after the last received event. */
  async open(url: string, after = this.at): Promise<void> {
    const query = after === null ? '' : `?after=${after}`;
    const socket = new WebSocket(`${url.replace('http', 'ws')}/ws/board${query}`, {
      headers: this.#token === undefined ? {} : { authorization: `Bearer ${this.#token}` },
    });
    this.#socket = socket;
    socket.on('error', () => undefined);
    socket.on('close', (code) => void this.closes.push(code));
    socket.on('message', (data: Buffer) => {
      // Messages of an earlier socket are ignored, as if its connection had broken.
      if (this.#socket === socket) this.messages.push(BoardMessage.parse(JSON.parse(data.toString())));
    });
    await once(socket, 'open');
  }

  leave(): void {
    this.#socket?.terminate();
    this.#socket = null;
  }

  /** The id of the last received message; null before the first one. */
  get at(): string | null {
    const last = this.messages.at(-1);
    return last === undefined ? null : `${last.epoch}:${last.offset}`;
  }

  get events(): readonly BoardEvent[] {
    return this.messages.filter((message) => message.type === 'event');
  }
}
