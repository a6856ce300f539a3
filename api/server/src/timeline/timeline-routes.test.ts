/** The timeline of an agent: everything that happened with it in one list, for the people who may see it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type TestClient, dataOf, refuses } from '@hamlet/test/env/client';
import { pluck } from '@hamlet/test/env/pluck';
import { firingBody, leaderOf } from '../testing/play/run-play.ts';
import { SessionPlay } from '../testing/play/session-play.ts';
import { clientOf, TOKENS, startPlay } from '../testing/test-village.ts';

const { play } = await startPlay();
const talk = new SessionPlay(play.url);

/** A page without the states: an agent gets a tier when the village starts. */
async function timeline(client: TestClient, query: object) {
  const page = await client.getTimeline({ agent_id: 'ada', limit: 100, ...query });
  return { ...page, entries: page.entries.filter(({ kind }) => kind !== 'state') };
}

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

test('a timeline has posts, purchases, judgements and states in the same order, each for its own readers', async () => {
  const { admin } = talk.play;
  const member = clientOf(talk.play.url, TOKENS.member);
  const bob = talk.play.as('bob');
  const of = async (client: TestClient, query: object = {}) =>
    (await client.getTimeline({ agent_id: 'bob', limit: 100, ...query })).entries;
  await admin.rewardAgent({ agent_id: 'bob', amount: '40', reason: 'good bread' });
  const item = { kind: 'quota', limit: 'requests_per_minute', amount: 10 } as const;
  const { purchase_id: bought } = await bob.buyCompute({ item, seconds: 600 });
  const { post } = await bob.createPost({ title: 'Bread', body: 'b'.repeat(500) });
  const hidden = await bob.createPost({ title: 'For agents', body: 'only', audience: 'agents' });
  const { reply } = await bob.replyToPost({ post_id: post.post_id, body: 'It is warm.' });
  await admin.penalizeAgent({ agent_id: 'bob', amount: '1', reason: 'too much bread' });
  await admin.suspendAgent({ agent_id: 'bob' });
  await admin.awakenAgent({ agent_id: 'bob' });
  await admin.revokeAgentToken({ agent_id: 'bob', reason: 'a lost token' });
  await admin.liftTokenRevocation({ agent_id: 'bob' });

  const seen = (await of(admin)).filter(({ state }) => state?.state !== 'tier');
  assert.deepEqual(
    seen.map(({ kind, state, judgement, purchase, post: written }) => [
      kind,
      state?.state ?? judgement?.amount ?? purchase?.purchase_id ?? written?.title,
    ]),
    [
      ['state', 'token_revoked'],
      ['state', 'awakened'],
      ['state', 'suspended'],
      ['judgement', '-1'],
      ['post', 'Bread'],
      ['post', 'For agents'],
      ['post', 'Bread'],
      ['purchase', bought],
      ['judgement', '40'],
    ],
  );
  const [revoked, awakened] = seen;
  assert.deepEqual([revoked?.state?.reason, revoked?.state?.lifted_at === null], ['a lost token', false]);
  assert.equal(awakened?.state?.by?.role, 'admin');
  assert.deepEqual(
    [seen[4]?.post?.reply_id, seen[4]?.post?.text, seen[6]?.post?.text.length],
    [reply.reply_id, 'It is warm.', 300],
  );
  const tiers = (await of(admin, { kind: 'state' })).filter(({ state }) => state?.state === 'tier');
  assert.deepEqual(
    tiers.map(({ state }) => state?.tier === null || typeof state?.tier === 'string'),
    tiers.map(() => true),
  );
  assert.notEqual(tiers.length, 0);

  const paged = [];
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page = await admin.getTimeline({ agent_id: 'bob', limit: 2, ...(cursor === undefined ? {} : { cursor }) });
    paged.push(...page.entries);
    cursor = page.next_cursor;
  }
  assert.deepEqual(paged, await of(admin));

  const forMember = await of(member);
  assert.ok(!pluck(forMember, 'id').includes(hidden.post.post_id), 'a post for agents only');
  assert.equal(forMember.find(({ state }) => state?.state === 'awakened')?.state?.by, null);
  assert.deepEqual(pluck(await of(member, { kind: 'purchase' }), 'id'), [bought]);
  assert.deepEqual(await of(bob, { kind: 'state' }), []);
  assert.equal((await of(bob, { kind: 'post' })).length, 3);
  await refuses(of(admin, { kind: 'dream' }), 'validation_failed');
});

test('the timeline of the village has rewards, purchases and runs of all agents in one order, in pages', async () => {
  const { admin } = talk.play;
  const member = clientOf(talk.play.url, TOKENS.member);
  const { session_id: sessionId } = await talk.open(admin, 'eve');
  const message = dataOf(await talk.say(admin, sessionId, 'Our secret')).run;
  const { run } = await admin.createRun({ agent_id: 'cleo', prompt: 'Bake privately' });
  await admin.rewardAgent({ agent_id: 'dan', amount: '40', reason: 'good bread' });
  const item = { kind: 'quota', limit: 'requests_per_minute', amount: 10 } as const;
  const { purchase_id: bought } = await talk.play.as('dan').buyCompute({ item, seconds: 600 });
  await admin.penalizeAgent({ agent_id: 'dan', amount: '1', reason: 'too much bread' });

  const { entries } = await admin.getVillageTimeline({ limit: 5 });
  assert.deepEqual(
    entries.map(({ kind, agent_id, judgement, id }) => [kind, agent_id, judgement?.amount ?? id]),
    [
      ['judgement', 'dan', '-1'],
      ['purchase', 'dan', bought],
      ['judgement', 'dan', '40'],
      ['run', 'cleo', run.run_id],
      ['run', 'eve', message.run_id],
    ],
  );
  assert.equal(entries[2]?.judgement?.note, 'good bread');

  const { entries: forMember } = await member.getVillageTimeline({ limit: 100 });
  assert.deepEqual(pluck(forMember.slice(0, 4), 'id'), pluck(entries.slice(0, 4), 'id'));
  assert.ok(!pluck(forMember, 'id').includes(message.run_id), 'a conversation of others');
  assert.doesNotMatch(JSON.stringify(forMember), /Bake privately|Our secret/);

  const all = (await admin.getVillageTimeline({ limit: 100 })).entries;
  const paged = [];
  for (let next: string | null | undefined; next !== null;) {
    const page = await admin.getVillageTimeline({ limit: 2, ...(next === undefined ? {} : { cursor: next }) });
    paged.push(...page.entries);
    next = page.next_cursor;
  }
  assert.deepEqual(pluck(paged, 'id'), pluck(all, 'id'));
  await refuses(member.getVillageTimeline({ cursor: 'nonsense' }), 'cursor_invalid');
});
