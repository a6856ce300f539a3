/**
 * Cancel and SIGTERM of runs of agents with a model, in residents in separate processes: from every state, checked by
 * the order of events.
 */
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { type Run } from '@hamlet/contract';
import { OPENAI_WIRE, type WireAnswer, type WireRequest } from '@hamlet/models/testing';
import { dataOf, follow } from '@hamlet/test/env/client';
import { testWire, wireModels } from '../gateway/testing/wire-models.ts';
import { testResidents } from '../testing/resident-process.ts';
import { RunPlay } from '../testing/play/run-play.ts';
import { eventually, testVillage } from '../testing/test-village.ts';

const RULES = [
  { tools: ['read', 'speak', 'act', 'publish', 'spend', 'persona', 'schedule'], verdict: 'allow' },
  { tools: ['publish'], when: 'run', verdict: 'ask', reason: 'a person reads posts first' },
];

interface ChatBody {
  readonly messages: readonly { readonly role: string; readonly content?: string | null }[];
  readonly stream?: boolean;
  readonly tools?: readonly object[];
}

const called = (name: string, input: object): WireAnswer =>
  OPENAI_WIRE.stream({ text: [], calls: [{ id: `call-${name}`, name, pieces: [JSON.stringify(input)] }] });

/** The end of an endless answer: the client disconnects. */
const unending = (): WireAnswer => {
  const { chunks, ...answer } = OPENAI_WIRE.stream({ text: ['Once ', 'upon '] });
  return { ...answer, chunks: [...chunks.slice(0, 2), { drip: ': still writing\n\n', everyMs: 20 }] };
};

/** The prompt names the state that the run should reach. */
function answer({ path, body }: WireRequest): WireAnswer | null {
  if (path !== '/v1/chat/completions') return null;
  const { messages, stream, tools = [] } = body as ChatBody;
  if (stream !== true || tools.length === 0) return OPENAI_WIRE.stream({ text: ['Good day.'] });
  const asked = messages.findLast(({ role }) => role === 'user')?.content ?? '';
  const isAfterCall = messages.at(-1)?.role === 'tool';
  if (asked.includes('write')) return unending();
  if (asked.includes('walk') && !isAfterCall) return called('go_to', { landmark_id: 'pond' });
  if (asked.includes('post') && !isAfterCall) return called('post_to_board', { title: 'Bread', body: 'Who bakes?' });
  return OPENAI_WIRE.stream({ text: ['Done ', 'that.'] });
}

const mind = await testWire([], { otherwise: answer });
// Slow enough that a walk is in progress when it is cancelled.
const village = await testVillage({ villageSpeed: 1 });
const replica = await village.startReplica(
  { HAMLET_TOOL_RULES: JSON.stringify(RULES) },
  { models: wireModels(mind.url) },
);
const runs = new RunPlay(replica.peopleUrl);
const residents = testResidents(runs.play);
await runs.play.everybody();
await runs.play.admin.rewardAgent({ agent_id: 'ada', amount: '100', reason: 'for models' });
afterEach(async () => {
  await residents.killAll();
  await runs.play.admin.rebootAgent({ agent_id: 'ada' });
});

function watch(runId: string) {
  const { events, ended } = follow(() => runs.play.admin.streamRun({ run_id: runId }));
  return { ended, kinds: () => events.map((each) => (each.event === 'run_event' ? each.data.event : each.event)) };
}

/** The model requests of one run: the gateway forwards each request of an engine. */
const asksOf = (prompt: string): number =>
  mind.requests.filter(({ body }) => JSON.stringify(body).includes(prompt)).length;

/**
 * Cancels a run in the state that the condition describes. After the cancel no text is streamed, and the model is not
 * asked again. Journal entries from before may reach the API after the cancel.
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
