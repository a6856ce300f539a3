import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diceOf, seedOf, type Dice } from '../../testing/dice.ts';
import { compileExpression, evaluateExpression, type ExpressionPlace } from './expression.ts';
import type { Scope } from './place.ts';

const SCOPE: Scope = {
  task: { id: 't1', input: { kind: 'fix', tags: ['a', 'b'] }, mode: null, tags: [] },
  input: { score: 3, share: 0.5, text: 'A change', list: [1, 2, 3], deep: { a: [{ b: 'x' }] }, empty: {} },
  stages: { fetch: { output: 7 }, 'judge.check': { output: { good: true } } },
  output: { score: 2, good: false, constructor: 'a field of this name' },
  inputs: [{ score: 1 }, { score: 5 }],
  sources: ['one', 'two'],
};

const valueOf = (text: string, scope: Scope = SCOPE): unknown => {
  const result = evaluateExpression(text, scope);
  return result.ok ? result.value : assert.fail(`${text}: ${result.message}`);
};

/** The message of an expression that does not compile, or has no value. */
const refusalOf = (text: string, scope: Scope = SCOPE, place: ExpressionPlace = {}): string => {
  const result = evaluateExpression(text, scope, place);
  return result.ok ? assert.fail(`${text} is ${JSON.stringify(result.value)}`) : result.message;
};

test('expressions compute JSON from the scope', () => {
  const table: readonly (readonly [string, unknown])[] = [
    ['1 + 2 * 3', 7],
    ['7 / 2', 3.5],
    ['int(7 / 2) + input.score', 6],
    ['input.score + 0.5', 3.5],
    ['-input.score', -3],
    ['7 % 4', 3],
    ['"a" + "b"', 'ab'],
    ['[1] + input.list', [1, 1, 2, 3]],
    ["{'text': input.text, 'n': input.score}", { text: 'A change', n: 3 }],
    ['input.deep.a[0].b', 'x'],
    ["stages['judge.check'].output.good && stages.fetch.output == 7", true],
    ['output.score < 3 ? "low" : "high"', 'low'],
    ['input.score == 3.0 && input.list == [1, 2, 3] && 1 != "1"', true],
    ["{'a': [1, {'b': null}]} == {'a': [1, {'b': null}]}", true],
    ['2 in input.list && "text" in input && !("x" in input)', true],
    ['has(input.text) && !has(input.none)', true],
    ['task.mode == null', true],
    ['size(input.list) + input.text.size() + size(input.empty) + size("🙂")', 12],
    ['"b" > "a" && "a" <= "a"', true],
    ['input.list.map(x, x * 2)', [2, 4, 6]],
    ['input.list.map(x, x > 1, x * 10)', [20, 30]],
    ['input.list.filter(x, x > 1)', [2, 3]],
    ['input.list.all(x, x > 0) && input.list.exists(x, x == 3) && input.list.exists_one(x, x == 1)', true],
    ['input.empty.all(key, key == "a") && input.exists(key, key == "score")', true],
    ['cel.bind(x, input.score, x * x)', 9],
    ['input.list.map(x, input.list.map(y, x * y).sum())', [6, 12, 18]],
    ['inputs.map(i, i.score).max() - inputs.map(i, i.score).min()', 4],
    ['sources.join(", ")', 'one, two'],
    ['"a,b".split(",").join()', 'ab'],
    ['" A Change ".trim().lowerAscii().startsWith("a ch") && "x".upperAscii().endsWith("X")', true],
    ['input.text.contains("chan")', true],
    ['string(3) + string(true) + string("!")', '3true!'],
    ['int("12") + double("0.5")', 12.5],
    ['bool("true") && !bool("false")', true],
    ['=input.score', 3],
    ['null', null],
  ];
  for (const [text, expected] of table) assert.deepEqual(valueOf(text), expected, text);
});

test('a side that decides hides the fault of the other side, and nothing else hides one', () => {
  assert.equal(valueOf('input.none || true'), true);
  assert.equal(valueOf('input.none && false'), false);
  assert.equal(valueOf('[1, 2].exists(x, x == 2 || x.none)'), true);
  assert.equal(valueOf('["a", 2].all(x, x < 1)'), false);
  assert.match(refusalOf('input.none || false'), /no field none: it has score, share/);
  assert.match(refusalOf('input.none && true'), /no field none/);
  assert.match(refusalOf('["a", 2].exists(x, x == 3 || x < 1)'), /text < number/);
});

