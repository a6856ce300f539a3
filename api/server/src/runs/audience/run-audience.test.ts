/** The texts of runs: their person, the agent and admins read them; other members see only state, cost and times, on every route. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type TestClient, dataOf, refuses } from '@hamlet/test/env/client';
import { startPlay } from '../../testing/test-village.ts';
import { firstAdmin, invite } from '../../testing/play/people-play.ts';
import { firingBody, leaderOf, RunPlay } from '../../testing/play/run-play.ts';

const SECRET = 'walnut';
const REF = 'message'.padEnd(22, '_');
const USAGE = { prompt: 100, completion: 20, total: 120 };
const { play } = await startPlay();
const runs = new RunPlay(play.url);
await play.everybody();
const grace = await firstAdmin(play.url);
const mia = await invite(grace, play.url, { name: 'Mia', role: 'member' });
const noah = await invite(grace, play.url, { name: 'Noah', role: 'member' });

/** A run of Mia for Ada that ends with texts in each of its parts. */
async function finishedRun(): Promise<string> {
  const body = { prompt: `Find the ${SECRET}.`, offer: { amount: '0.5' } };
  const { run } = await mia.client.createRun({ agent_id: 'ada', ...body });
  const { run_id: runId } = run;
  const { run: started } = dataOf(await runs.start('ada', runId));
  const claim = { cycle: started.cycle ?? 0, attempt: started.attempt };
  const at = { v: 1, run: runId, stage: 'main', fence: 1, at: 5, elapsedMs: 1 };
  const said = { type: 'model_answered', ask: 0, attempt: 0, message: REF, hasText: true, calls: [], usage: USAGE };
  const event = { ...at, ...said, moneyMicros: 250_000 };
  const payloads = [{ ref: REF, text: JSON.stringify({ content: `A ${SECRET} tree.`, toolCalls: [] }) }];
  const journal = { ...claim, entries: [{ seq: 1, event }], payloads };
  await play.as('ada').storeRunJournal({ run_id: runId, ...journal });
  dataOf(await runs.step('ada', runId, { step: 0, outcome: 'done', text: `I saw a ${SECRET}.` }));
  dataOf(await runs.settle('ada', runId, { state: 'done', summary: `The ${SECRET} is here.` }));
  return runId;
}

/** All text that a person can read about a run. */
async function readAll(client: TestClient, runId: string): Promise<string> {
  const params = { run_id: runId };
  const read = [
    await client.getRun(params),
    await client.listRunEvents(params),
    await client.listRuns({ agent_id: 'ada' }),
    await client.listOffers({ run_id: runId }),
    await client.listPermissions({ run_id: runId }),
    await Array.fromAsync(client.streamRun(params)),
  ];
  return JSON.stringify(read);
}

test('only the person who gave a run and admins read its texts; others see state, cost, offer and the number of events', async () => {
  const runId = await finishedRun();
  const params = { run_id: runId };
  await mia.client.refuseOffer({ ...params, reason: `No ${SECRET} at all` });
  for (const { client } of [mia, grace]) assert.match(await readAll(client, runId), /A walnut tree.*I saw a walnut/s);
  assert.doesNotMatch(await readAll(noah.client, runId), new RegExp(SECRET));

  const [own, veiled] = [await mia.client.getRun(params), await noah.client.getRun(params)];
  assert.deepEqual(
    [own.run.veiled, own.run.prompt, own.offer?.reason],
    [undefined, `Find the ${SECRET}.`, `No ${SECRET} at all`],
  );
  const { prompt, summary, veiled: isVeiled, ...fact } = veiled.run;
  assert.deepEqual([isVeiled, summary, prompt.includes('admins')], [true, null, true]);
  assert.deepEqual({ ...fact, prompt: own.run.prompt, summary: own.run.summary }, own.run);
  assert.deepEqual(veiled.offer, { ...own.offer, reason: null });
  const numbers = async (client: TestClient) =>
    (await client.listRunEvents(params)).events.map(({ number, event }) => [number, event]);
  assert.deepEqual(await numbers(noah.client), await numbers(mia.client));
});

test("other members see a failure's code; a cancel by another member is refused", async () => {
  const params = { run_id: (await mia.client.createRun({ agent_id: 'bob', prompt: 'Dig.' })).run.run_id };
  dataOf(await runs.start('bob', params.run_id));
  await refuses(noah.client.cancelRun(params), 'forbidden');
  const error = { code: 'step_failed', message: `No ${SECRET}` };
  dataOf(await runs.settle('bob', params.run_id, { state: 'failed', summary: 'No.', error }));
  const { run } = await noah.client.getRun(params);
  assert.deepEqual([run.state, run.error?.code, run.error?.message.includes(SECRET)], ['failed', 'step_failed', false]);
});

test('the prompts of Schedules are visible only to admins and the agent', async () => {
  const body = firingBody({ schedule_uid: 'audience', agents: ['cleo'], prompt: `Water the ${SECRET}.` });
  const params = { run_id: (await leaderOf(play.url, 'audience:0').fireSchedule(body)).runs[0]?.run_id ?? '' };
  const promptFor = async (client: TestClient) => (await client.getRun(params)).run.prompt;
  assert.match(await promptFor(grace.client), /walnut/);
  assert.doesNotMatch(await promptFor(mia.client), /walnut/);
  assert.match((await runs.next('cleo'))?.prompt ?? '', /walnut/);
});
