/** The sample workflows of the village at work, from the command line: resident processes, real hands, and a model that is scripted. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';
import type { WorkflowStage } from '@hamlet/contract';
import { OPENAI_WIRE, startWireServer, type WireAnswer } from '@hamlet/models/testing';
import { testFolder, untilEnd } from '@hamlet/test/env/at-end';
import { dataOf } from '@hamlet/test/env/client';
import { payForModels, startHandsVillage } from '../../testing/hands-village.ts';
import { firingBody, leaderOf, RunPlay } from '../../testing/play/run-play.ts';
import { testResidents } from '../../testing/resident-process.ts';
import { eventually, TOKENS, type TestVillage } from '../../testing/test-village.ts';
import { unending } from '../testing/call-mind.ts';

const ROOT = resolve(import.meta.dirname, '../../../../..');
const PLUGIN = join(ROOT, 'cli/kubectl/src/main.ts');
const SAMPLES = join(ROOT, 'crds/samples');
const RULES = [{ tools: ['read', 'publish', 'delegate'], verdict: 'allow' }];

/** The agents of the samples, by words of their instructions, and their answers. */
const AGENTS: readonly (readonly [agent: string, instructions: string, answer: unknown])[] = [
  ['correctness', 'Look only for what is wrong', { score: 4, faults: ['line 3: the sum is off by one'] }],
  ['clarity', 'Look only at its form', { score: 3, faults: [] }],
  ['risk', 'Look only for harm', { score: 5, faults: [] }],
  ['judge', 'Make one verdict', { verdict: 'change', score: 4, faults: ['line 3'], summary: 'Mend the sum.' }],
  ['stand-in', 'a short report of the day', { title: 'A quiet day', body: 'Nothing new on the board.' }],
];
/** Agents whose answers do not end. */
const held = new Set<string>();
/** How often each agent has answered. */
const answered = new Map<string, number>();

interface Body {
  readonly messages: readonly { readonly role: string; readonly content?: string | null }[];
}

function answerTo({ messages }: Body): WireAnswer {
  const text = JSON.stringify(messages);
  const [agent, , answer] = AGENTS.find(([, instructions]) => text.includes(instructions)) ?? [];
  if (agent === undefined) return OPENAI_WIRE.stream({ text: ['Good day.'] });
  if (held.has(agent)) return unending();
  answered.set(agent, (answered.get(agent) ?? 0) + 1);
  return OPENAI_WIRE.stream({ text: [typeof answer === 'string' ? answer : JSON.stringify(answer)] });
}

const mind = await startWireServer([], {
  otherwise: ({ method, body }) =>
    method === 'GET'
      ? { chunks: [JSON.stringify({ object: 'list', data: [{ id: 'up-model', object: 'model' }] })] }
      : answerTo(body as Body),
});

/** The reporter of the nightly report has the model `large`, which is the scripted mind: it writes no report. */
async function environmentOf(village: TestVillage): Promise<Record<string, string>> {
  await village.writeSample('good-entitlement-tier-0.yaml', (text) => text.replace('[small]', '[small, large]'));
  return { HAMLET_TOOL_RULES: JSON.stringify(RULES) };
}

type Texts = Readonly<Record<string, string>>;

const manifestsOf = (name: string): Readonly<Record<string, string>> =>
  (parse(readFileSync(join(SAMPLES, `manifests-${name}.yaml`), 'utf8')) as { data: Texts }).data;

const manifests = { ada: manifestsOf('review'), cleo: manifestsOf('nightly-report') };
const village = untilEnd(await startHandsVillage(mind, { environmentOf, manifests }));
const runs = new RunPlay(village.peopleUrl);
const { play } = runs;
const residents = testResidents(play, ['ada', 'cleo']);
await payForModels(play, ['ada', 'cleo']);
/** Outside every village folder, because the plugin searches the parents of its folder for up.json. */
const folder = testFolder('sample-workflows');

interface Said {
  readonly code: number;
  readonly out: string;
  readonly notes: string;
}

/** Runs the plugin to its end. */
async function hamlet(words: readonly string[]): Promise<Said> {
  const env = { ...process.env, HAMLET_URL: play.url, HAMLET_TOKEN: TOKENS.admin, KUBECONFIG: '' };
  const child = spawn(process.execPath, [PLUGIN, ...words], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let [out, notes] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (notes += chunk.toString()));
  const [code] = await once(child, 'close');
  return { code: Number(code), out, notes };
}

