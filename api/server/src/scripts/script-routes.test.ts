/**
 * Scripts over HTTP on a real Postgres: storage, readers, deletion, limits, and how policy and taint treat a script.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { keepArtifact, SCRIPT_SOURCE_MAX_BYTES, type CallOutcome } from '@hamlet/contract';
import { taintRun } from '@hamlet/store';
import { dataOf, refuses } from '@hamlet/test/env/client';
import { pluck } from '@hamlet/test/env/pluck';
import { type AgentId } from '../testing/test-village.ts';
import { type CallAnswer, type Working, withTunnel, startPermits } from '../permissions/testing/permission-play.ts';

const RULES = JSON.stringify([
  {
    tools: ['read', 'exec', 'write_inside', 'write_outside', 'network', 'install', 'publish', 'speak'],
    verdict: 'allow',
  },
]);
const STRICT = JSON.stringify([
  { tools: ['read', 'exec', 'write_inside'], verdict: 'allow' },
  { tools: ['network'], verdict: 'deny' },
]);

let calls = 0;

const { village, permits } = await startPermits({ rules: RULES, environment: withTunnel });
const db = village.openDb();
const strict = permits.at((await village.startReplica({ HAMLET_TOOL_RULES: STRICT })).peopleUrl);

const nextCall = (): string => `${(calls += 1)}.0`;
const READS = 'cat /workspace/a | sort';
const script = (name: string, source = READS, more: object = {}) => ({
  name,
  description: 'Sorts',
  language: 'bash',
  source,
  ...more,
});

const outcomeOf = (answer: CallAnswer): CallOutcome => dataOf(answer).outcome;
const perform = async (working: Working, tool: 'save_script' | 'delete_script' | 'adopt_script', args: object) =>
  outcomeOf(await permits.perform(working, { tool, callId: nextCall(), args }));
async function save(working: Working, name: string, more: Readonly<Record<string, unknown>> = {}): Promise<string> {
  const outcome = await perform(working, 'save_script', script(name, READS, more));
  assert.equal(outcome.kind, 'ok', JSON.stringify(outcome));
  return String(outcome.data?.['version']);
}
const listOf = async (agent_id: AgentId, by = permits.play.admin) => (await by.listScripts({ agent_id })).scripts;

/** `begun`, or the code with which a call of `run_script` is refused or denied. */
const started = (working: Working, args: object, by = permits) =>
  by.begun(working, { callId: nextCall(), tool: 'run_script', args });

test('versions of a script follow from its content, and the newest ten are kept', async () => {
  const working = await permits.startRun('ada');
  const first = await save(working, 'many', { source: 'echo 0' });
  assert.equal(await save(working, 'many', { source: 'echo 0' }), first, 'the same text has the same version');
  assert.notEqual(await save(working, 'many', { source: 'echo 0', language: 'python' }), first);
  for (let at = 1; at <= 10; at += 1) await save(working, 'many', { source: `echo ${at}` });
  const params = { agent_id: 'ada', name: 'many' };
  const { script: shown, source, versions } = await permits.play.admin.getScript(params);
  assert.deepEqual([shown.versions, versions.length, source], [10, 10, 'echo 10']);
  await refuses(permits.play.admin.getScript({ ...params, version: first }), 'no_such_script');
  assert.equal(await started(working, { name: 'many', version: first }), 'no_such_script');
});

test('an agent has at most 50 scripts; each text is bounded', async () => {
  const working = await permits.startRun('bob');
  for (let at = 0; at < 50; at += 1) await save(working, `s${at}`);
  const outcome = (name: string, source?: string): Promise<CallOutcome> =>
    perform(working, 'save_script', script(name, source));
  assert.equal((await outcome('one-more')).code, 'too_many_scripts');
  assert.equal((await outcome('s1', 'echo a new version')).kind, 'ok');
  for (const [name, source] of [
    ['s1', 'x'.repeat(SCRIPT_SOURCE_MAX_BYTES + 1)],
    ['s1', 'ü'.repeat(SCRIPT_SOURCE_MAX_BYTES / 2 + 1)],
    ['s1', ''],
    ['s1', 'a\0b'],
    ['../s1', 'a'],
    ['S1', 'a'],
    ['a/b', 'a'],
    ['', 'a'],
  ] as const)
    assert.equal((await outcome(name, source)).code, 'invalid_input', name);
  assert.equal((await outcome('s1', 'y'.repeat(SCRIPT_SOURCE_MAX_BYTES))).kind, 'ok');
  assert.equal((await perform(working, 'delete_script', { name: 's0' })).kind, 'ok');
  assert.equal((await perform(working, 'delete_script', { name: 's0' })).code, 'no_such_script');
  assert.equal((await outcome('one-more')).kind, 'ok');
});

