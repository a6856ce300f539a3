/** Calls of runs on a real API server: Schedules that agents propose, and permissions after a change of their tier. */
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from '@hamlet/test/env/cluster-test';
import { API_VERSION, type AllowScope } from '@hamlet/contract';
import type { KubeObject } from '@hamlet/kube';
import { readAudit, type Db } from '@hamlet/store';
import { dataOf, refuses } from '@hamlet/test/env/client';
import { pluck } from '@hamlet/test/env/pluck';
import { cases } from '@hamlet/test/env/seeded';
import { AGENTS, ENTITLEMENTS } from '../agents/kubernetes-watch.ts';
import { SCHEDULES } from '../resource-writes/resource-audit.ts';
import { startClusterVillage, type ClusterVillage } from '../testing/cluster-village.ts';
import { firstAdmin, invite, type SignedInPerson } from '../testing/play/people-play.ts';
import { startStatementTap, type Cut, type StatementTap } from '../testing/statement-tap.ts';
import { eventually } from '../testing/test-village.ts';
import { PermissionPlay, post, resultOf, type Working, countPosts } from './testing/permission-play.ts';

/** More statements than a call has. */
const STATEMENTS_MAX = 60;
/** One statement out of this many is cut off. */
const CUT_EACH = cases(3, 1);
const TIER = 'tier-1';

let cluster: ClusterVillage;
let kube: ClusterVillage['kube'];
let village: ClusterVillage['village'];
let tap: StatementTap;
let db: Db;
let namespace = '';
let permits: PermissionPlay;
let grace: SignedInPerson;
let mia: SignedInPerson;
/** Decides about the statements of transactions that judge, perform or settle a call. */
let cutNow: Cut = () => null;

