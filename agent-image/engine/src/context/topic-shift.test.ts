import assert from 'node:assert/strict';
import { test } from 'node:test';
import { topicStart } from './topic-shift.ts';

const BREAD = [
  'Please bake rye bread for Bob tomorrow, with flour from the mill.\nThe oven takes six loaves of rye bread.',
  'How much flour do six loaves of rye bread take?\nSix loaves take four kilos of rye flour.',
  'Which flour is cheaper at the mill, rye or wheat?\nRye flour costs less than wheat flour.',
];
const SERVER = 'Why does the deployment of the payment server fail with certificate errors since Monday?';
const SERVER_LATER = 'The payment server fails at the certificate of the database now; deployment stops there.';

for (const [name, turns, start] of [
  ['one topic', BREAD, 0],
  ['a question without a word in common', [...BREAD, SERVER], 3],
  ['the same question again later', [...BREAD, SERVER, SERVER_LATER], 3],
  [
    'a return to the first topic: a digression',
    [...BREAD, SERVER, 'Bob wants the rye bread with wheat flour from the mill.'],
    0,
  ],
  [
    'a third topic',
    [...BREAD, SERVER, SERVER_LATER, 'Translate our menu of coffee, tea and lemonade into Spanish.'],
    5,
  ],
  [
    'a message that touches the topic',
    [...BREAD, 'Could the mill deliver sugar, eggs, butter and cinnamon on Friday?'],
    0,
  ],
  ['a short message', [...BREAD, 'Thank you, great!'], 0],
  ['words that refer to what was said', [...BREAD, 'Translate this into formal German for visitors from Vienna.'], 0],
  ['a topic in a script without spaces', [...BREAD, '請幫我翻譯這份咖啡館的菜單，今天晚上要用'], 3],
] as const)
  test(`the newest topic of ${turns.length} turns with ${name} begins at turn ${start}`, () => {
    assert.equal(topicStart(turns), start);
  });
