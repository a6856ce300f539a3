import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { testFolder } from '@hamlet/test/env/at-end';
import { whyNot, type AttemptResult } from './attempt.ts';
import { comparisonOf, readResults, tableOf } from './results.ts';
import { runAll, type Trial } from './run-all.ts';
import { modelsOf, readSettings } from './settings.ts';
import { readTasks } from './task.ts';
import { answerTo } from './watch-run.ts';

const { tasks } = readTasks(join(import.meta.dirname, 'tasks'));
const { play } = tasks.find(({ name }) => name === 'refused-push') ?? { play: { workers: 0, deny_if: /^/ } };

const result = (task: string, attempt: number, changes: Partial<AttemptResult> = {}): AttemptResult => ({
  task,
  kind: 'repair',
  attempt,
  solved: true,
  state: 'done',
  code: null,
  why: null,
  steps: 10,
  tokens: 20_000,
  cost: '0.5',
  minutes: 2,
  ...changes,
});
const failed = { solved: false, why: 'tests: a | b', steps: 30, minutes: 4 };

test('the table has a row for each task, with means and reasons, and a row for all', () => {
  const attempts = [result('b', 1), result('a', 1), result('a', 2, failed)];
  assert.equal(
    tableOf({ model: 'm', date: '2026-01-31', attempts }),
    [
      '| task | solved | steps | tokens | ai$ | minutes | why not |',
      '| --- | --- | --- | --- | --- | --- | --- |',
      '| a | 1 of 2 | 20.0 | 20k | 0.500 | 3.0 | tests: a \\| b |',
      '| b | 1 of 1 | 10.0 | 20k | 0.500 | 2.0 |  |',
      '| **all** | 2 of 3 | 16.7 | 20k | 0.500 | 2.7 |  |',
    ].join('\n'),
  );
});

test('a comparison has a column for each file, and an empty cell for each task that a model lacks', () => {
  const of = (model: string, ...attempts: AttemptResult[]) => ({ model, date: '2026-01-31', attempts });
  const lines = comparisonOf([of('m', result('a', 1)), of('n', result('b', 1, failed))]).split('\n');
  assert.equal(lines[0], '| task | m, 2026-01-31 | n, 2026-01-31 |');
  assert.deepEqual(lines.slice(2, 5), [
    '| a | 1 of 1, 10.0 steps, 20k tokens, 0.500 ai$, 2.0 min |  |',
    '| b |  | 0 of 1, 30.0 steps, 20k tokens, 0.500 ai$, 4.0 min |',
    '| **solved** | 1 of 1 | 0 of 1 |',
  ]);
});

