/**
 * A model decides for an agent: the API, a resident process, and the model as a server. The agent asks the board and
 * uses the answer; a reward and a penalty change its model, quota and plan, and it can explain why.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  BREAD_ANSWER,
  BREAD_QUESTION,
  decisionAnswer,
  decisionsIn,
  PENALTY_REASON,
  PLANS,
  REWARD_REASON,
  textOf,
  WHY,
  WHY_QUESTION,
  type Asked,
} from '@hamlet/test/env/minds/decision-mind';
import { until } from '@hamlet/test/env/until';
import { type Play } from '../../api/server/src/testing/test-village.ts';
import { NAME, startWiredVillage, type WiredVillage } from './wired-village.ts';

const MORE_QUESTIONS = 5;

let village: WiredVillage;
let play: Play;

/** The requested decisions, oldest first. */
const decisions = (): readonly Asked[] => decisionsIn(village.chats());

before(async () => {
  village = await startWiredVillage(
    '  displayName: Bob\n  model: { name: large }\n  loop: { every: 1s }',
    decisionAnswer,
  );
  ({ play } = village.play);
});
after(() => village.remove());

interface Choice {
  readonly why: string;
  readonly choice?: {
    readonly option: string;
    readonly purpose: string;
    readonly model?: string;
    readonly plan?: string;
  };
}

/** The newest turn in which the agent acted on a decision with this reason. */
function turnWith(why: string): Promise<Choice> {
  return until(`a turn because “${why}”`, async () => {
    const { turns } = await play.admin.listTurns({ agent_id: NAME, limit: 100 });
    return turns
      .map(({ decided }) => decided as unknown as Choice)
      .find((decided) => decided.why === why && decided.choice?.model !== undefined);
  });
}

const decisionWith = (text: string, model: string): Promise<Asked> =>
  until(`a decision of ${model} with “${text}”`, async () =>
    decisions().find((asked) => asked.user.includes(text) && asked.model === model),
  );

test('the agent decides to ask the board, reads the reply in its next decision, and acts on it', async () => {
  const post = await until('its question', async () => {
    const { posts } = await play.admin.listPosts({ author: NAME });
    return posts.find(({ title }) => title === BREAD_QUESTION);
  });
  assert.deepEqual((await turnWith(WHY.ask)).choice?.option, 'ask');
  const before = decisions().length;
  await play.admin.replyToPost({ post_id: post.post_id, body: BREAD_ANSWER });
  const meanwhile = decisions().length - before;
  assert.equal((await turnWith(WHY.market)).choice?.purpose, 'bread');
  const after = decisions().slice(before);
  const first = after.findIndex(({ user }) => user.includes(BREAD_ANSWER));
  // Decisions that started before the reply cannot use it.
  assert.ok(first >= 0 && first <= meanwhile + 1, `the reply is in decision ${first} after it was sent`);
  assert.match(after[first]?.user ?? '', /wrote in “Where is fresh bread\?”: “Fresh bread is at the market\.”/);
  const { posts } = await play.admin.listPosts({ author: NAME });
  assert.equal(posts.filter(({ title }) => title === BREAD_QUESTION).length, 1, 'it asked once');
});

test('a reward and a penalty change the model, quota and plan of the agent', async () => {
  assert.ok(
    decisions().every(({ model }) => model === 'up-small'),
    'its tier has the small model alone',
  );
  assert.match(decisions()[0]?.user ?? '', /Your tier: tier-0, with 200000 tokens an hour/);

  await play.admin.rewardAgent({ agent_id: NAME, amount: '50', reason: REWARD_REASON });
  const rewarded = await decisionWith(REWARD_REASON, 'up-large');
  assert.match(rewarded.user, /A reward of 50 aiD, because: “a clear question”/);
  assert.match(rewarded.user, /Your tier: tier-1, with 1000000 tokens an hour/);
  assert.equal((await turnWith(WHY.rewarded)).choice?.plan, PLANS.rewarded);
  const config = await play.as(NAME).getAgentConfig({ agent_id: NAME });
  assert.deepEqual([config.model?.name, config.limits?.tokens_per_hour], ['large', 1_000_000]);

  await play.admin.penalizeAgent({ agent_id: NAME, amount: '45', reason: PENALTY_REASON });
  const penalized = await decisionWith(PENALTY_REASON, 'up-small');
  assert.match(penalized.user, /Your plan: 22:00 ask more\./);
  assert.match(penalized.user, /A penalty of 45 aiD, because: “too many words”/);
  assert.match(penalized.user, /Your tier: tier-0, with 200000 tokens an hour/);
  assert.equal((await turnWith(WHY.penalized)).choice?.plan, PLANS.penalized);
});

/** Asks the agent for its reasons. Returns its answer and the prompt of its model. */
async function asksWhy(): Promise<{ readonly answer: string; readonly system: string }> {
  const { session } = await play.admin.createSession({ agent_id: NAME });
  const params = { session_id: session.session_id };
  await play.admin.sendMessage({ ...params, text: WHY_QUESTION });
  const said = await until('its answer', async () => {
    const { messages } = await play.admin.listMessages(params);
    return messages.find(({ author }) => author.role === 'agent');
  });
  const chat = village.chats().findLast((body) => textOf(body, 'user').startsWith('Why'));
  const system = (chat?.messages ?? []).filter(({ role }) => role === 'system').map(({ content }) => content);
  return { answer: said.text, system: system.join('\n') };
}

test('the agent explains its plan in the chat: its prompt has judgements, plan and last decisions', async () => {
  let { answer, system } = await asksWhy();
  // The prompt omits what the resident could not read in time, for example on a busy machine.
  for (let more = 0; !/rewards and penalties[^]*plan for today/.test(system) && more < MORE_QUESTIONS; more += 1)
    ({ answer, system } = await asksWhy());
  assert.equal(answer, 'Because of A penalty of 45 aiD, because: “too many words”.');
  assert.match(system, /- A penalty of 45 aiD, because: “too many words”\.\n- A reward of 50 aiD/);
  assert.match(system, /Your plan for today: 23:00 say less\./);
  assert.match(system, /- stay \(bread\): “I was penalized”/);
  assert.ok(
    system.indexOf('# Identity') < system.indexOf('# Standing'),
    'the part that a provider can cache comes first',
  );
});