const cut: Cut = (open, statement) =>
  open.some((earlier) => /from "effect"|bool_and\(gone_at/.test(earlier)) ? cutNow(open, statement) : null;

before(async () => {
  cluster = await startClusterVillage();
  ({ kube, village, namespace } = cluster);
  db = village.openDb();
  tap = await startStatementTap(Number(new URL(village.postgres.url()).port), cut);
  const url = new URL(village.environment['HAMLET_POSTGRES_URL'] ?? '');
  url.host = `127.0.0.1:${tap.port}`;
  const { peopleUrl } = await village.startReplica({ ...cluster.environment, HAMLET_POSTGRES_URL: url.href });
  permits = new PermissionPlay(peopleUrl);
  await applyTier(90_000, []);
  await applyAgent();
  grace = await firstAdmin(peopleUrl);
  mia = await invite(grace, peopleUrl, { name: 'Mia', role: 'member' });
});
afterEach(async () => {
  cutNow = () => null;
  await permits.endAll();
});
after(async () => {
  await cluster.remove();
  tap.stop();
});

/** Writes the tier, and waits until the API has this version. */
async function applyTier(requestsPerMinute: number, rules: readonly object[]): Promise<void> {
  const limits = { requestsPerMinute, concurrentTools: 4, tokensPerHour: 1_000 };
  const spec = { rank: 1, limits, tools: { rules } };
  const wanted = { apiVersion: API_VERSION, kind: 'Entitlement', metadata: { name: TIER, namespace }, spec };
  await kube.client.apply(ENTITLEMENTS, wanted, { fieldManager: 'kubectl' });
  await eventually('the tier', async () => {
    const answer = await permits.play.admin.raw.getEntitlement({ name: TIER });
    return answer.ok && answer.data.limits.requests_per_minute === requestsPerMinute;
  });
}

async function applyAgent(): Promise<void> {
  const wanted = {
    apiVersion: API_VERSION,
    kind: 'Agent',
    metadata: { name: 'ada', namespace },
    spec: { displayName: 'Ada' },
  };
  await kube.client.apply(AGENTS, wanted, { fieldManager: 'kubectl' });
  const status = { tier: TIER, cycle: 1 };
  await kube.client.mergePatch(AGENTS, { status }, { namespace, name: 'ada', subresource: 'status' });
  await eventually('ada', async () => {
    const answer = await permits.play.admin.raw.getAgent({ agent_id: 'ada' });
    return answer.ok && answer.data.tier === TIER && answer.data.cycle === 1;
  });
}

type Stored = KubeObject & { readonly spec: Readonly<Record<string, unknown>> };

async function schedulesWith(prompt: string): Promise<readonly Stored[]> {
  const { items } = await kube.client.list<Stored>(SCHEDULES, { namespace });
  return items.filter(({ spec }) => spec['prompt'] === prompt);
}

const proposal = (callId: string, prompt: string, more: object = {}) => ({
  tool: 'propose_schedule',
  callId,
  args: { name: 'garden', prompt, daily_at: '09:30', time_zone: 'Europe/Zurich', reason: 'It is dry.', ...more },
});

async function asked(working: Working, call: ReturnType<typeof proposal>): Promise<string> {
  return dataOf(await permits.ask(working, call)).permission.permission_id;
}

const createdLines = async (name: string): Promise<number> =>
  (await readAudit(db, name, 100)).filter(({ action }) => action === 'schedule.create').length;

test('a Schedule that an admin allows is created once, for the agent that proposed it, with the admin as its author', async () => {
  const working = await permits.startRun('ada', mia.client);
  const call = proposal('1.0', 'Water the garden.');
  assert.equal(resultOf(await permits.perform(working, call)), 'permission_needed');
  const id = await asked(working, call);
  await refuses(permits.answer(id, { answer: 'allow' }, mia.client), 'permission_not_yours');
  for (const always of ['agent', 'conversation'] satisfies AllowScope[])
    await refuses(permits.answer(id, { answer: 'allow', always }, grace.client), 'validation_failed');
  dataOf(await permits.answer(id, { answer: 'allow' }, grace.client));
  const answers = await Promise.all(
    Array.from({ length: 5 }, () =>
      eventually('an outcome', async () => {
        const answer = await permits.perform(working, call);
        // A request that meets another one in progress is repeated.
        return !answer.ok && answer.problem.code === 'idempotency_in_flight' ? null : answer;
      }),
    ),
  );
  const [first, ...others] = answers.map((answer) => dataOf(answer).outcome);
  assert.ok(first !== undefined);
  assert.equal(first.kind, 'ok', first.text);
  for (const other of others) assert.deepEqual(other, first);
  const [stored, ...more] = await schedulesWith('Water the garden.');
  assert.ok(stored !== undefined && more.length === 0);
  const { name, uid, labels, annotations } = stored.metadata;
  assert.match(name, /^garden-[0-9a-f]{12}$/);
  assert.deepEqual(first.data, { name });
  assert.deepEqual(stored.spec, {
    agentName: 'ada',
    prompt: 'Water the garden.',
    dailyAt: '09:30',
    timeZone: 'Europe/Zurich',
  });
  assert.equal(labels?.['hamlet.village/proposed-by'], 'ada');
  assert.equal(annotations?.['hamlet.village/proposed-in'], `${working.runId}/1.0`);
  const authors = await db.selectFrom('schedule_author').selectAll().where('schedule_uid', '=', uid).execute();
  assert.deepEqual(pluck(authors, 'account_id'), [grace.accountId]);
  const [line] = (await readAudit(db, name, 100)).filter(({ action }) => action === 'schedule.create');
  assert.partialDeepStrictEqual(line?.detail, { uid, run_id: working.runId, call_id: '1.0' });
});

test('a member may deny a Schedule proposed in their own run; wrong arguments create none', async () => {
  const working = await permits.startRun('ada', mia.client);
  const denied = proposal('1.0', 'Dig.');
  dataOf(await permits.answer(await asked(working, denied), { answer: 'deny' }, mia.client));
  assert.equal(resultOf(await permits.perform(working, denied)), 'denied person_denied');
  const wrong = proposal('1.1', 'Dig.', { every: '1h' });
  dataOf(await permits.answer(await asked(working, wrong), { answer: 'allow' }));
  assert.equal(resultOf(await permits.perform(working, wrong)), 'failed invalid_input');
  const never = proposal('1.2', 'Dig.', { agent_name: 'bob' });
  dataOf(await permits.answer(await asked(working, never), { answer: 'allow' }));
  assert.equal(resultOf(await permits.perform(working, never)), 'failed invalid_input');
  assert.deepEqual(await schedulesWith('Dig.'), []);
});

/**
 * Cuts a call off at one of its statements, and repeats it until it has an outcome. False if it has fewer statements.
 */
async function cutAndRepeat(number: number, how: 'before' | 'after'): Promise<boolean> {
  const prompt = `Cut ${how} ${number}`;
  const working = await permits.startRun('ada');
  const call = proposal('1.0', prompt);
  dataOf(await permits.answer(await asked(working, call), { answer: 'allow' }));
  let counted = 0;
  cutNow = () => {
    counted += 1;
    return counted === number ? how : null;
  };
  const first = await permits.perform(working, call);
  cutNow = () => null;
  if (counted < number) return false;
  assert.equal(first.ok, false, `${prompt}: the agent learns that the end is unknown`);
  await eventually('the repeated call', async () => {
    const result = resultOf(await permits.perform(working, call));
    assert.ok(['ok', 'unavailable'].includes(result), result);
    return result === 'ok';
  });
  const [stored, ...more] = await schedulesWith(prompt);
  assert.ok(stored !== undefined && more.length === 0, prompt);
  await eventually('the audit', async () => (await createdLines(stored.metadata.name)) > 0);
  assert.equal(await createdLines(stored.metadata.name), 1, prompt);
  await permits.endAll();
  return true;
}

for (const how of ['before', 'after'] as const)
  test(`a proposal whose connection breaks ${how} any statement creates one Schedule and one line in the audit`, async () => {
    let last = 1;
    while (last < STATEMENTS_MAX && (await cutAndRepeat(last, how))) last += CUT_EACH;
    assert.ok(last > 10 && last < STATEMENTS_MAX, `${last} statements`);
  });

test('a Schedule that a person deletes before the agent knows of it is not created again', async () => {
  const working = await permits.startRun('ada');
  const call = proposal('1.0', 'Rake the leaves.');
  dataOf(await permits.answer(await asked(working, call), { answer: 'allow' }));
  cutNow = (_open, statement) => (statement.startsWith('update "effect"') ? 'before' : null);
  assert.equal((await permits.perform(working, call)).ok, false);
  cutNow = () => null;
  const [stored] = await schedulesWith('Rake the leaves.');
  assert.ok(stored !== undefined);
  const { name } = stored.metadata;
  await kube.client.delete(SCHEDULES, { namespace, name });
  await eventually('the deletion in the audit', async () =>
    (await readAudit(db, name, 100)).some(({ action }) => action === 'schedule.delete'),
  );
  assert.equal(resultOf(await permits.perform(working, call)), 'failed no_such_schedule');
  assert.deepEqual(await schedulesWith('Rake the leaves.'), []);
});

test("after a change of a tier's rules, earlier permissions permit nothing and earlier requests cannot be allowed", async () => {
  const ask = { tools: ['publish'], when: 'run', verdict: 'ask', reason: 'Newcomers ask' };
  await applyTier(90_001, [ask]);
  const working = await permits.startRun('ada');
  await permits.allow(working, post('1.0', 'Old tier'));
  const { permission_id: id } = dataOf(await permits.ask(working, post('1.1', 'Old tier'))).permission;
  await applyTier(90_002, [ask, { tools: ['give'], verdict: 'deny', reason: 'Newcomers keep their things' }]);
  assert.equal(resultOf(await permits.perform(working, post('1.0', 'Old tier'))), 'denied permission_stale');
  await refuses(permits.answer(id, { answer: 'allow' }), 'permission_stale');
  const give = { tool: 'give', callId: '1.2', args: { item_id: 'apple-1' } };
  await refuses(permits.ask(working, give), 'policy_denied');
  assert.equal(await countPosts(village, 'Old tier'), 0);
  await permits.allow(working, post('1.3', 'New tier'));
  assert.equal(resultOf(await permits.perform(working, post('1.3', 'New tier'))), 'ok');
  assert.equal(await countPosts(village, 'New tier'), 1);
});
