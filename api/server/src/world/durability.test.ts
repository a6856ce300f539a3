/** Events acknowledged as durable survive a kill -9 of the writer and restarts of Postgres and Redis. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type WorldEvent } from '@hamlet/contract';
import { lastSeq, openDatabase } from '@hamlet/store';
import { cases, Seeded } from '@hamlet/test/env/seeded';
import { refuses } from '@hamlet/test/env/client';
import { startApiProcess, type ApiProcess } from '../testing/api-process.ts';
import { AGENT_IDS, clientOf, eventually, TOKENS, ownVillage, Play } from '../testing/test-village.ts';
import { readEventsAfter } from './recovery/read-events.ts';

/** A full run kills a hundred times, an ordinary run five times. */
const KILLS = cases(3, 100);
const SEED = Number(process.env['HAMLET_TEST_SEED'] ?? 20_261_122);

const village = await ownVillage();

interface Talking {
  /** Texts that were acknowledged as durable so far. */
  readonly acknowledged: string[];
  /** Resolves once all agents have stopped talking. */
  readonly done: Promise<unknown>;
}

/** Makes all agents talk as fast as they can until the signal aborts. */
function talkAll(url: string, round: number, until: AbortSignal): Talking {
  const client = clientOf(url, TOKENS.admin);
  const acknowledged: string[] = [];
  const talk = async (agentId: string): Promise<void> => {
    for (let number = 0; !until.aborted; number += 1) {
      const text = `${round} ${agentId} ${number}`;
      const outcome = await client.raw.actAsAgent({ agent_id: agentId, kind: 'talk', text }).catch(() => null);
      if (outcome?.ok === true && outcome.data.durable_seq !== null) acknowledged.push(text);
    }
  };
  return { acknowledged, done: Promise.all(AGENT_IDS.map(talk)) };
}

/** Waits until speech is acknowledged again: a new writer may have to wait for the lease of the killed one. */
async function awaitReceived({ acknowledged }: Talking): Promise<void> {
  await eventually('a word to be acknowledged', () => acknowledged.length > 0);
}

/** Reads the whole log. Reading ends at the first gap, so the test would notice one. */
async function readLog(): Promise<readonly WorldEvent[]> {
  const db = openDatabase({ url: village.postgres.url(), poolSize: 1, onError: () => undefined });
  const events: WorldEvent[] = [];
  await readEventsAfter(db, 0, (page) => void events.push(...page));
  assert.equal(events.length, await lastSeq(db), 'the log has no gaps');
  await db.destroy();
  return events;
}

async function talksInLog(): Promise<ReadonlySet<string>> {
  return new Set((await readLog()).flatMap((event) => (event.kind === 'talk' ? [event.text] : [])));
}

async function inWorld(url: string): Promise<void> {
  await new Play(url).everybody();
}

test(`the writer is killed ${KILLS} times at random (seed ${SEED}) and every acknowledged word is in the log`, async () => {
  const random = new Seeded(SEED).next;
  const acknowledged: string[] = [];
  let api: ApiProcess | null = null;
  for (let round = 0; round < KILLS; round += 1) {
    api = await startApiProcess(village);
    await inWorld(api.url);
    const stopping = new AbortController();
    const talking = talkAll(api.url, round, stopping.signal);
    await awaitReceived(talking);
    await sleep(random() * 500);
    await api.stop('SIGKILL');
    stopping.abort();
    await talking.done;
    acknowledged.push(...talking.acknowledged);
  }
  const log = await talksInLog();
  assert.ok(acknowledged.length >= KILLS, `only ${acknowledged.length} words were acknowledged`);
  assert.deepEqual(
    acknowledged.filter((text) => !log.has(text)),
    [],
  );
});

test('after a Postgres restart every acknowledged event is there; during it the map can be read', async () => {
  const { peopleUrl: url, stop } = await village.startReplica();
  await inWorld(url);
  const stopping = new AbortController();
  const talking = talkAll(url, 1_000, stopping.signal);
  await awaitReceived(talking);
  await village.postgres.stop('SIGKILL');
  const client = clientOf(url, TOKENS.admin);
  assert.equal((await client.raw.getAgent({ agent_id: 'ada' })).ok, true, 'a read while Postgres is unreachable');
  await refuses(client.actAsAgent({ agent_id: 'ada', kind: 'talk', text: 'nobody hears' }), 'unavailable');
  await village.postgres.start();
  await eventually(
    'writing again',
    async () => (await client.raw.actAsAgent({ agent_id: 'ada', kind: 'talk', text: 'back' })).ok,
  );
  stopping.abort();
  await talking.done;
  const log = await talksInLog();
  assert.deepEqual(
    talking.acknowledged.filter((text) => !log.has(text)),
    [],
  );
  await stop();
});

test('during a Redis restart the writing replica continues; the other one catches up and forwards again', async () => {
  const replicas = [await village.startReplica(), await village.startReplica()];
  const plays = replicas.map(({ peopleUrl }) => new Play(peopleUrl));
  for (const play of plays) await play.everybody();
  await village.redis.stop('SIGKILL');
  // Only the replica that writes the world can accept speech now.
  const { seq, onOther } = await eventually('a word without Redis', async () => {
    for (const play of plays) {
      const said = await play.act('bob', { kind: 'talk', text: 'without redis' });
      const onOther = plays.find((each) => each !== play);
      if (said.ok && onOther !== undefined) return { seq: said.data.accepted_seq, onOther };
    }
    return null;
  });
  await eventually('the other replica to read it from Postgres', async () => (await onOther.world()).seq >= seq);
  await village.redis.start();
  await eventually(
    'forwarding again',
    async () => (await onOther.act('bob', { kind: 'talk', text: 'with redis again' })).ok,
  );
  await Promise.all(replicas.map((replica) => replica.stop()));
});
