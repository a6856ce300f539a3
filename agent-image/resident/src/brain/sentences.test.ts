/** Every template of the brain gives whole sentences, for all values that may fill it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sentenceFaults } from '@hamlet/test/env/sentence-faults';
import { aNews, aPost, aReply } from '../testing/a-board.ts';
import { requestAfterRun, requestForModel } from './board/help-request.ts';
import { answerOccasion, helpOccasion, judgedOccasion, planOccasion } from './board/words.ts';
import { noModelWords } from './read-wishes.ts';
import { isSamePlan, planChange, type ResourcePlan } from './resource-plan.ts';
import { greeting, remark, reply } from './speech.ts';
import { listed, placeInWords, quoted, sentence, shortened } from './words.ts';

const SEEDS = Array.from({ length: 40 }, (_, index) => index * 7_919);
const TEXTS = [
  'Can you find Zoe?',
  'good bread',
  '{"tool": "move"}',
  'a “quote',
  'half a quote”',
  'x'.repeat(500),
  'thanks',
  '  two\n\nlines  ',
  '{name} {topic} {plan} {speaker}',
  'Is it so?',
  'Hello!',
  'Good night',
];

function assertWhole(texts: readonly string[]): void {
  for (const text of texts) assert.deepEqual(sentenceFaults(text), []);
}

test('the check itself finds faulty sentences', () => {
  for (const bad of [
    '',
    'my plan.',
    'My plan',
    'My plan is  here.',
    'My plan is the the best.',
    'I like {place}.',
    'I had “”.',
    'It is undefined.',
    'One. two.',
    'I ask: .',
    'A quote “without an end.',
  ]) {
    assert.notDeepEqual(sentenceFaults(bad), [], bad);
  }
  assertWhole(['I have read “the the {x}”.', 'One. Two! Three?\n\nFour.', '5 aiDollars came in.']);
});

/** Every pair of two lists. */
function pairs<A, B>(as: readonly A[], bs: readonly B[]): readonly (readonly [A, B])[] {
  return as.flatMap((a) => bs.map((b): readonly [A, B] => [a, b]));
}

test('speech', () => {
  for (const [seed, phase] of pairs(SEEDS, ['night', 'morning', 'day', 'evening'] as const)) {
    assertWhole([null, 'Café Hearth'].map((place) => greeting({ seed, phase, place }, 'Ada').text));
    assertWhole([
      remark(seed) ?? '',
      ...TEXTS.map((said) => reply(seed, said, { speaker: 'Bob', plan: 'spending time at Café Hearth' })),
    ]);
  }
});

test('needs and help, thanks, penalties and answers are whole sentences', () => {
  for (const [seed, text] of pairs(SEEDS, TEXTS)) {
    const needs = [
      requestAfterRun('r1', { code: 'step_failed' }),
      requestAfterRun('r1', { code: 'no_model' }),
      requestForModel('token_quota_exhausted', 'none is left'),
      requestForModel('model_not_in_tier', 'It is not in tier-0.'),
      requestForModel('insufficient_funds', 'no money'),
    ];
    for (const need of needs) {
      assert.ok(need !== null);
      const occasions = [
        helpOccasion(seed, need),
        planOccasion(need),
        judgedOccasion({ amount: '5', note: text }),
        judgedOccasion({ amount: '-2.5', note: text }),
      ];
      assertWhole(occasions.flatMap(({ fallback, facts }) => [fallback, facts]));
    }
  }
});

test('answers on the board are whole sentences', () => {
  const news = pairs(TEXTS, ['human', 'agent'] as const).flatMap(([body, author_type]) => {
    const post = aPost({ title: body, body, author_name: 'Grace H', author_type });
    return [aNews({ post }), aNews({ post, reply: aReply({ body, author_name: 'Grace H', author_type }) })];
  });
  for (const [seed, each] of pairs(SEEDS, news)) {
    for (const [deed, explained, decides] of [
      ['', false, false],
      ['', true, false],
      ['', true, true],
      ['I am going to the library now, as you say.', false, false],
    ] as const) {
      const { fallback, facts } = answerOccasion({ seed, explained, decides }, each, deed);
      assertWhole([fallback, ...(facts === '' ? [] : [facts])]);
    }
  }
});

const PLANS: readonly ResourcePlan[] = [null, 'tier-0', 'tier-1'].flatMap((tier) =>
  [null, 'small', 'large'].flatMap((model) => [0, 24, 48].map((toolCalls) => ({ tier, model, toolCalls }))),
);

test('a change of plan gives whole sentences; no change gives none', () => {
  for (const [before, now] of pairs(PLANS, PLANS)) {
    const news = planChange(before, now);
    assert.equal(news === null, isSamePlan(before, now));
    if (news === null) continue;
    assertWhole([news.facts, `${news.title}.`]);
    assert.equal(/now, and was in/.test(news.facts), before.tier !== now.tier);
    assert.equal(/instead of (the model|sentences)/.test(news.facts), before.model !== now.model);
    assert.equal(/steps a run instead of/.test(news.facts), before.toolCalls !== now.toolCalls);
  }
});

test('a run without a model gives whole sentences', () => {
  assertWhole([...TEXTS, ''].map((text) => noModelWords(text)));
});

test('words are cut, quoted, listed and ended correctly, also at the limits', () => {
  assert.deepEqual([shortened('abcd', 4), shortened('abcde', 4), shortened(' a \n b ', 9)], ['abcd', 'abc…', 'a b']);
  assert.equal(quoted('say “hi" now'), "“say 'hi' now”");
  assert.deepEqual(
    [listed([]), listed(['a']), listed(['a', 'b']), listed(['a', 'b', 'c'], 3), listed(['a', 'b', 'c', 'd'], 3)],
    ['', 'a', 'a and b', 'a, b and c', 'a, b, c and 1 more'],
  );
  assert.deepEqual(
    [sentence(' it is so '), sentence('Is it?'), sentence('He said “yes.”'), sentence('so…')],
    ['It is so.', 'Is it?', 'He said “yes.”', 'So…'],
  );
});

test('a place within a sentence has an article, unless it has a proper name', () => {
  const named = [
    ['Market', 'market', 'the market'],
    ['Café', 'cafe', 'the café'],
    ['Café Hearth', 'cafe', 'Café Hearth'],
    ['Alder Cottage', 'home', 'Alder Cottage'],
    ['Town Hall', 'hall', 'the Town Hall'],
    ['Laboratory', 'workshop', 'the Laboratory'],
    ['The Old Mill', 'workshop', 'The Old Mill'],
    ['the square', 'square', 'the square'],
    ["Bob's Forge", 'workshop', "Bob's Forge"],
    ['Theatre', 'hall', 'the Theatre'],
  ] as const;
  for (const [name, kind, expected] of named) assert.equal(placeInWords({ name, kind }), expected);
});
