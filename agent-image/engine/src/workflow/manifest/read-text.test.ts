import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diceOf } from '../../testing/dice.ts';
import { randomWorkflow } from '../testing/random-workflow.ts';
import { readText } from './read-text.ts';
import { readYaml } from './read-yaml.ts';

const valueOf = (read: ReturnType<typeof readText>): unknown =>
  read.ok ? read.value : read.problems.map(({ message, line }) => `${line}: ${message}`);

test('JSON that a program printed has the value and the places that it has as YAML', () => {
  const dice = diceOf(28);
  for (let count = 0; count < 20; count += 1) {
    const value = { workflow: { ...randomWorkflow(dice), description: 'ä 🦊 " \\ \u2028 \n', none: null, half: 0.5 } };
    for (const text of [JSON.stringify(value), `${JSON.stringify(value, null, 2)}\n`]) {
      const [fast, slow] = [readText(text), readYaml(text)];
      assert.deepEqual(valueOf(fast), value);
      assert.deepEqual(valueOf(slow), value);
      const path = ['workflow', 'nodes', 1, 'role'];
      assert.deepEqual(fast.ok && fast.placeOf(path), slow.ok && slow.placeOf(path));
      assert.deepEqual(fast.ok && fast.placeOf(path, 'key'), slow.ok && slow.placeOf(path, 'key'));
    }
  }
});

test('JSON that YAML refuses is refused with the same problems', () => {
  const deep = `${'{"a":'.repeat(100)}1${'}'.repeat(100)}`;
  const keys = JSON.stringify(Object.fromEntries(Array.from({ length: 600 }, (_, index) => [`k${index}`, index])));
  for (const text of [
    '{"a":1,"a":2}',
    '{"a":12345678901234567890}',
    '{"__proto__":{"b":1}}',
    '{"a":1e999}',
    deep,
    keys,
    '{"a":1}}',
  ]) {
    assert.equal(readText(text).ok, false, text.slice(0, 40));
    assert.deepEqual(valueOf(readText(text)), valueOf(readYaml(text)));
  }
});
