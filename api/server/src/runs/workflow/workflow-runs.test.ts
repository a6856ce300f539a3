/** Runs with a workflow over HTTP on a real Postgres: what people give, what agents get, and who reads it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { createRun, CallInput, ManifestFiles } from '@hamlet/contract';
import { forgetManifests, inTransaction, keepManifests } from '@hamlet/store';
import { codeOf, dataOf, refuses } from '@hamlet/test/env/client';
import { accepted, refused, type Outcome } from '../../http/outcome.ts';
import { RunPlay } from '../../testing/play/run-play.ts';
import { clientOf, startPlay, TOKENS } from '../../testing/test-village.ts';

const HOUR_MS = 3_600_000;
const FILES: ManifestFiles = [
  { path: 'workflow.yaml', text: 'id: review\n' },
  { path: 'agents.yaml', text: 'agents: []\n' },
];
const SORTED = FILES.toSorted((one, other) => one.path.localeCompare(other.path));

/** The ConfigMap of each agent as it is now; cleo has none. */
const maps = new Map<string, Outcome<ManifestFiles>>([
  ['ada', accepted(FILES)],
  ['dan', accepted(FILES)],
  ['bob', refused('manifests_unusable', 'ConfigMap bob-manifests has no label: label it')],
]);
const manifestSource = {
  read: async (agentId: string) =>
    maps.get(agentId) ?? refused('no_manifests', `${agentId} has no ConfigMap: name one`),
};
const { village, play } = await startPlay({ agents: { manifestSource } });
const runs = new RunPlay(play.url);
const db = village.openDb();
const { admin, member } = play;

type Body = Partial<CallInput<typeof createRun>['body']>;

const give = (agent_id: string, body: Body = {}, by = admin) =>
  by.raw.createRun({ agent_id, prompt: 'Review it.', workflow: {}, ...body });

const countManifests = async (): Promise<number> =>
  (await db.selectFrom('workflow_manifests').select('sha256').execute()).length;

test('a run with a workflow keeps the manifests that it was created with, and its agent gets them', async () => {
  const workflow = {
    pipeline: 'quick',
    mode: 'draft',
    tags: ['text'],
    input_json: '{"pages":12345678901234567890}',
    overrides: [{ kind: 'dry_run' }],
  };
  const { run } = dataOf(await give('ada', { workflow }));
  assert.match(run.workflow?.manifests ?? '', /^[0-9a-f]{64}$/);
  assert.deepEqual(run.workflow, { ...workflow, manifests: run.workflow?.manifests });
  maps.set('ada', accepted([{ path: 'workflow.yaml', text: 'id: other\n' }]));
  const started = dataOf(await runs.start('ada', run.run_id));
  assert.deepEqual(
    [started.run.workflow, started.manifests],
    [run.workflow, SORTED],
    'an edit applies to the next run',
  );
  maps.set('ada', accepted(SORTED));
  dataOf(await runs.settle('ada', run.run_id, { state: 'done', summary: 'Done.' }));
  const again = dataOf(await give('ada')).run;
  assert.equal(again.workflow?.manifests, run.workflow?.manifests, 'the order of the files does not matter');
  assert.equal(await countManifests(), 1);
  dataOf(await runs.cancel(again.run_id));
  const plain = dataOf(await runs.start('ada', (await runs.give('ada')).run_id));
  assert.deepEqual([plain.run.workflow, plain.manifests], [undefined, undefined]);
  await runs.finishAll('ada');
});

test('a run of stages that only compute is done without an answer in words', async () => {
  const { run } = dataOf(await give('ada'));
  const cycle = await runs.cycle('ada');
  await play.as('ada').startRun({ run_id: run.run_id, cycle, runtime: 'workflow' });
  assert.equal(dataOf(await runs.settle('ada', run.run_id, { state: 'done', summary: 'Done.' })).run.state, 'done');
});