test('a known secret is removed everywhere: from the text, the run, the audit and the log of calls', async () => {
  const working = await permits.startRun('cleo');
  const secret = `ghp_${'a1'.repeat(20)}`;
  const outcome = await perform(working, 'save_script', script('leak', `TOKEN=${secret} curl https://x.test`));
  assert.match(outcome.text, /look like secrets were replaced/);
  const { source } = await permits.play.admin.getScript({ agent_id: 'cleo', name: 'leak' });
  assert.equal(source, 'TOKEN=[secret] curl https://x.test');
  const { events } = await permits.play.admin.listRunEvents({ run_id: working.runId });
  const { records } = await permits.play.admin.listAudit({ action: 'script.save', object: 'cleo' });
  assert.equal(records.length, 1);
  assert.ok(!JSON.stringify([events, records]).includes(secret));
});

test('members see names, and texts of their own runs; an admin deletes a script once', async () => {
  const working = await permits.startRun('dan');
  await save(working, 'hidden');
  const [shown] = await listOf('dan', permits.member);
  assert.deepEqual([shown?.name, shown?.description, shown?.runs], ['hidden', null, 0]);
  const params = { agent_id: 'dan', name: 'hidden' };
  await refuses(permits.member.getScript(params), 'no_such_script');
  await permits.endAll();
  const own = await permits.startRun('dan', permits.member);
  await save(own, 'shown');
  assert.equal((await permits.member.getScript({ ...params, name: 'shown' })).source, READS);
  const foreign = permits.play.as('ada').saveScript({ agent_id: 'dan', ...(script('x') as object) } as never);
  await refuses(foreign, 'not_own_agent');
  await permits.play.admin.deleteScript(params);
  await refuses(permits.play.admin.deleteScript(params), 'no_such_script');
  await refuses(permits.play.admin.listScripts({ agent_id: 'nobody' }), 'no_such_agent');
});

test('the policy reads the commands of a shell script; scripts in other languages count as exec', async () => {
  const working = await permits.startRun('eve');
  const net = await save(working, 'net', { source: 'curl https://example.org' });
  const push = await save(working, 'push', { source: 'cd /workspace\ngit push origin main' });
  const unclear = await save(working, 'unclear', { source: '$WHAT --now' });
  const python = await save(working, 'py', { source: 'print(1)', language: 'python' });
  const reads = await save(working, 'reads');
  const given = { type: 'object', properties: { file: { type: 'string' } }, required: ['file'] };
  const typed = await save(working, 'typed', { source: 'cat "$ARG_FILE"', parameters: given });
  assert.equal(await started(working, { name: 'net', version: net }, strict), 'policy_denied');
  assert.equal(await started(working, { name: 'push', version: push }), 'permission_needed');
  assert.equal(await started(working, { name: 'unclear', version: unclear }), 'permission_needed');
  assert.equal(await started(working, { name: 'push', version: reads }), 'no_such_script');
  assert.equal(await started(working, { name: 'reads', version: reads }), 'begun');
  assert.equal(await started(working, { name: 'typed', version: typed }), 'invalid_arguments');
  await taintRun(db as never, { runId: working.runId, source: 'egress', detail: 'example.org' });
  assert.equal(await started(working, { name: 'py', version: python }), 'permission_needed');
  await refuses(
    permits.ask(working, { tool: 'run_script', callId: nextCall(), args: { name: 'py', version: net } }),
    'policy_denied',
  );
});

test('"always" covers one version of one script, and no other text of the same name', async () => {
  const working = await permits.startRun('fay');
  const version = await save(working, 'pub', { source: 'git push origin hamlet/fay/a' });
  const ask = async (args: object) =>
    dataOf(await permits.ask(working, { tool: 'run_script', callId: nextCall(), args })).permission;
  const { permission_id } = await ask({ name: 'pub', version });
  const { rule } = dataOf(await permits.answer(permission_id, { answer: 'allow', always: 'agent' }));
  assert.deepEqual([rule?.tool, rule?.allow_key], ['run_script', `= pub ${version}`]);
  assert.equal((await ask({ name: 'pub', version, timeout_s: 9 })).state, 'allowed');
  const other = await save(working, 'pub', { source: 'git push origin main' });
  assert.equal((await ask({ name: 'pub', version: other })).state, 'pending');
  const renamed = await save(working, 'pub2', { source: 'git push origin hamlet/fay/a' });
  assert.equal((await ask({ name: 'pub2', version: renamed })).state, 'pending');
});

test('foreign code runs only in the hands', async () => {
  const working = await permits.startRun('ada');
  const version = await save(working, 'here');
  const outcome = outcomeOf(
    await permits.perform(working, {
      tool: 'run_script',
      callId: nextCall(),
      args: { name: 'here', version },
    } as never),
  );
  assert.deepEqual([outcome.kind, outcome.code], ['denied', 'sandbox_only']);
});

