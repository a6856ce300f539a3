/**
 * An agent with a model does an errand: a person asks in the chat, the agent walks, speaks, asks for a permission, posts
 * and answers. Then api and pod are killed in the middle of another errand, and nothing happens twice.
 */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import {
  answerPermission,
  createSession,
  getLedger,
  getRun,
  listMessages,
  listPermissions,
  listPosts,
  listRunEvents,
  rewardAgent,
  sendMessage,
  type RunEvent,
} from '@hamlet/contract';
import type { WireServer } from '@hamlet/models/testing';
import { clusterStatus, hamletCluster } from '../../local/village/cluster.ts';
import { helm, localPlace } from '../../local/village/kubectl.ts';
import { ROOT } from '../../local/village/paths.ts';
import { ownTier } from '../env/cluster/own-tier.ts';
import { openBrowser, type TestBrowser } from '../env/browser.ts';
import { ERRAND, POST_TITLE, QUESTION_TO_BOB, startJourneyMind } from '../env/journey-mind.ts';
import { signIn } from '../env/signed-in.ts';
import { until } from '../env/until.ts';
import { agentOf, applyAgent, dataOf, deleteAgents, untilReady, village, type Village } from '../env/village.ts';

const OUTPUT = join(ROOT, 'test/output');
/** A name keeps its posts and money permanently, so each run has a new name. */
const NAME = `mina-${process.pid}`;
const TIER = `minds-${process.pid}`;
const MODEL = 'journey';
const APIS = ['deployment/hamlet-api', 'deployment/hamlet-api-more'];
/** The port of the machine on which the pods reach the model. */
const MODEL_PORT = 18_091;
const WALKS_MS = 400_000;

let place: Village;
let wire: WireServer;
let browser: TestBrowser;

/** Connects the model to the running village, as an operator of it would: by values of the chart. */
async function connectModel(): Promise<void> {
  const status = await clusterStatus();
  assert.ok(status !== undefined);
  const address = `${status.spec.apiHost}:${MODEL_PORT}`;
  await hamletCluster(['forward', '--listen', address, '--to', `tcp://${new URL(wire.url).host}`]);
  const config = {
    providers: { journey: { kind: 'compatible', baseUrl: `http://${address}/v1` }, scripted: { kind: 'scripted' } },
    routes: [
      { match: MODEL, provider: 'journey' },
      { match: '*', provider: 'scripted' },
    ],
  };
  await upgrade(['--set-json', `models.config=${JSON.stringify(config)}`]);
}

async function upgrade(values: readonly string[]): Promise<void> {
  const chart = join(ROOT, 'charts/hamlet');
  await helm(await localPlace(place.namespace), ['upgrade', 'hamlet', chart, '--reuse-values', ...values]);
  for (const api of APIS) await place.kubectl(['rollout', 'status', api, '--timeout=120s']);
  await until('the api answers', async () => (await fetch(`${place.url}/readyz`)).ok);
}

/** A priced tier with the model, that no balance opens. */
const TIER_MANIFEST = ownTier(TIER, {
  models: [MODEL],
  cpu: '250m',
  memory: '256Mi',
  tokensPerHour: 200_000,
  price: { perThousandTokens: '0.01' },
});

before(async () => {
  mkdirSync(OUTPUT, { recursive: true });
  place = await village();
  wire = await startJourneyMind();
  await connectModel();
  await place.kubectl(['apply', '-f', '-'], JSON.stringify(TIER_MANIFEST));
  await applyAgent(place, NAME, {
    displayName: 'Mina',
    entitlement: { policy: 'Pinned', name: TIER },
    model: { name: MODEL },
    tools: { rules: [{ tools: ['post_to_board'], verdict: 'ask', reason: 'A person reads her posts first' }] },
  });
  await untilReady(place, 'bob');
  await untilReady(place, NAME);
  const body = { agent_id: NAME, amount: '5', reason: 'for tokens' };
  dataOf(await place.admin.call(rewardAgent, { body }));
  browser = await openBrowser();
});
after(async () => {
  await browser?.close();
  await deleteAgents(place, [NAME]);
  await place.tryKubectl(['delete', 'entitlement', TIER, '--ignore-not-found']);
  await upgrade(['--set-json', 'models.config={}']);
  await wire?.close();
});

const postsOf = async (): Promise<readonly { readonly post_id: string; readonly title: string }[]> =>
  dataOf(await place.admin.call(listPosts, { query: { author: NAME } })).posts.filter(
    ({ title }) => title === POST_TITLE,
  );

async function eventsOf(runId: string): Promise<readonly RunEvent[]> {
  return dataOf(await place.admin.call(listRunEvents, { params: { run_id: runId }, query: {} })).events;
}

/** The calls of a tool that the API performed. */
function performed(events: readonly RunEvent[], tool: string): number {
  return events.filter(
    ({ event, witnessed, detail }) =>
      event === 'call_settled' && witnessed && 'tool' in detail && detail.tool === tool && detail.outcome === 'ok',
  ).length;
}

