/** While a person was away: what changed since their last look, what is unread, and how marks change both. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type TestClient, dataOf, refuses } from '@hamlet/test/env/client';
import { until } from '@hamlet/test/env/until';
import { firstAdmin, invite } from '../testing/play/people-play.ts';
import { firingBody, leaderOf } from '../testing/play/run-play.ts';
import { SessionPlay } from '../testing/play/session-play.ts';
import { clientOf, startPlay, TOKENS } from '../testing/test-village.ts';

const { play } = await startPlay();
const talk = new SessionPlay(play.url);
const { admin } = talk.play;
const grace = await firstAdmin(play.url);
const member = await invite(grace, play.url, { name: 'Mia', role: 'member' });
const other = await invite(grace, play.url, { name: 'Ole', role: 'member' });

const groupsOf = async (client: TestClient) =>
  new Map((await client.getAway()).groups.map((group) => [group.kind, group]));
const look = (client: TestClient) => client.markSeen({ things: ['village'] });

test('a person without a look has no groups and nothing unread', async () => {
  await talk.play.everybody();
  await talk.play.as('bob').createPost({ title: 'Before', body: 'the first look' });
  assert.deepEqual([(await member.client.getAway()).since, (await member.client.getAway()).groups], [null, []]);
  assert.deepEqual(await member.client.listUnread(), { posts: [], sessions: [] });
  await look(member.client);
  await look(grace.client);
  await look(other.client);
  assert.deepEqual((await member.client.getAway()).groups, []);
  assert.deepEqual(await member.client.listUnread(), { posts: [], sessions: [] });
});

test('each kind of change is a group with its newest entry, for the people who may see it', async () => {
  const bob = talk.play.as('bob');
  const { session_id: session } = await talk.open(member.client, 'ada');
  dataOf(await talk.say(member.client, session, 'Is it day?'));
  await talk.answerNext('ada', 'Yes.');
  const { post: mine } = await member.client.createPost({ title: 'Mine', body: 'text' });
  await bob.replyToPost({ post_id: mine.post_id, body: 'a reply' });
  await grace.client.createPost({ title: 'Of an admin', body: 'text' });
  await bob.createPost({ title: 'For agents', body: 'only', audience: 'agents' });
  const { run } = await other.client.createRun({ agent_id: 'bob', prompt: 'A secret task' });
  await talk.finishAll('bob');
  await admin.rewardAgent({ agent_id: 'bob', amount: '40', reason: 'good bread' });
  await admin.freezeAgent({ agent_id: 'dan', reason: 'a look at the oven' });
  await admin.banAgent({ agent_id: 'ada', reason: 'a test' });
  await leaderOf(play.url, 'away:0').fireSchedule(firingBody({ schedule_uid: 'away', agents: ['ada'] }));
  await invite(grace, play.url, { name: 'Neo', role: 'member' });

  const seen = await groupsOf(member.client);
  const lines = [...seen.values()].map(({ kind, count, more, newest }) => [
    kind,
    count,
    more,
    newest.agent_id,
    newest.line,
  ]);
  assert.deepEqual(lines, [
    ['answers', 1, false, 'ada', 'answered you in “Is it day?”'],
    ['replies', 1, false, 'bob', 'replied to “Mine”'],
    ['results', 1, false, 'bob', 'finished a private task'],
    ['schedules', 1, false, 'ada', 'skipped a scheduled run (agent_barred)'],
    ['money', 1, false, 'bob', 'got 40 ai$: good bread'],
    ['restrictions', 2, false, 'ada', 'was banned: a test'],
    ['posts', 1, false, null, 'Grace wrote “Of an admin”'],
  ]);
  assert.equal(seen.get('answers')?.newest.link, `/?agent=ada&chat=${session}`);
  assert.equal(seen.get('results')?.newest.link, `/?view=runs&run=${run.run_id}`);

  const admins = await groupsOf(grace.client);
  assert.equal(admins.get('results')?.newest.line, 'finished “A secret task”');
  assert.equal(admins.get('members')?.newest.line, 'Neo joined');
  assert.equal(admins.has('answers'), false, 'a conversation of others');
  assert.equal(admins.get('posts')?.newest.line, 'wrote “For agents”');
  assert.equal((await groupsOf(other.client)).get('results')?.newest.line, 'finished “A secret task”');
});

test('a mark reads one post or conversation, the village ends the groups, and later changes stay new', async () => {
  const { posts, sessions } = await member.client.listUnread();
  assert.deepEqual(
    posts.map(({ texts }) => texts),
    [1, 1],
  );
  assert.deepEqual(
    sessions.map(({ agent_id: agent, texts }) => [agent, texts]),
    [['ada', 1]],
  );
  const [newest, mine] = posts;
  const [session] = sessions;
  assert.ok(newest !== undefined && mine !== undefined && session !== undefined);
  await other.client.markSeen({ things: [`post/${newest.post_id}`, `session/${session.session_id}`] });
  assert.equal((await member.client.listUnread()).posts.length, 2, 'the marks of others');
  await member.client.markSeen({ things: [`post/${newest.post_id}`, `session/${session.session_id}`] });
  assert.deepEqual(await member.client.listUnread(), { posts: [mine], sessions: [] });
  assert.equal((await groupsOf(member.client)).has('answers'), false, 'a read answer is not news');

  const { until: asked } = await member.client.getAway();
  await admin.penalizeAgent({ agent_id: 'bob', amount: '1', reason: 'too much bread' });
  await until('the penalty is news', async () => (await groupsOf(member.client)).get('money')?.count === 2);
  await member.client.markSeen({ things: ['village'], until: asked });
  const after = await groupsOf(member.client);
  assert.deepEqual([...after.keys()], ['money']);
  assert.equal(after.get('money')?.newest.line, 'lost 1 ai$: too much bread');
  await member.client.markSeen({ things: ['village'], until: '2020-01-01T00:00:00.000Z' });
  assert.equal((await member.client.getAway()).since, asked, 'a look never moves back');
  await member.client.markSeen({ things: ['board'] });
  assert.deepEqual((await member.client.listUnread()).posts, []);
  await talk.play.as('bob').replyToPost({ post_id: mine.post_id, body: 'another' });
  assert.deepEqual((await member.client.listUnread()).posts, [{ post_id: mine.post_id, texts: 1 }]);
});

test('marking an unknown thing as seen is refused, and a key of a program reads only the groups of its scopes', async () => {
  for (const thing of ['', 'post/1', 'agent/ada', 'post/../x'])
    await refuses(member.client.markSeen({ things: [thing] }), 'validation_failed');
  await refuses(member.client.markSeen({ things: Array.from({ length: 51 }, () => 'board') }), 'validation_failed');
  const { token } = await member.client.createMyKey({ name: 'board', scopes: ['board'], days: 1 });
  const program = clientOf(play.url, token);
  await talk.play.as('bob').createPost({ title: 'News', body: 'text' });
  assert.deepEqual([...(await groupsOf(program)).keys()], ['replies', 'posts']);
  assert.deepEqual((await program.listUnread()).sessions, []);
  await refuses(
    look(program),
    'forbidden',
    'a key that only reads, or writes on the board, reads nothing for its person',
  );
  const worker = await member.client.createMyKey({ name: 'work', scopes: ['work'], days: 1 });
  await look(clientOf(play.url, worker.token));
  assert.deepEqual([...(await groupsOf(program)).keys()], []);
  await look(clientOf(play.url, TOKENS.member));
});
