import assert from 'node:assert/strict';
import { test } from 'node:test';
import { repairAndValidate } from '@hamlet/engine/json';
import { pluck } from '@hamlet/test/env/pluck';
import type { AgentView } from '@hamlet/contract';
import { aNews, aPost, aReply } from '../../testing/a-board.ts';
import { aSituation, type Seen } from '../../testing/a-situation.ts';
import { anAgent, AT, LIMITS } from '../../testing/a-village.ts';
import { type Mind } from '../mind.ts';
import { decide } from '../rules/decide.ts';
import type { Situation } from '../situation.ts';
import {
  lifeOnDay,
  NEW_TO_LIFE,
  PARTNERS_MAX,
  SHARE_OF_TOKENS,
  type Chosen,
  type LifeMind,
  type Thought,
} from './life-mind.ts';
import { withNews } from './learn.ts';
import { ASK_GAP_TICKS, optionsOf } from './options.ts';
import { chosenOf, questionOf } from './question.ts';
import { lineQuestionOf } from './next-line.ts';
import { LINES_A_DAY, mayBegin, OWN_LINES_MAX, talkToAnswer } from './talk.ts';
import { INTENT_TICKS } from '../rules/routine.ts';
import { DECISION_GAP_TICKS, DECISION_TOKENS, isTimeToThink, situationKey } from './when-to-think.ts';

const NOTHING = { diary: [], recalled: [] };
const MODEL = { provider: 'compatible', name: 'small', scripted: false, reason: '' };
const ENOUGH = DECISION_TOKENS * SHARE_OF_TOKENS;
const IN_THE_CAFE = { landmark_id: 'cafe', position: AT.cafe } as const;
const MEMORY: Partial<Mind> = {
  delivered: true,
  visited: ['cafe', 'square', 'market', 'library'],
  greeted: { bob: 6_900 },
};

const seen = ({ self, mind, tokensPerHour = ENOUGH, ...given }: Seen & { tokensPerHour?: number }): Situation =>
  aSituation({
    ...given,
    self: { ...IN_THE_CAFE, ...self },
    config: { model: MODEL, limits: { ...LIMITS, tokens_per_hour: tokensPerHour } },
    mind: { ...MEMORY, ...mind },
  });

const chosen = (option: string, more: Partial<Chosen> = {}): Chosen => ({
  option,
  text: null,
  title: null,
  why: 'I want to read',
  purpose: 'learning',
  plan: null,
  ...more,
});

const thoughtOf = (choice: Chosen | null, tokens = 900): Thought => ({
  kind: 'choice',
  of: 'then',
  askedAt: 6_990,
  tokens,
  model: 'small',
  chosen: choice,
});

const BOB = anAgent('bob', { position: { x: 22, y: 2 } });

test('the options are places, their uses, agents and items within reach, and the board', () => {
  const apple = { item_id: 'apple-1', kind: 'apple', position: AT.cafe, held_by: null } as const;
  const ids = optionsOf(seen({ others: [BOB], items: [apple] })).map(({ id }) => id);
  assert.deepEqual(ids, [
    'stay',
    'go:home',
    'go:market',
    'go:square',
    'go:library',
    'use:coffee',
    'talk:bob',
    'take:apple-1',
    'ask',
  ]);
});

test('an option that the village has recently refused is not offered', () => {
  const ids = optionsOf(seen({ mind: { refused: { 'move:library': 6_950 } } })).map(({ id }) => id);
  assert.ok(!ids.includes('go:library'));
});

test('the agent follows a decision with its reason and purpose instead of the scripted plan', () => {
  const went = decide(seen({ thought: thoughtOf(chosen('go:library')) }));
  assert.deepEqual(went.command, { kind: 'move', body: { landmark_id: 'library' } });
  assert.deepEqual([went.why, went.goal], ['I want to read', 'learning']);

  const there = { landmark_id: 'library', position: AT.library } as const;
  const mind = { ...MEMORY, life: went.after.life };
  const kept = decide(seen({ self: there, mind, tick: 7_000 + INTENT_TICKS - 1 }));
  assert.notEqual(kept.command.kind, 'move');
  const left = decide(seen({ self: there, mind, tick: 7_000 + INTENT_TICKS }));
  assert.equal(left.command.kind, 'move', 'then the scripted day plan leads again');
});

test('a decision that has become impossible only counts its tokens', () => {
  const situation = seen({ thought: thoughtOf(chosen('talk:bob', { text: 'Hello' }), 1_234) });
  const decided = decide(situation);
  assert.notEqual(decided.why, 'I want to read');
  assert.equal(decided.after.life.spent.tokens, 1_234);
  assert.equal(decided.after.life.intent, null);
});

test('people, runs and the night have priority over a decision', () => {
  const asleep = decide(seen({ minute: 1_400, thought: thoughtOf(chosen('go:library')) }));
  assert.match(asleep.why, /night/);
});