test('a second call continues: it keeps results, and repeats only what the village broke', async () => {
  const file = join(testFolder('eval-results'), 'm.json');
  const [one, two] = tasks;
  assert.ok(one !== undefined && two !== undefined);
  const lines: string[] = [];
  const stopping = new AbortController();
  const trial = (attempt: Trial['attempt'], attempts = 2): Trial => {
    const { signal } = stopping;
    return {
      model: 'm',
      date: '2026-01-31',
      file,
      tasks: [one, two],
      attempts,
      signal,
      attempt,
      print: (line) => void lines.push(line),
    };
  };
  const left = await runAll(
    trial(async ({ name }, number) => {
      if (name === two.name) throw new Error('the API is away');
      return result(name, number);
    }),
  );
  assert.match(
    lines.join('\n'),
    new RegExp(`✔ ${one.name} 1  10 steps, 20k tokens, 2 min\n! ${two.name} 1  not counted: Error: the API is away`),
  );
  assert.equal(left, 2);
  assert.match(lines.at(-1) ?? '', /Left: 2 of the attempts/);
  const again: string[] = [];
  await runAll(
    trial(async ({ name }, number) => {
      again.push(`${name} ${number}`);
      stopping.abort();
      return result(name, number, failed);
    }),
  );
  assert.deepEqual(again, [`${two.name} 1`]);
  const { attempts } = readResults(file, '', '');
  assert.deepEqual(
    attempts.map(({ task, attempt, solved }) => [task, attempt, solved]),
    [
      [one.name, 1, true],
      [one.name, 2, true],
      [two.name, 1, false],
    ],
  );
  assert.match(readFileSync(file.replace('.json', '.md'), 'utf8'), /^# m, 2026-01-31\n\n\| task /);
});

test('the person of a task refuses what the task says, allows the rest, and answers questions', () => {
  const asked = (tool: string, text: string, why: 'policy' | 'question' | 'unknown' = 'policy') => ({
    tool,
    why,
    arguments: text,
  });
  const words = 'Not today: the shop is open. Leave the release here, I push it tonight.';
  assert.deepEqual(answerTo(asked('shell', '{"command":"git push origin main"}'), play), {
    answer: 'deny',
    reply: words,
  });
  assert.deepEqual(answerTo(asked('git', '{"action":"push"}'), play), { answer: 'deny', reply: words });
  assert.deepEqual(answerTo(asked('git_push', '{"host":"git.example.org"}'), play).answer, 'deny');
  assert.deepEqual(answerTo(asked('write_file', '{"content":"git push is left"}'), play), { answer: 'allow' });
  const outside = { answer: 'deny', reply: 'This task needs nothing from outside.' };
  assert.deepEqual(answerTo(asked('reach_host', '{"host":"example.org"}'), play), outside);
  assert.deepEqual(answerTo(asked('ask_human', '{}', 'question'), play), { answer: 'allow', reply: words });
  assert.deepEqual(answerTo(asked('shell', '{}', 'unknown'), play).answer, 'happened');
});

test('an attempt names the first reason why it is not solved', () => {
  const run = { error: null } as Parameters<typeof whyNot>[0]['run'];
  const error = { code: 'budget_steps', message: 'The steps are used up' };
  const reboot = { ...play, reboot_after_calls: 2, workers: 2 };
  const why = (changes: object): string | null =>
    whyNot({
      task: { play, agentS: 600 },
      run,
      isRebooted: false,
      isOverTime: false,
      reward: 1,
      said: 'boom',
      workers: 0,
      ...changes,
    });
  assert.equal(why({}), null);
  assert.equal(why({ isOverTime: true }), 'not done within 10 minutes');
  assert.equal(why({ reward: 0 }), 'tests: boom');
  assert.equal(why({ reward: Number.NaN }), 'the tests gave no result: boom');
  assert.equal(why({ reward: 0, run: { ...run, error } }), 'budget_steps: The steps are used up');
  assert.equal(why({ run: { ...run, error } }), null);
  assert.equal(why({ task: { play: reboot, agentS: 600 } }), 'ended before the reboot');
  assert.equal(why({ task: { play: reboot, agentS: 600 }, isRebooted: true, workers: 1 }), '1 of 2 workers');
});

test('settings name several models, and each wrong variable', () => {
  const models = (env: object): readonly object[] => modelsOf(readSettings({ ...env }));
  assert.deepEqual(models({ MODEL: 'http://a/v1', MODEL_NAME: 'x,y' }), [
    { MODEL: 'http://a/v1', MODEL_NAME: 'x' },
    { MODEL: 'http://a/v1', MODEL_NAME: 'y' },
  ]);
  assert.deepEqual(models({ MODEL: 'http://a/v1 http://b/v1', TASKS: '' }), [
    { MODEL: 'http://a/v1', MODEL_NAME: undefined },
    { MODEL: 'http://b/v1', MODEL_NAME: undefined },
  ]);
  assert.deepEqual(models({ COMPARE: 'a.json' }), []);
  assert.throws(() => readSettings({}), /set MODEL to an address/);
  assert.throws(
    () => readSettings({ MODEL: 'village', ATTEMPTS: '0', MONEY: 'much' }),
    /ATTEMPTS[^]*MONEY|MONEY[^]*ATTEMPTS/,
  );
  assert.throws(() => readSettings({ MODEL: 'village', CLUSTER: 'current' }), /HAMLET_URL/);
});
