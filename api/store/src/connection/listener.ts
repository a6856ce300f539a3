import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

const PAUSE_MS = 500;
/** A connection that only listens sends nothing by itself, and would not notice that its peer is gone. */
const PATIENCE: ListenerPatience = { askEveryMs: 15_000, answerMs: 10_000 };

/** How often a listener asks whether its connection lives, and how long it waits for the answer, in ms. */
export interface ListenerPatience {
  readonly askEveryMs: number;
  readonly answerMs: number;
}

type OnNotify = (channel: string, payload: string | null) => void;

export interface Listener {
  stop(): Promise<void>;
}

/**
 * Listens for NOTIFY on channels until it is stopped: reconnects by itself. Since nothing is kept for a listener that is away, `onNotify` is also called with
 * a null payload after every (re)connect: the hearer then looks for itself.
 */
export function listen(url: string, channels: readonly string[], onNotify: OnNotify): Listener {
  return listenWith({ url, channels, onNotify, patience: PATIENCE });
}

export interface ListenOptions {
  readonly url: string;
  readonly channels: readonly string[];
  readonly onNotify: OnNotify;
  readonly patience: ListenerPatience;
}

/** The same with another patience. */
export function listenWith({ url, channels, onNotify, patience }: ListenOptions): Listener {
  let client: pg.Client | null = null;
  let stopped = false;

  async function listenOnce(): Promise<void> {
    const mine = new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: 5_000,
      keepAlive: true,
      query_timeout: patience.answerMs,
      application_name: 'hamlet-api listener',
    });
    client = mine;
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    mine.once('end', end);
    mine.on('error', () => end());
    const asking = setInterval(() => void mine.query('select 1').catch(() => end()), patience.askEveryMs);
    mine.on('notification', ({ channel, payload }) => onNotify(channel, payload ?? ''));
    try {
      // A client that is ended while it connects settles its connect() never.
      await Promise.race([mine.connect(), ended]);
      if (stopped) return;
      for (const channel of channels) await mine.query(`listen ${mine.escapeIdentifier(channel)}`);
      for (const channel of channels) onNotify(channel, null);
      await ended;
    } finally {
      clearInterval(asking);
      await mine.end().catch(() => undefined);
    }
  }

  const loop = (async () => {
    while (!stopped) {
      await listenOnce().catch(() => undefined);
      if (!stopped) await sleep(PAUSE_MS);
    }
  })();

  return {
    stop: async () => {
      stopped = true;
      await client?.end().catch(() => undefined);
      await loop;
    },
  };
}
