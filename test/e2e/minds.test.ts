/**
 * Agents with a model that `make up MODEL=` connects. One does an errand: a person asks in the chat, the agent walks, speaks, asks
 * for a permission, posts and answers. Then api and pod are killed during another errand, and nothing happens twice.
 * Another lives by its decisions: it asks the board and uses a person's reply; a reward and a penalty change its model, quota and plan.
 */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test, type TestContext } from 'node:test';
import { type RunEvent } from '@hamlet/contract';
import type { WireServer } from '@hamlet/models/testing';
import { pluck } from '../env/pluck.ts';
import { ROOT } from '../../local/village/paths.ts';
import { ownTier } from '../env/cluster/own-tier.ts';
import { signIn, openBrowser, type TestBrowser } from '../env/browser.ts';
import {
  BREAD_ANSWER,
  BREAD_QUESTION,
  decisionsIn,
  PENALTY_REASON,
  PLANS,
  REWARD_REASON,
  WHY,
  WHY_QUESTION,
  type Asked,
} from '../env/minds/decision-mind.ts';
import { ERRAND, POST_TITLE, QUESTION_TO_BOB } from '../env/minds/journey-mind.ts';
import { chatsOf, connectMind, disconnectMind, LARGE, SMALL, startVillageMind } from '../env/minds/village-mind.ts';
import { until } from '../env/until.ts';
import { agentOf, applyAgent, deleteAgents, untilReady, village, type Village } from '../env/village.ts';

const OUTPUT = join(ROOT, 'test/output');
/** Posts and money stay with a name permanently, so each run uses a new name. */
const NAME = `mina-${process.pid}`;
const TIER = `minds-${process.pid}`;
const APIS = ['deployment/hamlet-api', 'deployment/hamlet-api-more'];
const WALKS_MS = 400_000;
/** An agent that decides for itself. */
const DECIDER = `lena-${process.pid}`;
/** Agents decide nothing while they sleep: a night of the village takes eight minutes. */
const NIGHT_MS = 600_000;

let place: Village;
let wire: WireServer;
let browser: TestBrowser;

/** A priced tier with the model, which no balance opens. */
const TIER_MANIFEST = ownTier(TIER, {
  models: ['small'],
  cpu: '250m',
  memory: '256Mi',
  tokensPerHour: 200_000,
  price: { perThousandTokens: '0.01' },
});

/** Returns a function that returns the seconds since its last call, for diagnostics. */
function stopwatch(): () => string {
  let since = Date.now();
  return () => {
    const seconds = (Date.now() - since) / 1_000;
    since = Date.now();
    return `${seconds.toFixed(1)} s`;
  };
}

before(async () => {
  mkdirSync(OUTPUT, { recursive: true });
  place = await village();
  wire = await startVillageMind(DECIDER);
  const lap = stopwatch();
  await connectMind(place, wire);
  console.log(`make up MODEL= took ${lap()}`);
  await place.kubectl(['apply', '-f', '-'], JSON.stringify(TIER_MANIFEST));
  await applyAgent(place, NAME, {
    displayName: 'Mina',
    entitlement: { policy: 'Pinned', name: TIER },
    model: { name: 'small' },
    tools: { rules: [{ tools: ['post_to_board'], verdict: 'ask', reason: 'A person reads her posts first' }] },
  });
  await applyAgent(place, DECIDER, { displayName: 'Lena', model: { name: 'large' } });
  for (const name of ['bob', NAME, DECIDER]) await untilReady(place, name);
  await place.admin.rewardAgent({ agent_id: NAME, amount: '5', reason: 'for tokens' });
  browser = await openBrowser();
  await browser.page.goto(place.url);
  await signIn(browser.page);
});
after(async () => {
  await browser?.close();
  await deleteAgents(place, [NAME, DECIDER]);
  await place.tryKubectl(['delete', 'entitlement', TIER, '--ignore-not-found']);
  await disconnectMind(place);
  await wire?.close();
});

