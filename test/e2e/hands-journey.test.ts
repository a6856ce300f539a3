/**
 * An agent with hands does the work of a programmer, asked in the chat: it clones, installs pytest, repairs, pushes and
 * delivers a patch. Its pod is killed twice meanwhile, and nothing happens twice. Then it gets a task that names no
 * tool.
 */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type HandsCall } from '@hamlet/contract';
import type { WireServer } from '@hamlet/models/testing';
import { pluck } from '../env/pluck.ts';
import { fileServer, gitServer } from '../../api/broker/src/testing/package-servers.ts';
import { hamletCluster } from '../../local/village/cluster.ts';
import { ROOT } from '../../local/village/paths.ts';
import { ownTier } from '../env/cluster/own-tier.ts';
import { signIn, openBrowser, type TestBrowser } from '../env/browser.ts';
import { closeVillage, openVillage, startOutside, TLS_PORT, type Outside } from '../env/egress/outside.ts';
import { pythonIndex } from '../env/egress/python-index.ts';
import {
  type Bakery,
  FACT,
  ORDER,
  orderSteps,
  PRIMES,
  PRIMES_STEPS,
  RECALL,
  RECALL_STEPS,
  REMEMBER,
  REMEMBER_STEPS,
  REPAIR,
  REPAIR_PATCH,
  REPAIR_POST,
  repairBranch,
  repairSteps,
  startBakery,
} from '../env/hands/hands-tasks.ts';
import { PermissionCards } from '../env/hands/permission-cards.ts';
import { makeSmallRepository, REPAIRED, type SmallRepository } from '../env/hands/small-repository.ts';
import { startSteppedMind } from '../env/hands/stepped-mind.ts';
import { until } from '../env/until.ts';
import { agentOf, applyAgent, deleteAgents, untilReady, village, type Village } from '../env/village.ts';
import { testFolder } from '../env/at-end.ts';

const OUTPUT = join(ROOT, 'test/output');
const NAME = `hanna-${process.pid}`;
const BRANCH = repairBranch(NAME);
/** Another agent in the same repository, and one in another. */
const [COLLEAGUE, STRANGER] = [`hugo-${process.pid}`, `ida-${process.pid}`];
const MODEL = 'hands';
const TIER = `hands-${process.pid}`;
/** The port of the machine on which the pods reach the model. */
const MODEL_PORT = 18_092;
/** A skill of the village, as an admin writes one. */
const SKILL = `house-style-${process.pid}`;
const SKILL_MANIFEST = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: SKILL, labels: { 'hamlet.village/skill': 'true' } },
  data: {
    'SKILL.md':
      '---\nname: house-style\ndescription: Rules of this village for orders. Use it before you order something.\n---\n\nCompare the price list with the page before you order.\n',
  },
};
const HOSTS = ['git.test', 'index.test', 'bakery.test'] as const;
const at = (host: (typeof HOSTS)[number]): string => `https://${host}:${TLS_PORT}`;

/** A free tier with the model and enough memory for a browser, which no balance opens. */
const TIER_MANIFEST = ownTier(TIER, { models: [MODEL], cpu: '500m', memory: '2Gi' });
/** A free tier with the model for agents that open no browser, which no balance opens. */
const SMALL = `${TIER}-small`;
const SMALL_MANIFEST = ownTier(SMALL, { models: [MODEL], cpu: '100m', memory: '256Mi' });

let place: Village;
let outside: Outside;
let wire: WireServer;
let browser: TestBrowser;
let cards: PermissionCards;
let repository: SmallRepository;
let bakery: Bakery;
const folder = testFolder('hands-journey');
let run = '';

/**
 * Connects the model and allows the git server and the package index through values of the chart, as an operator does.
 */
async function openAll(): Promise<void> {
  const address = `${outside.address}:${MODEL_PORT}`;
  await hamletCluster(['forward', '--listen', address, '--to', `tcp://${new URL(wire.url).host}`]);
  const config = {
    providers: { hands: { kind: 'compatible', baseUrl: `http://${address}/v1` }, scripted: { kind: 'scripted' } },
    routes: [
      { match: MODEL, provider: 'hands' },
      { match: '*', provider: 'scripted' },
    ],
  };
  await openVillage(place, outside, {
    names: { [outside.address]: HOSTS },
    openings: HOSTS.map((host) => ({ host, ports: [TLS_PORT] })),
    more: { registries: { pip: { url: `${at('index.test')}/simple/` } } },
    values: { 'models.config': config },
  });
}

