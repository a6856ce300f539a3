import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { diceOf, seedOf, type Dice } from '../testing/dice.ts';
import { buildAgentPrompt, type ContextItem, type PromptParts } from './agent-prompt.ts';
import { fitPieces, type Form } from './fit-pieces.ts';
import { ContextProfile, CONTEXT_SOURCES } from './profile.ts';
import { recalledText } from './recalled-text.ts';
import { byBytes, textPiece } from './text-piece.ts';

const countTokens = (text: string): number => encode(text, { disallowedSpecial: new Set() }).length;

const anItem = (source: ContextItem['source'], id: string, text: string): ContextItem => ({
  source,
  id,
  text,
  importance: 0.5,
});

const TASK: PromptParts = {
  system: 'You are Ada, and you bake.',
  task: 'Find the price of rye flour at the mill.',
  decisions: ['We buy from the mill alone.'],
  items: [],
  schema: { type: 'object', properties: { price: { type: 'number' } }, required: ['price'] },
};
const profileOf = (fields: Partial<ContextProfile>): ContextProfile =>
  ContextProfile.parse({ max_tokens: 1_000, ...fields });
const long = (word: string, words = 120): string => Array.from({ length: words }, () => word).join(' ');

const SIGNS = [
  'bread ',
  'Mehl',
  'ß',
  '小麦',
  '🥖',
  '\n',
  '  ',
  '{"a":1}',
  '/etc/hosts',
  'x9Q',
  '%%',
  '\ud83e',
  'e\u0301',
  '0123',
];

const anyText = (dice: Dice): string => Array.from({ length: dice.below(90) }, () => dice.of(SIGNS)).join('');

const anyItems = (dice: Dice): readonly ContextItem[] =>
  Array.from({ length: dice.below(12) }, (_, index) => ({
    ...anItem(dice.of(CONTEXT_SOURCES), `item ${index}`, anyText(dice)),
    importance: dice.below(10) / 10,
  }));

test('a prompt never exceeds its budget by the count of a real tokenizer, and equal input gives an equal prompt', (t) => {
  const seed = seedOf();
  t.diagnostic(`SEED=${seed}`);
  for (let round = 0; round < 120; round += 1) {
    const dice = diceOf(seed + round);
    const profile = profileOf({
      max_tokens: 1 + dice.below(900),
      retrieval_policy: dice.of(['hybrid', 'recency']),
      k_recent_messages: dice.below(6),
    });
    const parts = { ...TASK, system: anyText(dice), items: anyItems(dice) };
    const prompt = buildAgentPrompt(parts, { profile, countTokens });
    const used = countTokens(prompt.system) + countTokens(prompt.user);
    assert.ok(used <= profile.max_tokens, `${used} of ${profile.max_tokens} in round ${round}`);
    assert.equal(prompt.tokens, used);
    assert.deepEqual(buildAgentPrompt(parts, { profile, countTokens }), prompt);
  }
});

test('the sections have one fixed order, and a prompt without items is valid', () => {
  const items = [
    anItem('history', 'h1', 'bob: Hello.'),
    anItem('memory', 'm1', 'Bob likes rye.'),
    anItem('docs', 'd1', 'PRICES.md'),
    anItem('task', 't1', 'Asked the mill.'),
  ];
  const headings = ({ user }: { user: string }) => user.split('\n').filter((line) => line.startsWith('# '));
  const options = { profile: profileOf({}), countTokens };
  const { system, ...whole } = buildAgentPrompt({ ...TASK, items }, options);
  assert.equal(system, TASK.system);
  assert.deepEqual(headings(whole), [
    '# Task',
    '# Decided so far',
    '# Done so far',
    '# Documents',
    '# Memory',
    '# Conversation',
    '# Answer',
  ]);
  assert.deepEqual(headings(buildAgentPrompt(TASK, options)), ['# Task', '# Decided so far', '# Answer']);
  const again = buildAgentPrompt({ ...TASK, problem: 'price: expected a number' }, options);
  assert.match(again.user, /# Correct your last answer\nprice: expected a number$/);
});

test('in a tight budget head and tail stay whole, and the middle gives way by rank', () => {
  const items = [
    ...Array.from({ length: 20 }, (_, index) => anItem('history', `h${index}`, `${index}: ${long('bread')}`)),
    anItem('memory', 'm1', `The mill sells rye flour at a price of 3: ${long('and so on')}`),
  ];
  const prompt = buildAgentPrompt({ ...TASK, items }, { profile: profileOf({ max_tokens: 1_200 }), countTokens });
  const forms = new Map(prompt.pieces.map(({ id, form }) => [id, form]));
  assert.ok(prompt.isComplete);
  for (const id of ['system', 'task', 'schema', 'h16', 'h17', 'h18', 'h19'])
    assert.equal(forms.get(id), 'whole', `${id} is ${forms.get(id)}`);
  assert.notEqual(forms.get('m1'), 'left_out', 'it shares words with the task');
  assert.equal(forms.get('h0'), 'shortened');
  assert.ok(!buildAgentPrompt(TASK, { profile: profileOf({ max_tokens: 40 }), countTokens }).isComplete);
});

test('a profile decides which sources and messages a stage reads', () => {
  const items = [anItem('docs', 'd1', 'x'), anItem('task', 't1', 'y'), anItem('memory', 'm1', 'z')];
  const read = (fields: Partial<ContextProfile>) =>
    buildAgentPrompt({ ...TASK, items }, { profile: profileOf(fields), countTokens })
      .pieces.map(({ id }) => id)
      .filter((id) => /^[dmt]\d$/.test(id));
  assert.deepEqual(read({}), ['t1', 'd1', 'm1']);
  assert.deepEqual(read({ include_project_docs: false, include_task_history: false }), ['m1']);
  assert.deepEqual(read({ sources: ['docs'] }), ['d1']);
});

const forms = (sizes: readonly number[], room: number): readonly Form[] =>
  fitPieces(
    sizes.map((size, index) => textPiece('x'.repeat(size), { place: 'middle', importance: index }, byBytes(1))),
    room,
  ).map(({ form }) => form);

for (const [sizes, room, expected] of [
  [[100, 100, 100], 300, ['whole', 'whole', 'whole']],
  [[1_000, 100, 100], 600, ['shortened', 'whole', 'whole']],
  [[1_000, 1_000, 1_000], 110, ['left_out', 'left_out', 'shortened']],
  [[10, 1_000], 9, ['left_out', 'left_out']],
] as const)
  test(`pieces of ${sizes.join(', ')} tokens in ${room} are ${expected.join(', ')}`, () => {
    assert.deepEqual(forms(sizes, room), expected);
  });

test('recalled memories keep the best ones within their length', () => {
  assert.equal(recalledText([]), '');
  assert.equal(recalledText(['- tea', '- rye']), '- tea\n- rye');
  const text = recalledText(Array.from({ length: 100 }, (_, index) => `- ${index} ${'x'.repeat(400)}`));
  assert.ok(text.length <= 8_000 && text.includes('- 0 ') && !text.includes('- 99 '), `${text.length} characters`);
});