const postsOf = async (): Promise<readonly { readonly post_id: string; readonly title: string }[]> =>
  (await place.admin.listPosts({ author: NAME })).posts.filter(({ title }) => title === POST_TITLE);

const eventsOf = async (runId: string) => (await place.admin.listRunEvents({ run_id: runId })).events;

function performed(events: readonly RunEvent[], tool: string): number {
  return events.filter(
    ({ event, witnessed, detail }) =>
      event === 'call_settled' && witnessed && 'tool' in detail && detail.tool === tool && detail.outcome === 'ok',
  ).length;
}

async function sendsErrand(): Promise<void> {
  const { page } = browser;
  await page.goto(`${place.url}/?agent=${NAME}&tab=chat`);
  await page.locator('.composer textarea').fill(ERRAND);
  await page.locator('.composer').getByRole('button', { name: 'Send' }).click();
  await page.getByText('I will look for Bob.').first().waitFor();

  const allow = page.locator('[data-answer="allow"]').first();
  // She walks to Bob, who also walks, and starts again if he has left earshot.
  await allow.waitFor({ timeout: WALKS_MS });
  await page.screenshot({ path: join(OUTPUT, 'village-chat-permission.png') });
  assert.deepEqual(await postsOf(), [], 'nothing is posted before a person allows it');
  await allow.click();
  await page.getByText('Bob wants fresh bread; it is on the board').first().waitFor();
  await page.screenshot({ path: join(OUTPUT, 'village-chat-answer.png') });

  assert.equal((await postsOf()).length, 1);
  const { permissions } = await place.admin.listPermissions({ agent_id: NAME });
  assert.deepEqual(pluck(permissions, 'tool', 'state'), [['post_to_board', 'consumed']]);
  const runId = permissions[0]?.run_id ?? '';
  const { run } = await place.admin.getRun({ run_id: runId });
  assert.deepEqual([run.state, run.usage.witnessed], ['done', true]);
  // The run takes more steps if Bob was out of earshot when she spoke.
  assert.ok(run.usage.steps >= 4, `${run.usage.steps} steps`);
  const events = await eventsOf(runId);
  assert.deepEqual([performed(events, 'say'), performed(events, 'post_to_board')], [1, 1]);

  const { entries } = await place.admin.getLedger({ agent_id: NAME });
  const charged = entries.filter(({ reason }) => reason === 'usage').map(({ amount }) => Number(amount));
  const sum = charged.reduce((total, amount) => total - amount, 0);
  assert.ok(
    sum >= Number(run.usage.cost) && Number(run.usage.cost) > 0,
    `${sum} charged, ${run.usage.cost} in the run`,
  );
  const unexpected = browser.errors.filter((error) => !error.includes('401'));
  assert.deepEqual(unexpected, []);
}

interface Choice {
  readonly why: string;
  readonly choice?: { readonly option: string; readonly purpose: string; readonly model?: string };
}

/** The newest turn in which the agent acted on a decision with this reason. */
const turnWith = (why: string): Promise<Choice> =>
  until(
    `a turn because “${why}”`,
    async () => {
      const { turns } = await place.admin.listTurns({ agent_id: DECIDER, limit: 100 });
      return turns
        .map(({ decided }) => decided as unknown as Choice)
        .find((decided) => decided.why === why && decided.choice?.model !== undefined);
    },
    { capMs: NIGHT_MS },
  );

const decisions = (): readonly Asked[] => decisionsIn(chatsOf(wire.requests, DECIDER));

const decisionWith = (text: string, model: string): Promise<Asked> =>
  until(
    `a decision of ${model} with “${text}”`,
    async () => decisions().find((asked) => asked.user.includes(text) && asked.model === model),
    { capMs: NIGHT_MS },
  );

const questionsOf = async () =>
  (await place.admin.listPosts({ author: DECIDER })).posts.filter(({ title }) => title === BREAD_QUESTION);

/** Opens a tab of the agent's panel; a click is quicker than another load of the map. */
async function openTab(tab: 'Money' | 'Models' | 'Diary' | 'Chat'): Promise<void> {
  const { page } = browser;
  if (!page.url().includes(`agent=${DECIDER}`)) await page.goto(`${place.url}/?agent=${DECIDER}`);
  await page.getByRole('tab', { name: tab, exact: true }).click();
}

