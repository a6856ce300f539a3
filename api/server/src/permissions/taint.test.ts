/** Taint over HTTP: outside text marks a run, its workers, its memories and its conversation, whose later acts then need permission. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { type EgressAttempt, type Run } from '@hamlet/contract';
import { taintRun } from '@hamlet/store';
import { dataOf, refuses } from '@hamlet/test/env/client';
import { until } from '@hamlet/test/env/until';
import { clientOf, TOKENS } from '../testing/test-village.ts';
import { post, resultOf, type Working, startPermits } from './testing/permission-play.ts';
import { attemptOf } from '../egress/testing/egress-bodies.ts';

const RULES = JSON.stringify([
  { tools: ['read', 'speak', 'act', 'publish', 'exec', 'write_inside', 'delegate', 'network'], verdict: 'allow' },
]);
const RELAXED = JSON.stringify([
  ...(JSON.parse(RULES) as object[]),
  { tools: ['exec'], verdict: 'allow', tainted: 'allow', reason: 'Tests run after an installation' },
]);
const AGENT = (name: string): string => `apiVersion: hamlet.village/v1alpha1
kind: Agent
metadata: { name: ${name} }
spec:
  entitlement: { policy: Pinned, name: tier-1 }
  repository: { url: 'https://git.example.org/team/orchard.git' }
  mcpServers: [{ name: files, command: [mcp-server-filesystem, /workspace], class: read }]
`;

const { village, permits } = await startPermits({ rules: RULES, samples: { 'good-agent-ada.yaml': AGENT('ada') } });
const relaxed = permits.at((await village.startReplica({ HAMLET_TOOL_RULES: RELAXED })).peopleUrl);

let calls = 100;
/** `begun`, or the code with which a call in the hands is refused or denied. */
async function begun(
  working: Working,
  { tool, command, callId = `${(calls += 1)}.0` }: { tool?: string; command?: string; callId?: string },
  by = permits,
): Promise<string> {
  const args = command === undefined ? {} : { command, background: true };
  // A call that the rules allow may find all slots of the tier taken.
  return (await by.begun(working, { tool: tool ?? 'shell', callId, args })).replace('too_many_tools', 'begun');
}
const runOf = async (runId: string): Promise<Run> => (await permits.play.admin.getRun({ run_id: runId })).run;
const sourcesOf = async (runId: string): Promise<readonly string[]> =>
  ((await runOf(runId)).taint ?? []).map(({ source }) => source);
const say = (callId: string) => ({ tool: 'say', callId, args: { text: 'Good morning' } });

async function attempt(working: Working, changes: Partial<EgressAttempt> = {}): Promise<void> {
  const tunnel = { form: 'tunnel', host: 'docs.example.org', method: null, path: null } as const;
  const begin = await attemptOf(permits.play, working.agentId, { run: working.runId, ...tunnel, ...changes });
  await clientOf(permits.play.url, TOKENS.broker).keepEgressAttempts({ begin: [begin], end: [] });
}

async function delegate(parent: Working, callId: string): Promise<string> {
  const args = { role: 'helper', prompt: 'Read', tokens: 1_000 };
  const { outcome } = dataOf(await permits.perform(parent, { tool: 'delegate', callId, args }));
  assert.equal(outcome.kind, 'ok', outcome.text);
  return String(outcome.data?.['run_id']);
}

const note = (working: Working, memories: { written?: string[]; recalled?: string[]; outside?: string[] }) =>
  permits.play
    .as(working.agentId)
    .noteMemories({ run_id: working.runId, cycle: working.cycle, attempt: working.attempt, ...memories });

test('a command that reaches no other host taints no run, even if its words name one', async () => {
  const working = await permits.startRun('ada');
  for (const command of [
    'git init && git remote add origin https://git.example.org/a/b.git',
    'git clone /workspace/a /workspace/b && git fetch ../other',
    'curl http://localhost:3000/ || curl http://127.0.0.1:3000/',
    'curl --version; git push origin main; pip install flask',
  ])
    await begun(working, { command });
  await begun(working, { tool: 'web_fetch' });
  await attempt(working, { refused: 'egress_not_allowed' });
  assert.deepEqual(await sourcesOf(working.runId), []);
  assert.equal(resultOf(await permits.perform(working, say('1.0'))), 'ok');
});

