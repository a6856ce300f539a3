/** Each pattern, run by the public entry of the engine alone. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { Engine, type ModelRequest, type Task } from '@hamlet/engine/workflow';
import { testFolder } from '@hamlet/test/env/at-end';
import { answeringModel, instructionsOf, wordsOf, type Reply } from '../testing/answering-model.ts';

const data = testFolder('patterns');
let folders = 0;

async function run(
  pattern: string,
  replyTo: (request: ModelRequest) => Reply,
  ...inputs: readonly ((before: Task | undefined) => unknown)[]
): Promise<readonly Task[]> {
  const engine = await Engine.fromConfigDir(join(import.meta.dirname, pattern), {
    models: answeringModel(replyTo),
    data: join(data, `${(folders += 1)}`),
  });
  const tasks: Task[] = [];
  try {
    for (const input of inputs) tasks.push(await engine.runOne({ input: input(tasks.at(-1)) }));
  } finally {
    await engine.close();
  }
  return tasks;
}

const statusOf = (task: Task | undefined, id: string): string | undefined =>
  task?.stages.find((stage) => stage.id === id)?.status;

/** The vote of the committee's member that asks, in its first or its second round. */
const votes =
  (first: readonly [string, string, string], second: readonly [string, string, string]) =>
  (request: ModelRequest): Reply => {
    const instructions = instructionsOf(request);
    if (instructions.includes('does not agree')) {
      const member = ['optimist', 'skeptic', 'pragmatist'].findIndex((name) =>
        wordsOf(request).includes(`"member": "${name}"`),
      );
      return JSON.stringify(second[member]);
    }
    const member = ['would work', 'would fail', 'weigh'].findIndex((words) => instructions.includes(words));
    return JSON.stringify({ vote: first[member], reason: `reason ${member}` });
  };

test('a committee that agrees has its verdict at once', async () => {
  const same = ['approve', 'approve', 'approve'] as const;
  const [task] = await run('committee', votes(same, same), () => ({ question: 'Paint the mill?' }));
  assert.partialDeepStrictEqual(task, { status: 'COMPLETED', output: { verdict: 'approve', by: 'consensus' } });
  assert.equal(statusOf(task, 'debate'), 'SKIPPED');
});

test('a committee that does not agree reads all reasons, votes again, and the majority decides', async () => {
  const model = votes(['approve', 'reject', 'approve'], ['reject', 'reject', 'approve']);
  const [task] = await run('committee', model, () => ({ question: 'Paint the mill?' }));
  assert.partialDeepStrictEqual(task, {
    status: 'COMPLETED',
    output: { verdict: 'reject', by: 'vote', opinions: { skeptic: { vote: 'reject', reason: 'reason 1' } } },
  });
});

test('a supervisor orders, workers work side by side, and an answer is mended until the reviewer accepts it', async () => {
  const seen: string[] = [];
  let reviews = 0;
  const model = (request: ModelRequest): Reply => {
    const instructions = instructionsOf(request);
    if (instructions.includes('You lead'))
      return JSON.stringify({ researcher: 'order 1', engineer: 'order 2', critic: 'order 3' });
    if (instructions.includes('Compare')) {
      reviews += 1;
      return JSON.stringify({ good: reviews > 1, mend: reviews > 1 ? [] : ['name the costs'] });
    }
    if (!instructions.includes('Write one answer')) return `work on ${/order \d/.exec(wordsOf(request))?.[0]}`;
    seen.push(wordsOf(request));
    return `answer ${seen.length}`;
  };
  const [task] = await run('supervisor', model, () => 'Mend the roof.');
  assert.partialDeepStrictEqual(task, {
    status: 'COMPLETED',
    output: { result: 'answer 2', rounds: 2, accepted: true },
  });
  assert.match(seen[0] ?? '', /Mend the roof[\s\S]*work on order 1[\s\S]*work on order 2[\s\S]*work on order 3/);
  assert.match(seen[1] ?? '', /answer 1[\s\S]*name the costs/);
});

test('a chat carries its turns from task to task, and answers even if the model fails', async () => {
  const model = (request: ModelRequest): Reply => {
    const words = wordsOf(request);
    if (words.includes('Go on.')) return { fails: 'auth' };
    return words.includes('I am Mira') && words.includes('Who am I?') ? 'You are Mira.' : 'Good day.';
  };
  const turn = (message: string) => (before: Task | undefined) => ({
    message,
    history: (before?.output as { history: readonly unknown[] } | undefined)?.history ?? [],
  });
  const tasks = await run('chat', model, turn('I am Mira.'), turn('Who am I?'), turn('Go on.'));
  assert.deepEqual(
    tasks.map(({ output }) => (output as { reply: string }).reply),
    ['Good day.', 'You are Mira.', 'I cannot answer now. Please try again in a minute.'],
  );
  assert.partialDeepStrictEqual(tasks[2]?.output, { history: [{ person: 'I am Mira.' }, { you: 'You are Mira.' }] });
});
