import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RunWork } from '@hamlet/engine';
import { NEW_TO_LIFE } from '../brain/life/life-mind.ts';
import { anEntry } from '../testing/a-board.ts';
import { aConfig, aRun, RUN_ID } from '../testing/a-village.ts';
import { scriptedVillage } from '../testing/scripted-village.ts';
import { inputOf } from './run-input.ts';

test("the prompt of a run has the agent's judgements, plan and last decisions, so that it can explain them", async () => {
  const village = scriptedVillage();
  village.runs.push(aRun('Why?'));
  village.boardKit.entries.push(
    anEntry({ reason: 'penalty', amount: '-45', note: 'too many words' }),
    anEntry({ amount: '50', note: 'a clear question' }),
  );
  const started = await village.startRun(RUN_ID, 1, 'engine');
  assert.ok(started.kind === 'ok');
  const recent = [
    { option: 'ask', why: 'I do not know', purpose: '', tick: 1 },
    { option: 'stay', why: 'I was penalized', purpose: 'bread', tick: 2 },
  ];
  const plan = [{ fromMinute: 1_380, goal: 'say less' }];
  const tree = { repo: null, branch: null };
  const ports = { village, config: aConfig(), life: () => ({ ...NEW_TO_LIFE, plan, recent }), tree, memoryPath: '' };
  const { input } = await inputOf(ports, started.value, {} as RunWork);
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
});
