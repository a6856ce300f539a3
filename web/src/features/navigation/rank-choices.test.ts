import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aRun } from '../../client/minds/minds.fixture.ts';
import { actChoices, agentChoices, pageChoices, rankChoices, runChoices } from './rank-choices.ts';

const words = (choices: readonly { readonly word: string }[]): readonly string[] => choices.map(({ word }) => word);

test('choices that begin with the text come first, then those with a word that does, then those with it in any part', () => {
  const agents = agentChoices(['Market', 'Ada Marsh', 'Bob', 'Omar'].map((name) => ({ id: name, name })));
  assert.deepEqual(words(rankChoices(agents, ' MAR')), ['Market', 'Ada Marsh', 'Omar']);
  assert.deepEqual(words(rankChoices(agents, 'marsh ad')), ['Ada Marsh']);
  assert.deepEqual(words(rankChoices(agents, '')), words(agents));
  assert.deepEqual(rankChoices(agents, 'zoe'), []);
  const crowd = agentChoices(Array.from({ length: 40 }, (_, index) => ({ id: `a${index}`, name: `Agent ${index}` })));
  assert.equal(rankChoices(crowd, 'agent').length, 9);
});

test('a role is offered only its pages', () => {
  assert.ok(words(pageChoices('admin')).includes('Audit'));
  assert.ok(!words(pageChoices('member')).includes('Audit'));
});

test('a word of a hint finds a page, after the names', () => {
  assert.deepEqual(words(rankChoices(pageChoices('admin'), 'invit')), ['People']);
  assert.deepEqual(words(rankChoices(pageChoices('admin'), 'mod')), ['Moderation', 'Models']);
  assert.deepEqual(words(rankChoices(pageChoices('admin'), 'prices')), ['Market', 'Models']);
});

test('an act of a role opens the panel of its agent', () => {
  const agents = [{ id: 'ada', name: 'Ada' }];
  assert.deepEqual(actChoices(agents, 'visitor'), []);
  const [reward] = rankChoices([...agentChoices(agents), ...actChoices(agents, 'member')], 'reward ada');
  assert.deepEqual([reward?.agent, reward?.place], ['ada', { view: 'map', tab: 'money', chat: null }]);
  assert.deepEqual(words(rankChoices([...agentChoices(agents), ...actChoices(agents, 'member')], 'ada')), [
    'Ada',
    'Talk to Ada',
    'Give Ada a task',
    'Reward or penalize Ada',
  ]);
});

test('the messages of a conversation are one choice, and a private task is none', () => {
  const run = { agent_id: 'ada', prompt: 'Bake\nbread' };
  const session = '01a20000-0000-7000-8000-00000000000b';
  const runs = [
    aRun({ ...run, run_id: '01a20000-0000-7000-8000-000000000001', session_id: null }),
    aRun({ ...run, run_id: '01a20000-0000-7000-8000-000000000002', session_id: session }),
    aRun({ ...run, run_id: '01a20000-0000-7000-8000-000000000003', session_id: session }),
    aRun({ ...run, run_id: '01a20000-0000-7000-8000-000000000004', session_id: null, veiled: true }),
  ];
  const choices = runChoices(runs, () => 'Ada');
  assert.deepEqual(
    choices.map(({ kind, word }) => [kind, word]),
    [
      ['Run', 'Bake bread · Ada'],
      ['Conversation', 'Bake bread · Ada'],
    ],
  );
  assert.deepEqual(choices[1]?.place, { tab: 'chat', chat: session });
});
