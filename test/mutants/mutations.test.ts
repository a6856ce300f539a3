import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mutated, mutationsOf } from './mutations.ts';

const changes = (text: string): readonly string[] =>
  mutationsOf(text).map(({ line, from, to }) => `${line}: ${from} ${to}`);

test('each operator of the code is changed to each of its replacements', () => {
  assert.deepEqual(changes('const a = b === c && d < 1;\nf(x - 1);'), [
    '1: === !==',
    '1: && ||',
    '1: < <=',
    '1: < >=',
    '2: - +',
  ]);
  assert.deepEqual(changes('let on = true;\non = false;'), ['1: true false', '2: false true']);
});

test('text, comments, types and apparent operators stay unchanged', () => {
  assert.deepEqual(
    changes("// a === b\nconst s = 'a && b';\n/* x < y */\nconst t = `a - b`;\nconst r = /a || b/;"),
    [],
  );
  assert.deepEqual(
    changes(
      "import * as all from './a.ts';\ntype T = 1 & true;\nconst f = (n: Map<string, number>): number => -n;\nobject.true",
    ),
    [],
  );
  assert.deepEqual(
    changes('const f = (a: { on: true } | undefined): a is { on: true } => a?.on === (1 as true | false as true);'),
    ['1: === !=='],
  );
  assert.deepEqual(changes('interface A {\n  on: true;\n  off:\n    | false\n    | undefined;\n}'), []);
});

test('a change applies only to its place', () => {
  const text = "const s = 'a < b'; // <\nif (a < b) f(a < c);";
  const [first] = mutationsOf(text);
  assert.ok(first);
  assert.equal(mutated(text, first), "const s = 'a < b'; // <\nif (a <= b) f(a < c);");
});
