import { setTimeout as sleep } from 'node:timers/promises';
import type { BoardMark, BoardReset } from '@hamlet/contract';
import type { Viewer } from '@hamlet/store';
import type { Log } from '../service/log.ts';
import type { BoardPages } from './board-pages.ts';
import type { BoardRelay } from './board-relay.ts';
import type { SocketRoute } from '../http/pipeline/serve-sockets.ts';
import { viewerOf } from './author-of.ts';

/** A viewer with more queued bytes gets no events until its queue drains. Its events stay in the database. */
const BACKLOG_MAX_BYTES = 256 << 10;
const BACKLOG_PATIENCE_MS = 10_000;
const BACKLOG_PAUSE_MS = 50;
const RETRY_PAUSE_MS = 500;
/** Close code for a viewer that is too slow; it may connect again with `after`. */
const RESUME_CODE = 4_008;

interface FeedOut {
  send(text: string): void;
  readonly bufferedAmount: number;
  close(code: number, reason: string): void;
}

export interface FeedPorts {
  readonly pages: BoardPages;
  readonly relay: BoardRelay;
  readonly log: Log;
}

/** A viewer and where it starts: after the event at `EPOCH:OFFSET`, or with a snapshot. */
interface Follower {
  readonly viewer: Viewer;
  readonly after: string | undefined;
  readonly out: FeedOut;
}

/** Sends one viewer all events of the stream that it may see, in order, each once. Stateful: its offset advances. */
class FeedReader {
  readonly #ports: FeedPorts;
  readonly #follower: Follower;
  #open = true;
  #offset = -1;
  #said = -1;
  #pumping = false;

  constructor(ports: FeedPorts, follower: Follower) {
    this.#ports = ports;
    this.#follower = follower;
  }

  pump(): void {
    if (this.#pumping || !this.#behind) return;
    this.#pumping = true;
    this.#drain()
      .catch(async (error: unknown) => {
        this.#ports.log('warn', 'a viewer of the board gets no events: the database does not answer', { error });
        await sleep(RETRY_PAUSE_MS);
      })
      .finally(() => {
        this.#pumping = false;
        this.pump();
      });
  }

  /** Sends the current offset even if the viewer has it: clients treat a silent socket as lost. */
  mark(): void {
    if (this.#offset < 0) return;
    const mark: BoardMark = { type: 'mark', epoch: this.#ports.pages.epoch, offset: this.#offset };
    this.#follower.out.send(JSON.stringify(mark));
    this.#said = this.#offset;
  }

  close(): void {
    this.#open = false;
  }

  get #behind(): boolean {
    return this.#open && (this.#offset < 0 || this.#offset < this.#ports.relay.head);
  }

  async #drain(): Promise<void> {
    if (this.#offset < 0) this.#said = this.#offset = await this.#begin();
    while (this.#behind && (await this.#hasRoom())) {
      const page = await this.#ports.pages.read(this.#follower.viewer, this.#offset);
      if (!this.#open) return;
      for (const text of page.texts) this.#follower.out.send(text);
      if (page.texts.length > 0) this.#said = page.last;
      this.#offset = page.upTo;
    }
  }

  async #begin(): Promise<number> {
    const { pages } = this.#ports;
    const { viewer, after, out } = this.#follower;
    const from = after === undefined ? null : await pages.resumeFrom(after);
    if (from !== null) return from;
    const snapshot = await pages.snapshot(viewer);
    const reset: BoardReset = { type: 'reset', epoch: pages.epoch, offset: snapshot.offset };
    if (after !== undefined) out.send(JSON.stringify(reset));
    out.send(JSON.stringify(snapshot));
    return snapshot.offset;
  }

  async #hasRoom(): Promise<boolean> {
    const { out } = this.#follower;
    for (let waitedMs = 0; this.#open && out.bufferedAmount > BACKLOG_MAX_BYTES; waitedMs += BACKLOG_PAUSE_MS) {
      if (waitedMs >= BACKLOG_PATIENCE_MS) {
        this.#open = false;
        out.close(RESUME_CODE, `too slow; resume with after=${this.#ports.pages.epoch}:${this.#said}`);
      }
      await sleep(BACKLOG_PAUSE_MS);
    }
    return this.#open;
  }
}

export function createBoardFeed(ports: FeedPorts) {
  const readers = new Set<FeedReader>();
  ports.relay.onHead(() => {
    for (const reader of readers) reader.pump();
  });
  return {
    follow: (follower: Follower) => {
      const reader = new FeedReader(ports, follower);
      readers.add(reader);
      reader.pump();
      return {
        mark: () => reader.mark(),
        close: () => {
          reader.close();
          readers.delete(reader);
        },
      };
    },
  };
}

type BoardFeed = ReturnType<typeof createBoardFeed>;

const MARK_EVERY_MS = 20_000;
/** Maximum number of sockets of one replica, and the code that closes any further one. */
const SOCKETS_MAX = 5_000;
const TOO_MANY = 1_013;

export function boardSocket(feed: BoardFeed): SocketRoute {
  let open = 0;
  return {
    permission: 'board:read',
    attach: ({ webSocket, query, actor }) => {
      if (open >= SOCKETS_MAX) return webSocket.close(TOO_MANY, 'too many sockets here; try again');
      const reader = feed.follow({ viewer: viewerOf(actor), after: query.get('after') ?? undefined, out: webSocket });
      const marks = setInterval(() => reader.mark(), MARK_EVERY_MS);
      open += 1;
      webSocket.on('close', () => {
        open -= 1;
        clearInterval(marks);
        reader.close();
      });
    },
  };
}
