/** Recovers a large village completely from the newest undamaged snapshot and all events after it. */
import assert from 'node:assert/strict';
import { performance } from 'node:perf_hooks';
import { test } from 'node:test';
import type { WorldCommand, WorldEvent } from '@hamlet/contract';
import { advance, createWorld, defaultMap, reduce, stateHash, validateCommand, type WorldState } from '@hamlet/core';
import { appendBatch, openDatabase, saveSnapshot, takeLease } from '@hamlet/store';
import { migratedPostgres } from '@hamlet/test/env/postgres';
import { untilEnd } from '@hamlet/test/env/at-end';
import { batchOf } from '../commit-queue.ts';
import { MapStore } from './map-store.ts';
import { packSnapshot, recoverWorld } from './recover.ts';
import { cases } from '@hamlet/test/env/seeded';

const AGENTS = cases(500, 10_000);
const SEED = 7;
const map = defaultMap();

const postgres = untilEnd(await migratedPostgres());
const db = untilEnd(openDatabase({ url: postgres.appUrl, poolSize: 2, onError: () => undefined }));
const epoch = (await takeLease(db, 'test', 600_000)) ?? 0;
const world = createWorld(map, SEED);

/** Applies commands at a tick and makes their events durable. */
async function play(commands: readonly WorldCommand[], tick: number): Promise<void> {
  const events: WorldEvent[] = advance(world, tick);
  for (const command of commands) {
    const outcome = validateCommand(world, command, tick);
    if (!outcome.ok) continue;
    for (const event of outcome.events) reduce(world, event);
    events.push(...outcome.events);
  }
  await appendBatch(db, { ...batchOf(epoch, { events, answers: [], audits: [] }) });
}

const ids = Array.from({ length: AGENTS }, (_, index) => `agent-${index}`);
const walk = (dx: number): readonly WorldCommand[] =>
  ids.map((agent_id, index) => ({
    kind: 'move',
    agent_id,
    target: { x: 40 + ((index + dx) % 80), y: 60 + (index % 8) },
  }));

function recover(onBadSnapshot: (seq: number) => void = () => assert.fail('a damaged snapshot')): Promise<WorldState> {
  return recoverWorld({ db, maps: new MapStore(db, map), seed: SEED, onBadSnapshot });
}

test(`${AGENTS} walking agents are recovered exactly, from a snapshot and the later events`, async (t) => {
  await play(
    ids.map((agent_id) => ({ kind: 'spawn', agent_id, display_name: agent_id, tier: 2, awake: true, online: true })),
    1,
  );
  await play(walk(0), 10);
  await saveSnapshot(db, epoch, await packSnapshot(world));
  await play(walk(1), 400);
  const startedMs = performance.now();
  const recovered = await recover();
  t.diagnostic(
    `recovered ${recovered.agents.count} agents and ${recovered.seq} events in ${Math.round(performance.now() - startedMs)} ms`,
  );
  assert.equal(recovered.agents.count, AGENTS);
  assert.equal(recovered.seq, world.seq);
  assert.equal(stateHash(recovered), stateHash(world));
});

test('events that a writer commits after each read of a recovery, also before its check for gaps, are recovered as well', async () => {
  let rest = 6;
  const racing = db.withPlugin({
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      if (result.rows.length === 0 && (rest -= 1) >= 0)
        await play([{ kind: 'despawn', agent_id: `agent-${AGENTS - 1 - rest}` }], 450);
      return result;
    },
  });
  const maps = new MapStore(db, map);
  const onBadSnapshot = (): void => assert.fail('a damaged snapshot');
  const recovered = await recoverWorld({ db: racing, maps, seed: SEED, onBadSnapshot });
  assert.equal(stateHash(recovered), stateHash(world));
});

test('a damaged snapshot stays in the store, and recovery uses an older one or the whole log', async () => {
  const good = await packSnapshot(world);
  await play([{ kind: 'despawn', agent_id: 'agent-0' }], 500);
  await saveSnapshot(db, epoch, { ...good, seq: world.seq, stateHash: '0'.repeat(16) });
  await play([{ kind: 'despawn', agent_id: 'agent-1' }], 510);
  await saveSnapshot(db, epoch, { ...good, seq: world.seq, state: Buffer.from('no zstd') });
  for (let start = 0; start < 2; start += 1) {
    const damaged: number[] = [];
    assert.equal(stateHash(await recover((seq) => damaged.push(seq))), stateHash(world));
    assert.equal(damaged.length, 2, 'both are still there for inspection');
  }
});

test('a writer that lost the lease can neither append events nor save a snapshot', async () => {
  const owner = openDatabase({ url: postgres.url(), poolSize: 1, onError: () => undefined });
  await owner
    .updateTable('world_lease')
    .set({ epoch: epoch + 1 })
    .execute();
  const lenient = (): void => undefined;
  const before = (await recover(lenient)).seq;
  await assert.rejects(play([{ kind: 'despawn', agent_id: 'agent-2' }], 520), /lease of epoch \d+ has ended/);
  await assert.rejects(
    packSnapshot(world).then((snapshot) => saveSnapshot(db, epoch, snapshot)),
    /lease of epoch \d+ has ended/,
  );
  assert.equal((await recover(lenient)).seq, before);
  await owner.destroy();
});