const stagesOf = async (runId: string): Promise<readonly WorkflowStage[]> =>
  (await play.admin.getRunWorkflow({ run_id: runId })).stages;
const statesOf = (stages: readonly WorkflowStage[]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    stages.map(({ stage, status, attempt }) => [stage, attempt > 1 ? `${status} ${attempt}` : status]),
  );

/** Waits until a stage has a state, and returns the others. */
const untilStage = (runId: string, stage: string, state: string): Promise<Readonly<Record<string, string>>> =>
  eventually(`${stage} ${state}`, async () => {
    const states = statesOf(await stagesOf(runId));
    return states[stage] === state ? states : null;
  });

async function killed(child: Parameters<typeof residents.kill>[0]): Promise<void> {
  await residents.kill(child);
  await play.admin.rebootAgent({ agent_id: 'ada' });
}

const REVIEWED = {
  correctness: 'completed',
  clarity: 'completed',
  risk: 'completed',
  reviews: 'completed',
  verdict: 'completed',
};
let reviewed = '';

test('three critics make one verdict; killed twice, the resident asks no agent again that has answered', async () => {
  held.add('risk');
  const first = await residents.start('ada');
  const given = await hamlet(['workflow', 'run', 'ada', 'Review the patch of the till', '--json']);
  assert.equal(given.code, 0, given.notes);
  const { run_id: runId } = JSON.parse(given.out) as { readonly run_id: string };
  await eventually('two reviews', async () => {
    const { correctness, clarity, risk } = statesOf(await stagesOf(runId));
    return correctness === 'completed' && clarity === 'completed' && risk === 'running';
  });
  await killed(first);
  held.add('judge');
  held.delete('risk');
  const second = await residents.start('ada');
  await untilStage(runId, 'verdict', 'running');
  await killed(second);
  held.clear();
  await residents.start('ada');
  const run = await runs.ended(runId);
  assert.deepEqual([run.state, run.error], ['done', null], run.summary ?? '');
  assert.deepEqual(statesOf(await stagesOf(runId)), REVIEWED);
  assert.deepEqual(Object.fromEntries(answered), { correctness: 1, clarity: 1, risk: 1, judge: 1 });
  const { workers } = await play.admin.listWorkers({ agent_id: 'ada', parent_run_id: runId });
  assert.equal(workers.length, 4, 'a worker for each agent');
  const shown = await hamlet(['workflow', 'show', runId]);
  assert.match(shown.out, /\nverdict +agent +completed .*\n\ndone: [^]*Mend the sum\./);
  reviewed = runId;
});

test('a stage is repeated with another input, and what was before it is taken over', async () => {
  await residents.start('ada');
  answered.clear();
  const input = { text: 'The patch as it is now', reviews: {} };
  const words = ['workflow', 'resume', reviewed, '--from=verdict', `--input=${JSON.stringify(input)}`];
  const { code, out, notes } = await hamlet(words);
  assert.equal(code, 0, notes);
  assert.match(notes, new RegExp(`^run \\S+ repeats ${reviewed} from verdict on\n`));
  assert.equal((JSON.parse(out) as { readonly verdict: string }).verdict, 'change');
  assert.deepEqual(Object.fromEntries(answered), { judge: 1 });
  const isAsked = mind.requests.some(({ body }) => JSON.stringify(body).includes('The patch as it is now'));
  assert.ok(isAsked, 'the agent reads the new input');
});

test('a Schedule has the nightly report written; its first model fails, so the agent with the other one writes it', async () => {
  await residents.start('cleo');
  const body = firingBody({ schedule_uid: 'nightly', agents: ['cleo'], prompt: 'Report on the day.' });
  const fired = dataOf(
    await leaderOf(play.url, 'lease-workflow:1').raw.fireSchedule({ ...body, workflow: { pipeline: 'default' } }),
  );
  const runId = fired.runs[0]?.run_id ?? '';
  const run = await runs.ended(runId);
  assert.deepEqual([run.state, run.error], ['done', null], run.summary ?? '');
  const stages = await stagesOf(runId);
  assert.deepEqual(statesOf(stages), {
    write: 'failed',
    'write-short': 'completed',
    report: 'completed',
    post: 'completed',
    done: 'completed',
  });
  assert.deepEqual(stages[0]?.edges, ['write->write-short']);
  const { posts } = await play.admin.listPosts({ q: 'A quiet day', limit: 5 });
  assert.deepEqual([posts.length, answered.get('stand-in')], [1, 1]);
});
