/** An agent, as the rules about idle sleep and waking need it. Times in ms, by the database's clock. */
export interface RestFacts {
  readonly power: 'Awake' | 'Asleep';
  /** True if the village itself put the agent to sleep; false for an agent that a person suspended. */
  readonly idle: boolean;
  /** Whether a message wakes the agent; a Schedule, another run and the board always do. */
  readonly wake: 'OnMessage' | 'Never';
  /** Null: the agent never sleeps for want of work. */
  readonly idleSleepAfterMs: number | null;
  /** A measure or a deletion: the village changes nothing about the agent. */
  readonly held: boolean;
  /** Runs that have not ended, without those that a paused session holds: `message` if all are of messages. */
  readonly work: 'message' | 'other' | null;
  /** Newest run, message, post on the board or act of a person; null if there was none. */
  readonly activeAtMs: number | null;
  /** Newest post or reply on the board that is addressed to the agent; null if there is none. */
  readonly addressedAtMs: number | null;
  /** Since when the idle sleep stands; null without one. */
  readonly asleepSinceMs: number | null;
  readonly nowMs: number;
}

export type RestVerdict = 'sleep' | 'wake' | 'stay';

/** All rules about idle sleep and waking are here. Pure. */
export function decideRest(facts: RestFacts): RestVerdict {
  if (facts.held) return 'stay';
  if (facts.power === 'Awake') return mayRest(facts) ? 'sleep' : 'stay';
  return facts.idle && mustWake(facts) ? 'wake' : 'stay';
}

function mayRest({ idleSleepAfterMs, activeAtMs, work, nowMs }: RestFacts): boolean {
  if (idleSleepAfterMs === null || work !== null || activeAtMs === null) return false;
  return nowMs - activeAtMs >= idleSleepAfterMs;
}

function mustWake({ wake, work, addressedAtMs, asleepSinceMs }: RestFacts): boolean {
  if (work === 'other' || (work === 'message' && wake === 'OnMessage')) return true;
  return addressedAtMs !== null && asleepSinceMs !== null && addressedAtMs > asleepSinceMs;
}
