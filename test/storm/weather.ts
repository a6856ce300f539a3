import { setTimeout as sleep } from 'node:timers/promises';
import type { Seeded } from '@hamlet/test/env/seeded';
import type { ProxiedStore, Toxic } from './toxiproxy.ts';

type Stream = Toxic['stream'];

/** Random faults whose strength the seed determines. Times in ms, rates in KB/s. */
const FAULTS: readonly ((random: Seeded, stream: Stream) => Toxic)[] = [
  (random, stream) => ({
    type: 'latency',
    stream,
    toxicity: 1,
    attributes: { latency: Math.round(random.between(5, 150)), jitter: 20 },
  }),
  (random, stream) => ({
    type: 'bandwidth',
    stream,
    toxicity: 1,
    attributes: { rate: Math.round(random.between(20, 300)) },
  }),
  (_random, stream) => ({
    type: 'slicer',
    stream,
    toxicity: 1,
    attributes: { average_size: 24, size_variation: 16, delay: 200 },
  }),
  // Drops all data without an error; after a time the connection is closed.
  (random, stream) => ({
    type: 'timeout',
    stream,
    toxicity: random.between(0.3, 1),
    attributes: { timeout: Math.round(random.between(20, 400)) },
  }),
  (random, stream) => ({
    type: 'reset_peer',
    stream,
    toxicity: random.between(0.3, 1),
    attributes: { timeout: Math.round(random.between(0, 200)) },
  }),
  // Cuts the connection in the middle of an answer or a commit.
  (random, stream) => ({
    type: 'limit_data',
    stream,
    toxicity: random.between(0.3, 1),
    attributes: { bytes: Math.round(random.between(1, 30_000)) },
  }),
];

const CALM_MS = [100, 900] as const;
const FAULT_MS = [50, 400] as const;
const DOWN_CHANCE = 0.15;
const BOTH_CHANCE = 0.2;

export interface Weather {
  /** Number of faults so far. */
  readonly faults: number;
  /** Ends the faults and restores all connections. */
  end(): Promise<void>;
}

async function strike(store: ProxiedStore, random: Seeded): Promise<void> {
  if (random.chance(DOWN_CHANCE)) return store.down();
  const stream: Stream = random.chance(0.5) ? 'upstream' : 'downstream';
  const fault = random.one(FAULTS);
  if (fault !== undefined) await store.add(fault(random, stream));
}

/**
 * Starts and ends faults of stores at random until it is stopped. Postgres is affected more often than Redis,
 * sometimes both.
 */
export function startWeather(
  { postgres, redis }: { readonly postgres: ProxiedStore; readonly redis: ProxiedStore },
  random: Seeded,
): Weather {
  let faults = 0;
  const ending = new AbortController();
  const pause = (range: readonly [number, number]): Promise<void> =>
    sleep(random.between(...range), undefined, { signal: ending.signal }).catch(() => undefined);

  async function blow(): Promise<void> {
    while (!ending.signal.aborted) {
      await pause(CALM_MS);
      const struck = random.chance(BOTH_CHANCE) ? [postgres, redis] : [random.chance(0.65) ? postgres : redis];
      for (const store of struck) await strike(store, random);
      faults += struck.length;
      await pause(FAULT_MS);
      for (const store of struck) await store.heal();
    }
  }
  const blowing = blow();
  return {
    get faults() {
      return faults;
    },
    end: async () => {
      ending.abort();
      await blowing;
      await Promise.all([postgres.heal(), redis.heal()]);
    },
  };
}
