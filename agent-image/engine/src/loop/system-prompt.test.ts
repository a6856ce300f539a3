import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemPrompt } from './system-prompt.ts';

const parts = {
  identity: 'You are Ada.',
  personality: 'Curious.',
  instructions: 'Help Bob.',
  machine: 'A shell.',
  skills: [
    { name: 'tea', text: 'Boil water.' },
    { name: 'chess', text: 'Guard the king.' },
  ],
  time: 'Monday, 09:00',
  place: 'the café',
  standing: '12 aiDollars',
  people: 'Bob',
};

test('the parts have a fixed order, and the cacheable half stays identical over turns', () => {
  const first = systemPrompt(parts);
  const order = ['You are Ada.', 'Curious.', 'Help Bob.', 'A shell.', 'Guard the king.', 'Boil water.'].map((text) =>
    first.stable.indexOf(text),
  );
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
      standing: `${turn} aiDollars`,
    });
    assert.equal(next.stable, first.stable);
    assert.match(next.situation, new RegExp(`09:0${turn}[\\s\\S]*the café[\\s\\S]*${turn} aiDollars[\\s\\S]*Bob`));
  }
});

test('an empty part leaves no heading', () => {
  assert.equal(systemPrompt({ ...parts, personality: ' ', skills: [] }).stable.includes('Personality'), false);
});