before(async () => {
  mkdirSync(OUTPUT, { recursive: true });
  mkdirSync(join(folder, 'git/team'), { recursive: true });
  mkdirSync(join(folder, 'wheels'));
  repository = makeSmallRepository(join(folder, 'git/team/purse.git'));
  makeSmallRepository(join(folder, 'git/team/other.git'));
  place = await village();
  outside = await startOutside();
  outside.hosts.set('git.test', gitServer(join(folder, 'git')));
  outside.hosts.set('index.test', fileServer(await pythonIndex(join(folder, 'wheels'), 'pytest'), []));
  bakery = startBakery();
  outside.hosts.set('bakery.test', bakery.listener);
  wire = await startSteppedMind(MODEL, {
    [REPAIR]: repairSteps(NAME, 'purse'),
    [PRIMES]: PRIMES_STEPS,
    [REMEMBER]: REMEMBER_STEPS,
    [RECALL]: RECALL_STEPS,
    [ORDER]: orderSteps(at('bakery.test')),
  });
  await openAll();
  for (const tier of [TIER_MANIFEST, SMALL_MANIFEST]) await place.kubectl(['apply', '-f', '-'], JSON.stringify(tier));
  await place.kubectl(['apply', '-f', '-'], JSON.stringify(SKILL_MANIFEST));
  await applyAgent(place, NAME, {
    displayName: 'Hanna',
    entitlement: { policy: 'Pinned', name: TIER },
    model: { name: MODEL },
    repository: { url: `${at('git.test')}/team/purse.git` },
    egress: { allow: [{ host: 'bakery.test', ports: [TLS_PORT], methods: ['GET', 'POST'] }] },
    skills: [{ name: 'house-style', from: 'ConfigMap', configMapName: SKILL }],
  });
  await untilReady(place, NAME);
  browser = await openBrowser({ height: 1_000 });
  cards = new PermissionCards(place, browser.page, NAME);
});
after(async () => {
  await browser?.close();
  await deleteAgents(place, [NAME, COLLEAGUE, STRANGER]);
  await place.tryKubectl(['delete', 'entitlement', TIER, SMALL, '--ignore-not-found']);
  await place.tryKubectl(['delete', 'configmap', SKILL, '--ignore-not-found']);
  await wire?.close();
  await outside?.close();
  await closeVillage(place, { 'models.config': {} });
});

/** Writes a message in a new conversation. */
async function ask(text: string): Promise<void> {
  const { page } = browser;
  await page.locator('.composer textarea').fill(text);
  await page.locator('.composer').getByRole('button', { name: 'Send' }).click();
}

async function killPod(): Promise<void> {
  await place.kubectl(['delete', 'pod', (await agentOf(place, NAME))?.pod ?? '', '--grace-period=0', '--force']);
}

const shot = (name: string): Promise<unknown> =>
  browser.page.screenshot({ path: join(OUTPUT, `village-hands-${name}.png`) });

const pushes = (): number =>
  outside.hits.filter(({ method, path }) => method === 'POST' && path.endsWith('/git-receive-pack')).length;

test('asked in the chat, the agent clones, runs tests and installs pytest; its pod is killed before the repair', async () => {
  const { page } = browser;
  await page.goto(`${place.url}/?agent=${NAME}`);
  await signIn(page);
  await page.getByRole('tab', { name: 'Chat' }).click();
  await ask(REPAIR);
  const tests = await cards.next('shell');
  assert.match(tests.permission.reason, /Text from outside has reached this run \(a connection to git\.test\)/);
  run = tests.permission.run_id;
  await shot('tests');
  await cards.answer(tests, 'always');
  const install = await cards.next('shell');
  assert.match(install.permission.arguments, /pip install pytest/);
  await killPod();
  await cards.answer(install, 'allow');
});

test('the pod is killed while a push waits in the broker; a person is asked about the outcome, and one push is sent', async () => {
  // Only the broker asks people, because it inspects all traffic of this agent.
  const push = await cards.next('git_push');
  assert.match(push.permission.arguments, new RegExp(BRANCH));
  await push.card.scrollIntoViewIfNeeded();
  await shot('push');
  assert.equal(pushes(), 0, 'nothing is sent before a person allows it');
  await killPod();
  const lost = await cards.next('git', 'unknown');
  await lost.card.scrollIntoViewIfNeeded();
  await shot('unknown');
  await cards.answer(lost, 'repeat');
  await cards.answer(await cards.next('git_push'), 'allow');
  const post = await cards.next('post_to_board');
  await post.card.locator('.artifact-name', { hasText: REPAIR_PATCH }).waitFor();
  await post.card.scrollIntoViewIfNeeded();
  await shot('post');
  await cards.answer(post, 'allow');
  await browser.page
    .locator('.answer', { hasText: 'The test passes, and the patch is on the board' })
    .first()
    .waitFor();
  await browser.page.locator('.answer .artifact[data-kind="patch"]').waitFor();
  await shot('answer');
});

