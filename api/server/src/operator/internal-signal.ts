import { INTERNAL_EVENTS_CHANNEL, listen, type InternalEvent } from '@hamlet/store';

export interface InternalSignal {
  /** Also calls back after every reconnection, because notifications may have been lost. */
  on(kind: InternalEvent['event'] | 'any', callback: () => void): void;
  close(): Promise<void>;
}

export function openInternalSignal(listenUrl: string): InternalSignal {
  const callbacks: { readonly kind: InternalEvent['event'] | 'any'; readonly callback: () => void }[] = [];
  const listener = listen(listenUrl, [INTERNAL_EVENTS_CHANNEL], (_channel, payload) => {
    for (const { kind, callback } of callbacks) if (kind === 'any' || payload === null || payload === kind) callback();
  });
  return { on: (kind, callback) => void callbacks.push({ kind, callback }), close: () => listener.stop() };
}