async function asksTheBoard(context: TestContext): Promise<void> {
  const lap = stopwatch();
  await until('its question', async () => (await questionsOf()).at(0), { capMs: NIGHT_MS });
  context.diagnostic(`its question was there after ${lap()}`);
  assert.equal((await turnWith(WHY.ask)).choice?.option, 'ask');
}

async function actsOnTheReply(context: TestContext): Promise<void> {
  const { page } = browser;
  const asked = (await questionsOf()).at(0);
  await page.goto(`${place.url}/?view=board&post=${asked?.post_id}`);
  await page.fill('textarea[name="reply"]', BREAD_ANSWER);
  const before = decisions().length;
  await page.getByRole('button', { name: 'Reply', exact: true }).click();
  await page.locator('.reply[data-reply-id]', { hasText: BREAD_ANSWER }).waitFor();
  const meanwhile = decisions().length - before;
  const lap = stopwatch();
  const used = await turnWith(WHY.market);
  context.diagnostic(`it used the reply after ${lap()}`);
  assert.equal(used.choice?.purpose, 'bread');
  const first = decisions()
    .slice(before)
    .findIndex(({ user }) => user.includes(BREAD_ANSWER));
  // Decisions that started before the reply cannot use it.
  assert.ok(first >= 0 && first <= meanwhile + 1, `the reply is in decision ${first} after it was sent`);
  assert.equal((await questionsOf()).length, 1, 'it asked once');
  await page.locator('.replies .reply', { hasText: 'Lena' }).first().waitFor();
  await page.screenshot({ path: join(OUTPUT, 'village-decision-thread.png') });
  await openTab('Diary');
  const purpose = page.locator('.purposes li[data-by="model"]').first();
  await purpose.locator('summary').click();
  await purpose.getByText('Chosen by the model').waitFor();
  await purpose.getByText(`Because: ${WHY.ask}`).waitFor();
  await page.screenshot({ path: join(OUTPUT, 'village-decision-why.png') });
}

async function judge(act: 'Reward' | 'Penalize', amount: string, reason: string): Promise<void> {
  const { page } = browser;
  await openTab('Money');
  const form = page.locator('form.judge');
  await form.getByText(act, { exact: true }).click();
  await form.locator('[name="amount"]').fill(amount);
  await form.locator('[name="reason"]').fill(reason);
  await page.screenshot({ path: join(OUTPUT, `village-decision-${act.toLowerCase()}.png`) });
  await form.locator('button[type="submit"]').click();
  await form.locator('.notice-good').waitFor();
}

/** Asserts that the panel shows the agent's model, quota and plan. */
async function untilShown(shown: {
  readonly model: string;
  readonly quota: number;
  readonly plan: string;
}): Promise<void> {
  const { page } = browser;
  await openTab('Models');
  await page.locator(`[data-own-model="${shown.model}"]`).waitFor();
  await page.locator(`.meter[data-quota="${shown.quota}"]`).waitFor();
  await page.screenshot({ path: join(OUTPUT, `village-decision-${shown.model}.png`) });
  await openTab('Diary');
  await page.getByText(`Its plan for today: ${shown.plan}`).waitFor();
  await page.screenshot({ path: join(OUTPUT, `village-decision-plan-${shown.model}.png`) });
}

