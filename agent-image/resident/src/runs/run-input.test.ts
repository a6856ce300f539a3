import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mindOfRuntime } from '@hamlet/core/mind';
import type { RunWork } from '@hamlet/engine';
import { NEW_TO_LIFE } from '../brain/life/life-mind.ts';
import { anEntry } from '../testing/a-board.ts';
import { aConfig, aRun, RUN_ID } from '../testing/a-village.ts';
import { scriptedVillage } from '../testing/scripted-village.ts';
import { inputOf, memoryAudienceOf, NO_WORKPLACE } from './run-input.ts';

test("a conversation has the agent's judgements, plan and last decisions, so that it can explain them; a task has none", async () => {
  const village = scriptedVillage();
  village.runs.push(aRun('Why?'));
  village.boardKit.entries.push(
    anEntry({ reason: 'penalty', amount: '-45', note: 'too many words' }),
    anEntry({ amount: '50', note: 'a clear question' }),
  );
  const started = await village.startRun(RUN_ID, 1, mindOfRuntime('engine'));
  assert.ok(started.kind === 'ok');
  const recent = [
    { option: 'ask', why: 'I do not know', purpose: '', tick: 1 },
    { option: 'stay', why: 'I was penalized', purpose: 'bread', tick: 2 },
  ];
  const plan = [{ fromMinute: 1_380, goal: 'say less' }];
  const tree = { repo: null, branch: null };
  const life = () => ({ ...NEW_TO_LIFE, plan, recent });
  const now = new Date('2026-11-28T22:10:00Z');
  const ports = { village, config: aConfig(), life, workplace: NO_WORKPLACE, now, tree, memoryPath: '' };
  const session = { session_id: RUN_ID, people: [{ id: 'a', name: 'Fabian' }], repository: null };
  const talk = { ...started.value, session };
  const { input } = await inputOf(ports, talk, {} as RunWork);
  const lately = [
    'Your rewards and penalties, newest first:',
    '- A penalty of 45 aiD, because: “too many words”.',
    '- A reward of 50 aiD, because: “a clear question”.',
    'Your plan for today: 23:00 say less.',
    'Your last own decisions, newest first:',
    '- stay (bread): “I was penalized”',
    '- ask: “I do not know”',
  ];
  assert.ok(input.prompt.situation.includes(lately.join('\n')), input.prompt.situation);
  const poor = { ...talk, budgets: { ...talk.budgets, money: '0.000001' } };
  const { input: free } = await inputOf(ports, poor, {} as RunWork);
  assert.match(input.prompt.situation, /This run may use .* aiDollars and/);
  assert.match(
    free.prompt.situation,
    /This run may use \d+ answers, \d+ tokens and \d+ minutes/,
    'its models cost nothing',
  );
  const task = await inputOf(ports, started.value, {} as RunWork);
  assert.ok(!/penalty|decisions/.test(task.input.prompt.situation), task.input.prompt.situation);
  assert.match(task.input.prompt.situation, /An admin of the village gave you this run\./);
  const given = { ...started.value.run, created_by: { role: 'member', id: 'account 1', name: 'Mia' } };
  const named = await inputOf(ports, { ...started.value, run: given }, {} as RunWork);
  assert.match(named.input.prompt.situation, /Mia \(member\) gave you this run\./);
  const formed = await inputOf(ports, { ...started.value, output_schema: { type: 'integer' } }, {} as RunWork);
  assert.deepEqual([task.input.output, formed.input.output], [undefined, { schema: { type: 'integer' }, answers: 5 }]);
});

test('a run uses the memory of its repository for the people of its session, or for everybody without a session', () => {
  const session = { session_id: RUN_ID, people: [{ id: 'mia', name: 'Mia' }], repository: null };
  const inSession = aRun('Work.', { session_id: RUN_ID });
  assert.deepEqual(memoryAudienceOf({ run: inSession, session }), ['mia', 'a']);
  assert.equal(memoryAudienceOf({ run: aRun('Work.'), session: null }), null);
  const worker = { parent_run_id: RUN_ID, call_id: '1.0', role: 'helper', depth: 1 };
  const own = { ...inSession, worker } as typeof inSession;
  assert.deepEqual(memoryAudienceOf({ run: own, session: null }), [`run ${RUN_ID}`], 'it does not know the people');
});
