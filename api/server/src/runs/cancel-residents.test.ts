/**
 * Cancel and SIGTERM of runs of agents with a model, in residents in separate processes: from every state, checked by
 * the order of events.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Run } from '@hamlet/contract';
import { dataOf, follow } from '@hamlet/test/env/client';
import { wireModels } from '../gateway/testing/wire-models.ts';
import { testResidents } from '../testing/resident-process.ts';
import { RunPlay } from '../testing/play/run-play.ts';
import { eventually, startPlay } from '../testing/test-village.ts';
import { called, said, startMind, unending } from './testing/call-mind.ts';
import { payForModels } from '../testing/hands-village.ts';
import { untilEnd } from '@hamlet/test/env/at-end';

const RULES = [
  { tools: ['read', 'speak', 'act', 'publish', 'spend', 'persona', 'schedule'], verdict: 'allow' },
  { tools: ['publish'], when: 'run', verdict: 'ask', reason: 'a person reads posts first' },
];

/** The prompt names the state that the run should reach. */
const answers = startMind(({ asked, isAfterCall }) => {
  if (asked.includes('write')) return unending();
  if (asked.includes('walk') && !isAfterCall) return called(['go_to', { landmark_id: 'pond' }]);
  if (asked.includes('post') && !isAfterCall) return called(['post_to_board', { title: 'Bread', body: 'Who bakes?' }]);
  return said('Done that.');
});

const mind = untilEnd(await answers);
// Slow enough that a walk is in progress when it is cancelled.
const { play } = await startPlay({
  villageSpeed: 1,
  environment: { HAMLET_TOOL_RULES: JSON.stringify(RULES) },
  models: wireModels(mind.url),
});
const runs = new RunPlay(play.url);
const residents = testResidents(play, ['ada']);
await payForModels(play, ['ada']);

function watch(runId: string) {
  const { events, ended } = follow(() => runs.play.admin.streamRun({ run_id: runId }));
  return { ended, kinds: () => events.map((each) => (each.event === 'run_event' ? each.data.event : each.event)) };
}

/** The model requests of one run: the gateway forwards each request of an engine. */
const asksOf = (prompt: string): number =>
  mind.requests.filter(({ body }) => JSON.stringify(body).includes(prompt)).length;

/**
 * Cancels a run in the state that the condition describes. After the cancel no text is streamed, and the model is not
 * asked again. Journal entries from before the cancel may still arrive at the API.
 */
async function cancelWhen(prompt: string, isThere: (kinds: readonly string[]) => boolean): Promise<Run> {
  const { run_id: runId } = await runs.give('ada', prompt);
  const reading = watch(runId);
  await eventually(prompt, () => isThere(reading.kinds()));
  const asks = asksOf(prompt);
  dataOf(await runs.cancel(runId));
  const run = await runs.ended(runId);
  await reading.ended;
  const kinds = reading.kinds();
  const end = kinds.findIndex((kind) => kind === 'cancel_requested' || kind === 'settled');
  assert.equal(run.state, 'cancelled', prompt);
  assert.ok(end >= 0 && !kinds.slice(end).includes('delta'), `${prompt}: ${kinds.join(' ')}`);
  assert.equal(asksOf(prompt), asks, 'the model was asked after the cancel');
  return run;
}

test('a queued run is cancelled before anything begins', async () => {
  const run = await cancelWhen('Please write a tale.', (kinds) => kinds.includes('queued'));
  assert.deepEqual([run.usage.steps, run.unsettled], [0, []]);
});

test('a cancel while the model writes ends the stream, and disconnects the provider', async () => {
  await residents.start('ada');
  const before = mind.requests.length;
  await cancelWhen('Please write a tale.', (kinds) => kinds.includes('delta'));
  const request = mind.requests.slice(before).find(({ body }) => JSON.stringify(body).includes('write a tale'));
  await request?.gone;
  assert.ok(request !== undefined);
});

test('a cancel while a tool runs ends the walk, and its call is settled or named as unsettled', async () => {
  await residents.start('ada');
  const run = await cancelWhen('Please walk to the pond.', (kinds) => kinds.includes('call_begun'));
  const settledCalls = (await runs.events(run.run_id)).filter(({ event }) => event === 'call_settled').length;
  assert.equal(settledCalls + run.unsettled.length, 1);
});

test('a cancel while people are asked withdraws the question', async () => {
  await residents.start('ada');
  const run = await cancelWhen('Please post about bread.', (kinds) => kinds.includes('waiting'));
  assert.deepEqual(run.unsettled, []);
  const query = { run_id: run.run_id, state: 'pending' as const, limit: 10 };
  assert.deepEqual((await runs.play.admin.listPermissions(query)).permissions, []);
});

test('after SIGTERM nothing starts, the run is interrupted, and the next process continues it', async () => {
  const child = await residents.start('ada');
  const asks = asksOf('Please walk to the pond.');
  const { run_id: runId } = await runs.give('ada', 'Please walk to the pond.');
  const reading = watch(runId);
  await eventually('the walk', () => reading.kinds().includes('call_begun'));
  child.kill('SIGTERM');
  await eventually('the end of the process', () => child.exitCode !== null);
  assert.equal(child.exitCode, 0);
  await eventually('the interruption', () => reading.kinds().includes('interrupted'));
  assert.equal(asksOf('Please walk to the pond.'), asks + 1, 'the model is not asked after the signal');
  await runs.play.admin.rebootAgent({ agent_id: 'ada' });
  await residents.start('ada');
  await eventually('the next attempt', async () => (await runs.get(runId)).attempt > 1);
  dataOf(await runs.cancel(runId));
  assert.equal((await runs.ended(runId)).state, 'cancelled');
  await reading.ended;
});
