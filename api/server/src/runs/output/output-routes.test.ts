/** Runs with an output schema over HTTP: what people give, what an honest and a lying agent settle, and what readers see. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { createRun, CallInput } from '@hamlet/contract';
import { dataOf, refuses } from '@hamlet/test/env/client';
import { RunPlay } from '../../testing/play/run-play.ts';
import { startPlay, type AgentId } from '../../testing/test-village.ts';

const { play } = await startPlay();
const runs = new RunPlay(play.url);
const { admin } = runs.play;

const SCHEMA = {
  type: 'object',
  properties: { loaves: { type: 'integer', minimum: 1 }, id: { type: 'integer' } },
  required: ['loaves'],
};

type Body = Partial<CallInput<typeof createRun>['body']>;

async function started(agentId: AgentId, body: Body = { output_schema: SCHEMA }) {
  const { run } = await admin.createRun({ agent_id: agentId, prompt: 'Count the bread.', ...body });
  const { output_schema } = dataOf(await runs.start(agentId, run.run_id));
  return { runId: run.run_id, given: output_schema };
}

const settle = async (agentId: AgentId, runId: string, output?: string) =>
  dataOf(
    await runs.settle(agentId, runId, {
      state: 'done',
      summary: 'I counted.',
      answer: 'I counted.',
      ...(output === undefined ? {} : { output }),
    }),
  ).run;

test('the agent gets the schema as it was written, and a run that fits shows its output with all digits', async () => {
  const { runId, given } = await started('ada');
  assert.equal(JSON.stringify(given), JSON.stringify(SCHEMA));
  const before = await admin.getRun({ run_id: runId });
  assert.deepEqual([before.output_schema, before.output, before.output_json], [SCHEMA, undefined, undefined]);
  const json = '{"loaves":3,"id":12345678901234567890}';
  const ended = await settle('ada', runId, json.replaceAll(':', ': '));
  assert.deepEqual([ended.state, ended.summary], ['done', 'I counted.']);
  const { run, output, output_json } = await admin.getRun({ run_id: runId });
  assert.deepEqual([run.state, output, output_json], ['done', JSON.parse(json), json]);
  assert.equal((await settle('ada', runId, '{"loaves":9}')).state, 'done', 'the first end counts');
  assert.equal((await admin.getRun({ run_id: runId })).output_json, json);
});

test('an agent that calls a run done without an output that fits fails it; its words stay', async () => {
  const lies = [
    [undefined, /^The agent gave no output: /],
    ['{"loaves":0}', /^The output does not fit: \/loaves must be >= 1$/],
    ['three', /^The output is not JSON$/],
    [`${'['.repeat(40)}${']'.repeat(40)}`, /more than 32 levels$/],
  ] as const;
  for (const [output, message] of lies) {
    const { runId } = await started('ada');
    const run = await settle('ada', runId, output);
    assert.deepEqual([run.state, run.summary, run.error?.code], ['failed', 'I counted.', 'output_not_valid']);
    assert.match(run.error?.message ?? '', message);
    assert.equal((await settle('ada', runId, output)).state, 'failed', 'the same end again changes nothing');
    assert.equal((await admin.getRun({ run_id: runId })).output_json, undefined);
    const [last] = (await runs.events(runId)).slice(-1);
    assert.deepEqual([last?.event, last?.detail], ['settled', { state: 'failed', code: 'output_not_valid' }]);
  }
  const { runId } = await started('ada');
  await refuses(
    runs.settle('ada', runId, { state: 'done', summary: 'x', output: 'x'.repeat(70_000) }),
    'validation_failed',
  );
  const given = { state: 'failed', summary: 'No.', error: { code: 'budget_steps', message: 'No steps.' } } as const;
  assert.equal(dataOf(await runs.settle('ada', runId, { ...given, output: '{"loaves":1}' })).run.state, 'failed');
  assert.equal((await admin.getRun({ run_id: runId })).output, undefined);
});

test('a run without a schema takes no output', async () => {
  const { runId, given } = await started('ada', {});
  assert.equal(given, undefined);
  assert.equal((await settle('ada', runId, '{"loaves":1}')).state, 'done');
  const found = await admin.getRun({ run_id: runId });
  assert.deepEqual(Object.keys(found).toSorted(), ['offer', 'run']);
});

test('a run that continues another keeps its schema, unless it has its own', async () => {
  const { runId: continues } = await started('ada');
  await settle('ada', continues, '{"loaves":1}');
  const same = await started('ada', { continues });
  assert.deepEqual(same.given, SCHEMA);
  await settle('ada', same.runId, '{"loaves":2}');
  const own = await started('ada', { continues, output_schema: { type: 'string' } });
  assert.deepEqual(own.given, { type: 'string' });
  assert.equal((await settle('ada', own.runId, '"two"')).state, 'done');
});

test('a schema that the village cannot check is refused with the place, and gives no run', async () => {
  const before = (await admin.listRuns({ agent_id: 'bob' })).runs.length;
  const create = (output_schema: Body['output_schema']) =>
    admin.raw.createRun({ agent_id: 'bob', prompt: 'Count.', ...(output_schema && { output_schema }) });
  const slow = { properties: { name: { pattern: '(a+)+$' } } };
  await refuses(create(slow), 'validation_failed', /output_schema\.properties\.name\.pattern/);
  const wrong = { properties: { name: { type: 'strin' } } };
  await refuses(create(wrong), 'output_schema_invalid', /output_schema\/properties\/name\/type/);
  await refuses(create({ description: 'x'.repeat(20_000) }), 'validation_failed', /16384 bytes/);
  assert.equal((await admin.listRuns({ agent_id: 'bob' })).runs.length, before);
});

test('only readers of the words of a run see its schema and its output', async () => {
  await runs.play.everybody();
  const { runId } = await started('ada');
  await settle('ada', runId, '{"loaves":1}');
  const { run, output_schema, output, output_json } = await runs.play.member.getRun({ run_id: runId });
  assert.deepEqual([run.veiled, output_schema, output, output_json], [true, undefined, undefined, undefined]);
});
