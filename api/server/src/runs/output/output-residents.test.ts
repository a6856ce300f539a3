/** Runs with an output schema, given with `kubectl hamlet`, to an agent with a model: a resident's process, the API, and a scripted model. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { testFolder, untilEnd } from '@hamlet/test/env/at-end';
import { wireModels } from '../../gateway/testing/wire-models.ts';
import { payForModels } from '../../testing/hands-village.ts';
import { RunPlay } from '../../testing/play/run-play.ts';
import { testResidents } from '../../testing/resident-process.ts';
import { startPlay, TOKENS } from '../../testing/test-village.ts';
import { said, startMind } from '../testing/call-mind.ts';

const PLUGIN = resolve(import.meta.dirname, '../../../../../cli/kubectl/src/main.ts');
const SCHEMA = {
  type: 'object',
  properties: { loaves: { type: 'integer', minimum: 1 }, id: { type: 'integer' } },
  required: ['loaves'],
};
const RIGHT = "Here it is:\n```json\n{'loaves': 3, 'id': 12345678901234567890}\n```";
const JSON_OF_RIGHT = '{"loaves":3,"id":12345678901234567890}';

/** Answers wrong first, and then right; to a hopeless task never right. */
const mind = untilEnd(
  await startMind(({ messages }) => {
    const words = messages.filter(({ role }) => role === 'user').map(({ content }) => content ?? '');
    if (words[0]?.includes('hopeless') === true) return said('I cannot count.');
    return said(words.at(-1)?.includes('could not be used') === true ? RIGHT : 'Three loaves.');
  }),
);
// A village of this speed has no limit of requests, which a run with many answers would reach.
const { play } = await startPlay({ villageSpeed: 20, models: wireModels(mind.url) });
const runs = new RunPlay(play.url);
const residents = testResidents(play);
await payForModels(play, ['ada']);
const folder = testFolder('output');
const schemaFile = join(folder, 'bread.schema.json');
writeFileSync(schemaFile, JSON.stringify(SCHEMA, null, 2));

/** Runs the plugin outside of every village folder. Returns its output. */
function hamlet(...args: string[]): Promise<string> {
  const env = { ...process.env, HAMLET_URL: play.url, HAMLET_TOKEN: TOKENS.admin, KUBECONFIG: '' };
  return new Promise((done, fail) => {
    execFile(process.execPath, [PLUGIN, ...args], { cwd: folder, env }, (error, stdout, stderr) =>
      error === null ? done(stdout) : fail(new Error(`${stdout}${stderr}`)),
    );
  });
}

async function give(task: string): Promise<string> {
  const printed = await hamlet('run', 'ada', `--task=${task}`, `--schema=${schemaFile}`, '-o', 'json');
  return (JSON.parse(printed) as { readonly run_id: string }).run_id;
}

test('an agent is asked again until its answer fits, and the output is read with all digits', async () => {
  await residents.start('ada');
  const runId = await give('Count the bread.');
  const run = await runs.ended(runId);
  assert.deepEqual([run.state, run.error, run.usage.steps], ['done', null, 2], run.summary ?? '');
  const { output_json, output_schema } = await play.admin.getRun({ run_id: runId });
  assert.deepEqual([output_json, output_schema], [JSON_OF_RIGHT, SCHEMA]);
  const checks = (await runs.events(runId)).flatMap((each) =>
    each.event === 'model_answered' ? [each.detail.output] : [],
  );
  assert.deepEqual(checks[0], { code: 'JSON_SYNTAX_ERROR', actions: [] });
  assert.equal(checks[1]?.code, null);
  assert.ok(checks[1]?.actions.includes('quotes_replaced'), checks[1]?.actions.join());
  const shown = JSON.parse(await hamlet('run', runId, '-o', 'json')) as { readonly output_json: string };
  assert.equal(shown.output_json, JSON_OF_RIGHT);
  assert.ok((await hamlet('run', runId)).includes(JSON_OF_RIGHT));
});

test('a run whose answers never fit fails with its own code, and its last words stay', async () => {
  const runId = await give('A hopeless count.');
  const run = await runs.ended(runId);
  assert.deepEqual([run.state, run.error?.code, run.usage.steps], ['failed', 'output_not_valid', 5]);
  assert.match(run.summary ?? '', /I cannot count\.$/);
  assert.equal((await play.admin.getRun({ run_id: runId })).output_json, undefined);
});

test('the command refuses a schema that the village would refuse, with the place, and one that it would not use', async () => {
  const bad = join(folder, 'bad.json');
  writeFileSync(bad, JSON.stringify({ properties: { name: { pattern: 'a' } } }));
  await assert.rejects(
    hamlet('run', 'ada', '--task=Count.', `--schema=${bad}`),
    /leave out pattern[^]*properties\.name\.pattern/,
  );
  writeFileSync(bad, '{');
  await assert.rejects(hamlet('run', 'ada', '--task=Count.', `--schema=${bad}`), /bad\.json cannot be read/);
  await assert.rejects(
    hamlet('run', 'ID', `--schema=${schemaFile}`),
    /--schema is valid only with --task and continue/,
  );
});
