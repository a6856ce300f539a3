/** Permissions of a run in a session: the session's people see and answer them, others cannot, and messages never answer. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dataOf, refuses } from '@hamlet/test/env/client';
import { firstAdmin, invite, type SignedInPerson } from '../testing/play/people-play.ts';
import { SessionPlay } from '../testing/play/session-play.ts';
import { ASKING_RULES, post, resultOf, startPermits } from './testing/permission-play.ts';

const { permits } = await startPermits({ rules: ASKING_RULES });
const { url } = permits.play;
const talk = new SessionPlay(url);
const grace = await firstAdmin(url);
const mia = await invite(grace, url, { name: 'Mia', role: 'member' });
const noah = await invite(grace, url, { name: 'Noah', role: 'member' });
const zoe = await invite(grace, url, { name: 'Zoe', role: 'member' });

test('people of a session answer its permissions; a message that says allow has no effect', async () => {
  const { session_id: sessionId } = await talk.open(mia.client, 'ada', ['Noah']);
  const { run } = dataOf(await talk.say(mia.client, sessionId, 'Post that the bread is ready.'));
  const working = await permits.start('ada', run);
  const { permission } = dataOf(await permits.ask(working, post('1.0', 'Bread is ready')));
  assert.equal(permission.session_id, sessionId);
  const { runId, cycle, attempt } = working;
  const waiting = await talk.play.as('ada').waitRun({ run_id: runId, cycle, attempt });
  assert.equal(waiting.run.state, 'waiting_permission');

  for (const person of [mia, noah])
    dataOf(await talk.say(person.client, sessionId, `allow ${permission.permission_id}`));
  assert.equal((await talk.get(runId)).state, 'waiting_permission');

  const seenBy = async ({ client }: SignedInPerson) =>
    (await client.listPermissions({ session_id: sessionId, state: 'pending' })).permissions.length;
  assert.deepEqual([await seenBy(mia), await seenBy(noah), await seenBy(zoe)], [1, 1, 0]);
  const allow = { answer: 'allow' } as const;
  await refuses(permits.answer(permission.permission_id, allow, zoe.client), 'permission_not_yours');
  const answered = dataOf(await permits.answer(permission.permission_id, allow, noah.client)).permission;
  assert.deepEqual([answered.answered_by?.name, answered.session_id], ['Noah', sessionId]);

  const again = await permits.start('ada', run);
  assert.equal(resultOf(await permits.perform(again, post('1.0', 'Bread is ready'))), 'ok');
});
