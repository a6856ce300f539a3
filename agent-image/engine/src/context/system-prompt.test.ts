import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemPrompt } from './system-prompt.ts';

const parts = {
  identity: 'You are Ada.',
  personality: 'Curious.',
  instructions: 'Help Bob.',
  work: 'Until it is done.',
  machine: 'A shell.',
  skills: [
    { name: 'tea', text: 'Boil water.' },
    { name: 'chess', text: 'Guard the king.' },
  ],
  time: 'Monday, 09:00',
  village: 'the café',
  run: '12 steps for Bob',
};

test('the parts have a fixed order, and the cacheable half stays identical over turns', () => {
  const first = systemPrompt(parts);
  const order = [
    'You are Ada.',
    'Curious.',
    'Help Bob.',
    'Until it is done.',
    'A shell.',
    'Guard the king.',
    'Boil water.',
  ].map((text) => first.stable.indexOf(text));
  assert.deepEqual(
    order,
    order.toSorted((one, other) => one - other),
  );
  assert.ok(!order.includes(-1));
  for (let turn = 0; turn < 5; turn += 1) {
    const next = systemPrompt({
      ...parts,
      skills: parts.skills.toReversed(),
      time: `Monday, 09:0${turn}`,
      run: `${turn} steps for Bob`,
    });
    assert.equal(next.stable, first.stable);
    assert.match(next.situation, new RegExp(`09:0${turn}[\\s\\S]*the café[\\s\\S]*${turn} steps for Bob`));
  }
});

test('an empty part leaves no heading', () => {
  assert.equal(systemPrompt({ ...parts, personality: ' ', skills: [] }).stable.includes('Personality'), false);
});
