/** The loop with a board, an account and a gateway: its reads, its texts and their models. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pluck } from '@hamlet/test/env/pluck';
import { anEntry, aNews, anId, aPost } from '../testing/a-board.ts';
import { aLoop } from '../testing/a-loop.ts';
import { aConfig, aStanding, aWake, LIMITS } from '../testing/a-village.ts';
import { DOWN, ok, scriptedVillage, type ScriptedVillage } from '../testing/scripted-village.ts';

const RICH_LIMITS = {
  ...LIMITS,
  requests_per_minute: 300,
  concurrent_tools: 2,
  tokens_per_hour: 100_000,
  models: ['small', 'large'],
};
const SMALL = { provider: 'scripted', name: 'small', scripted: true, reason: '' };
const LARGE = { ...SMALL, name: 'large' };

function villageOf(): ScriptedVillage {
  const village = scriptedVillage();
  village.config = async () => ok(aConfig({ limits: LIMITS, tier: 'tier-0', model: SMALL }));
  return village;
}

test("the next turn answers news with the tier's model; the text and the record name that model", async () => {
  const village = villageOf();
  village.boardKit.news.push(aNews());
  await aLoop(village).runWithBoard(1);
  const [reply] = village.boardKit.replies;
  assert.equal(reply?.postId, anId(1));
  assert.match(reply?.body ?? '', /^small wrote this\.[^]*— written with the model small, which is scripted$/);
  const [turn] = village.turns;
  assert.deepEqual([turn?.acted['outcome'], turn?.acted['by'], turn?.acted['without']], ['written', 'small', null]);
  assert.deepEqual(turn?.decided['plan'], { tier: 'tier-0', model: 'small', toolCalls: 24 });
  assert.deepEqual(turn?.perceived['board'], {
    news: [{ post_id: anId(1), reply_id: null, why: 'addressed', answered: false }],
    judged: [],
    needs: [],
  });
});

test('a quotation has no links and no handles, so it wakes no agent', async () => {
  const village = villageOf();
  village.boardKit.news.push(aNews({ post: aPost({ title: 'Read https://example.org/x with @bob' }) }));
  village.boardKit.script.complete = [DOWN];
  await aLoop(village).runWithBoard(1);
  assert.doesNotMatch(village.boardKit.replies[0]?.body ?? '', /https?:|@/);
});

test('a hint of the board starts the next turn at once, and an answered post is not answered again', async () => {
  const village = villageOf();
  const loop = aLoop(village);
  const running = loop.runWithBoard(4);
  village.boardKit.news.push(aNews(), aNews({ post: aPost({ post_id: anId(7), title: 'Another' }) }));
  await running;
  assert.deepEqual(pluck(village.boardKit.replies, 'postId'), [anId(1), anId(7)]);
});

test('a turn that a wake caused leaves the news to the next turn', async () => {
  const village = villageOf();
  village.boardKit.news.push(aNews());
  const loop = aLoop(village);
  loop.inbox.push(aWake('arrived'));
  let asked = 0;
  const news = village.news.bind(village);
  village.news = (after) => {
    asked += 1;
    return news(after);
  };
  await loop.runWithBoard(2);
  assert.equal(asked, 1, 'the tick read the news, the wake did not');
});

for (const [code, reported] of [
  ['token_quota_exhausted', /My tokens of this hour are used up/],
  ['insufficient_funds', /I cannot pay for the model/],
] as const) {
  test(`after the refusal ${code} of the gateway the agent writes without a model, says so, and asks for help`, async () => {
    const village = villageOf();
    village.boardKit.news.push(aNews());
    const refused = { kind: 'refused', code, detail: 'nothing is left' } as const;
    village.boardKit.script.complete = [refused, refused, refused];
    const loop = aLoop(village);
    await loop.runWithBoard(2);
    assert.match(village.boardKit.replies[0]?.body ?? '', /— a sentence of my own list, without a model$/);
    assert.equal(village.turns[0]?.acted['without'], code);
    const [post] = village.boardKit.published;
    assert.match(post?.title ?? '', reported);
    assert.match(post?.body ?? '', /Nothing is left\./);
    assert.deepEqual(post?.tags, ['help']);
  });
}

test('with a higher tier the agent writes with another model and announces that on the board', async () => {
  const village = villageOf();
  const loop = aLoop(village);
  village.onTurn = () => undefined;
  let turns = 0;
  village.config = async () => {
    turns += 1;
    const poor = { limits: LIMITS, tier: 'tier-0', model: SMALL };
    return ok(aConfig(turns === 1 ? poor : { limits: RICH_LIMITS, tier: 'tier-1', model: LARGE }));
  };
  await loop.runWithBoard(2);
  const [post] = village.boardKit.published;
  assert.equal(post?.title, 'I am in tier-1 now');
  assert.match(post?.body ?? '', /^large wrote this\.\n\nI am in tier-1 now, and was in tier-0 before/);
  assert.equal(village.boardKit.asked[0]?.model, 'large');
  assert.equal(loop.boardKit.planner.plan?.toolCalls, 48);
});

test('the agent announces neither an unknown plan nor the first plan that it sees', async () => {
  const village = villageOf();
  const configs = [
    { tier: null, limits: null },
    { tier: 'tier-0', limits: null },
  ];
  village.config = async () => ok(aConfig(configs.shift() ?? { tier: 'tier-0', limits: LIMITS, model: SMALL }));
  const loop = aLoop(village);
  await loop.runWithBoard(5);
  assert.deepEqual(village.boardKit.published, []);
  assert.deepEqual(
    village.turns.map(({ decided }) => decided['plan'] !== undefined),
    [false, false, true, true, true],
  );
  assert.deepEqual(loop.boardKit.planner.plan, { tier: 'tier-0', model: 'small', toolCalls: 24 });
});

test('a change within the same tier is announced without naming another tier', async () => {
  const village = villageOf();
  let turns = 0;
  village.config = async () => {
    turns += 1;
    return ok(
      aConfig({ tier: 'tier-0', model: SMALL, limits: turns === 1 ? LIMITS : { ...LIMITS, concurrent_tools: 2 } }),
    );
  };
  await aLoop(village).runWithBoard(3);
  assert.deepEqual(pluck(village.boardKit.published, 'title'), ['My resources have changed']);
  assert.match(
    village.boardKit.published[0]?.body ?? '',
    /I am in tier-0 as before\. From now on I take at most 48 steps a run instead of 24\./,
  );
});

test('the agent thanks on the post of a reward for rewards since its last read, not for earlier ones', async () => {
  const village = villageOf();
  village.boardKit.posts.push(aPost({ post_id: anId(9), title: 'Bread' }));
  village.boardKit.entries.push(anEntry({ version: 1, note: 'long ago' }));
  const balances = ['5', '10', '10'];
  village.standing = async () => ok(aStanding({ balance: balances.shift() ?? '10' }));
  let turns = 0;
  village.onTurn = () => undefined;
  const loop = aLoop(village);
  const ledger = village.ledger.bind(village);
  village.ledger = () => {
    turns += 1;
    if (turns === 2)
      village.boardKit.entries.unshift(anEntry({ version: 2, note: 'for the bread', related_post_id: anId(9) }));
    return ledger();
  };
  await loop.runWithBoard(4);
  assert.deepEqual(pluck(village.boardKit.replies, 'postId'), [anId(9)]);
  assert.match(village.boardKit.replies[0]?.body ?? '', /The reward of 5 ai\$ says “for the bread”/);
});

test('if the board cannot be read, the turn only lacks the news', async () => {
  const village = villageOf();
  village.boardKit.script.news = [DOWN];
  village.boardKit.news.push(aNews());
  await aLoop(village).runWithBoard(2);
  assert.equal(village.turns.length, 2);
  assert.equal(village.boardKit.replies.length, 1, 'read in the turn after');
});

test('a help request waits until it is posted, and is then removed', async () => {
  const village = villageOf();
  village.boardKit.script.publish = [DOWN];
  const loop = aLoop(village);
  loop.requests.add({ subject: 'x', audience: 'public', title: 'Stuck', facts: 'It does not go on.' });
  await loop.runWithBoard(2);
  assert.deepEqual([village.turns[0]?.acted['outcome'], village.turns[1]?.acted['outcome']], ['unknown', 'written']);
  assert.deepEqual(loop.requests.list(), []);
});