test('a wrong expression is refused before it is evaluated, with its fix', () => {
  const table: readonly (readonly [string, RegExp])[] = [
    ['1 +', /Unexpected token: EOF, at character 4/],
    ['(1', /Expected RPAREN/],
    ['secrets.key', /there is no secrets here: use task, input, stages/],
    ['x.map(y, y)', /there is no x here/],
    ['input.map(y, z)', /there is no z here: use .*, y$/],
    ['cel.bind(x, x, 1)', /there is no x here/],
    ['cel', /there is no cel here/],
    ['input.matches("(a+)+")', /there is no function matches here/],
    ['fetch("http://x")', /there is no function fetch here: use has, size/],
    ['size(1, 2)', /size takes another number of arguments than 2/],
    ['has(input)', /has takes one field/],
    ['input.bind(x, 1, x)', /write cel\.bind/],
    ['9007199254740993', /too large to be exact/],
    ['b"x"', /bytes .* are not JSON/],
    ['3u', /unsigned numbers are not JSON/],
    ['__proto__', /Reserved identifier/],
    [`"${'x'.repeat(4_000)}"`, /at most 4000 characters: this one has 4002/],
    [`${'('.repeat(40)}1${')'.repeat(40)}`, /Exceeded maxDepth \(32\)/],
    [Array.from({ length: 900 }, () => '1').join('+'), /Exceeded maxAstNodes \(1000\)/],
  ];
  for (const [text, message] of table) {
    const compiled = compileExpression(text);
    assert.match(compiled.ok ? 'it compiles' : compiled.message, message, text.slice(0, 40));
  }
});

test('the place of an expression decides which names and stages it may use', () => {
  const stages = new Set(['fetch']);
  assert.equal(compileExpression('output.good', { part: 'edge' }).ok, true);
  assert.match(refusalOf('output.good', SCOPE, { part: 'stage' }), /there is no output here/);
  assert.match(refusalOf('inputs', SCOPE, { part: 'edge' }), /there is no inputs here/);
  assert.equal(compileExpression("stages.fetch.output + stages['fetch'].output", { stages }).ok, true);
  assert.match(refusalOf('stages.fetsh.output', SCOPE, { stages }), /there is no stage fetsh/);
  assert.match(refusalOf("[1].map(x, stages['other'].output)", SCOPE, { stages }), /there is no stage other/);
  assert.match(refusalOf('output.good', {}), /there is no output here/);
});

test('an expression that has no value says what was expected', () => {
  const table: readonly (readonly [string, RegExp])[] = [
    ['input.score.deep', /an object with the field deep is expected, but there is number/],
    ['input.list[3]', /no element 3: it has 3/],
    ['input.list["0"]', /an object with the field 0 is expected/],
    ['input.empty.x', /no field x: it is empty/],
    ['"a" + 1', /text \+ number has no value: convert one side/],
    ['1 ? 2 : 3', /true or false is expected, but there is number/],
    ['1 / 0', /not a finite number/],
    ['5 % 0', /not a finite number/],
    ['9007199254740991 + 1', /too large to be exact/],
    ['double("1e400")', /cannot become a number/],
    ['int(1e300)', /too large for an exact integer/],
    ['[].min()', /the list is empty/],
    ['["a"].sum()', /a list of numbers is expected, but it has text/],
    ['{1: 2}', /a key of an object is a text/],
    ['input.text.map(x, x)', /a list is expected, but there is text/],
    ['1 in 2', /number in number has no value/],
    ['string(null)', /null cannot become a text/],
  ];
  for (const [text, message] of table) assert.match(refusalOf(text), message, text);
});

test('prototypes are out of reach, and fields of those names are data', () => {
  for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
    assert.match(refusalOf(`input.${name}`), new RegExp(`no field ${name}`));
    assert.match(refusalOf(`input["${name}"]`), new RegExp(`no field ${name}`));
    assert.equal(valueOf(`"${name}" in input`), false);
    assert.equal(valueOf(`has(input.${name})`), false);
  }
  assert.equal(valueOf('output.constructor'), 'a field of this name');
  assert.match(refusalOf('{"__proto__": {"good": true}}'), /a result may not have the field __proto__/);
  assert.match(
    refusalOf('input', { input: JSON.parse('{"a":{"__proto__":1}}') }),
    /a result may not have the field __proto__/,
  );
  assert.equal(Object.hasOwn(Object.prototype, 'good'), false);
});

test('only JSON comes out', () => {
  for (const input of [new Map(), new Date(0), { a: () => 1 }, [undefined], { a: 1n }, Number.NaN]) {
    assert.match(refusalOf('input', { input }), /not JSON|not finite/);
  }
  const deep = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels));
  assert.deepEqual(valueOf('input', { input: deep(64) }), deep(64));
  assert.match(refusalOf('input', { input: deep(66) }), /lists and objects more than 64 levels deep/);
  assert.match(
    refusalOf('input == stages', { input: deep(66), stages: deep(66) }),
    /lists and objects more than 64 levels deep/,
  );
  const mebi = 1 << 20;
  assert.equal(valueOf('size(input)', { input: 'x'.repeat(mebi - 2) }), mebi - 2);
  assert.equal(evaluateExpression('input', { input: 'x'.repeat(mebi - 2) }).ok, true);
  assert.match(refusalOf('input', { input: 'x'.repeat(mebi) }), /longer than 1048576 characters/);
  assert.match(refusalOf('[input, input]', { input: 'x'.repeat(600_000) }), /longer than 1048576 characters/);
  assert.match(refusalOf('input + input', { input: 'x'.repeat(600_000) }), /a text has more than 1048576 characters/);
});

