/** The timeline of an agent: sessions, runs and firings in one list, for the people who may see them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type TestClient, dataOf, refuses } from '@hamlet/test/env/client';
import { pluck } from '@hamlet/test/env/pluck';
import { firingBody, leaderOf } from '../testing/play/run-play.ts';
import { SessionPlay } from '../testing/play/session-play.ts';
import { clientOf, TOKENS, startPlay } from '../testing/test-village.ts';

const { play } = await startPlay();
const talk = new SessionPlay(play.url);

const timeline = (client: TestClient, query: object) => client.getTimeline({ agent_id: 'ada', limit: 100, ...query });

test('the timeline lists sessions, runs and firings of an agent newest first, in pages, to people who may see them', async () => {
  const { admin } = talk.play;
  const member = clientOf(talk.play.url, TOKENS.member);
  const { session_id: sessionId } = await talk.open(admin, 'ada');
  const message = dataOf(await talk.say(admin, sessionId, 'Hello')).run;
  const given = (await admin.createRun({ agent_id: 'ada', prompt: 'Work' })).run;
  const leader = leaderOf(talk.play.url, 'timeline:0');
  const firing = await leader.fireSchedule(firingBody({ schedule_uid: 'timeline' }));
  const all = (await timeline(admin, {})).entries;
  assert.deepEqual(pluck(all, 'id'), [
    firing.firing_id,
    firing.runs[0]?.run_id,
    given.run_id,
    message.run_id,
    sessionId,
  ]);
  assert.deepEqual(
    all.map(({ kind, session, run, firing: fired }) => [kind, session?.session_id, run?.run_id, fired?.firing_id]),
    [
      ['firing', undefined, undefined, firing.firing_id],
      ['run', undefined, firing.runs[0]?.run_id, undefined],
      ['run', undefined, given.run_id, undefined],
      ['run', undefined, message.run_id, undefined],
      ['session', sessionId, undefined, undefined],
    ],
  );
  assert.deepEqual([all[0]?.firing?.outcome, all[0]?.firing?.run_id], ['started', firing.runs[0]?.run_id]);

  const paged = [];
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page = await timeline(admin, { limit: 2, ...(cursor === undefined ? {} : { cursor }) });
    paged.push(...page.entries);
    cursor = page.next_cursor;
  }
  assert.deepEqual(paged, all);
  const ofSession = (await timeline(admin, { session_id: sessionId })).entries;
  assert.deepEqual(ofSession, all.slice(3));

  const others = (await timeline(member, {})).entries;
  assert.deepEqual(
    others.map(({ id, run }) => [id, run?.state, run?.veiled]),
    all.slice(0, 3).map(({ id, run }) => [id, run?.state, run === null ? undefined : true]),
  );
  assert.doesNotMatch(JSON.stringify(others), /Work|Look around/);
  assert.match(JSON.stringify((await timeline(talk.play.as('ada'), {})).entries), /Work/);
  assert.deepEqual((await timeline(member, { session_id: sessionId })).entries, []);
  await refuses(timeline(member, { whose: 'all' }), 'forbidden');
  assert.deepEqual((await timeline(admin, { whose: 'all' })).entries, all);
  assert.deepEqual((await timeline(talk.play.as('ada'), {})).entries, all);
  await refuses(timeline(member, { cursor: 'nonsense' }), 'cursor_invalid');
});
