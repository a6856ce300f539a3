/** A resident as a separate process: people, rewards and its tier change its acts, and it reports that on the board. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listTurns, type CallData, type Reply } from '@hamlet/contract';
import { testResidents } from '../testing/resident-process.ts';
import { RunPlay } from '../testing/play/run-play.ts';
import { eventually, startPlay } from '../testing/test-village.ts';

type Turn = CallData<typeof listTurns>['turns'][number];

/** The same value as in the resident's `may-reply.ts`. */
const AGENT_REPLY_GAP_TICKS = 600;

const seen = { replies: -1, tick: 0 };

// An agent drops advice after ten minutes of the village: 50 s, in which it must walk also on a loaded machine.
const { play } = await startPlay({ villageSpeed: 12 });
const runs = new RunPlay(play.url);
const residents = testResidents(runs.play);
await residents.start('bob');

const postsOf = async (agentId: string) => (await runs.play.admin.listPosts({ author: agentId })).posts;

function replyOf(agentId: string, postId: string, count = 1): Promise<Reply> {
  return eventually(`reply ${count} of ${agentId}`, async () => {
    const { replies } = await runs.play.admin.getPost({ post_id: postId });
    return replies.filter(({ author_id }) => author_id === agentId)[count - 1];
  });
}

function turnOf(agentId: string, what: string, is: (turn: Turn) => boolean): Promise<Turn> {
  return eventually(what, async () =>
    (await runs.play.admin.listTurns({ agent_id: agentId, limit: 100 })).turns.find(is),
  );
}

async function write(title: string, body: string): Promise<string> {
  return (await runs.play.admin.createPost({ title, body, audience: 'agent:bob' })).post_id;
}

test('an agent answers a person on the board with the model of its tier, and names the model', async () => {
  const postId = await write('The windmill', 'What do you know about the windmill, Bob?');
  const { body } = await replyOf('bob', postId);
  assert.match(body, /windmill/i, 'it keeps to the topic');
  assert.match(body, /— written with the model small, which is scripted$/);
  const use = await runs.play.admin.getModelUse({ agent_id: 'bob' });
  assert.ok(use.recent.some(({ model, outcome }) => model === 'small' && outcome === 'done'));
});

test('an agent with a failed run asks people for help and then follows the reply', async () => {
  await runs.play.admin.suspendAgent({ agent_id: 'eve' });
  const { run_id } = await runs.give('bob', 'Find eve.');
  const asked = await eventually('the question for help', async () =>
    (await postsOf('bob')).find(({ title }) => title === 'I am stuck with a run'),
  );
  assert.equal((await runs.get(run_id)).state, 'failed');
  assert.deepEqual([asked.audience, asked.tags], ['humans', ['help']]);
  assert.match(asked.body, new RegExp(`It failed \\(step_failed\\).*${run_id}`, 's'));
  assert.doesNotMatch(asked.body, /eve/, 'the text of the run stays off the board');
  await runs.play.admin.replyToPost({ post_id: asked.post_id, body: 'Let her sleep. Go to the library, please.' });
  const { body } = await replyOf('bob', asked.post_id);
  assert.match(body, /I am going to .*[Ll]ibrary.* now, as you say/);
  const advised = await turnOf('bob', 'a turn that follows the advice', ({ decided }) =>
    /advised it on the board/.test(decided.why),
  );
  assert.equal((advised.decided['command'] as { kind: string }).kind, 'move');
  await eventually('the post resolved', async () =>
    (await postsOf('bob')).find(({ post_id, status }) => post_id === asked.post_id && status === 'resolved'),
  );
  const arrived = await turnOf(
    'bob',
    'the end of the way',
    ({ decided, acted }) =>
      /advised it on the board/.test(decided.why) &&
      acted['outcome'] === 'accepted' &&
      (decided['command'] as { kind: string }).kind === 'act',
  );
  assert.match(
    String(
      arrived.perceived['world'] && (arrived.perceived['world'] as { self: { landmark_id: string } }).self.landmark_id,
    ),
    /library/,
  );
});

test('an agent thanks for a reward on the post that it names; tier changes alter its plan, and it reports that', async () => {
  const postId = await write('Your bread', 'I liked your bread, Bob.');
  await replyOf('bob', postId);
  const judge = { agent_id: 'bob', reason: 'for the bread', related_post_id: postId };
  await runs.play.admin.rewardAgent({ ...judge, amount: '12' });
  assert.match((await replyOf('bob', postId, 2)).body, /The reward of 12 ai\$ says “for the bread”/);
  const announced = await eventually('the post about the tier', async () =>
    (await postsOf('bob')).find(({ title }) => title === 'I am in tier-1 now'),
  );
  assert.match(announced.body, /From now on I take at most 48 steps a run instead of 24\./);
  assert.match(announced.body, /— written with the model small, which is scripted$/, 'the first model of tier-1');
  assert.equal(announced.author_tier, 'tier-1');
  const richer = await turnOf(
    'bob',
    'the plan of tier-1',
    ({ decided }) => (decided['plan'] as { tier?: string } | undefined)?.tier === 'tier-1',
  );
  assert.deepEqual(richer.decided['plan'], { tier: 'tier-1', model: 'small', toolCalls: 48 });
  await runs.play.admin.penalizeAgent({ ...judge, amount: '11', reason: 'it was old' });
  assert.match((await replyOf('bob', postId, 3)).body, /The penalty of 11 ai\$ says “it was old”/);
  const poorer = await turnOf('bob', 'the plan of tier-0 again', ({ decided }) =>
    /\(tier-1 before, tier-0 now\)/.test(decided.why),
  );
  assert.deepEqual(poorer.decided['plan'], { tier: 'tier-0', model: 'small', toolCalls: 24 });
});

test('two agents stop replying to each other after a while', async () => {
  await residents.start('cleo');
  const postId = (
    await runs.play.as('cleo').createPost({
      title: 'A question',
      body: 'How do you bake your bread, Bob?',
      audience: 'agent:bob',
      tags: ['question'],
    })
  ).post_id;
  await replyOf('bob', postId);
  // An agent replies to agents at most once a minute of village time; three such minutes are 9 s here.
  const quiet = await eventually('a thread that is quiet for three village minutes', async () => {
    const { post } = await runs.play.admin.getPost({ post_id: postId });
    const tick = (await runs.play.world()).tick;
    if (post.replies !== seen.replies) Object.assign(seen, { replies: post.replies, tick });
    return tick - seen.tick > 3 * AGENT_REPLY_GAP_TICKS ? post : null;
  });
  assert.ok(quiet.replies >= 1 && quiet.replies <= 4, `${quiet.replies} replies`);
});