test('a connection that the broker lets out taints its run; then code, speech and posts need permission', async () => {
  const working = await permits.startRun('ada');
  assert.equal(await begun(working, { command: 'python3 build.py' }), 'begun');
  assert.equal(resultOf(await permits.perform(working, say('1.0'))), 'ok');
  assert.equal((await runOf(working.runId)).taint, undefined);
  assert.equal(await begun(working, { command: 'curl https://example.org', callId: '2.0' }), 'begun');
  await attempt(working, { call: '2.0', host: 'example.org' });
  const [mark] = (await runOf(working.runId)).taint ?? [];
  assert.deepEqual([mark?.source, mark?.detail, mark?.call_id], ['egress', 'example.org', '2.0']);
  assert.ok(Date.parse(mark?.at ?? '') > 0);
  for (const command of ['python3 build.py', 'touch /etc/x'])
    assert.equal(await begun(working, { command }), 'permission_needed', command);
  for (const command of ['cat /workspace/a', 'touch /workspace/a', 'curl https://example.org/2'])
    assert.equal(await begun(working, { command }), 'begun', command);
  assert.equal(resultOf(await permits.perform(working, say('3.0'))), 'permission_needed');
  assert.equal(resultOf(await permits.perform(working, post('4.0'))), 'permission_needed');
  assert.equal(await begun(working, { tool: 'deliver' }), 'begun', 'its taint is shown only to readers of the run');
  assert.equal(await begun(working, { command: 'python3 build.py' }, relaxed), 'begun');
});

const FETCH = {
  form: 'inspect',
  host: 'git.example.org',
  method: 'POST',
  path: '/team/orchard.git/git-upload-pack',
} as const;

test('after a fetch of its own repository an agent runs programs without a question, but what it says is asked about', async () => {
  const working = await permits.startRun('ada');
  await attempt(working, FETCH);
  assert.deepEqual(await sourcesOf(working.runId), ['supply']);
  assert.equal(await begun(working, { command: 'python3 -m pytest' }), 'begun');
  assert.equal(resultOf(await permits.perform(working, say('1.0'))), 'permission_needed');
  await note(working, { written: ['m-orchard', 'm-changed'] });
  const worker = await permits.start('ada', { run_id: await delegate(working, '2.0') });
  assert.deepEqual(await sourcesOf(worker.runId), ['supply']);
  await attempt(working, { ...FETCH, path: '/team/orchard/issues/7', method: 'GET' });
  assert.ok((await sourcesOf(working.runId)).includes('egress'), 'strangers write issues');
  assert.equal(await begun(working, { command: 'python3 -m pytest' }), 'permission_needed');
  await note(working, { written: ['m-changed'] });
  await permits.endAll();
  const later = await permits.startRun('ada');
  await note(later, { recalled: ['m-orchard'], written: ['m-after'] });
  assert.deepEqual(await sourcesOf(later.runId), ['supply']);
  assert.equal(await begun(later, { command: 'python3 -m pytest' }), 'begun');
  await note(later, { recalled: ['m-after'] });
  assert.deepEqual(await sourcesOf(later.runId), ['supply']);
  await note(later, { recalled: ['m-orchard', 'm-changed'] });
  assert.deepEqual(await sourcesOf(later.runId), ['supply', 'memory']);
  assert.equal(await begun(later, { command: 'python3 -m pytest' }), 'permission_needed');
  await permits.endAll();
});

test('a fetch of pull requests of its own repository brings text of strangers', async () => {
  const working = await permits.startRun('ada');
  await attempt(working, { ...FETCH, proposals: true });
  assert.deepEqual(await sourcesOf(working.runId), ['egress']);
  assert.equal(await begun(working, { command: 'python3 -m pytest' }), 'permission_needed');
  await permits.endAll();
});

