import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

const PAUSE_MS = 500;

export interface Listener {
  stop(): Promise<void>;
}

/**
 * Hears NOTIFY on channels, for ever: reconnects by itself. Since nothing is kept for a listener that is away, `onNotify` is also called with
 * a null payload after every (re)connect: the hearer then looks for itself.
 */
export function listen(url: string, channels: readonly string[], onNotify: (channel: string, payload: string | null) => void): Listener {
  let client: pg.Client | null = null;
  let stopped = false;

  async function listenOnce(): Promise<void> {
    const mine = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000, keepAlive: true, application_name: 'hamlet-api listener' });
    client = mine;
    const ended = new Promise<void>((resolve) => {
      mine.once('end', resolve);
      mine.on('error', () => resolve());
    });
    mine.on('notification', ({ channel, payload }) => onNotify(channel, payload ?? ''));
    try {
      // A client that is ended while it connects settles its connect() never.
      await Promise.race([mine.connect(), ended]);
      if (stopped) return;
      for (const channel of channels) await mine.query(`listen ${mine.escapeIdentifier(channel)}`);
      for (const channel of channels) onNotify(channel, null);
      await ended;
    } finally {
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