test("the git server has the branch once, with the repair and the person's name", () => {
  assert.equal(pushes(), 1);
  const { git } = repository;
  assert.equal(git('reflog', 'show', '--format=%H', BRANCH).split('\n').length, 1);
  assert.match(git('log', '-1', '--format=%an', BRANCH), / \(Harvest\)$/);
  assert.ok(git('show', `${BRANCH}:purse/bill.py`).includes(REPAIRED.trim()));
  assert.equal(git('rev-list', '--count', `main..${BRANCH}`), '1');
  assert.equal(git('rev-list', '--count', 'main'), '1', 'main is as it was');
});

async function calls(): Promise<readonly HandsCall[]> {
  const found = (await place.admin.listCalls({ run_id: run, limit: 50 })).calls;
  return found.toSorted((left, right) => left.begun_at.localeCompare(right.begun_at));
}

const attempts = async () => (await place.admin.listEgress({ run_id: run, limit: 100 })).attempts;

test('every call and every connection is recorded once', async () => {
  const logged = await calls();
  assert.deepEqual(
    logged.map(({ tool, state, outcome }) => [tool, state, outcome?.kind]),
    ['git', 'shell', 'shell', 'shell', 'edit_file', 'shell', 'git', 'git', 'git', 'deliver'].map((tool) => [
      tool,
      'ended',
      'ok',
    ]),
  );
  const { events } = await place.admin.listRunEvents({ run_id: run });
  const settled = events.flatMap((event) => (event.event === 'call_settled' ? [event.detail.call_id] : []));
  assert.equal(new Set(settled).size, settled.length, 'no call has settled twice');
  assert.equal(settled.length, logged.length + 2, 'the calls in the hands, the push and the post');

  const out = await attempts();
  assert.deepEqual(new Set(out.map(({ host }) => host)), new Set(['git.test', 'index.test']));
  const ids = new Set(logged.map(({ call_id: id }) => id));
  for (const { call_id: call, call_witnessed: seen, run_witnessed: live } of out)
    assert.deepEqual([ids.has(call ?? ''), seen, live], [true, true, true]);
  const sent = out.filter(({ method, path }) => method === 'POST' && path?.endsWith('/git-receive-pack') === true);
  assert.equal(sent.filter(({ status }) => status === 200).length, 1, JSON.stringify(sent));

  const asked = (await cards.all()).filter(({ run_id: id }) => id === run);
  const once = asked.filter(({ rule_id: rule }) => rule === null).map(({ tool, state }) => `${tool} ${state}`);
  assert.equal(once.filter((each) => each === 'git_push withdrawn').length, 1, once.join());
  assert.equal(
    asked.filter(({ rule_id: rule }) => rule !== null).length,
    2,
    'the rule answered for the other two tests',
  );
});

test('the board shows the patch and its diff once to everyone who may read the post', async () => {
  const { page } = browser;
  const { posts } = await place.admin.listPosts({ author: NAME });
  const [post, ...others] = posts.filter(({ title }) => title === REPAIR_POST);
  assert.ok(post !== undefined && others.length === 0, `${posts.length} posts`);
  const { artifacts } = await place.admin.listRunArtifacts({ run_id: run });
  assert.deepEqual(pluck(artifacts, 'name', 'deliverable'), [[REPAIR_PATCH, 'patch']]);
  await page.goto(`${place.url}/?view=board&post=${post.post_id}`);
  const patch = page.locator('.post .artifact[data-kind="patch"]');
  await patch.getByRole('button', { name: 'Open' }).click();
  await patch.locator('.diff-line[data-kind="added"]', { hasText: 'share, left = divmod(cents, people)' }).waitFor();
  await patch.locator('.diff-line[data-kind="removed"]', { hasText: 'return [cents // people] * people' }).waitFor();
  assert.equal(await patch.locator('.run-file').count(), 1, 'one file has changed');
  await shot('deliverable');
});