test("a worker's fetch of the repository reaches its parent as that", async () => {
  const parent = await permits.startRun('ada');
  const worker = await permits.start('ada', { run_id: await delegate(parent, '1.0') });
  await taintRun(village.openDb() as never, { runId: worker.runId, source: 'supply', detail: 'git.example.org' });
  assert.deepEqual([await sourcesOf(worker.runId), await sourcesOf(parent.runId)], [['supply'], ['supply']]);
  await taintRun(village.openDb() as never, { runId: worker.runId, source: 'tool', detail: 'adopt_script' });
  assert.deepEqual(await sourcesOf(parent.runId), ['supply', 'worker']);
  await permits.endAll();
});

test("a worker's mark waits for the broker's record of both runs, and neither deadlocks", async () => {
  const parent = await permits.startRun('ada');
  const worker = await permits.start('ada', { run_id: await delegate(parent, '1.0') });
  const db = village.openDb();
  const mark = ({ runId }: Working) => ({ runId, source: 'supply', detail: 'git.example.org' }) as const;
  const second = await db.transaction().execute(async (record) => {
    await taintRun(record as never, mark(parent));
    const waiting = taintRun(village.openDb() as never, mark(worker));
    const watching = village.openDb();
    await until('the mark waits', async () => {
      const waits = watching
        .selectFrom('pg_locks' as never)
        .selectAll()
        .where('granted' as never, '=', false as never);
      return (await waits.execute()).length > 0;
    });
    await taintRun(record as never, mark(worker));
    return { waiting };
  });
  await second.waiting;
  assert.deepEqual([await sourcesOf(worker.runId), await sourcesOf(parent.runId)], [['supply'], ['supply']]);
  await permits.endAll();
});

test('a permission request shows the taint; "always" covers tainted runs only if it was given in one', async () => {
  const clean = await permits.startRun('ada');
  assert.equal(await begun(clean, { tool: 'mcp__files__read_file' }), 'begun');
  const { permission } = dataOf(await permits.ask(clean, say('20.0')));
  assert.deepEqual(
    permission.taint?.map(({ source, detail }) => [source, detail]),
    [['mcp', 'files']],
  );
  assert.match(permission.reason, /the MCP server files/);
  const { rule } = dataOf(await permits.answer(permission.permission_id, { answer: 'allow', always: 'agent' }));
  assert.equal(rule?.tainted, true);
  assert.equal(resultOf(await permits.perform(clean, say('20.0'))), 'ok');
  assert.equal(dataOf(await permits.ask(clean, say('21.0'))).permission.state, 'allowed');
});

test('"always" given in a run that only its repository has reached covers no run that strangers have reached', async () => {
  const stateOf = async (callId: string, fetches: readonly object[]): Promise<string> => {
    const run = await permits.startRun('ada');
    for (const fetch of fetches) await attempt(run, fetch);
    const { permission } = dataOf(await permits.ask(run, post(callId)));
    if (permission.state === 'pending') {
      const { rule } = dataOf(await permits.answer(permission.permission_id, { answer: 'allow', always: 'agent' }));
      assert.deepEqual([rule?.tainted, rule?.supply], [true, fetches.length === 1]);
    }
    await permits.endAll();
    return permission.state;
  };
  const both = [FETCH, { host: 'example.org' }];
  assert.deepEqual([await stateOf('1.0', [FETCH]), await stateOf('2.0', [FETCH])], ['pending', 'allowed']);
  assert.deepEqual([await stateOf('3.0', both), await stateOf('4.0', both)], ['pending', 'allowed']);
  assert.equal(await stateOf('5.0', [FETCH]), 'allowed');
});

test('a request through the broker taints all active runs of the agent, as run and call are claims of its pod', async () => {
  const working = await permits.startRun('ada');
  const beside = await permits.startRun('ada');
  await attempt(working, { refused: 'egress_denied' });
  assert.deepEqual(await sourcesOf(working.runId), []);
  assert.equal(await begun(working, { command: 'ls', callId: '5.0' }), 'begun');
  await attempt(working, { call: '5.0', host: 'one.example.org' });
  const [mark] = (await runOf(working.runId)).taint ?? [];
  assert.deepEqual([mark?.source, mark?.detail, mark?.call_id], ['egress', 'one.example.org', '5.0']);
  assert.deepEqual(await sourcesOf(beside.runId), ['egress'], 'a program of one run can name a call of another');
  await permits.endAll();
  const other = await permits.startRun('ada');
  await attempt(other, { run: randomUUID(), host: 'two.example.org' });
  assert.deepEqual(await sourcesOf(other.runId), ['egress']);
});