async function isJudged(context: TestContext): Promise<void> {
  assert.ok(
    decisions().every(({ model }) => model === SMALL),
    'its tier has the small model alone',
  );
  await judge('Reward', '12', REWARD_REASON);
  const lap = stopwatch();
  const rewarded = await decisionWith(REWARD_REASON, LARGE);
  assert.match(rewarded.user, /A reward of 12 aiD, because: “a clear question”/);
  assert.match(rewarded.user, /Your tier: tier-1, with 10000000 tokens an hour/);
  await turnWith(WHY.rewarded);
  context.diagnostic(`the reward changed its decision after ${lap()}`);
  await untilShown({ model: 'large', quota: 10_000_000, plan: PLANS.rewarded });

  await judge('Penalize', '8', PENALTY_REASON);
  lap();
  const penalized = await decisionWith(PENALTY_REASON, SMALL);
  assert.match(penalized.user, /Your plan: 22:00 ask more\./);
  assert.match(penalized.user, /Your tier: tier-0, with 2000000 tokens an hour/);
  await turnWith(WHY.penalized);
  context.diagnostic(`the penalty changed its decision after ${lap()}`);
  await untilShown({ model: 'small', quota: 2_000_000, plan: PLANS.penalized });

  const { page } = browser;
  await openTab('Chat');
  await page.locator('.composer textarea').fill(WHY_QUESTION);
  await page.locator('.composer').getByRole('button', { name: 'Send' }).click();
  await page
    .getByText(/Because of A penalty of 8 aiD, because: “too many words”/)
    .first()
    .waitFor();
  await page.screenshot({ path: join(OUTPUT, 'village-decision-chat.png') });
}

async function isKilled(): Promise<void> {
  const before = (await postsOf()).length;
  const { session } = await place.admin.createSession({ agent_id: NAME, title: 'Killed' });
  const { session_id } = session;
  const runId = (await place.admin.sendMessage({ session_id, text: ERRAND })).run.run_id;
  await until('she has begun', async () => (await eventsOf(runId)).some(({ event }) => event === 'call_begun'));
  await killApis();
  await until('the agent has asked Bob', async () => performed(await eventsOf(runId), 'say') > 0);
  await place.kubectl(['delete', 'pod', (await agentOf(place, NAME))?.pod ?? '', '--grace-period=0', '--force']);

  const pending = await until('she asks for a permission', async () => {
    return (await place.admin.listPermissions({ run_id: runId, state: 'pending' })).permissions.at(0);
  });
  await place.admin.answerPermission({ permission_id: pending.permission_id, answer: 'allow' });
  await killApis();
  await until('her answer', async () => {
    const outcome = await place.admin.raw.listMessages({ session_id });
    return outcome.ok && outcome.data.messages.some(({ author }) => author.role === 'agent');
  });

  assert.equal((await postsOf()).length, before + 1);
  const events = await eventsOf(runId);
  assert.deepEqual([performed(events, 'say'), performed(events, 'post_to_board')], [1, 1]);
  const numbers = events.map(({ number }) => number);
  assert.deepEqual(
    numbers,
    [...numbers.keys()].map((index) => index + 1),
    'events are numbered without gaps',
  );
  const { messages } = await place.admin.listMessages({ session_id });
  assert.deepEqual(messages.map(({ author, state }) => [author.role, state]).toSorted(), [
    ['admin', 'answered'],
    ['agent', 'answered'],
  ]);
  const asked = wire.requests.filter(({ body }) => JSON.stringify(body).includes(QUESTION_TO_BOB));
  assert.ok(asked.length > 0, 'the model saw its own question again');
}

/** Kills both api pods without a grace period. */
async function killApis(): Promise<void> {
  await place.kubectl(['delete', 'pod', '-l', 'app.kubernetes.io/component=api', '--grace-period=0', '--force']);
  for (const api of APIS) await place.kubectl(['rollout', 'status', api, '--timeout=120s']);
  await until('the api answers', async () => {
    return (await fetch(`${place.url}/readyz`).catch(() => null))?.ok === true;
  });
}

// The agents mostly walk, so that they live side by side. The browser is idle while the api is killed.
describe('agents with a model', { concurrency: true }, () => {
  describe('an agent does an errand', { concurrency: false }, () => {
    test('a person asks in the chat, allows the post, and reads the answer with a link to it', sendsErrand);
    test('api and pod are killed midway: nothing is said, posted or paid twice', isKilled);
  });
  test('another agent decides to ask on the board', asksTheBoard);
});
test('a person replies on the board, and the agent that asked acts on the reply', actsOnTheReply);
test('a reward and a penalty change the model, quota and plan of the agent, and it explains why', isJudged);