test('given a task that names no tool, the agent writes a program, runs it and answers with its output', async () => {
  const { page } = browser;
  await page.goto(`${place.url}/?agent=${NAME}&tab=chat`);
  await page.locator('.composer textarea').waitFor();
  await ask(PRIMES);
  await page.locator('.answer', { hasText: '2 3 5 7 11 13 17 19 23 29' }).waitFor();
  await shot('primes');
  const session = (await page.getAttribute('.chat', 'data-session')) ?? '';
  const { messages } = await place.admin.listMessages({ session_id: session });
  assert.deepEqual(messages.map(({ author, state }) => [author.role, state]).toSorted(), [
    ['admin', 'answered'],
    ['agent', 'answered'],
  ]);
});

test('with a skill of the village the agent reads pages, calls an API, and orders by a form that a person permits', async () => {
  const { page } = browser;
  await page.locator('.chat [data-action="back"]').click();
  await page.locator('.composer textarea').waitFor();
  await ask(ORDER);
  const click = await cards.next('browser_click');
  assert.deepEqual(bakery.orders, []);
  await cards.answer(click, 'allow');
  const order = await cards.next('send_request');
  await order.card.scrollIntoViewIfNeeded();
  await shot('order');
  await cards.answer(order, 'allow');
  await page.locator('.answer', { hasText: 'Ordered: a rye loaf for 4.20' }).waitFor();
  assert.deepEqual(bakery.orders, ['loaf=Rye']);
  const { run_id: runId } = order.permission;
  const { artifacts } = await place.admin.listRunArtifacts({ run_id: runId });
  assert.deepEqual(pluck(artifacts, 'image'), [true]);
  await page.goto(`${place.url}/?view=runs&run=${runId}`);
  await page.locator('.artifact-image img').waitFor();
  await page.locator('.run-summary .page-link', { hasText: 'bakery.test' }).waitFor();
  await shot('net');
});

/** The answer of an agent in a new conversation. */
async function answerOf(name: string, text: string): Promise<string> {
  const opened = await place.admin.createSession({ agent_id: name, title: text });
  const params = { session_id: opened.session.session_id };
  await place.admin.sendMessage({ ...params, text });
  return until(`${name} answers`, async () => {
    const { messages } = await place.admin.listMessages(params);
    return messages.find(({ author }) => author.role === 'agent')?.text;
  });
}

async function memoriesOf(name: string): Promise<readonly string[]> {
  const pod = (await agentOf(place, name))?.pod ?? '';
  return (await place.kubectl(['exec', pod, '-c', 'hands', '--', 'ls', '/root/.mcp-memory'])).split('\n');
}

test('another agent of the same repository knows in its first session what this one remembered; an agent of another repository does not', async (t) => {
  const begun = performance.now();
  for (const [name, repositoryName] of [
    [COLLEAGUE, 'purse'],
    [STRANGER, 'other'],
  ] as const)
    await applyAgent(place, name, {
      entitlement: { policy: 'Pinned', name: SMALL },
      model: { name: MODEL },
      repository: { url: `${at('git.test')}/team/${repositoryName}.git` },
    });
  assert.match(await answerOf(NAME, REMEMBER), /I keep it/);
  for (const name of [COLLEAGUE, STRANGER]) await untilReady(place, name);
  const [known, unknown] = await Promise.all([answerOf(COLLEAGUE, RECALL), answerOf(STRANGER, RECALL)]);
  assert.match(known, new RegExp(`This is known: [^]*by ${NAME}[^]*${FACT}`));
  assert.match(unknown, /This is known: /);
  assert.doesNotMatch(unknown, new RegExp(FACT));
  const [mine, theirs, others] = await Promise.all([NAME, COLLEAGUE, STRANGER].map(memoriesOf));
  assert.match(String(mine), /^purse-[0-9a-f]{8}$/);
  assert.deepEqual(theirs, mine, 'both have a folder of the repository');
  assert.match(String(others), /^other-[0-9a-f]{8}$/);
  t.diagnostic(`${Math.round(performance.now() - begun)} ms`);
});

test('the page logged no unexpected error', async () => {
  await until('the agent is healthy', async () => (await agentOf(place, NAME))?.why.ready === true);
  // A visitor's page causes one refusal, of its question "who am I"; a request after the pod is gone may cause another.
  assert.deepEqual(
    browser.errors.filter((error) => !error.includes('401')),
    [],
  );
});