test('a parked run is marked by what its programs read meanwhile, and holds back direct requests', async () => {
  const working = await permits.startRun('eve');
  const { agentId, runId, ...claim } = working;
  await permits.play.as(agentId).parkRun({ run_id: runId, ...claim, code: 'network', wait_ms: 60_000 });
  await attempt(working, { run: null, host: 'one.example.org' });
  assert.deepEqual(await sourcesOf(runId), ['egress']);
  await refuses(permits.play.as('eve').raw.createPost({ title: 'Rye', body: 'At noon.' }), 'policy_denied');
  await village.openDb().updateTable('run').set({ parked_until: new Date() }).where('run_id', '=', runId).execute();
  await permits.start('eve', { run_id: runId });
  assert.equal(resultOf(await permits.perform({ ...working, attempt: 2 }, say('1.0'))), 'permission_needed');
});

test("during a tainted run, its agent's direct requests are refused if the run would need permission", async () => {
  const working = await permits.startRun('cleo');
  const publish = () => permits.play.as('cleo').raw.createPost({ title: 'Rye', body: 'At noon.' });
  assert.ok((await publish()).ok);
  await attempt(working);
  await refuses(publish(), 'policy_denied');
  await permits.endAll();
  assert.ok((await publish()).ok);
});

test("a worker has its parent's taint, and passes its own back", async () => {
  const parent = await permits.startRun('dan');
  const clean = await permits.start('dan', { run_id: await delegate(parent, '1.0') });
  assert.deepEqual(await sourcesOf(clean.runId), []);
  await taintRun(village.openDb() as never, { runId: clean.runId, source: 'tool', detail: 'adopt_script' });
  assert.deepEqual([await sourcesOf(clean.runId), await sourcesOf(parent.runId)], [['tool'], ['worker']]);
  assert.equal((await runOf(parent.runId)).taint?.[0]?.run_id, clean.runId);
  const later = await permits.start('dan', { run_id: await delegate(parent, '2.0') });
  assert.deepEqual(await sourcesOf(later.runId), ['parent']);
  assert.equal(await begun(later, { command: 'python3 x.py' }), 'permission_needed');
});

test('a memory of a tainted run taints the run that recalls it; other memories do not', async () => {
  const clean = await permits.startRun('eve');
  assert.deepEqual((await note(clean, { written: ['m-good'] })).tainted, []);
  await attempt(clean);
  await note(clean, { written: ['m-bad'] });
  await permits.endAll();
  const later = await permits.startRun('eve');
  assert.deepEqual((await note(later, { recalled: ['m-good', 'm-other'] })).tainted, []);
  assert.deepEqual(await sourcesOf(later.runId), []);
  assert.deepEqual((await note(later, { recalled: ['m-good', 'm-bad'], written: ['m-third'] })).tainted, [
    'm-bad',
    'm-third',
  ]);
  assert.deepEqual(await sourcesOf(later.runId), ['memory']);
  await permits.endAll();
  const last = await permits.startRun('eve');
  assert.deepEqual(
    (await note(last, { recalled: ['m-third'] })).tainted,
    ['m-third'],
    'the text of such a memory stays outside text',
  );
});

test('a memory that only the store of the agent marks taints the run that recalls it, and what the run writes', async () => {
  const working = await permits.startRun('eve');
  const memories = { recalled: ['m-clean', 'm-old'], outside: ['m-old', 'm-not-recalled'] };
  assert.deepEqual((await note(working, memories)).tainted, ['m-old']);
  assert.deepEqual(await sourcesOf(working.runId), ['memory']);
  assert.deepEqual((await note(working, { written: ['m-new'] })).tainted, ['m-new']);
});

test('taint is never changed or removed', async () => {
  const working = await permits.startRun('eve');
  await attempt(working);
  const db = village.openDb();
  await assert.rejects(db.deleteFrom('run_taint').where('run_id', '=', working.runId).execute(), /never taken back/);
  await assert.rejects(
    db.updateTable('run_taint').set({ detail: 'nothing' }).where('run_id', '=', working.runId).execute(),
    /append-only/,
  );
});
