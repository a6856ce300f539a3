import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SPEECH_MAX_LENGTH } from '@hamlet/contract/resident';
import { fitting, greeting, remark, reply } from './speech.ts';

const SEEDS = Array.from({ length: 200 }, (_, index) => index * 7_919);

test('words are shortened to the length of a speech bubble, never inside a character', () => {
  const exact = 'x'.repeat(SPEECH_MAX_LENGTH);
  assert.deepEqual([fitting(exact), fitting(` ${exact} `)], [exact, exact]);
  const cut = fitting(`${exact}y`);
  assert.deepEqual([cut.length, cut.at(-1), cut.at(-2)], [SPEECH_MAX_LENGTH, '…', 'x']);
  const torn = fitting(`${'x'.repeat(SPEECH_MAX_LENGTH - 2)}😀 and more`);
  assert.equal(torn, `${'x'.repeat(SPEECH_MAX_LENGTH - 2)}…`);
});

test('the agent does not repeat a sentence on the same day; null after it has said all', () => {
  const all = new Set(SEEDS.map((seed) => remark(seed)));
  assert.ok(all.size >= 5 && !all.has(null));
  const said: string[] = [];
  for (let text = remark(1); text !== null; text = remark(said.length, said)) {
    assert.ok(!said.includes(text));
    said.push(text);
  }
  assert.equal(said.length, all.size);
  const small = greeting({ seed: 1, phase: 'day', place: null }, 'Bob');
  assert.ok(small.small !== null);
  assert.notEqual(greeting({ seed: 1, phase: 'day', place: null }, 'Bob', [small.small]).small, small.small);
});

test('a greeting suits the time of day, and sometimes names the place', () => {
  const text = (phase: 'night' | 'morning' | 'day' | 'evening', place: string | null = null) =>
    SEEDS.map((seed) => greeting({ seed, phase, place }, 'Bob').text);
  assert.ok(text('night').every((each) => each.startsWith('Still up, Bob?')));
  assert.ok(text('morning').every((each) => each.startsWith('Good morning, Bob!')));
  assert.ok(text('evening').every((each) => each.startsWith('Good evening, Bob!')));
  const spoken = text('day', 'the mill').filter((each) => each.includes('So you come to the mill too.')).length;
  assert.ok(spoken > SEEDS.length / 5 && spoken < (SEEDS.length * 3) / 5, String(spoken));
  assert.ok(text('day').every((each) => !each.includes('So you come')));
});

test('each tone has its own answers, the first matching tone wins, and no answer echoes the speaker', () => {
  const answers = (said: string) =>
    new Set(SEEDS.map((seed) => reply(seed, said, { speaker: 'Bob', plan: 'reading' })));
  const is = (said: string, pattern: RegExp) => [...answers(said)].every((answer) => pattern.test(answer));
  assert.ok(is('Thank you!', /welcome|Any time|pleasure/));
  assert.ok(is('Thanks, how are you?', /welcome|Any time|pleasure/), 'thanks before a question');
  assert.ok(is('Bye', /See you|Take care|Until next/));
  assert.ok(is('Where are you?', /question|Ask me again|not sure|cannot say|As you see/));
  assert.ok(is('Hello there', /Hello|see you/));
  for (const said of [
    'I see, Ada.',
    'So that is how it is, Ada.',
    'Tell me more some time, Ada.',
    'As you see, Ada?',
  ]) {
    assert.ok(
      [...answers(said)].every((answer) => !answer.startsWith(said.split(',')[0] ?? '')),
      said,
    );
  }
  assert.ok(answers('The bread is ready.').size >= 4);
});
