/** Reflectors, caches and the queue under a real controller's loop, against a model of an API server, in simulated time. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Seeded } from '../../env/seeded.ts';
import { play, seeds } from './seeds.ts';
import { SimClock } from './sim-clock.ts';
import { NO_FAULTS, SimServer, type Call } from './sim-server.ts';
import { SimVillage } from './sim-village.ts';

const STORM_MS = 5 * 60_000;
/** Longer than the longest backoff of a key (1,000 s), because a fault at the very end may have begun one. */
const CALM_MS = 25 * 60_000;
const PARENTS = 6;
const CHANGE_MS = 8_000;
const WINDOW_MS = 10_000;
/** The backoff of a watch begins at 0.8 s, which permits this many requests of a kind in ten seconds, pages included. */
const MAX_PER_WINDOW = { watch: 16, list: 48 } as const;

/** Changes by people; sometimes the history is compacted. */
async function meddle(clock: SimClock, random: Seeded, server: SimServer): Promise<void> {
  while (clock.now() < STORM_MS) {
    await clock.pause(random.between(0, CHANGE_MS));
    const name = `p${Math.floor(random.between(0, PARENTS))}`;
    const parent = server.objects('parents').find(({ metadata }) => metadata.name === name);
    const dice = random.next();
    if (parent === undefined) server.put('parents', { metadata: { name }, wanted: random.chance(0.7), life: 1 });
    else if (dice < 0.15) server.drop('parents', name);
    else if (dice < 0.5) server.put('parents', { ...parent, metadata: { name }, wanted: parent['wanted'] !== true });
    else if (dice < 0.7) server.put('parents', { ...parent, metadata: { name }, life: Number(parent['life']) + 1 });
    else if (dice < 0.85) server.drop('children', random.one(server.objects('children'))?.metadata.name ?? '');
    else if (dice < 0.9) server.compact();
    else server.put('parents', { ...parent, metadata: { name } });
  }
}

/** Finds loops without pauses: kinds with more than the permitted calls in any ten seconds. */
function hotLoops(calls: readonly Call[]): readonly string[] {
  return (['parents', 'children'] as const).flatMap((plural) =>
    (['watch', 'list'] as const).flatMap((verb) => {
      const times = calls.filter((call) => call.plural === plural && call.verb === verb).map(({ atMs }) => atMs);
      const crowded = times.findIndex(
        (atMs, index) => atMs - (times[index - MAX_PER_WINDOW[verb]] ?? Number.NEGATIVE_INFINITY) < WINDOW_MS,
      );
      return crowded < 0
        ? []
        : [`more than ${MAX_PER_WINDOW[verb]} calls of ${verb} ${plural} in ${WINDOW_MS} ms, up to ${times[crowded]}`];
    }),
  );
}

async function simulate(seed: number): Promise<void> {
  const random = new Seeded(seed);
  const clock = new SimClock();
  const server = new SimServer(clock, random);
  // After a lost answer the controller does not know the child, so only a deterministic name prevents a second
  // one.
  const deterministicNames = random.chance(0.5);
  const storm = {
    refused: random.between(0, 0.2),
    broken: random.between(0, 0.2),
    answerLost: deterministicNames ? random.between(0, 0.2) : 0,
    hangs: random.between(0, 0.02),
    gone: random.between(0, 0.05),
  };
  server.faults = storm;
  const village = new SimVillage({ clock, random, server, deterministicNames });
  void village.start();
  void meddle(clock, random, server);
  await clock.run(STORM_MS, () => assert.deepEqual(village.broken, []));
  server.faults = NO_FAULTS;
  await clock.run(STORM_MS + CALM_MS, () => assert.deepEqual(village.broken, []));
  assert.deepEqual([...village.problems(), ...hotLoops(server.calls)], []);
  const stopping = village.stop();
  await clock.run(STORM_MS + CALM_MS + 1_000, () => undefined);
  await stopping;
  assert.deepEqual([server.open.get('parents'), server.open.get('children')], [0, 0], 'a watch is left open');
}

test('in the end every cache equals the server, every parent has one child, and no loop sent too many requests', async () => {
  await play(seeds(2_000, 100), simulate);
});
