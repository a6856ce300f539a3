/**
 * A saved world meets a version of Hamlet with another map: nothing is lost, nothing moves without consent, and an
 * agreed move can be replayed.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WorldCommand, WorldEvent } from '@hamlet/contract';
import {
  advance,
  buildMap,
  createWorld,
  defaultMap,
  reduce,
  stateHash,
  tileAt,
  aliveSlots,
  validateCommand,
} from '@hamlet/core';
import type { WorldMap, WorldState } from '@hamlet/core';
import { appendBatch, FencedError, openDatabase, saveSnapshot, takeLease } from '@hamlet/store';
import { migratedPostgres } from '@hamlet/test/env/postgres';
import { untilEnd } from '@hamlet/test/env/at-end';
import { batchOf } from '../commit-queue.ts';
import { MapStore } from './map-store.ts';
import { moveWorldToMap } from './move-world.ts';
import { readEventsAfter } from './read-events.ts';
import { packSnapshot, recoverWorld } from './recover.ts';

const SEED = 7;
const NOW_TICK = 900;
const oldMap = defaultMap();
const newMap = flooded(oldMap);

/** The same village with water in every fourth column of tiles, except slots of landmarks. */
function flooded(map: WorldMap): WorldMap {
  const water = map.legend.findIndex(({ terrain }) => terrain === 'water');
  return buildMap({
    ...map,
    terrain: map.terrain.map((code, tile) =>
      (tile % map.width) % 4 === 0 && tile > 40 * map.width && !map.slotAt.has(tile) ? water : code,
    ),
  });
}

const ids = Array.from({ length: 30 }, (_, index) => `agent-${index}`);

const postgres = untilEnd(await migratedPostgres());
const db = untilEnd(openDatabase({ url: postgres.appUrl, poolSize: 4, onError: () => undefined }));
const epoch = (await takeLease(db, 'old', 600_000)) ?? 0;
const world = createWorld(oldMap, SEED);
await play(
  ids.map((agent_id) => ({ kind: 'spawn', agent_id, display_name: agent_id, tier: 0, awake: true, online: true })),
  1,
);
await play(
  ids.map((agent_id, index) => ({ kind: 'move', agent_id, target: { x: 40 + index, y: 60 + (index % 8) } })),
  10,
);
await saveSnapshot(db, epoch, await packSnapshot(world));
await play(
  ids.map((agent_id, index) => ({ kind: 'move', agent_id, target: { x: 60 + index, y: 62 } })),
  870,
);

async function play(commands: readonly WorldCommand[], tick: number): Promise<void> {
  const events: WorldEvent[] = advance(world, tick);
  for (const command of commands) {
    const outcome = validateCommand(world, command, tick);
    for (const event of outcome.ok ? outcome.events : []) {
      reduce(world, event);
      events.push(event);
    }
  }
  await appendBatch(db, batchOf(epoch, { events, answers: [], audits: [] }));
}

function start(map: WorldMap, agreedTo?: string): Promise<WorldState> {
  const maps = new MapStore(db, map);
  const onBadSnapshot = (): never => assert.fail('a damaged snapshot');
  return recoverWorld({ db, maps, seed: SEED, onBadSnapshot }).then((recovered) =>
    moveWorldToMap(recovered, { db, maps, replicaId: 'new', agreedTo, tick: NOW_TICK }),
  );
}

/** All rows from which a world is recovered. */
async function saved(): Promise<unknown> {
  const owner = openDatabase({ url: postgres.url(), poolSize: 1, onError: () => undefined });
  const rows = [
    await owner.selectFrom('world_snapshot').select(['seq', 'state_hash']).orderBy('seq').execute(),
    await owner.selectFrom('world_event').select(['seq']).orderBy('seq').execute(),
    await owner.selectFrom('world_move_chunk').select(['seq_from', 'seq_to']).orderBy('seq_from').execute(),
    await owner.selectFrom('world_lease').select(['epoch', 'holder']).execute(),
  ];
  await owner.destroy();
  return rows;
}

