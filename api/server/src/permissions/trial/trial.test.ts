/** Trials of rules over HTTP: proposed rules judge the calls of a week again, and the report equals the test's own count. */
import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { test } from 'node:test';
import type { CallInput, PolicyProposal, PolicyTrial, Verdict, VillageRule } from '@hamlet/contract';
import { tryPolicy, VillageRules } from '@hamlet/contract';
import { judge, resolvePolicy } from '@hamlet/core';
import { openSuperuser } from '@hamlet/test/env/superuser';
import { Seeded } from '@hamlet/test/env/seeded';
import { dataOf, refuses } from '@hamlet/test/env/client';
import { untilEnd } from '@hamlet/test/env/at-end';
import { pluck } from '@hamlet/test/env/pluck';
import { SessionPlay } from '../../testing/play/session-play.ts';
import { type AgentId } from '../../testing/test-village.ts';
import { post, resultOf, type Working, withTunnel, startPermits } from '../testing/permission-play.ts';
import { needsOf } from '../shell/judge-hands-call.ts';
import { createReadCommand } from '../shell/read-command.ts';

const RULES: VillageRules = VillageRules.parse([
  { tools: ['read', 'speak', 'publish', 'exec', 'write_inside', 'network', 'act'], verdict: 'allow' },
  { tools: ['publish'], when: 'run', verdict: 'ask', reason: 'People see it' },
  { tools: ['install'], verdict: 'deny', reason: 'Nothing is installed' },
]);
const COMMANDS = ['ls', 'git status', 'touch /workspace/a', 'pip install flask', 'git push origin main', 'make x'];

/** A call that this test has made, for its own count. */
interface Made {
  readonly agentId: AgentId;
  readonly tool: string;
  readonly value: unknown;
}
const made: Made[] = [];

const { village, permits } = await startPermits({ rules: JSON.stringify(RULES), environment: withTunnel });
const talk = new SessionPlay(permits.play.url);
const superuser = untilEnd(openSuperuser(village.postgres));

const attempt = (body: CallInput<typeof tryPolicy>['body'], by = permits.play.admin) => by.raw.tryPolicy(body);
const trial = async (body: PolicyProposal): Promise<PolicyTrial> => dataOf(await attempt(body));

async function begin(working: Working, callId: string, { tool, value }: Omit<Made, 'agentId'>): Promise<string> {
  made.push({ agentId: working.agentId, tool, value });
  const answer = await permits.begin(working, { callId, tool, args: value as object });
  return answer.ok ? answer.data.state : answer.problem.code;
}

const sha256 = (bytes: Uint8Array): Uint8Array => createHash('sha256').update(bytes).digest();
const readCommand = createReadCommand();

async function verdictBy(rules: VillageRules, { tool, value }: Made): Promise<Verdict> {
  const policy = resolvePolicy({ village: rules, tier: [], agent: null }, sha256);
  const needs = await needsOf({ tool, value }, readCommand);
  return judge(policy, { tool, when: 'run', input: value, needs }).verdict;
}

/** The changes of a trial, as `from>to` with their number, counted call by call. */
async function countedByHand(rules: VillageRules, calls: readonly Made[]): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const call of calls) {
    const [from, to] = [await verdictBy(RULES, call), await verdictBy(rules, call)];
    if (from !== to) counts[`${from}>${to}`] = (counts[`${from}>${to}`] ?? 0) + 1;
  }
  return counts;
}

const changesOf = ({ changes }: PolicyTrial): Record<string, number> =>
  Object.fromEntries(changes.map(({ from, to, calls }) => [`${from}>${to}`, calls]));
const sumOf = (rows: readonly { readonly calls: number }[]): number => rows.reduce((sum, { calls }) => sum + calls, 0);

