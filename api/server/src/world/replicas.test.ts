/**
 * Two replicas of the API: either one answers reads, sockets, wakes and commands, no matter which one writes the world.
 */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { type WorldStateFrame } from '@hamlet/contract';
import { defaultMap, stateHash, type WorldState } from '@hamlet/core';
import { openDatabase, readVillage } from '@hamlet/store';
import { WebSocket } from 'ws';
import { dataOf, follow } from '@hamlet/test/env/client';
import type { RunningServer } from '../start/start-server.ts';
import { AGENT_IDS, eventually, testVillage, Play } from '../testing/test-village.ts';
import { MapStore } from './recovery/map-store.ts';
import { openRedisLink } from '../service/redis-link.ts';
import { recoverWorld } from './recovery/recover.ts';

/** The replica that remains after the writing one has ended. */
let left: Play;

const village = await testVillage();
const writer = await village.startReplica();
const onWriter = new Play(writer.peopleUrl);
await onWriter.everybody();
const other = await village.startReplica();
const onOther = new Play(other.peopleUrl);

async function writes(server: RunningServer): Promise<boolean> {
  return /^hamlet_world_writing 1$/m.test(await (await fetch(`${server.metricsUrl}/metrics`)).text());
}

test('one replica writes, the other does not', async () => {
  // Either may write: if the machine stalls for as long as the lease lasts, the other one takes over.
  await eventually(
    'one to write',
    async () => (await Promise.all([writer, other].map(writes))).toSorted().join() === 'false,true',
  );
});

test('a command to the replica that does not write is forwarded, and a read there shows its effect at once', async () => {
  // The target is so far away that the agent is still walking when the test reads it, even on a slow machine.
  const { to, accepted_seq } = await onOther.as('ada').moveAgent({ agent_id: 'ada', landmark_id: 'forest' });
  const seen = await onOther.admin.getAgent({ agent_id: 'ada' });
  assert.deepEqual({ x: seen.moving_to?.x, y: seen.moving_to?.y }, to);
  await eventually('the same on the writer', async () => (await onWriter.world()).seq >= accepted_seq);
  const refused = await onOther.act('ada', { kind: 'drop', item_id: 'apple-999999' });
  assert.equal(refused.ok ? null : refused.problem.code, 'not_holding');
});

test('an idempotency key has one effect across replicas', async () => {
  const idempotencyKey = randomUUID();
  const call = (play: Play): ReturnType<typeof play.act> =>
    play.admin.raw.actAsAgent({ agent_id: 'bob', kind: 'talk', text: 'once only' }, { idempotencyKey });
  const outcomes = await Promise.all([onWriter, onOther, onWriter, onOther].map(call));
  const seqs = new Set(outcomes.flatMap((outcome) => (outcome.ok ? [outcome.data.accepted_seq] : [])));
  assert.equal(seqs.size, 1);
});

test('wakes and presence work on either replica', async () => {
  const { events, stop } = follow((signal) => onOther.as('cleo').openWakes({ agent_id: 'cleo' }, { signal }));
  await eventually('cleo online on the writer too', async () => (await onWriter.agent('cleo')).status.online);
  dataOf(await onWriter.move('cleo', { dx: 1, dy: 0 }));
  await eventually('the wake', () => events.some((event) => event.event === 'wake' && event.data.kind === 'arrived'));
  stop();
  await eventually('cleo offline on the writer too', async () => !(await onWriter.agent('cleo')).status.online);
});

test('sockets on both replicas deliver the same paths', async () => {
  const frames: [WorldStateFrame[], WorldStateFrame[]] = [[], []];
  const sockets = [writer, other].map((server, index) => {
    const socket = new WebSocket(`${server.peopleUrl.replace('http', 'ws')}/ws/world?format=json`);
    socket.on('message', (data) => frames[index as 0 | 1].push(JSON.parse(data.toString()) as WorldStateFrame));
    return socket;
  });
  const agentsSeen = (list: readonly WorldStateFrame[]): number =>
    new Set(
      list.flatMap(({ messages }) =>
        messages.flatMap((message) => (message.kind === 'agent' ? [message.agent_id] : [])),
      ),
    ).size;
  await eventually('keyframes', () => frames.every((list) => agentsSeen(list) === AGENT_IDS.length));
  const { start_tick } = dataOf(await onWriter.move('dan', { dx: 3, dy: 0 }));
  const pathIn = (list: readonly WorldStateFrame[]): string | undefined =>
    list
      .flatMap(({ messages }) => messages)
      .flatMap((message) =>
        message.kind === 'path' && message.path.start_tick === start_tick ? [JSON.stringify(message.path)] : [],
      )[0];
  const paths = await eventually('the path on both', () => (frames.every(pathIn) ? frames.map(pathIn) : null));
  assert.equal(paths[0], paths[1]);
  assert.ok(frames.flat().every((frame) => frame.type === 'world_state'));
  for (const socket of sockets) socket.terminate();
});

test('an invalid message from Redis is logged, and the replica continues', async (t) => {
  const link = openRedisLink(village.redis.url, () => undefined);
  t.after(() => link.close());
  await eventually('redis', () => link.connected);
  for (const channel of ['hamlet:world:events', 'hamlet:world:commands', 'hamlet:board:head']) {
    for (const text of ['{"epoch":', 'null', '[]', '"text"', '9e999', ''])
      assert.ok((await link.publish(channel, text)) > 0, channel);
  }
  await eventually('the log to report it', () =>
    village.logs.some((line) => line.includes('a message from Redis cannot be read')),
  );
  for (const play of [onOther, onWriter]) dataOf(await play.act('fay', { kind: 'talk', text: 'still here' }));
});

test('when the writer ends, the other replica takes over under a new epoch with the same world', async () => {
  const { ending, staying } = (await writes(writer))
    ? { ending: writer, staying: other }
    : { ending: other, staying: writer };
  left = new Play(staying.peopleUrl);
  const before = await left.world();
  await ending.stop();
  // A command that arrives in the meantime waits; if the other replica takes long to recover, the API asks for a retry.
  const { accepted_seq } = await eventually('the other to write', async () => {
    const outcome = await left.move('eve', { dx: 1, dy: 0 });
    if (!outcome.ok) assert.equal(outcome.problem.code, 'unavailable');
    return outcome.ok && outcome.data;
  });
  assert.ok(accepted_seq > before.seq);
  const after = await left.world();
  assert.ok(after.epoch > before.epoch);
  assert.equal(after.agents.length, before.agents.length);
  await eventually('it to report it', () => writes(staying));
});

test('every recovery gives exactly the world that the replicas serve', async () => {
  const db = openDatabase({ url: village.postgres.url(), poolSize: 1, onError: () => undefined });
  const { seed } = await readVillage(db);
  const recover = (): Promise<WorldState> =>
    recoverWorld({
      db,
      maps: new MapStore(db, defaultMap()),
      seed,
      onBadSnapshot: () => assert.fail('a damaged snapshot'),
    });
  const [first, second] = await eventually('a moment without events', async () => {
    const [one, two] = [await recover(), await recover()];
    return one.seq === two.seq && one.seq === (await left.world()).seq ? [one, two] : null;
  });
  await db.destroy();
  assert.equal(stateHash(first), stateHash(second));
});