test('a start on a new map is refused with the fix, and changes nothing', async () => {
  const before = await saved();
  await assert.rejects(
    start(newMap),
    new RegExp(`uses map ${oldMap.version}, but this version of Hamlet has map ${newMap.version}.*not stored the plan`),
  );
  await new MapStore(db, oldMap).keepCurrent();
  await assert.rejects(start(newMap), new RegExp(`HAMLET_MIGRATE_MAP_TO=${newMap.version}`));
  await assert.rejects(start(newMap, oldMap.version), /HAMLET_MIGRATE_MAP_TO/);
  assert.deepEqual(await saved(), before);
  assert.equal(stateHash(await start(oldMap)), stateHash(world), 'the old version starts as before');
});

test('an agreed move puts every agent on the new map; the writer on the old one can commit nothing more', async () => {
  const moved = await start(newMap, newMap.version);
  assert.equal(moved.map.version, newMap.version);
  assert.equal(moved.agents.count, ids.length);
  assert.equal(moved.seq, world.seq + 1);
  for (const slot of aliveSlots(moved)) assert.equal(newMap.walkable[tileAt(moved, slot, NOW_TICK)], 1);
  await assert.rejects(play([{ kind: 'despawn', agent_id: 'agent-2' }], 910), FencedError);
  assert.equal(stateHash(await start(newMap)), stateHash(moved), 'the next start needs no agreement');
  assert.notEqual(await takeLease(db, 'next', 1_000), null, 'the lease is free');
});

test('the move replays from a snapshot of the old map, or from the first event', async () => {
  const moved = await start(newMap);
  const owner = openDatabase({ url: postgres.url(), poolSize: 1, onError: () => undefined });
  for (const left of [1, 0]) {
    const newest = (await owner.selectFrom('world_snapshot').select('seq').orderBy('seq').execute())
      .slice(left)
      .map(({ seq }) => seq);
    await owner.deleteFrom('world_snapshot').where('seq', 'in', newest).execute();
    assert.equal(stateHash(await start(newMap)), stateHash(moved), `${left} snapshots left`);
  }
  await owner.destroy();
});

test('the old version refuses the moved world and changes nothing', async () => {
  const before = await saved();
  await assert.rejects(start(oldMap), new RegExp(`uses map ${newMap.version}`));
  assert.deepEqual(await saved(), before);
});

test('a replay reads a bounded number of events at a time', async () => {
  const [last, emotes, chunk] = [(await start(newMap)).seq, 25_000, 1_000];
  const epochNow = (await db.selectFrom('world_lease').select('epoch').executeTakeFirstOrThrow()).epoch;
  for (let at = 0; at < emotes; at += chunk) {
    const events = Array.from({ length: chunk }, (_, index): WorldEvent => ({
      seq: last + 1 + at + index,
      tick: 1_000,
      kind: 'emote',
      agent_id: 'agent-1',
      emote: 'wave',
    }));
    await appendBatch(db, batchOf(epochNow, { events, answers: [], audits: [] }));
  }
  const pages: number[] = [];
  let seq = 0;
  await readEventsAfter(db, 0, (page) => {
    pages.push(page.length);
    for (const event of page) {
      assert.equal(event.seq, seq + 1);
      seq = event.seq;
    }
  });
  assert.equal(seq, last + emotes);
  assert.ok(Math.max(...pages) <= 10_000 + chunk, `pages of ${pages.join(', ')} events`);
  assert.equal((await start(newMap)).seq, seq);
});

test('a log with a gap is refused and stays unchanged', async () => {
  const epochNow = (await db.selectFrom('world_lease').select('epoch').executeTakeFirstOrThrow()).epoch;
  const seq = (await start(newMap)).seq;
  const late: WorldEvent = { seq: seq + 5, tick: 2_000, kind: 'talk', agent_id: 'agent-1', text: 'hello', to: null };
  await appendBatch(db, batchOf(epochNow, { events: [late], answers: [], audits: [] }));
  await assert.rejects(start(newMap), new RegExp(`has no event ${seq + 1}, but later ones up to ${seq + 5}`));
});
