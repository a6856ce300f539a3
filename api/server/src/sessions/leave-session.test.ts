/** Removing a person from a session: who may do it, and that the person can read nothing more, on any route or open stream. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codeOf, type TestClient, dataOf, follow, refuses } from '@hamlet/test/env/client';
import { firstAdmin, invite, type SignedInPerson } from '../testing/play/people-play.ts';
import { followSession, SessionPlay } from '../testing/play/session-play.ts';
import { eventually, testVillage } from '../testing/test-village.ts';

const village = await testVillage();
const { peopleUrl: url } = await village.startReplica();
const talk = new SessionPlay(url);
await talk.play.everybody();
const grace = await firstAdmin(url);
const mia = await invite(grace, url, { name: 'Mia', role: 'member' });
const noah = await invite(grace, url, { name: 'Noah', role: 'member' });
const zoe = await invite(grace, url, { name: 'Zoe', role: 'member' });

const idOf = ({ accountId }: SignedInPerson): string => `account ${accountId}`;
const remove = (by: TestClient, sessionId: string, personId: string) =>
  by.removeSessionPerson({ session_id: sessionId, person_id: personId });

test('creator, admin and the person themselves may remove a person, but never the last one', async () => {
  const { session_id: sessionId } = await talk.open(mia.client, 'ada', ['Noah', 'Zoe']);
  await refuses(remove(noah.client, sessionId, idOf(zoe)), 'not_session_creator');
  await refuses(remove(mia.client, sessionId, idOf(grace)), 'no_such_person');
  assert.equal((await remove(noah.client, sessionId, idOf(noah))).session.people.length, 2);
  await refuses(remove(noah.client, sessionId, idOf(zoe)), 'no_such_session');
  assert.equal((await remove(grace.client, sessionId, idOf(zoe))).session.people.length, 1);
  await refuses(remove(mia.client, sessionId, idOf(mia)), 'last_person');
  const { records } = await grace.client.listAudit({ object: sessionId, limit: 100 });
  const removed = records.filter(({ action }) => action === 'session.remove').map(({ actor_id }) => actor_id);
  assert.deepEqual(removed, [idOf(grace), idOf(noah)]);
});

test("a removed person's streams end at once and no route shows them anything; others' streams continue", async () => {
  const { session_id: sessionId } = await talk.open(mia.client, 'bob', ['Noah']);
  const { run } = dataOf(await talk.say(noah.client, sessionId, 'What is for dinner?'));
  dataOf(await talk.start('bob', run.run_id));
  const [his, hers] = [followSession(noah.client, sessionId), followSession(mia.client, sessionId)];
  const params = { run_id: run.run_id };
  const ofRun = follow(() => noah.client.streamRun(params));
  await eventually(
    'the streams',
    () => ofRun.events.length > 0 && [his, hers].every(({ events }) => events.some((e) => e.event === 'session')),
  );
  await remove(mia.client, sessionId, idOf(noah));
  await Promise.all([his.ended, ofRun.ended]);

  const at = { session_id: sessionId };
  const refusals = await Promise.all([
    codeOf(noah.client.getSession(at)),
    codeOf(noah.client.listMessages(at)),
    codeOf(noah.client.getRun(params)),
    codeOf(noah.client.cancelRun(params)),
  ]);
  assert.deepEqual(refusals, ['no_such_session', 'no_such_session', 'no_such_run', 'no_such_run']);
  const { runs } = await noah.client.listRuns({ agent_id: 'bob' });
  assert.ok(runs.every(({ run_id }) => run_id !== run.run_id));
  dataOf(await talk.answer('bob', run.run_id, 'Bread.'));
  await eventually('the answer for Mia', async () => JSON.stringify(hers.events).includes('Bread.'));
  assert.doesNotMatch(JSON.stringify(his.events), /Bread\./);
  hers.stop();
});

test('the stream of a session has its run at each change of its state', async () => {
  const { session_id: sessionId } = await talk.open(mia.client, 'cleo');
  const stream = followSession(mia.client, sessionId);
  const states = () => stream.events.flatMap((event) => (event.event === 'run' ? [event.data.state] : []));
  await eventually('the stream', async () => stream.events.length > 0);
  const { run } = dataOf(await talk.say(mia.client, sessionId, 'Hello'));
  await eventually('queued', async () => states().at(-1) === 'queued');
  dataOf(await talk.start('cleo', run.run_id));
  await eventually('running', async () => states().at(-1) === 'running');
  dataOf(await talk.answer('cleo', run.run_id, 'Hi.'));
  await eventually('done', async () => states().at(-1) === 'done');
  stream.stop();
});
