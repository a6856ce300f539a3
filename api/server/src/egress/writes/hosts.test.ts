/** Hosts that no rule opens and an admin opens, over the broker's routes on a real Postgres. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import type { Permission } from '@hamlet/contract';
import { inTransaction, insertRuns, keepManifests } from '@hamlet/store';
import { dataOf, refuses } from '@hamlet/test/env/client';
import { until } from '@hamlet/test/env/until';
import { outlast, outlastHold, startPermits, type Working } from '../../permissions/testing/permission-play.ts';
import { REPEATS_MAX } from '../../permissions/shell/named-hosts.ts';
import { clientOf, TOKENS } from '../../testing/test-village.ts';
import { hostOf as ofHost, writeOf, type Host } from '../testing/egress-bodies.ts';
import { HOSTS_OF_RUN_MAX, HOSTS_WAITING_MAX } from './permit-host.ts';

const DAN = `apiVersion: hamlet.village/v1alpha1
kind: Agent
metadata: { name: dan }
spec:
  egress: { deny: [{ host: closed.example.org }] }
  tools: { rules: [{ tools: [network], verdict: deny, reason: Dan stays inside }] }
`;
const EVE = `apiVersion: hamlet.village/v1alpha1
kind: Agent
metadata: { name: eve }
spec:
  egress: { allow: [{ host: half.example.org, ports: [443] }], deny: [{ host: closed.example.org }] }
`;

const { village, permits } = await startPermits({
  samples: { 'good-agent-dan.yaml': DAN, 'good-agent-eve.yaml': EVE },
});
const broker = clientOf(permits.play.url, TOKENS.broker);
const { admin } = permits.play;

const hostOf = (working: Working, changes?: Partial<Host>): Promise<Host> =>
  ofHost({ permits, broker }, working, changes);

async function verdictOf(body: Host): Promise<string> {
  const answer = await broker.permitEgressHost(body);
  return answer.verdict === 'deny' ? answer.code : answer.verdict;
}

async function asked(body: Host): Promise<string> {
  const answer = await broker.permitEgressHost(body);
  assert.equal(answer.verdict, 'wait');
  return answer.permission_id;
}

async function permissionOf(working: Working, id: string): Promise<Permission | undefined> {
  const { permissions } = await admin.listPermissions({ run_id: working.runId });
  return permissions.find(({ permission_id: each }) => each === id);
}

test('a host is asked about once a run, only an admin opens it, and the answer holds for the run', async () => {
  const working = await permits.startRun('ada', permits.member);
  const body = await hostOf(working);
  const id = await asked(body);
  assert.equal(await asked({ ...body, summary: 'GET new.example.org:443/other' }), id, 'one request a host');
  const shown = await permissionOf(working, id);
  assert.deepEqual([shown?.tool, shown?.state, shown?.allowed_by], ['reach_host', 'pending', 'admin']);
  const args: { summary: string; host: string; details: string[] } = JSON.parse(shown?.arguments ?? '');
  assert.deepEqual(
    [args.summary, args.host],
    ['open new.example.org (ports 80 and 443) for reading; a write there asks again', 'new.example.org'],
  );
  assert.match(
    args.details.join(),
    /\{ host: new\.example\.org, ports: \[80, 443\], writes: Ask \} to spec\.egress\.allow/,
  );
  await refuses(permits.answer(id, { answer: 'allow' }, permits.member), 'permission_not_yours');
  await refuses(permits.answer(id, { answer: 'allow', always: 'conversation' }), 'validation_failed');
  const waiting = verdictOf({ ...body, wait_ms: 10_000 });
  dataOf(await permits.answer(id, { answer: 'allow' }));
  assert.equal(await waiting, 'allow');
  assert.equal(await verdictOf(body), 'allow', 'the next request of the run');
  assert.equal((await permissionOf(working, id))?.state, 'consumed');
  assert.equal(await verdictOf({ ...body, port: 80 }), 'allow', 'the other port of the web');
  assert.equal(await verdictOf({ ...body, port: 8443 }), 'wait', 'another port');
  assert.equal(await verdictOf({ ...body, host: 'sub.new.example.org' }), 'wait', 'a name below it');
  await permits.end(working);
  assert.equal(await verdictOf(body), 'egress_no_run');
  const next = await permits.startRun('ada');
  assert.equal(await verdictOf(await hostOf(next)), 'wait', 'another run asks again');
});

test('a host that an admin always allows needs no answer in later runs, until the rule is revoked', async () => {
  const first = await permits.startRun('fay');
  const id = await asked(await hostOf(first));
  const { rule } = dataOf(await permits.answer(id, { answer: 'allow', always: 'agent' }));
  assert.equal(rule?.allow_key, 'new.example.org:80,443');
  await permits.end(first);
  const second = await permits.startRun('fay');
  assert.equal(await verdictOf(await hostOf(second, { port: 80 })), 'allow');
  assert.equal(await verdictOf(await hostOf(second)), 'allow');
  assert.equal(await verdictOf(await hostOf(second, { host: 'other.example.org' })), 'wait');
  await admin.revokeAllowRule({ rule_id: rule?.rule_id ?? '' });
  assert.equal(await verdictOf(await hostOf(second)), 'wait', 'also in the run that the rule opened it for');
  await permits.end(second);
  assert.equal(await verdictOf(await hostOf(await permits.startRun('fay'))), 'wait');
});

test('while an admin closes every way out, no answer and no rule opens a host', async () => {
  const working = await permits.startRun('ada');
  dataOf(await permits.answer(await asked(await hostOf(working)), { answer: 'allow' }));
  assert.equal(await verdictOf(await hostOf(working)), 'allow');
  await admin.setVillageSetting({ key: 'egress_open', value: false });
  await until('the closing', async () => (await verdictOf(await hostOf(working))) === 'egress_denied');
  assert.equal(await verdictOf(await hostOf(working, { host: 'other.example.org' })), 'egress_denied');
  await admin.setVillageSetting({ key: 'egress_open', value: null });
  await until('the opening', async () => (await verdictOf(await hostOf(working))) === 'allow');
  await permits.end(working);
});

test('a denial, an expiry, a measure and a freeze close a host', async () => {
  const working = await permits.startRun('ada');
  const body = await hostOf(working);
  dataOf(await permits.answer(await asked(body), { answer: 'deny', reply: 'Not there' }));
  const answer = await broker.permitEgressHost(body);
  assert.deepEqual(answer.verdict === 'deny' && [answer.code, answer.message], [
    'egress_person_denied',
    'an admin keeps new.example.org:443 closed: Not there',
  ]);
  const late = await hostOf(working, { host: 'late.example.org' });
  await outlast(village, await asked(late));
  assert.equal(await verdictOf({ ...late, wait_ms: 10_000 }), 'wait', 'it is asked again');
  const open = await hostOf(working, { host: 'open.example.org' });
  dataOf(await permits.answer(await asked(open), { answer: 'allow' }));
  assert.equal(await verdictOf(open), 'allow');
  await admin.freezeAgent({ agent_id: 'ada', reason: 'odd' });
  assert.equal(await verdictOf(open), 'egress_agent_stopped');
  await admin.liftFreeze({ agent_id: 'ada', reason: 'over' });
});

test('no person is asked about a closed host, an address, a private name, or for a run that may use no network', async () => {
  const working = await permits.startRun('eve');
  for (const [host, code] of [
    ['closed.example.org', 'egress_denied'],
    ['api.stripe.com', 'egress_denied'],
    ['169.254.169.254', 'egress_not_allowed'],
    ['kubernetes.default.svc', 'egress_not_allowed'],
    ['*.example.org', 'egress_not_allowed'],
  ] as const)
    assert.equal(await verdictOf(await hostOf(working, { host })), code, host);
  assert.equal(await verdictOf(await hostOf(await permits.startRun('dan'))), 'egress_policy_denied');
  assert.deepEqual((await admin.listPermissions({ run_id: working.runId })).permissions, []);
  const half = await asked(await hostOf(working, { host: 'half.example.org', port: 80 }));
  const { summary } = JSON.parse((await permissionOf(working, half))?.arguments ?? '') as { readonly summary: string };
  assert.match(summary, /^open half\.example\.org:80 for/, 'the request names no port that a rule opens');
});

test('the pod can neither ask under the name of the broker nor pass another permission off as a host', async () => {
  const working = await permits.startRun('eve');
  const callId = 'host.new.example.org:80-443';
  const forged = { tool: 'reach_host', callId, args: {} };
  await refuses(permits.ask(working, forged), 'policy_denied');
  await permits.allow(working, { tool: 'post_to_board', callId, args: { title: 'Bread', body: 'Fresh.' } });
  assert.equal(await verdictOf(await hostOf(working)), 'wait');
  const other = await permits.startRun('bob');
  assert.equal(await verdictOf(await hostOf(other, { run: working.runId })), 'egress_no_run');
  assert.equal(await verdictOf(await hostOf(working, { cycle: 99 })), 'egress_no_run');
  assert.equal(await verdictOf(await hostOf(working, { rules: 'old' })), 'egress_permission_stale');
});

test('a run whose calls the village has stopped opens no host', async () => {
  const working = await permits.startRun('ada');
  const open = await hostOf(working);
  dataOf(await permits.answer(await asked(open), { answer: 'allow' }));
  assert.equal(await verdictOf(open), 'allow');
  const db = village.openDb();
  await db.updateTable('run').set({ stopped_code: 'disk_full' }).where('run_id', '=', working.runId).execute();
  assert.equal(await verdictOf(open), 'egress_run_cancelled');
  assert.equal(await verdictOf({ ...open, host: 'other.example.org' }), 'egress_run_cancelled');
});

test('a run asks about a limited number of hosts, and one that no program waits for gives up its place', async () => {
  const working = await permits.startRun('bob');
  const body = await hostOf(working);
  const at = (number: number): Host => ({ ...body, host: `h${number}.example.org` });
  const ofRun = async () => (await admin.listPermissions({ run_id: working.runId })).permissions;
  const first = await asked(at(0));
  for (let number = 1; number < HOSTS_WAITING_MAX; number += 1) await asked(at(number));
  assert.equal(await verdictOf(at(HOSTS_WAITING_MAX)), 'egress_not_allowed', 'a program may wait at another replica');
  await outlastHold(village, first);
  await asked(at(HOSTS_WAITING_MAX));
  assert.equal((await permissionOf(working, first))?.state, 'withdrawn');
  const waits = [1, 2, 3].map((number) => verdictOf({ ...at(number), wait_ms: 10_000 }));
  await until('the refusal of a host beside those that wait', async () => {
    return (await verdictOf(at(4))) === 'egress_not_allowed';
  });
  for (const { permission_id: id, state } of await ofRun())
    if (state === 'pending') dataOf(await permits.answer(id, { answer: 'deny' }));
  await Promise.all(waits);
  for (let number = 5; (await ofRun()).length < HOSTS_OF_RUN_MAX; number += 1)
    dataOf(await permits.answer(await asked(at(number)), { answer: 'deny' }));
  assert.equal(await verdictOf(at(99)), 'egress_not_allowed');
});

test('an admin who allows a command opens the closed hosts that its request names; a member opens nothing', async () => {
  const call = { tool: 'shell', callId: '1.0', args: { command: '$X; curl https://new.example.org/v1' } };
  const afterAnswer = async (by?: Parameters<typeof permits.answer>[2], connects: string | null = call.callId) => {
    const working = await permits.startRun('ada', permits.member);
    const { permission } = dataOf(await permits.ask(working, call));
    assert.match(
      permission.reason,
      /\. An admin who allows it also opens new\.example\.org \(ports 80 and 443\) to this run, for reading$/,
    );
    dataOf(await permits.answer(permission.permission_id, { answer: 'allow' }, by));
    assert.equal(await permits.begun(working, call), 'begun');
    const body = await hostOf(working, { call: connects });
    const verdicts = [await verdictOf({ ...body, port: 80 }), await verdictOf({ ...body, host: 'other.example.org' })];
    await permits.endAll();
    return verdicts;
  };
  assert.deepEqual(await afterAnswer(), ['allow', 'wait']);
  assert.deepEqual(await afterAnswer(undefined, 'mind'), ['allow', 'wait'], "a program that is the agent's mind");
  assert.deepEqual(await afterAnswer(permits.member), ['wait', 'wait']);
});

test("one request is about all closed hosts that a person's message names, and only an admin opens them", async () => {
  const prompt = 'Read https://new.example.org/x, https://b.example.org/y and https://closed.example.org.';
  const given = async (agent: 'eve' | 'bob', text = prompt): Promise<Working> =>
    permits.start(agent, (await permits.member.createRun({ agent_id: agent, prompt: text })).run);
  const working = await given('eve');
  const first = await hostOf(working);
  const second = { ...first, host: 'b.example.org' };
  assert.equal(await verdictOf({ ...first, host: 'other.example.org' }), 'wait', 'the message does not name it');
  const id = await asked(first);
  const summaryOf = async (of: Working, which: string): Promise<string> =>
    (JSON.parse((await permissionOf(of, which))?.arguments ?? '') as { readonly summary: string }).summary;
  assert.match(
    await summaryOf(working, id),
    /^open new\.example\.org \(ports 80 and 443\), b\.example\.org \(ports 80 and 443\) for reading/,
  );
  assert.equal(await asked(second), id, 'it waits for the same answer');
  const { rule } = dataOf(await permits.answer(id, { answer: 'allow', always: 'agent' }));
  assert.equal(rule?.allow_key, 'new.example.org:80,443', 'a rule is about one host');
  assert.deepEqual([await verdictOf(second), await verdictOf(first)], ['allow', 'allow']);
  assert.equal(await verdictOf({ ...first, host: 'closed.example.org' }), 'egress_denied');
  await permits.endAll();
  const denied = await given('bob');
  const [new_, b] = [await hostOf(denied), await hostOf(denied, { host: 'b.example.org' })];
  dataOf(await permits.answer(await asked(new_), { answer: 'deny' }, permits.member));
  assert.deepEqual([await verdictOf(new_), await verdictOf(b)], ['egress_person_denied', 'wait']);
  assert.doesNotMatch(await summaryOf(denied, await asked(b)), /new\.example/, 'an admin keeps it closed');
  await permits.endAll();
  const byCommand = await given('bob');
  const call = { tool: 'shell', callId: '1.0', args: { command: '$X; curl https://new.example.org/v1' } };
  const { permission } = dataOf(await permits.ask(byCommand, call));
  dataOf(await permits.answer(permission.permission_id, { answer: 'allow' }));
  assert.equal(await permits.begun(byCommand, call), 'begun');
  const connected = await hostOf(byCommand, { call: call.callId });
  assert.deepEqual(
    [await verdictOf(connected), await verdictOf({ ...connected, host: 'b.example.org' })],
    ['allow', 'wait'],
    'the command named one of them',
  );
  await permits.endAll();
});

test('a report of an agent in the prompt of the run that continues its run names no host', async () => {
  const { agentId, runId, ...claim } = await permits.startRun('bob');
  const end = { run_id: runId, ...claim, state: 'failed', summary: 'See https://b.example.org.' } as const;
  dataOf(await permits.play.as(agentId).raw.settleRun(end));
  const prompt = 'Read https://new.example.org again.';
  const { run } = await admin.createRun({ agent_id: agentId, prompt, continues: runId });
  assert.match(run.prompt, /b\.example\.org/);
  const working = await permits.start('bob', run);
  const request = await permissionOf(working, await asked(await hostOf(working)));
  assert.doesNotMatch(request?.arguments ?? '', /b\.example/);
  await permits.endAll();
});

/** Stores a run of bob whose prompt names two hosts. With `repeats` it repeats that run. */
async function runThatNames(
  by: 'schedule' | 'member' | 'admin',
  repeats?: string,
): Promise<{ readonly run_id: string }> {
  const { uid: agentUid } = await permits.play.agent('bob');
  const prompt = 'Compare https://new.example.org and https://b.example.org.';
  const [kind, schedule] =
    by === 'schedule'
      ? (['schedule', { uid: 'u', name: 'x', slot: new Date() }] as const)
      : (['prompt', null] as const);
  const given = { agentId: 'bob', agentUid, kind, prompt, schedule, createdByRole: by, createdById: 'x' } as const;
  return inTransaction(village.openDb(), async (tx) => {
    const manifests = await keepManifests(tx, []);
    const rerun = repeats === undefined ? {} : { rerun: { run_id: repeats, stage: 'read' } };
    const [run] = await insertRuns(tx, [{ ...given, workflow: { manifests, ...rerun } }]);
    return { run_id: run?.runId ?? assert.fail() };
  });
}

