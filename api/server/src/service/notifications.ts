import {
  ACCOUNTS_CHANNEL,
  INTERNAL_EVENTS_CHANNEL,
  listen,
  MODEL_CREDENTIALS_CHANNEL,
  RUN_CHANGES_CHANNEL,
  RUN_HINTS_CHANNEL,
  SAMPLE_AGENTS_CHANNEL,
  SESSION_EVENTS_CHANNEL,
  VILLAGE_SETTINGS_CHANNEL,
  type InternalEvent,
} from '@hamlet/store';
import type { Log } from './log.ts';

type Notify = (payload: string | null) => void;

/**
 * Opens the replica's only listening connection to Postgres. After every connection, each subscriber is also called
 * with null, because it may have missed notifications.
 */
export function openNotifications(url: string, log: Log) {
  const subscribers = new Map<string, Notify[]>(
    [
      ACCOUNTS_CHANNEL,
      INTERNAL_EVENTS_CHANNEL,
      MODEL_CREDENTIALS_CHANNEL,
      RUN_CHANGES_CHANNEL,
      RUN_HINTS_CHANNEL,
      SAMPLE_AGENTS_CHANNEL,
      SESSION_EVENTS_CHANNEL,
      VILLAGE_SETTINGS_CHANNEL,
    ].map((channel) => [channel, []]),
  );
  const listener = listen(url, [...subscribers.keys()], (channel, payload) => {
    for (const notify of subscribers.get(channel) ?? []) {
      try {
        notify(payload);
      } catch (error) {
        // Without this catch, one bad notification would end this process or stop all later channels.
        log('error', 'a notification of Postgres cannot be handled', { channel, error });
      }
    }
  });
  const on = (channel: string, notify: Notify): void => void subscribers.get(channel)?.push(notify);
  return {
    on,
    /** Calls back for one kind of internal events, or for all. */
    onInternal: (kind: InternalEvent['event'] | 'any', callback: () => void): void =>
      on(INTERNAL_EVENTS_CHANNEL, (payload) => {
        if (kind === 'any' || payload === null || payload === kind) callback();
      }),
    /** True while this replica does the upkeep of the village. */
    leads: (): boolean => listener.leads(),
    close: (): Promise<void> => listener.stop(),
  };
}

export type Notifications = ReturnType<typeof openNotifications>;
