import { readEventCounts, RUN_CHANGES_CHANNEL } from '@hamlet/store';
import { repeat } from '../service/single-flight.ts';
import type { Services } from '../service/services.ts';

/** Redis channel of hints that an agent's entries have changed a run; the message is the run's id. */
const HINTS_CHANNEL = 'hamlet:runs:hint';
/** Longest delay of a change whose notification was lost. */
const POLL_MS = 1_000;
const POLL_RUNS_MAX = 5_000;

type OnHint = () => void;

interface Watched {
  readonly hints: Set<OnHint>;
  /** Number of the newest event at the last poll; null before. */
  events: number | null;
}

export type WatchPorts = Pick<Services, 'db' | 'link' | 'notifications' | 'log'>;

/**
 * Postgres notifies of changes by the API, Redis of entries of agents; a poll finds those whose notification was lost.
 */
export async function startRunWatch(ports: WatchPorts, pollMs = POLL_MS) {
  const { db, link, notifications, log } = ports;
  const watched = new Map<string, Watched>();

  function notify(runId: string): void {
    for (const onHint of watched.get(runId)?.hints ?? []) onHint();
  }

  async function poll(): Promise<void> {
    if (watched.size === 0) return;
    const ids = [...watched.keys()].slice(0, POLL_RUNS_MAX);
    const counts = await readEventCounts(db, ids);
    for (const runId of ids) {
      const entry = watched.get(runId);
      const events = counts.get(runId) ?? -1;
      if (entry === undefined || entry.events === events) continue;
      entry.events = events;
      notify(runId);
    }
  }

  notifications.on(RUN_CHANGES_CHANNEL, (runId) => {
    if (runId !== null) notify(runId);
    else for (const id of watched.keys()) notify(id);
  });
  await link.subscribe(HINTS_CHANNEL, notify);
  const stopPoll = repeat(pollMs, poll, (error) =>
    log('warn', 'changes of runs could not be read; the API retries', { error }),
  );
  return {
    watch: (runId: string, onHint: OnHint) => {
      const entry = watched.get(runId) ?? { hints: new Set(), events: null };
      watched.set(runId, entry);
      entry.hints.add(onHint);
      return () => {
        entry.hints.delete(onHint);
        if (entry.hints.size === 0 && watched.get(runId) === entry) watched.delete(runId);
      };
    },
    hint: (runId: string): void => void link.publish(HINTS_CHANNEL, runId),
    stop: async () => {
      await Promise.all([stopPoll(), link.unsubscribe(HINTS_CHANNEL)]);
    },
  };
}

export type RunWatch = Awaited<ReturnType<typeof startRunWatch>>;