/** Expressions that would run for seconds, or fill the memory, if nothing counted their steps. */
const HOSTILE: Readonly<Record<string, readonly [text: string, scope: Scope]>> = {
  'three nested macros': ['input.map(x, input.map(y, input.map(z, x + y + z)))', { input: numbers(1_000) }],
  'a long list in itself': ['input.all(x, input.all(y, x != y + 0.5))', { input: numbers(2_000) }],
  'lists that grow': [doubling((name) => eight(name).join(' + '), '[1]'), {}],
  'lists that have a list eight times': [doubling((name) => `[${eight(name).join(', ')}]`, '[1]'), {}],
  'texts that grow': [doubling((name) => eight(name).join(' + '), '"abcdefgh"'), {}],
  'a join of a text with itself': ['input.split("").join(input)', { input: 'ab'.repeat(10_000) }],
  'a search for a text that almost occurs': [
    'sources.map(s, input.contains("b" + task)).all(x, x)',
    { input: 'a'.repeat(1_000_000), task: 'a'.repeat(255), sources: numbers(1_000) },
  ],
  'equal texts, compared again and again': [
    'sources.all(s, input == output)',
    { input: 'a'.repeat(1_000_000), output: 'a'.repeat(1_000_000), sources: numbers(10_000) },
  ],
  'faults that are hidden': [
    'sources.exists(s, input.none == s)',
    { input: Object.fromEntries(numbers(500).map((key) => [`k${key}`, 1])), sources: numbers(50_000) },
  ],
};

function eight(name: string): readonly string[] {
  return Array.from({ length: 8 }, () => name);
}

function numbers(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index);
}

/** Ten nested names, each eight times as large as the previous one: 8^10 in the end. */
function doubling(double: (name: string) => string, first: string): string {
  const inner = numbers(10).reduceRight((body, at) => `cel.bind(a${at + 1}, ${double(`a${at}`)}, ${body})`, 'a10');
  return `cel.bind(a0, ${first}, ${inner})`;
}

test('a hostile expression is stopped by its steps or by its result', (context) => {
  for (const [name, [text, scope]] of Object.entries(HOSTILE)) {
    const began = performance.now();
    const message = refusalOf(text, scope);
    context.diagnostic(`${name}: ${Math.round(performance.now() - began)} ms: ${message}`);
    assert.match(message, /more than 100000 steps|a text has more than|longer than 1048576/, name);
  }
});

test('honest work on a thousand elements stays within the steps', () => {
  const input = numbers(1_000).map((score) => ({ score, text: `finding ${score}` }));
  assert.deepEqual(valueOf('input.filter(f, f.score >= 500 && f.text.contains("9")).size()', { input }), 176);
});

test('random expressions have one result, and never throw', (context) => {
  const seed = seedOf();
  context.diagnostic(`SEED=${seed}`);
  const dice = diceOf(seed);
  let values = 0;
  for (let count = 0; count < 1_500; count += 1) {
    const text = randomExpression(dice, 4);
    const first = evaluateExpression(text, SCOPE);
    assert.deepEqual(evaluateExpression(text, SCOPE), first, text);
    if (first.ok) assert.deepEqual(JSON.parse(JSON.stringify(first.value)), first.value, text);
    values += Number(first.ok);
  }
  assert.ok(values > 150, `${values} expressions have a value`);
});

const LEAVES = [
  '1',
  '0.5',
  '"a"',
  'true',
  'null',
  'input',
  'input.list',
  'input.text',
  'task.tags',
  'output',
  '[]',
  '{}',
];
const OPERATORS = ['+', '-', '*', '/', '%', '==', '!=', '<', '>=', '&&', '||', 'in'];
const CALLS = [
  'size(@)',
  'string(@)',
  'int(@)',
  '!@',
  '-@',
  '@.size()',
  '@.sum()',
  '@.join(",")',
  '@[0]',
  '@.score',
  '[@]',
];

function randomExpression(dice: Dice, depth: number): string {
  if (depth === 0 || dice.chance(0.2)) return dice.of(LEAVES);
  const one = `(${randomExpression(dice, depth - 1)})`;
  if (dice.chance(0.4)) return dice.of(CALLS).replace('@', one);
  if (dice.chance(0.2))
    return `${one}.${dice.of(['map', 'filter', 'all', 'exists'])}(x, ${dice.of(['x', 'x == 1', 'x > 1'])})`;
  return `${one} ${dice.of(OPERATORS)} (${randomExpression(dice, depth - 1)})`;
}
