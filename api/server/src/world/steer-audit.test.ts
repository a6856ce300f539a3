/** An admin's act on an agent and its audit row become durable in one transaction, or neither does. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { actAsAgent } from '@hamlet/contract';
import { readAudit } from '@hamlet/store';
import { dataOf } from '@hamlet/test/env/client';
import { eventually, testVillage, Play } from '../testing/test-village.ts';

/** The second replica forwards its commands to the first one, which writes the world. */

const village = await testVillage();
const urls = [await village.startReplica(), await village.startReplica()].map(({ peopleUrl }) => peopleUrl);
const replicas: readonly Play[] = urls.map((url) => new Play(url));
const db = village.openDb();
await replicas[0]?.everybody();

const talk = (
  play: Play,
  text: string,
  idempotencyKey = randomUUID(),
): ReturnType<typeof play.admin.call<typeof actAsAgent>> =>
  play.admin.raw.actAsAgent({ agent_id: 'ada', kind: 'talk', text }, { idempotencyKey });

async function linesOf(text: string): Promise<number> {
  const lines = await readAudit(db, 'ada', 1_000);
  return lines.filter(({ action, detail }) => action === 'steer.talk' && JSON.stringify(detail).includes(text)).length;
}

async function eventsOf(text: string): Promise<number> {
  const events = await db.selectFrom('world_event').select('event').where('kind', '=', 'talk').execute();
  return events.filter(({ event }) => JSON.stringify(event).includes(text)).length;
}

test('each replica writes one audit row for an act, even if the request is repeated', async () => {
  for (const [index, play] of replicas.entries()) {
    const [text, key] = [`hello ${index}`, randomUUID()];
    for (let time = 0; time < 3; time += 1) dataOf(await talk(play, text, key));
    assert.deepEqual([await eventsOf(text), await linesOf(text)], [1, 1], text);
  }
});

test('an act whose audit row cannot be written does not happen; repeated later, it happens once, with one row', async () => {
  const [play] = replicas;
  assert.ok(play !== undefined);
  await db.schema.alterTable('audit').renameTo('audit_elsewhere').execute();
  const [text, key] = ['not without a line', randomUUID()];
  const refusedOnce = await talk(play, text, key);
  assert.ok(!refusedOnce.ok && refusedOnce.problem.code === 'unavailable', 'nothing was saved');
  await db.schema.alterTable('audit_elsewhere').renameTo('audit').execute();
  assert.deepEqual([await eventsOf(text), await linesOf(text)], [0, 0]);
  await eventually('the act to happen', async () => (await talk(play, text, key)).ok);
  dataOf(await talk(play, text, key));
  assert.deepEqual([await eventsOf(text), await linesOf(text)], [1, 1]);
});
