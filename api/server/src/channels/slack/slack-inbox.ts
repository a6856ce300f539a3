import { EventEmitter, once } from 'node:events';
import type { SlackApi } from './slack-api.ts';
import { readPayload, type Read } from './read-payload.ts';
import { type Envelope, openSlackSocket, type SlackSocket } from './slack-socket.ts';

/** A replica that begins to lead waits for the end of this. */
const RECEIVE_MS = 10_000;
/** A socket without a receiver is closed, so that Slack gives its envelopes to another replica. */
const IDLE_MS = 5_000;
/**
 * Age at which a new socket replaces an open one, because a connection can break without a sign. Slack sends an
 * envelope again at once, after one minute and after five, so the last attempt meets a socket that works.
 */
const RENEW_MS = 240_000;
/** A socket that ends sooner is a failure, so that the bot pauses instead of opening one after the other. */
const SHORTEST_MS = 10_000;
/** Maximum number of waiting envelopes. The API does not confirm further ones, so Slack sends them again. */
const WAITING_MAX = 1_000;
/** Maximum number of handled messages that are remembered, in case Slack sends them again. */
const DONE_MAX = 1_000;

interface Waiting {
  readonly envelope: Envelope;
  readonly socket: SlackSocket;
}

interface InboxPorts {
  readonly api: Pick<SlackApi, 'openSocket'>;
  readonly monotonicMs: () => number;
  readonly idleMs?: number;
}

/**
 * The messages of one bot, through sockets that it opens as it needs them. It confirms an envelope after its work is
 * done: one that fails, and one that takes longer than the 3 s that Slack waits, comes again.
 */
export class SlackInbox {
  readonly #ports: InboxPorts;
  readonly #changes = new EventEmitter();
  readonly #done = new Set<string>();
  #waiting: Waiting[] = [];
  #socket: SlackSocket | null = null;
  #idle: NodeJS.Timeout | undefined;
  #ending: AbortSignal | null = null;

  constructor(ports: InboxPorts) {
    this.#ports = ports;
  }

  /** Passes messages to `take`, one after the other, for `RECEIVE_MS` or until `signal` aborts. */
  async receive(take: (read: Read) => Promise<void>, signal: AbortSignal): Promise<void> {
    clearTimeout(this.#idle);
    this.#closeAt(signal);
    const untilMs = this.#ports.monotonicMs() + RECEIVE_MS;
    try {
      for (let leftMs = RECEIVE_MS; leftMs > 0 && !signal.aborted; leftMs = untilMs - this.#ports.monotonicMs()) {
        await this.#keepOpen();
        const next = this.#waiting.shift();
        if (next === undefined) await this.#change(leftMs, signal);
        else await this.#work(next, take);
      }
    } finally {
      if (signal.aborted) this.#close();
      else this.#idle = setTimeout(() => this.#close(), this.#ports.idleMs ?? IDLE_MS).unref();
    }
  }

  async #work({ envelope, socket }: Waiting, take: (read: Read) => Promise<void>): Promise<void> {
    const read = readPayload(envelope.payload);
    const id = read?.received.updateId;
    if (read !== null && id !== undefined && !this.#done.has(id)) {
      await take(read);
      this.#done.add(id);
      const [oldest = ''] = this.#done;
      if (this.#done.size > DONE_MAX) this.#done.delete(oldest);
    }
    socket.acknowledge(envelope.id);
  }

  /** False if Slack ends the socket, or if it is old and nothing waits. Throws if Slack ends it too soon. */
  #serves({ isLeaving, openedAtMs }: SlackSocket): boolean {
    const ageMs = this.#ports.monotonicMs() - openedAtMs;
    if (!isLeaving) return ageMs < RENEW_MS || this.#waiting.length > 0;
    if (ageMs >= SHORTEST_MS) return false;
    this.#close();
    throw new Error('Slack has closed a new socket');
  }

  /** Opens a socket unless one serves; then closes the former one. */
  async #keepOpen(): Promise<void> {
    const former = this.#socket;
    if (former !== null && this.#serves(former)) return;
    const onLeaving = (): boolean => this.#changes.emit('change');
    const onEnvelope = (envelope: Envelope, socket: SlackSocket): void => {
      if (this.#waiting.length < WAITING_MAX) this.#waiting.push({ envelope, socket });
      this.#changes.emit('change');
    };
    const { monotonicMs, api } = this.#ports;
    this.#socket = await openSlackSocket(await api.openSocket(), { monotonicMs, onEnvelope, onLeaving });
    former?.close();
  }

  async #change(withinMs: number, signal: AbortSignal): Promise<void> {
    const timer = setTimeout(() => this.#changes.emit('change'), withinMs);
    await once(this.#changes, 'change', { signal }).catch(() => undefined);
    clearTimeout(timer);
  }

  #closeAt(signal: AbortSignal): void {
    if (this.#ending === signal) return;
    this.#ending = signal;
    signal.addEventListener('abort', () => this.#close(), { once: true });
  }

  #close(): void {
    this.#socket?.close();
    this.#socket = null;
    this.#waiting = [];
  }
}
