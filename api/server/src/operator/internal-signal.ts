import { INTERNAL_EVENTS_CHANNEL, listen } from '@hamlet/store';
import type { InternalEvent } from '@hamlet/store';

/** Notifies of internal events of any replica, some milliseconds after their commit. */
export interface InternalSignal {
  /** Calls back for one kind of event, or for all; also after every reconnection, because notifications may be lost meanwhile. */
  on(kind: InternalEvent['event'] | 'any', callback: () => void): void;
  close(): Promise<void>;
}

/** Opens one connection to Postgres that listens for the whole replica. */
export function openInternalSignal(listenUrl: string): InternalSignal {
  const callbacks: { readonly kind: InternalEvent['event'] | 'any'; readonly callback: () => void }[] = [];
  const listener = listen(listenUrl, [INTERNAL_EVENTS_CHANNEL], (_channel, payload) => {
    for (const { kind, callback } of callbacks) if (kind === 'any' || payload === null || payload === kind) callback();
  });
  return { on: (kind, callback) => void callbacks.push({ kind, callback }), close: () => listener.stop() };
}