test('a week has allowed, asked and denied calls, in the hands and by the API', async () => {
  for (const agentId of ['ada', 'bob'] as const) {
    const working = await permits.startRun(agentId);
    for (const [at, command] of COMMANDS.entries())
      await begin(working, `1.${at}`, { tool: 'shell', value: { command } });
    await begin(working, '2.0', { tool: 'read_file', value: { path: 'a' } });
    await permits.allow(working, post('3.0'));
    made.push({ agentId, tool: 'post_to_board', value: post('3.0').args });
    assert.equal(resultOf(await permits.perform(working, post('3.0'))), 'ok');
    const { permission } = dataOf(await permits.ask(working, post('3.1', 'Another')));
    made.push({ agentId, tool: 'post_to_board', value: post('3.1').args });
    dataOf(await permits.answer(permission.permission_id, { answer: 'deny' }));
    // No rule can allow a tool that does not exist, so such a call is not counted.
    await permits.perform(working, { tool: 'made_up', callId: '4.0', args: {} });
    await permits.end(working);
  }
  const report = await trial({ of: 'village', rules: RULES });
  assert.deepEqual([report.looked_at, report.judged, report.changed], [made.length, made.length, 0]);
  assert.deepEqual([report.changes, report.examples, report.cut], [[], [], null]);
  assert.deepEqual(report.not_judged, { older: 0, without_facts: 0, run_gone: 0, agent_gone: 0 });
  const inForce = (await permits.play.admin.getPolicy()).in_force;
  assert.deepEqual(inForce, { of: 'village', rules: RULES });
  const ofAgent = (await permits.play.admin.getPolicy({ agent_id: 'ada' })).in_force;
  assert.equal((await trial(ofAgent)).changed, 0);
});

test("the figures equal the test's own count, for rules of all kinds", async (t) => {
  const random = new Seeded(Number(process.env['SEED'] ?? 95));
  const names = [
    'read',
    'speak',
    'publish',
    'exec',
    'install',
    'network',
    'shell',
    'post_to_board',
    'read_file',
    'write_outside',
  ];
  const one = <T>(of: readonly T[]): T => random.one(of) as T;
  const some = (): VillageRule => ({
    tools: [one(names), one(names)],
    verdict: one(['allow', 'ask', 'deny'] as const),
  });
  let differing = 0;
  for (let turn = 0; turn < 8; turn += 1) {
    const rules: VillageRules = [...(random.chance(0.7) ? RULES : []), some(), some(), some()];
    const report = await trial({ of: 'village', rules });
    const expected = await countedByHand(rules, made);
    assert.deepEqual(changesOf(report), expected, JSON.stringify(rules));
    assert.equal(report.changed, sumOf(report.changes));
    assert.equal(sumOf(report.by_agent), report.changed);
    assert.ok(sumOf(report.by_class) >= report.changed);
    assert.equal(report.examples.length, Math.min(report.changed, 100));
    differing += report.changed;
  }
  t.diagnostic(`${differing} calls differ in 8 trials`);
  assert.ok(differing > 0);
});

test('an example has the call, the start of its arguments, both verdicts, the deciding rule and the answer at the time', async () => {
  const rule: VillageRule = { tools: ['publish'], verdict: 'deny', reason: 'Nothing leaves' };
  const report = await trial({ of: 'village', rules: [...RULES, rule] });
  const push = report.examples.find(({ tool, agent_id: agent }) => tool === 'shell' && agent === 'ada');
  assert.equal(push?.words, 'git push origin main');
  assert.deepEqual([push.before.verdict, push.after.verdict], ['ask', 'deny']);
  assert.deepEqual(push.after.rule, { ...rule, from: 'village' });
  const answers = report.changes.map(({ from, to, answers: given }) => [`${from}>${to}`, given]);
  assert.deepEqual(answers, [['ask>deny', { allowed: 2, denied: 2, expired: 0 }]]);
  assert.deepEqual(
    pluck(
      report.by_class.filter(({ name }) => name === 'publish'),
      'calls',
    ),
    [6],
  );
});

test('a proposal for one Agent or tier changes only the calls of its agents', async () => {
  const rules = [{ tools: ['exec'], verdict: 'deny' as const }];
  const ofAgent = await trial({ of: 'agent', agent_id: 'ada', tools: { rules } });
  assert.deepEqual([...new Set(ofAgent.by_agent.map(({ name }) => name))], ['ada']);
  assert.equal(ofAgent.examples[0]?.after.rule?.from, 'agent');
  assert.equal((await trial({ of: 'agent', agent_id: 'ada', tools: {} })).changed, 0);
  const { tier } = await permits.play.agent('ada');
  const ofTier = await trial({ of: 'tier', name: String(tier), tools: { rules } });
  assert.ok(ofTier.by_agent.some(({ name }) => name === 'ada'));
  assert.equal(ofTier.examples[0]?.after.rule?.from, 'tier');
  await refuses(attempt({ of: 'agent', agent_id: 'nobody', tools: {} }), 'no_such_agent');
  await refuses(attempt({ of: 'tier', name: 'tier-99', tools: {} }), 'no_such_entitlement');
});

