/** The example on a repository with a failing test: real files and processes, and a model that follows a script. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { test } from 'node:test';
import { Engine, type ModelRequest, type Task } from '@hamlet/engine/workflow';
import { testFolder } from '@hamlet/test/env/at-end';
import { answeringModel, instructionsOf, type Reply } from '../../testing/answering-model.ts';

const folder = testFolder('gremlin');
const PATH = `${dirname(process.execPath)}${delimiter}${process.env['PATH'] ?? ''}`;
const TEST = `
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { add } from './add.js';
test('adds', () => assert.equal(add(2, 3), 5));
`;
const WRONG = 'export const add = (a, b) => a - b;\n';
const RIGHT = 'export const add = (a, b) => a + b;\n';

const patch = (content: string, path = 'src/add.js'): string =>
  JSON.stringify({ cause: 'add subtracts', files: [{ path, content }] });
const review = (good: boolean): string => JSON.stringify({ good, mend: good ? [] : ['add 2 and 3 by hand'] });

type Ran = Readonly<{ task: Task; root: string; asked: readonly ModelRequest[] }>;
let repositories = 0;

/** Runs a task on a new repository. Coder and critic give their replies in order. */
async function run(
  script: Readonly<{ coder?: readonly Reply[]; critic?: readonly Reply[] }>,
  { source = WRONG, tags = [] }: Readonly<{ source?: string; tags?: readonly string[] }> = {},
): Promise<Ran> {
  const root = join(folder, `repository-${(repositories += 1)}`);
  mkdirSync(join(root, 'src'), { recursive: true });
  writeFileSync(join(root, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(root, 'src/add.js'), source);
  writeFileSync(join(root, 'src/add.test.js'), TEST);
  const asked: ModelRequest[] = [];
  const left = { coder: [...(script.coder ?? [])], critic: [...(script.critic ?? [])] };
  const models = answeringModel((request) => {
    asked.push(request);
    const queue = instructionsOf(request).includes('Judge the patch') ? left.critic : left.coder;
    return queue.shift() ?? assert.fail('the script has no more replies');
  });
  const env = { PATH };
  const engine = await Engine.fromConfigDir(import.meta.dirname, {
    models,
    env,
    workspace: root,
    data: `${root}-data`,
  });
  try {
    const task = await engine.runOne({ input: { test: ['node', '--test', 'src/add.test.js'] }, tags });
    assert.deepEqual(left, { coder: [], critic: [] }, 'replies are left over');
    return { task, root, asked };
  } finally {
    await engine.close();
  }
}

const sourceIn = (root: string): string => readFileSync(join(root, 'src/add.js'), 'utf8');

test('a failing test is found and mended, after a review that sent the first patch back', async () => {
  const { task, root, asked } = await run({
    coder: [[['read', { path: 'src/add.js' }]], patch('export const add = () => 5;\n'), patch(RIGHT)],
    critic: [review(false), review(true)],
  });
  assert.deepEqual([task.status, task.output], ['COMPLETED', { result: 'mended', cause: 'add subtracts' }]);
  assert.equal(sourceIn(root), RIGHT);
  const words = asked.map((request) => JSON.stringify(request.messages));
  assert.match(words[0] ?? '', /node.*--test/, 'the coder knows the test');
  assert.match(words[1] ?? '', /a - b/, 'the coder has read the source');
  assert.match(words[3] ?? '', /add 2 and 3 by hand/, 'the coder knows the review');
  assert.equal(task.stages.find(({ id }) => id === 'propose')?.round, 2);
});

test('a repository whose tests pass needs no model', async () => {
  const { task, asked } = await run({}, { source: RIGHT });
  assert.deepEqual([task.output, asked], [{ result: 'green' }, []]);
});

test('a patch that the critic never accepts is not written', async () => {
  const { task, root } = await run({
    coder: [patch('1'), patch('2'), patch('3')],
    critic: [review(false), review(false), review(false)],
  });
  assert.partialDeepStrictEqual(task.output, { result: 'rejected', feedback: { good: false } });
  assert.equal(sourceIn(root), WRONG);
});

test('with the tag strict, a patch must be accepted at once', async () => {
  const sentBack = { coder: [patch('1'), patch(RIGHT)], critic: [review(false), review(true)] };
  const { task, root } = await run(sentBack, { tags: ['strict'] });
  assert.equal(task.pipeline, 'strict');
  assert.partialDeepStrictEqual(task.output, { result: 'rejected' });
  assert.equal(sourceIn(root), WRONG);
});

test('a patch of the test itself is denied by the permissions, and the report says so', async () => {
  const { task, root } = await run({ coder: [patch('', 'src/add.test.js')], critic: [review(true)] });
  assert.partialDeepStrictEqual(task.output, { result: 'failed', failure: { stage: 'apply', category: 'permission' } });
  assert.equal(readFileSync(join(root, 'src/add.test.js'), 'utf8'), TEST);
});

test('a patch that does not mend the test leads to the report', async () => {
  const { task } = await run({ coder: [patch('export const add = () => 4;\n')], critic: [review(true)] });
  assert.partialDeepStrictEqual(task.output, {
    result: 'failed',
    failure: { stage: 'tests_again', code: 'command_failed' },
  });
  assert.match(JSON.stringify(task.output), /adds/);
});