test('the agent asks its model only after a change, with a minimum gap, and within a quarter of its tokens', () => {
  const first = seen({});
  assert.equal(isTimeToThink(first), true);
  assert.equal(isTimeToThink(seen({ tokensPerHour: ENOUGH - 1 })), false);

  const decidedOn = situationKey(first);
  const life = { ...NEW_TO_LIFE, decidedOn, decidedAt: 7_000 };
  const later = 7_000 + DECISION_GAP_TICKS;
  assert.equal(isTimeToThink(seen({ mind: { life }, tick: later })), false, 'nothing has changed');
  assert.equal(isTimeToThink(seen({ mind: { life }, tick: later, others: [BOB] })), true, 'Bob has come');
  assert.equal(isTimeToThink(seen({ mind: { life }, tick: later - 1, others: [BOB] })), false, 'too soon');

  const spent = { sinceTick: 7_000, tokens: 1 };
  const spender = seen({ mind: { life: { ...life, spent } }, tick: later, others: [BOB] });
  assert.equal(isTimeToThink(spender), false, 'the quarter is used up');
  const walking = { moving_to: { ...AT.library, landmark_id: 'library', arrives_tick: 9_000 } } as const;
  assert.equal(isTimeToThink(seen({ self: walking })), false, 'an agent that walks');
});

test('the token count restarts after an hour', () => {
  const spent = { sinceTick: 7_000, tokens: 1_000_000 };
  const life = { ...NEW_TO_LIFE, spent };
  assert.equal(isTimeToThink(seen({ mind: { life }, tick: 7_000 + 36_000 })), true);
});

const wordsOf = ({ task, items }: ReturnType<typeof questionOf>): string =>
  [task, ...items.map(({ text }) => text)].join('\n');

test('the question contains the place, nearby agents, the plan, the lessons and the options', () => {
  const life = {
    ...NEW_TO_LIFE,
    plan: [{ fromMinute: 600, goal: 'read about engines' }],
    lessons: [{ version: 1, text: 'A penalty of 2 aiD, because: “too loud”' }],
  };
  const situation = seen({ others: [BOB], mind: { life } });
  const options = optionsOf(situation);
  const question = questionOf(situation, options, {
    diary: ['I met Bob.'],
    recalled: ['I met Bob.', 'The mill burned in May.'],
  });
  const { system, schema } = question;
  const user = wordsOf(question);
  assert.match(system, /A mathematician/);
  for (const part of ['the cafe', 'Bob', '10:00 read about engines', 'too loud', 'mill burned', '- go:library:'])
    assert.ok(user.includes(part), `${part} in ${user}`);
  assert.equal(user.match(/I met Bob/g)?.length, 1, 'an entry of the diary is not recalled again');
  assert.deepEqual(
    (schema as { properties: { option: { enum: string[] } } }).properties.option.enum,
    options.map(({ id }) => id),
  );
});

test('only an offered and complete choice is accepted', () => {
  const options = optionsOf(seen({ others: [BOB] }));
  const { answer: accepted } = questionOf(seen({ others: [BOB] }), options, NOTHING);
  const readChoice = (content: string) => {
    const read = repairAndValidate(content, accepted);
    return read.ok ? chosenOf(read.value) : null;
  };
  const answer = (value: object): string => JSON.stringify({ why: 'because', purpose: 'p', ...value });
  assert.equal(readChoice(answer({ option: 'go:library' }))?.option, 'go:library');
  assert.equal(readChoice(`\`\`\`json\n${answer({ option: 'stay' })}\n\`\`\``)?.option, 'stay');
  assert.equal(readChoice(answer({ option: 'talk:bob', text: 'Hi' }))?.text, 'Hi');
  const plan = readChoice(answer({ option: 'stay', plan: [{ at: '09:30', goal: 'read' }] }))?.plan;
  assert.deepEqual(plan, [{ fromMinute: 570, goal: 'read' }]);
  for (const wrong of [
    answer({ option: 'go:nowhere' }),
    answer({ option: 'talk:bob', text: ' ' }),
    answer({ option: 'ask', text: 'How?' }),
    answer({ option: 'stay', why: '' }),
    'I will stay.',
    '{"option":',
  ])
    assert.equal(readChoice(wrong), null, wrong);
});

test('a question names the agents nearby, and for a line the plan of the present day', () => {
  const situation = seen({ others: [BOB] });
  assert.match(questionOf(situation, [], NOTHING).task, /^Near you: Bob\.$/m);
  assert.match(questionOf(seen({}), [], NOTHING).task, /^Nobody is near\.$/m);
  const talk = { with: 'bob', name: 'Bob', lines: [], tick: 6_990, over: false };
  const lineOn = (day: number): string => {
    const life = { ...NEW_TO_LIFE, day, plan: [{ fromMinute: 600, goal: 'read about engines' }] };
    return lineQuestionOf(seen({ others: [BOB], mind: { life } }), talk).task;
  };
  assert.match(lineOn(0), /Your plan: 10:00 read about engines/);
  assert.doesNotMatch(lineOn(1), /Your plan/);
});

