/**
 * Safe modes over HTTP: the API denies each change by such a run or its workers, regardless of rules and permissions.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Run, type SafeMode } from '@hamlet/contract';
import { refuses } from '@hamlet/test/env/client';
import { dataOf } from '@hamlet/test/env/client';
import { post, resultOf, type Working, startPermits } from './testing/permission-play.ts';

const RULES = JSON.stringify([
  { tools: ['read', 'speak', 'act', 'publish', 'exec', 'write_inside', 'delegate', 'network'], verdict: 'allow' },
]);

const { permits } = await startPermits({ rules: RULES });

const runOf = async (runId: string): Promise<Run> => (await permits.play.admin.getRun({ run_id: runId })).run;
const start = (mode?: SafeMode): Promise<Working> => permits.startRun('ada', permits.play.admin, mode);

/** The outcome of a shell command that the run wants to begin: its code and message. */
async function shell(working: Working, callId: string) {
  return dataOf(await permits.begin(working, { callId })).outcome;
}

test('a run in analysis_only makes no change, and its model gets the reason', async () => {
  const working = await start('analysis_only');
  assert.equal((await runOf(working.runId)).safe_mode, 'analysis_only');
  assert.equal(resultOf(await permits.perform(working, post('1.0'))), 'denied policy_denied');
  assert.equal(resultOf(await permits.perform(working, { tool: 'say', callId: '2.0', args: { text: 'Hm' } })), 'ok');
  const refusal = await shell(working, '3.0');
  assert.equal(refusal?.code, 'policy_denied');
  assert.match(refusal?.text ?? '', /This run only analyses/);
  await refuses(permits.ask(working, post('4.0')), 'policy_denied', 'nobody is asked');
});

test('a dry run makes no change, and continues as if it had', async () => {
  const working = await start('dry_run');
  const answer = await permits.perform(working, post('1.0'));
  assert.equal(resultOf(answer), 'denied policy_denied');
  assert.match(answer.ok ? answer.data.outcome.text : '', /dry run: the call was not performed/);
  const free = await permits.startRun('ada');
  assert.equal(
    resultOf(await permits.perform(free, post('1.0'))),
    'ok',
    'another run of the agent is as free as before',
  );
});

test("a worker has its parent's mode, and so has a run that a message begins", async () => {
  const working = await start('analysis_only');
  const args = { role: 'reader', prompt: 'Read the board.' };
  assert.equal(resultOf(await permits.perform(working, { tool: 'delegate', callId: '5.0', args })), 'ok');
  const { runs } = await permits.play.admin.listRuns({ agent_id: 'ada' });
  assert.equal(runs.find(({ kind }) => kind === 'worker')?.safe_mode, 'analysis_only');
  const { session } = await permits.play.admin.createSession({ agent_id: 'bob' });
  const sent = await permits.play.admin.sendMessage({
    session_id: session.session_id,
    text: 'What is on the board?',
    safe_mode: 'dry_run',
  });
  assert.equal(sent.run.safe_mode, 'dry_run');
});
