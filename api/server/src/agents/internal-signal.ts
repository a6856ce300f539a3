import { INTERNAL_EVENTS_CHANNEL, listen } from '@hamlet/store';
import type { InternalEvent } from '@hamlet/store';

/** Says that an internal event has been committed, on whichever replica, some milliseconds after its commit. */
export interface InternalSignal {
  /** Hears of one kind of event, or of all; also after every reconnection, since what was said meanwhile is lost. */
  on(kind: InternalEvent['event'] | 'any', hear: () => void): void;
  close(): Promise<void>;
}

/** One connection to Postgres that listens for all of a replica. */
export function openInternalSignal(listenUrl: string): InternalSignal {
  const hearers: { readonly kind: InternalEvent['event'] | 'any'; readonly hear: () => void }[] = [];
  const listener = listen(listenUrl, [INTERNAL_EVENTS_CHANNEL], (_channel, payload) => {
    for (const { kind, hear } of hearers) if (kind === 'any' || payload === null || payload === kind) hear();
  });
  return { on: (kind, hear) => void hearers.push({ kind, hear }), close: () => listener.stop() };
}