/** The hosts about which an admin is asked once a run has tried to reach one of those that its prompt names. */
async function askedOpening(run: { readonly run_id: string }): Promise<readonly string[]> {
  const working = await permits.start('bob', run);
  const request = await permissionOf(working, await asked(await hostOf(working)));
  await permits.endAll();
  return (request?.arguments ?? '').match(/(?:new|b)\.example\.org(?= \(ports)/g) ?? [];
}

test('hosts in the prompt of a Schedule are not a word of the admin who repeats its run; those of a person are', async () => {
  const repeated = async (by: 'schedule' | 'member', seq: number): Promise<readonly string[]> => {
    const first = await runThatNames(by);
    const { runId: run_id, cycle, attempt } = await permits.start('bob', first);
    const of = { v: 7, run: run_id, stage: 'read', fence: 1, elapsedMs: 1 };
    const flow = { role: 'agent', attempt: 1, round: 1, input: '_'.repeat(22), calls: [] };
    const entries = [{ seq, event: { ...of, at: 1, type: 'stage_opened', flow } }];
    const payloads = [{ ref: '_'.repeat(22), text: '{}' }];
    dataOf(await permits.play.as('bob').raw.storeRunJournal({ run_id, cycle, attempt, entries, payloads }));
    await permits.endAll();
    return askedOpening((await admin.rerunRun({ run_id, stage: 'read' })).run);
  };
  assert.deepEqual(await repeated('schedule', 1), ['new.example.org']);
  assert.deepEqual(await repeated('member', 2), ['new.example.org', 'b.example.org']);
});

test('hosts in a prompt are a word of its author for a limited number of repeats, while the first run exists', async () => {
  let run = await runThatNames('member');
  for (let repeat = 1; repeat <= REPEATS_MAX; repeat += 1) {
    await admin.cancelRun(run);
    run = await runThatNames('admin', run.run_id);
  }
  assert.deepEqual(await askedOpening(run), ['new.example.org', 'b.example.org']);
  assert.deepEqual(await askedOpening(await runThatNames('admin', run.run_id)), ['new.example.org']);
  assert.deepEqual(await askedOpening(await runThatNames('admin', randomUUID())), ['new.example.org']);
});

test('a push outside of the own branches needs an admin', async () => {
  const working = await permits.startRun('ada', permits.member);
  const push = await writeOf({ permits, broker }, working, {
    kind: 'push_elsewhere',
    changes: ['new refs/heads/main'],
  });
  const answer = await broker.permitEgress(push);
  assert.equal(answer.verdict, 'wait');
  assert.equal((await permissionOf(working, answer.permission_id))?.allowed_by, 'admin');
  await refuses(permits.answer(answer.permission_id, { answer: 'allow' }, permits.member), 'permission_not_yours');
  dataOf(await permits.answer(answer.permission_id, { answer: 'allow' }));
  assert.equal((await broker.permitEgress(push)).verdict, 'allow');
});