test('a person sends an errand in the chat, allows the post, and reads the answer with its link', async () => {
  const { page } = browser;
  await page.goto(`${place.url}/?agent=${NAME}`);
  await signIn(page);
  await page.getByRole('tab', { name: 'Chat' }).click();
  await page.locator('.composer textarea').fill(ERRAND);
  await page.locator('.composer').getByRole('button', { name: 'Send' }).click();
  await page.getByText('I will look for Bob.').first().waitFor();

  const allow = page.locator('[data-answer="allow"]').first();
  // She walks to Bob, who walks too, and begins again if he is out of earshot by then.
  await allow.waitFor({ timeout: WALKS_MS });
  await page.screenshot({ path: join(OUTPUT, 'village-chat-permission.png') });
  assert.deepEqual(await postsOf(), [], 'nothing is posted before a person allows it');
  await allow.click();
  await page.getByText('Bob wants fresh bread; it is on the board').first().waitFor();
  await page.screenshot({ path: join(OUTPUT, 'village-chat-answer.png') });

  assert.equal((await postsOf()).length, 1);
  const { permissions } = dataOf(await place.admin.call(listPermissions, { query: { agent_id: NAME } }));
  assert.deepEqual(
    permissions.map(({ tool, state }) => [tool, state]),
    [['post_to_board', 'consumed']],
  );
  const runId = permissions[0]?.run_id ?? '';
  const { run } = dataOf(await place.admin.call(getRun, { params: { run_id: runId } }));
  assert.deepEqual([run.state, run.usage.steps, run.usage.witnessed], ['done', 4, true]);
  const events = await eventsOf(runId);
  assert.deepEqual([performed(events, 'say'), performed(events, 'post_to_board')], [1, 1]);

  const { entries } = dataOf(await place.admin.call(getLedger, { params: { agent_id: NAME }, query: {} }));
  const charged = entries.filter(({ reason }) => reason === 'usage').map(({ amount }) => Number(amount));
  const sum = charged.reduce((total, amount) => total - amount, 0);
  assert.ok(
    sum >= Number(run.usage.cost) && Number(run.usage.cost) > 0,
    `${sum} charged, ${run.usage.cost} in the run`,
  );
  const unexpected = browser.errors.filter((error) => !error.includes('401'));
  assert.deepEqual(unexpected, []);
});

test('api and pod are killed in the middle of an errand: nothing is said, posted or paid twice', async () => {
  const before = (await postsOf()).length;
  const { session } = dataOf(
    await place.admin.call(createSession, { params: { agent_id: NAME }, body: { title: 'Killed' } }),
  );
  const { session_id } = session;
  const sent = dataOf(await place.admin.call(sendMessage, { params: { session_id }, body: { text: ERRAND } }));
  const runId = sent.run.run_id;
  await until('she has begun', async () => (await eventsOf(runId)).some(({ event }) => event === 'call_begun'));
  await killApis();
  await until('the agent has asked Bob', async () => performed(await eventsOf(runId), 'say') > 0);
  await place.kubectl(['delete', 'pod', (await agentOf(place, NAME))?.pod ?? '', '--grace-period=0', '--force']);

  const pending = await until('she asks for a permission', async () => {
    const query = { run_id: runId, state: 'pending' } as const;
    return dataOf(await place.admin.call(listPermissions, { query })).permissions.at(0);
  });
  const params = { permission_id: pending.permission_id };
  dataOf(await place.admin.call(answerPermission, { params, body: { answer: 'allow' } }));
  await killApis();
  await until('her answer', async () => {
    const outcome = await place.admin.call(listMessages, { params: { session_id }, query: {} });
    return outcome.ok && outcome.data.messages.some(({ author }) => author.role === 'agent');
  });

  assert.equal((await postsOf()).length, before + 1);
  const events = await eventsOf(runId);
  assert.deepEqual([performed(events, 'say'), performed(events, 'post_to_board')], [1, 1]);
  const numbers = events.map(({ number }) => number);
  assert.deepEqual(
    numbers,
    [...numbers.keys()].map((index) => index + 1),
    'events are numbered without a gap',
  );
  const { messages } = dataOf(await place.admin.call(listMessages, { params: { session_id }, query: {} }));
  assert.deepEqual(messages.map(({ author, state }) => [author.role, state]).toSorted(), [
    ['admin', 'answered'],
    ['agent', 'answered'],
  ]);
  const asked = wire.requests.filter(({ body }) => JSON.stringify(body).includes(QUESTION_TO_BOB));
  assert.ok(asked.length > 0, 'the model saw its own question again');
});

/** Kills both api pods without a grace period. */
async function killApis(): Promise<void> {
  await place.kubectl(['delete', 'pod', '-l', 'app.kubernetes.io/component=api', '--grace-period=0', '--force']);
  for (const api of APIS) await place.kubectl(['rollout', 'status', api, '--timeout=120s']);
  await until('the api answers', async () => {
    const answer = await fetch(`${place.url}/readyz`).catch(() => null);
    return answer?.ok === true;
  });
}