test('a run without usable manifests is refused with the reason, and so is a workflow with continues or output_schema', async () => {
  await refuses(give('bob'), 'manifests_unusable', /bob-manifests has no label: label it/);
  await refuses(give('cleo'), 'no_manifests', /cleo has no ConfigMap/);
  await refuses(give('zoe'), 'no_such_agent');
  const { run_id } = await runs.give('cleo');
  dataOf(await runs.cancel(run_id));
  const beside = /cannot be combined with continues or output_schema/;
  await refuses(give('ada', { continues: run_id }), 'validation_failed', beside);
  await refuses(give('ada', { output_schema: { type: 'string' } }), 'validation_failed', beside);
  await refuses(give('ada', { workflow: { input_json: '{' } }), 'validation_failed', /write a JSON value/);
  const overrides = Array.from({ length: 90 }, () => ({ kind: 'x'.repeat(400) }));
  await refuses(give('ada', { workflow: { overrides } }), 'validation_failed', /32768 characters/);
  const numbers = { kind: 'x', numbers: Array.from({ length: 4_500 }, () => 1e308) };
  assert.equal(await codeOf(give('ada', { workflow: { overrides: [numbers] } })), null, 'the longest numbers fit');
  await runs.finishAll('ada');
});

test('other members see the pipeline and the tags of a run, and neither its input nor its overrides', async () => {
  const workflow = { pipeline: 'quick', tags: ['text'], input_json: '"walnut"', overrides: [{ kind: 'walnut' }] };
  const { run } = dataOf(await give('dan', { workflow }));
  const shown = (await member.getRun({ run_id: run.run_id })).run;
  assert.deepEqual(shown.workflow, { pipeline: 'quick', tags: ['text'], manifests: run.workflow?.manifests });
  assert.doesNotMatch(JSON.stringify(await member.listRuns({ agent_id: 'dan' })), /walnut/);
  const own = dataOf(await give('dan', { workflow }, member)).run;
  assert.deepEqual((await member.getRun({ run_id: own.run_id })).run.workflow, own.workflow);
  const { runs: listed } = await member.listRuns({ agent_id: 'dan' });
  assert.deepEqual(listed[0]?.workflow, shown.workflow, 'lists leave out long texts for their person too');
  await runs.finishAll('dan');
});

test('two replicas create runs with the same manifests at once, and keep them once', async () => {
  const files: ManifestFiles = [{ path: 'workflow.yaml', text: 'id: at-once\n' }];
  maps.set('eve', accepted(files));
  maps.set('fay', accepted(files));
  const before = await countManifests();
  const other = await village.startReplica({}, { agents: { manifestSource } });
  const clients = [admin, clientOf(other.peopleUrl, TOKENS.admin)];
  const made = await Promise.all(
    Array.from({ length: 12 }, (_, at) => give(at % 2 === 0 ? 'eve' : 'fay', {}, clients[at % 3 === 0 ? 0 : 1])),
  );
  const hashes = new Set(made.map((each) => dataOf(each).run.workflow?.manifests));
  assert.deepEqual([hashes.size, await countManifests()], [1, before + 1]);
  for (const each of made) dataOf(await runs.cancel(dataOf(each).run.run_id));
});

test('retention deletes manifests without runs, but not those of a run that is being created', async () => {
  const files: ManifestFiles = [{ path: 'workflow.yaml', text: 'id: kept\n' }];
  maps.set('cleo', accepted(files));
  const { run } = dataOf(await give('cleo'));
  dataOf(await runs.cancel(run.run_id));
  const isKept = async (): Promise<boolean> => {
    const kept = await db.selectFrom('workflow_manifests').select('sha256').execute();
    return kept.some(({ sha256 }) => sha256 === run.workflow?.manifests);
  };
  const age = () =>
    db
      .updateTable('workflow_manifests')
      .set({ used_at: new Date(Date.now() - 2 * HOUR_MS) })
      .execute();
  await age();
  await forgetManifests(db);
  assert.ok(await isKept(), 'its run still exists');
  await db.deleteFrom('run').where('run_id', '=', run.run_id).execute();
  await inTransaction(db, async (tx) => {
    await keepManifests(tx, files);
    await forgetManifests(db);
  });
  await forgetManifests(db);
  assert.ok(await isKept(), 'a transaction has just used them');
  await age();
  await forgetManifests(db);
  assert.ok(!(await isKept()));
  const { run: next } = dataOf(await give('cleo'));
  const change = db.updateTable('run').set({ manifests: null, workflow: null }).where('run_id', '=', next.run_id);
  await assert.rejects(change.execute(), /never change/);
});