test('examples contain no secrets of known forms; those of a conversation are shown only to its people', async () => {
  const command = 'git push https://x:hunter22hunter22@h.test/r main';
  const open = await permits.startRun('bob');
  await begin(open, '1.0', { tool: 'shell', value: { command } });
  await permits.end(open);
  const { session_id: sessionId } = await talk.open(permits.member, 'bob');
  const { run } = dataOf(await talk.say(permits.member, sessionId, 'Push it.'));
  const inChat = await permits.start('bob', run);
  await begin(inChat, '1.0', { tool: 'shell', value: { command } });
  const report = await trial({ of: 'village', rules: [...RULES, { tools: ['publish'], verdict: 'deny' }] });
  const wordsOf = (runId: string) => report.examples.find(({ run_id: id }) => id === runId)?.words;
  assert.equal(wordsOf(open.runId), 'git push https://x:[secret]@h.test/r main');
  assert.equal(wordsOf(inChat.runId), null, 'an admin who is not in the conversation does not read it');
  assert.ok(!JSON.stringify(report).includes('hunter22'));
});

test('calls that cannot be judged are counted separately: without facts, run or agent, or before the week', async () => {
  const working = await permits.startRun('ada');
  assert.equal(await begin(working, '1.0', { tool: 'shell', value: { command: 'ls' } }), 'begun');
  await permits.end(working);
  const proposal: PolicyProposal = { of: 'village', rules: [...RULES, { tools: ['exec'], verdict: 'deny' }] };
  const earlier = await trial(proposal);
  const facts = (agentUid: string, runId: string, at: string): string => `
    insert into judged_call (run_id, call_id, agent_id, agent_uid, tool, tool_class, verdict, policy_version, judged_at)
    values ('${runId}', '${randomUUID()}', 'ada', '${agentUid}', 'shell', 'exec', 'allow', repeat('0', 64), ${at})`;
  await superuser.run(facts('another-life', working.runId, 'now()'));
  await superuser.run(facts('another-life', randomUUID(), 'now()'));
  await superuser.run(facts('another-life', working.runId, `now() - interval '7 days 1 minute'`));
  await superuser.run(`delete from judged_call where run_id = '${working.runId}' and call_id = '1.0'`);
  const report = await trial(proposal);
  assert.deepEqual(report.not_judged, { older: 0, without_facts: 1, run_gone: 1, agent_gone: 1 });
  assert.deepEqual([report.looked_at, report.judged], [earlier.looked_at + 1, earlier.judged - 1]);
});

test('a trial uses the taint at the time of the call; a repeated request does not change it', async () => {
  const working = await permits.startRun('bob');
  const say = { tool: 'say', callId: '5.0', args: { text: 'hello' } };
  const first = resultOf(await permits.perform(working, say));
  await superuser.run(`select taint_run('${working.runId}', 'egress', 'example.org', null, null)`);
  assert.equal(resultOf(await permits.perform(working, say)), first);
  const rows = await superuser.run(`select taint_source from judged_call where run_id = '${working.runId}'`);
  assert.deepEqual(rows, [{ taint_source: null }]);
  await begin(working, '5.1', { tool: 'shell', value: { command: 'python3 x.py' } });
  const relaxed: VillageRule = { tools: ['exec'], verdict: 'allow', tainted: 'allow', reason: 'The hands hold it' };
  const report = await trial({ of: 'village', rules: [...RULES, relaxed] });
  assert.deepEqual(changesOf(report), { 'ask>allow': 1 });
  assert.match(report.examples[0]?.before.reason ?? '', /example\.org/);
  assert.equal(report.examples[0]?.before.rule, null);
});

test('a trial respects the safe mode of a run: no proposal lets it change anything', async () => {
  const body = { prompt: 'Look only.', safe_mode: 'analysis_only' } as const;
  const { run } = await permits.play.admin.createRun({ agent_id: 'ada', ...body });
  const working = await permits.start('ada', run);
  const rules: VillageRules = [
    { tools: ['read', 'speak', 'publish', 'exec', 'write_inside', 'network', 'act'], verdict: 'allow' },
  ];
  const before = await trial({ of: 'village', rules });
  assert.equal(await begin(working, '6.0', { tool: 'shell', value: { command: 'pip install flask' } }), 'denied');
  const report = await trial({ of: 'village', rules });
  assert.deepEqual([report.judged, report.changed], [before.judged + 1, before.changed]);
});
