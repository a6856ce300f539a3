/** A replica follows the log for months: the memory of its world, viewers and wakes does not grow with the number of events. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { WorldEvent } from '@hamlet/contract';
import { advance, createWorld, defaultMap, reduce, restoreWorld, snapshotWorld, validateCommand } from '@hamlet/core';
import type { WorldState } from '@hamlet/core';
import { Fanout } from './fanout/fanout.ts';
import { WorldReplica } from './world-replica.ts';

const map = defaultMap();
const AGENTS = 50;
const ROUNDS = 2_000;
const WARM_ROUNDS = 200;
/** Walks that viewers share stay within this limit; one queued entry for each move after the warm-up would take twice as much. */
const GROWTH_MAX_BYTES = 2_500_000;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

function heapBytes(): number {
  for (let turn = 0; turn < 3; turn += 1) collectGarbage();
  return process.memoryUsage().heapUsed;
}

/** Makes every agent choose a new destination, and returns the events of the round. */
function round(world: WorldState, number: number): readonly WorldEvent[] {
  const tick = number * 5;
  const events = advance(world, tick);
  for (let agent = 0; agent < AGENTS; agent += 1) {
    const target = { x: 40 + ((agent * 7 + number * 13) % 60), y: 60 + ((agent + number) % 8) };
    const outcome = validateCommand(world, { kind: 'move', agent_id: `agent-${agent}`, target }, tick);
    for (const event of outcome.ok ? outcome.events : []) {
      reduce(world, event);
      events.push(event);
    }
  }
  return events;
}

function villageOf(agents: number): WorldState {
  const world = createWorld(map, 3);
  for (let agent = 0; agent < agents; agent += 1) {
    const outcome = validateCommand(
      world,
      { kind: 'spawn', agent_id: `agent-${agent}`, display_name: `Agent ${agent}`, tier: 0, awake: true, online: true },
      0,
    );
    for (const event of outcome.ok ? outcome.events : []) reduce(world, event);
  }
  return world;
}

test('the heap of a writer, or of a replica with a viewer, does not grow with the number of moves', () => {
  const writer = villageOf(AGENTS);
  const world = restoreWorld(map, snapshotWorld(writer));
  const fanout = new Fanout({ world, epoch: 1 });
  const broken = (error: unknown): never => assert.fail(String(error));
  const replica = new WorldReplica({ world, epoch: 1 }, { onBroken: broken, onWatcherError: broken });
  replica.watch({ before: (event) => fanout.before(event), after: (event) => fanout.after(event) });
  const viewer = fanout.attach(
    { send: () => undefined, bufferedAmount: 0, close: () => undefined },
    { format: 'binary' },
  );
  viewer.receive(JSON.stringify({ type: 'view', x: 0, y: 0, width: map.width, height: map.height, zoom: 'near' }));
  let [moves, before] = [0, 0];
  for (let number = 1; number <= ROUNDS; number += 1) {
    if (number === WARM_ROUNDS) [moves, before] = [world.seq, heapBytes()];
    assert.equal(replica.take(1, round(writer, number)), true);
    fanout.tick(number * 5);
  }
  const grown = heapBytes() - before;
  assert.ok(world.seq - moves > 60_000, 'many moves were applied');
  assert.ok(grown < GROWTH_MAX_BYTES, `${grown} bytes more after ${world.seq - moves} events`);
  assert.equal(world.wheel, null, 'a replica that does not write queues no arrivals');
  assert.ok((writer.wheel?.size ?? 0) < AGENTS * 40, `the writer queues ${writer.wheel?.size} arrivals`);
});