test("a new day starts without a plan, but remembers the previous day's plan and purposes", () => {
  const act = { tick: 6_000, option: 'go:library', why: 'I want to read', purpose: 'learning' };
  const plan = [{ fromMinute: 600, goal: 'read about engines' }];
  const before = { ...NEW_TO_LIFE, plan, recent: [act, act], talked: { bob: 3 } };
  const today = lifeOnDay(before, 1);
  assert.deepEqual([today.plan, today.talked, today.day], [[], {}, 1]);
  assert.deepEqual(today.yesterday, [
    'Yesterday you planned: 10:00 read about engines.',
    'Yesterday you did things for: “learning”.',
  ]);
  assert.equal(lifeOnDay(before, 0), before);
  assert.equal(lifeOnDay(NEW_TO_LIFE, 1), NEW_TO_LIFE, 'an agent without decisions stores nothing');
  const { task } = questionOf(seen({ mind: { life: { ...today, day: 0 } } }), [], NOTHING);
  assert.match(task, /You have no plan for this day yet.*\nYesterday you planned: 10:00 read about engines\./);
});

test('asking on the board is an option at most once in ten minutes', () => {
  const has = (askedAt: number | null): boolean =>
    optionsOf(seen({ mind: { life: { ...NEW_TO_LIFE, askedAt } } })).some(({ id }) => id === 'ask');
  assert.deepEqual([has(null), has(7_000 - ASK_GAP_TICKS), has(7_001 - ASK_GAP_TICKS)], [true, true, false]);
  const asked = decide(
    seen({ thought: thoughtOf(chosen('ask', { title: 'Who bakes?', text: 'I would like bread.' })) }),
  );
  assert.deepEqual([asked.command.kind, asked.after.life.askedAt], ['post', 7_000]);
});

test('a decision gets each public board text once as news, and no others', () => {
  const reply = aReply({ body: 'At the market.' });
  const news = aNews({ post: aPost({ audience: 'public', author_id: 'ada' }), reply, why: 'reply' });
  const known = withNews(NEW_TO_LIFE, [news, aNews(), { ...news, answered: true }], 'ada');
  assert.deepEqual(pluck(known.news, 'from', 'text'), [['board', 'Grace wrote in “A question”: “At the market.”']]);
  assert.equal(withNews(known, [news], 'ada'), known);
});

test('an agent says no line out of earshot, or beyond the limits of a conversation and of a day', () => {
  const talk = { with: 'bob', name: 'Bob', lines: [{ by: 'them' as const, text: 'Hello' }], tick: 6_990, over: false };
  const may = (life: Partial<LifeMind>, others: readonly AgentView[] = [BOB]): boolean =>
    talkToAnswer(seen({ others, mind: { life: { ...NEW_TO_LIFE, talks: [talk], ...life } } })) !== undefined;
  assert.equal(may({}), true);
  assert.equal(may({ talked: { bob: LINES_A_DAY } }), false);
  assert.equal(may({}, []), false, 'Bob has left');
  assert.equal(may({ talks: [{ ...talk, tick: 6_000 }] }), false, 'it was long ago');
  const mine = Array.from({ length: OWN_LINES_MAX }, () => ({ by: 'me' as const, text: 'Hm' }));
  assert.equal(may({ talks: [{ ...talk, lines: [...mine, ...talk.lines] }] }), false);
  const failed = { kind: 'line', to: 'bob', askedAt: 6_990, tokens: 5, model: 'small', line: null } as const;
  const after = seen({ others: [BOB], thought: failed, mind: { life: { ...NEW_TO_LIFE, talks: [talk] } } }).mind.life;
  assert.deepEqual([after.talks[0]?.over, after.spent.tokens], [true, 5], 'a failure ends it, and its tokens count');
});

test('an agent begins conversations with a limited number of agents a day, and one at a time with each', () => {
  const may = (life: Partial<LifeMind>): boolean =>
    mayBegin(seen({ mind: { life: { ...NEW_TO_LIFE, ...life } } }), 'bob');
  const others = (count: number): Record<string, number> =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`agent-${index}`, 1]));
  assert.equal(may({ talked: others(PARTNERS_MAX - 1) }), true);
  assert.equal(may({ talked: others(PARTNERS_MAX) }), false);
  assert.equal(may({ talked: { ...others(PARTNERS_MAX - 1), bob: LINES_A_DAY - 1 } }), true);
  assert.equal(may({ talked: { bob: LINES_A_DAY } }), false);
  assert.equal(may({ talks: [{ with: 'bob', name: 'Bob', lines: [], tick: 6_990, over: false }] }), false);
});
