import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nearestMatch } from './nearest-match.ts';

const FILE = `def greet(name):
    return name

def add(a, b):
\treturn a + b  # "sum"
def subtract(a, b):
    return a - b
`;

test('a text that differs only in white space or quotes is found with its line', () => {
  assert.deepEqual(nearestMatch(FILE, 'def add(a, b):\n    return a + b  # “sum”\n'), {
    kind: 'spaces',
    first: 4,
    text: '4\tdef add(a, b):\n5\t\treturn a + b  # "sum"',
  });
  assert.deepEqual(nearestMatch(FILE, 'return  name'), { kind: 'spaces', first: 2, text: '2\t    return name' });
});

test('the most similar lines are found by the longest lines of the text', () => {
  const near = nearestMatch(FILE, '\n\ndef subtract(x, b):\n    return x - b\n');
  assert.deepEqual([near?.kind, near?.first], ['similar', 6]);
  assert.match(near?.text ?? '', /^6\tdef subtract\(a, b\):$/m);
  assert.equal(nearestMatch(FILE, 'class Mill extends Building {'), null);
  assert.equal(nearestMatch('', 'x'), null);
});

test('a large file and a long text take no more than a moment of work', () => {
  const file = Array.from({ length: 20_000 }, (_, line) => `const value${line} = compute(${line}, 'stone');`).join(
    '\n',
  );
  const near = nearestMatch(file, "const value15000 = compute(15000, 'stones');\nconst other = 1;");
  assert.equal(near?.first, 15_001);
});
