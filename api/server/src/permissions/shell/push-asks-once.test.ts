/** A push over HTTP: a person is asked once, by the broker, if it sees all traffic of the pod; otherwise also before the call. */
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { type Permission, type SafeMode } from '@hamlet/contract';
import { dataOf } from '@hamlet/test/env/client';
import { attemptOf, pushOf } from '../../egress/testing/egress-bodies.ts';
import { clientOf, TOKENS, type AgentId, testVillage } from '../../testing/test-village.ts';
import { PermissionPlay, type Working, withTunnel } from '../testing/permission-play.ts';

const rulesWith = (...more: readonly object[]): string =>
  JSON.stringify([
    { tools: ['read', 'speak', 'exec', 'publish', 'write_inside', 'network'], verdict: 'allow' },
    ...more,
  ]);
const AGENT = (name: string, rule: string): string => `apiVersion: hamlet.village/v1alpha1
kind: Agent
metadata: { name: ${name} }
spec:
  egress: { allow: [${rule}] }
`;
/** Egress rules by agent: the broker reads all of ada's traffic, bob has a tunnel, and plain writes of cleo need no person. */
const EGRESS = {
  ada: '{ host: git.example.org, methods: [GET, POST] }',
  bob: '{ host: docs.example.org }',
  cleo: '{ host: api.example.org, methods: [GET, POST], writes: Allow }',
};

let calls = 0;

afterEach(() => permits.endAll());

const withRules = async (rules: string, more: Record<string, string> = {}): Promise<PermissionPlay> =>
  new PermissionPlay((await village.startReplica({ HAMLET_TOOL_RULES: rules, ...more })).peopleUrl);

const village = await testVillage();
for (const [name, rule] of Object.entries(EGRESS))
  await village.writeSample(`good-agent-${name}.yaml`, AGENT(name, rule));
const permits = await withRules(rulesWith());
const broker = clientOf((await village.startReplica({ HAMLET_TOOL_RULES: rulesWith() })).peopleUrl, TOKENS.broker);
await permits.play.everybody();

/** `begun 900` for a call that may wait for people, or the code with which it is refused or denied. */
async function started(
  working: Working,
  command: string,
  { by = permits, callId = `${(calls += 1)}.0` }: { by?: PermissionPlay; callId?: string } = {},
): Promise<string> {
  const answer = await by.begin(working, { callId, args: { command, background: true } });
  // A call that the rules allow may find all slots of the tier taken.
  if (!answer.ok) return answer.problem.code.replace('too_many_tools', 'begun');
  const { state, outcome, waits_s: seconds = 0 } = answer.data;
  return outcome?.code ?? (seconds === 0 ? state : `${state} ${seconds}`);
}

/** The broker lets a program of the run out. */
async function reached({ agentId, runId: run }: Working, call: string | null): Promise<void> {
  await broker.keepEgressAttempts({ begin: [await attemptOf(permits.play, agentId, { run, call })], end: [] });
}

const ended = (working: Working, callId: string) => permits.finish(working, callId);

/** Starts a push that waits in the broker. Each call of the returned function asks for the verdict about that push. */
async function pushed(run: Working, call: string): Promise<() => Promise<string>> {
  const body = await pushOf({ permits, broker }, run, call);
  return async () => (await broker.permitEgress(body)).verdict;
}

async function permissionsOf({ runId }: Working): Promise<readonly Permission[]> {
  return (await permits.play.admin.listPermissions({ run_id: runId })).permissions;
}

const working = (agentId: AgentId, safeMode?: SafeMode): Promise<Working> =>
  permits.startRun(agentId, permits.play.admin, safeMode);

test('if the broker reads all traffic, it asks one person once about a push, also in a tainted run', async () => {
  const run = await working('ada');
  assert.equal(
    await started(run, 'curl https://git.example.org', { callId: '1.0' }),
    'begun 120',
    'a host without a rule may be asked about',
  );
  await reached(run, '1.0');
  await ended(run, '1.0');
  assert.equal(await started(run, 'git push origin HEAD', { callId: '2.0' }), 'begun 900');
  assert.deepEqual(await permissionsOf(run), []);
  const push = await pushed(run, '2.0');
  assert.equal(await push(), 'wait');
  const [asked, ...others] = await permissionsOf(run);
  assert.deepEqual([asked?.tool, others], ['git_push', []]);
  assert.match(asked?.arguments ?? '', /refs\/heads\/hamlet\/ada\/x/);
  assert.deepEqual(
    asked?.taint?.map(({ source }) => source),
    ['egress'],
    'the card shows that outside text has reached the run',
  );
  dataOf(await permits.answer(asked?.permission_id ?? '', { answer: 'allow' }));
  assert.equal(await push(), 'allow');
  assert.equal((await permissionsOf(run)).length, 1);
  assert.equal(await (await pushed(run, '2.0'))(), 'wait', 'a further push of the same call asks again');
});

test('the other parts of a command need permission before the call: taint, doubts, and commands that do not publish', async () => {
  const run = await working('ada');
  assert.equal(await started(run, 'git push --exec x'), 'begun 900', 'code may run in a run without taint');
  await reached(run, null);
  assert.equal(await started(run, 'git push --exec x'), 'permission_needed', 'the push has tainted it');
  assert.equal(await started(run, 'git push; python3 x.py'), 'permission_needed');
  assert.equal(await started(run, '$X push'), 'permission_needed');
  assert.equal(await started(run, 'git push; $X'), 'permission_needed');
});

test('a person is asked before the call if traffic may leave unread or unasked: a tunnel, or writes: Allow', async () => {
  for (const agentId of ['bob', 'cleo'] as const)
    assert.equal(await started(await working(agentId), 'git push'), 'permission_needed', agentId);
  const tunnel = await withRules(rulesWith(), await withTunnel(village));
  assert.equal(await started(await working('dan'), 'git push', { by: tunnel }), 'permission_needed');
});

test('rules apply before the call: a denied class, a tool that needs permission; safe modes change nothing', async () => {
  const deny = await withRules(rulesWith({ tools: ['publish'], verdict: 'deny' }));
  const ask = await withRules(rulesWith({ tools: ['shell'], verdict: 'ask', reason: 'People see each command' }));
  const network = await withRules(rulesWith({ tools: ['network'], verdict: 'ask' }));
  const publish = await withRules(rulesWith({ tools: ['publish'], verdict: 'ask' }));
  const run = await working('ada');
  assert.equal(await started(run, 'git push', { by: deny }), 'policy_denied');
  assert.equal(await started(run, 'git push', { by: ask }), 'permission_needed');
  assert.equal(await started(run, 'git push', { by: network }), 'permission_needed');
  assert.equal(await started(run, 'git push', { by: publish }), 'begun 900', 'the broker asks by the same rule');
  for (const mode of ['dry_run', 'analysis_only'] as const) {
    await permits.endAll();
    assert.equal(await started(await working('ada', mode), 'git push'), 'policy_denied', mode);
  }
});