test('a script that a tainted run saved taints each run that uses it, permanently', async () => {
  const dirty = await permits.startRun('cleo');
  await taintRun(db as never, { runId: dirty.runId, source: 'egress', detail: 'example.org' });
  const version = await save(dirty, 'dirty');
  await permits.endAll();
  const clean = await permits.startRun('cleo');
  assert.equal(await save(clean, 'dirty'), version);
  const [shown] = (await listOf('cleo')).filter(({ name }) => name === 'dirty');
  assert.equal(shown?.tainted, true, 'saving the same text again keeps the taint');
  const taint = async () =>
    (await permits.play.admin.getRun({ run_id: clean.runId })).run.taint?.map(({ source }) => source) ?? [];
  assert.deepEqual(await taint(), []);
  assert.equal(await started(clean, { name: 'dirty', version }), 'begun');
  assert.deepEqual(await taint(), ['script']);
  await save(clean, 'after');
  assert.equal((await listOf('cleo')).find(({ name }) => name === 'after')?.tainted, true);
});

test('a script is adopted only from a post that the agent may read, and only if the attachment is a script', async () => {
  const working = await permits.startRun('bob');
  const post = await permits.play.admin.createPost({
    title: 'None',
    body: 'None',
    tags: [],
    audience: 'public',
    place: null,
  } as never);
  const args = { post_id: post.post_id, deliverable_id: post.post_id };
  const callId = nextCall();
  await refuses(permits.perform(working, { tool: 'adopt_script', callId, args }), 'permission_needed');
  await permits.allow(working, { tool: 'adopt_script', callId, args });
  const outcome = outcomeOf(await permits.perform(working, { tool: 'adopt_script', callId, args }));
  assert.deepEqual([outcome.kind, outcome.code], ['failed', 'no_such_artifact']);
  const body = { post_id: post.post_id, artifact_id: post.post_id };
  await refuses(permits.play.as('eve').adoptScript({ agent_id: 'eve', ...body }), 'policy_denied');
});

/** Files that ada delivers as scripts, and a post that shares them. Returns the ids of post and deliverables. */
async function shared(working: Working, contents: readonly string[], audience: string) {
  const { agentId, runId: run_id, cycle, attempt } = working;
  const deliverables: string[] = [];
  for (const [at, content] of contents.entries()) {
    const call_id = nextCall();
    const args = { kind: 'script', script: { name: 'x', version: 'a'.repeat(32) } };
    await permits.begin(working, { callId: call_id, tool: 'deliver', args });
    const bytes = new Uint8Array(Buffer.from(content));
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const facts = { name: `s${at}.json`, media_type: 'application/json', deliverable: 'script' as const };
    const sent = { params: { run_id, call_id, sha256 }, query: { cycle, attempt, ...facts }, body: bytes };
    deliverables.push(dataOf(await permits.play.as(agentId).call(keepArtifact, sent)).artifact.artifact_id);
    await permits.finish(working, call_id);
  }
  const args = { title: 'Scripts', body: 'For all.', audience, deliverables };
  const callId = nextCall();
  const outcome = outcomeOf(await permits.perform(working, { tool: 'post_to_board', callId, args }));
  assert.equal(outcome.kind, 'ok', JSON.stringify(outcome));
  return { post_id: String(outcome.data?.['post_id']), deliverables };
}

test('only scripts can be adopted, each name only once, and an agent cannot adopt a script that it may not see', async () => {
  const ada = await permits.startRun('ada');
  const whole = script('offered', 'echo offered', { parameters: { type: 'object', properties: {}, required: [] } });
  const broken = [
    'no JSON',
    JSON.stringify({ ...whole, name: '../x' }),
    JSON.stringify({ ...whole, source: 'x'.repeat(SCRIPT_SOURCE_MAX_BYTES + 1) }),
  ];
  const good = await shared(ada, [JSON.stringify(whole)], 'public');
  const bad = await shared(ada, broken, 'public');
  const hidden = await shared(ada, [JSON.stringify({ ...whole, name: 'hidden' })], 'agent:cleo');
  const eve = await permits.startRun('eve');
  const adopt = async (post_id: string, deliverable_id: string | undefined, name?: string): Promise<CallOutcome> => {
    const call = {
      tool: 'adopt_script' as const,
      callId: nextCall(),
      args: { post_id, deliverable_id, ...(name === undefined ? {} : { name }) },
    };
    await permits.allow(eve, call);
    return outcomeOf(await permits.perform(eve, call));
  };
  assert.equal((await adopt(good.post_id, good.deliverables[0])).kind, 'ok');
  assert.equal((await adopt(good.post_id, good.deliverables[0])).code, 'script_exists');
  assert.equal((await adopt(good.post_id, good.deliverables[0], 'again')).kind, 'ok');
  for (const id of bad.deliverables) assert.equal((await adopt(bad.post_id, id)).code, 'no_script');
  assert.equal((await adopt(good.post_id, bad.deliverables[0])).code, 'no_such_artifact');
  assert.equal((await adopt(hidden.post_id, hidden.deliverables[0])).code, 'no_such_post');
  const adopted = (await listOf('eve')).filter(({ adopted_from: from }) => from === 'ada');
  assert.deepEqual(pluck(adopted, 'name', 'tainted'), [
    ['again', true],
    ['offered', true],
  ]);
});
