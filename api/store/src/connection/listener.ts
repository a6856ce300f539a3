import { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { probed } from './database.ts';

const PAUSE_MS = 500;
/** A server that went silent never closes its end of a connection. */
const END_LIMIT_MS = 1_000;
/** A listener sends no other queries, so only these checks detect a lost server. */
const PATIENCE: ListenerPatience = { askEveryMs: 15_000, answerMs: 10_000 };

/** Interval of the queries that check a listener's connection, and the longest wait for an answer, in ms. */
interface ListenerPatience {
  readonly askEveryMs: number;
  readonly answerMs: number;
}

type OnNotify = (channel: string, payload: string | null) => void;

/** Key of the session lock of the replica that does the upkeep of the village. */
const UPKEEP_LOCK = 0x75706b65;

export interface Listener {
  /** True while this replica holds the lock for upkeep. If its connection ends, another replica takes it. */
  leads(): boolean;
  stop(): Promise<void>;
}

/** Listens until stopped. Sends a null payload after each connect, upon which the caller must read the state. */
export function listen(url: string, channels: readonly string[], onNotify: OnNotify): Listener {
  return listenWith({ url, channels, onNotify, patience: PATIENCE });
}

interface ListenOptions {
  readonly url: string;
  readonly channels: readonly string[];
  readonly onNotify: OnNotify;
  readonly patience: ListenerPatience;
}

export function listenWith({ url, channels, onNotify, patience }: ListenOptions): Listener {
  let endCurrent: (() => Promise<void>) | null = null;
  let stopped = false;
  let leads = false;

  async function listenOnce(): Promise<void> {
    const socket = new Socket();
    const mine = new pg.Client({
      stream: () => socket,
      connectionString: url,
      connectionTimeoutMillis: 5_000,
      ...probed(),
      query_timeout: patience.answerMs,
      application_name: 'hamlet-api listener',
    });
    endCurrent = () => endOf(mine, socket);
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    mine.once('end', end);
    mine.on('error', () => end());
    const ask = async (): Promise<void> => {
      const { rows } = await mine.query(
        leads ? 'select true as held' : `select pg_try_advisory_lock(${UPKEEP_LOCK}) as held`,
      );
      leads = rows[0]?.held === true;
    };
    const asking = setInterval(() => void ask().catch(() => end()), patience.askEveryMs);
    mine.on('notification', ({ channel, payload }) => onNotify(channel, payload ?? ''));
    try {
      // If the client is ended while it connects, its connect() never settles.
      await Promise.race([mine.connect(), ended]);
      if (stopped) return;
      for (const channel of channels) await mine.query(`listen ${mine.escapeIdentifier(channel)}`);
      for (const channel of channels) onNotify(channel, null);
      await ask();
      await ended;
    } finally {
      leads = false;
      clearInterval(asking);
      await endOf(mine, socket);
    }
  }

  const loop = (async () => {
    while (!stopped) {
      await listenOnce().catch(() => undefined);
      if (!stopped) await sleep(PAUSE_MS);
    }
  })();

  return {
    leads: () => leads,
    stop: async () => {
      stopped = true;
      await endCurrent?.();
      await loop;
    },
  };
}

/** Ends a connection, by force after a second. */
async function endOf(client: pg.Client, socket: Socket): Promise<void> {
  const ended = client.end().catch(() => undefined);
  const limit = new AbortController();
  await Promise.race([ended, sleep(END_LIMIT_MS, undefined, { signal: limit.signal }).catch(() => undefined)]);
  limit.abort();
  socket.destroy();
}
