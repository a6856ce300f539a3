/** One village day (24 minutes of real time) by the rules of the real world, without clock or network. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TICKS_PER_DAY } from '@hamlet/contract';
import { voiceOf } from './runtime/voice.ts';
import { createScriptedRuntime } from './runtime/scripted-runtime.ts';
import { poolOf } from './testing/a-runtime.ts';
import { coreVillage, lifeOf, type CoreVillage } from './testing/core-village.ts';

const NAMES = ['ada', 'bob', 'cleo', 'dan'] as const;
const SEEDS = [1, 2, 3, 7, 42, 1_000, 65_537, 4_000_000_000];
/** Three in the morning, when all agents should be in bed; the village begins at six. */
const DEEP_NIGHT_TICK = 12_600;

/** Runs from dawn until deep in the night; each villager takes a turn at its own interval and at each wake. */
async function liveOneDay(seed: number, until: number): Promise<CoreVillage> {
  const village = coreVillage(NAMES, seed);
  const voice = voiceOf({
    runtimes: poolOf(createScriptedRuntime()),
    workTreeOf: async () => ({ repo: null, branch: null }),
    memoryPath: '/nowhere',
    stop: new AbortController().signal,
  });
  const lives = village.villagers.map((villager) => lifeOf(villager, { voice, seed }));
  for (let tick = 0; tick <= until; tick += 1) {
    village.advanceTo(tick);
    for (const life of lives) await life(tick);
  }
  return village;
}

/** The actions of an agent according to the log of the world. */
function dayOf({ events }: CoreVillage, agentId: string, home: string) {
  const own = events.filter((event) => 'agent_id' in event && event.agent_id === agentId);
  const arrivals = own.flatMap((event) => (event.kind === 'arrive' && event.landmark_id !== null ? [event] : []));
  const places = new Set(arrivals.map(({ landmark_id }) => landmark_id));
  places.delete(home);
  const speech = events.filter((event) => event.kind === 'talk' && event.to === agentId);
  const carried = own.filter((event) => event.kind === 'pick_up' || (event.kind === 'use' && event.gives !== null));
  const dropped = own.filter((event) => event.kind === 'drop');
  const bed = own.filter((event) => event.kind === 'use' && event.activity === 'sleeping');
  return { places, speech, carried, dropped, bed, talks: own.filter(({ kind }) => kind === 'talk') };
}

for (const seed of SEEDS) {
  test(`seed ${seed}: each agent visits four landmarks, meets another agent, carries an item, and sleeps at home`, async () => {
    const village = await liveOneDay(seed, DEEP_NIGHT_TICK);
    const { agents } = village.view();
    for (const { agentId, turns } of village.villagers) {
      const self = agents.find(({ agent_id }) => agent_id === agentId);
      assert.ok(self !== undefined);
      const day = dayOf(village, agentId, self.home);
      assert.ok(day.places.size >= 4, `${agentId} visited only ${[...day.places].join(', ')}`);
      assert.ok(day.speech.length > 0 && day.talks.length > 0, `${agentId} met no agent`);
      assert.ok(day.carried.length > 0, `${agentId} carried nothing`);
      assert.ok(day.bed.length > 0, `${agentId} did not go to bed`);
      assert.deepEqual([self.landmark_id, self.activity], [self.home, 'sleeping'], `${agentId} does not sleep at home`);
      const refused = turns.filter(({ acted }) => acted['outcome'] === 'refused');
      assert.ok(
        refused.length * 10 <= turns.length,
        `${agentId} was refused ${refused.length} of ${turns.length} turns: ${JSON.stringify(refused.map(({ acted, decided }) => [acted['code'], decided['command']]))}`,
      );
    }
  });
}

test('the same seed gives the same day, to the last byte of the world', async () => {
  const [first, second, other] = [
    await liveOneDay(5, TICKS_PER_DAY),
    await liveOneDay(5, TICKS_PER_DAY),
    await liveOneDay(6, TICKS_PER_DAY),
  ];
  assert.equal(first.hash(), second.hash());
  assert.deepEqual(first.events, second.events);
  assert.notEqual(first.hash(), other.hash());
});
