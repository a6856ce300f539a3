import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fillTemplate, templateProblems } from './fill-template.ts';

const SCOPE = { task: { input: { path: 'a.md' } }, input: { score: 2 }, stages: {} };

test('strings that begin with = are expressions, at any depth; everything else stays', () => {
  const template = { path: '=task.input.path', more: [1, null, true, { score: '=input.score + 1', plain: 'a = b' }] };
  assert.deepEqual(fillTemplate(template, SCOPE), {
    ok: true,
    value: { path: 'a.md', more: [1, null, true, { score: 3, plain: 'a = b' }] },
  });
  assert.deepEqual(fillTemplate('=input', SCOPE), { ok: true, value: { score: 2 } });
  assert.deepEqual(fillTemplate(7, SCOPE), { ok: true, value: 7 });
});

test('two = stand for a literal one, and a key is never an expression', () => {
  assert.deepEqual(fillTemplate(['==x', '===', '=='], SCOPE), { ok: true, value: ['=x', '==', '='] });
  assert.deepEqual(fillTemplate({ '=input.score': 1 }, SCOPE), { ok: true, value: { '=input.score': 1 } });
});

test('a value is never a template: what an expression gives is not evaluated again', () => {
  assert.deepEqual(fillTemplate('=input', { input: '=task.input' }), { ok: true, value: '=task.input' });
});

test('a fault names its place', () => {
  assert.deepEqual(fillTemplate({ a: [{ b: '=input.none' }] }, SCOPE), {
    ok: false,
    message: 'a.0.b: the object has no field none: it has score',
  });
});

test('problems are found before the template is filled, each with its path', () => {
  const template = { a: '=output.x', b: ['=1 +', '=input', "=stages['x'].output"] };
  const problems = templateProblems(template, new Set(['fetch']));
  assert.deepEqual(
    problems.map(({ path }) => path),
    [['a'], ['b', 0], ['b', 2]],
  );
  assert.match(problems[0]?.message ?? '', /there is no output here/);
  assert.match(problems[2]?.message ?? '', /there is no stage x/);
  assert.equal(templateProblems(template).length, 2);
  assert.deepEqual(templateProblems({ a: '=input' }), []);
});

test('a template is bounded: expressions, depth, and the size of its value', () => {
  const many = Array.from({ length: 201 }, () => '=input');
  assert.match(JSON.stringify(fillTemplate(many, SCOPE)), /at most 200 expressions/);
  assert.match(JSON.stringify(templateProblems(many)), /at most 200 expressions/);
  const deep: unknown = JSON.parse(`${'['.repeat(66)}${']'.repeat(66)}`);
  assert.match(JSON.stringify(fillTemplate(deep, SCOPE)), /lists and objects at most 64 levels deep/);
  const large = { input: 'x'.repeat(600_000) };
  assert.match(JSON.stringify(fillTemplate(['=input', '=input'], large)), /longer than 1048576 characters/);
});

test('all expressions of a template share the limit of steps of one expression', (context) => {
  const task = Array.from({ length: 150 }, (_, index) => index);
  const began = performance.now();
  const one = fillTemplate(['=task.all(x, task.exists(y, x == y))'], { task });
  context.diagnostic(`${Math.round(performance.now() - began)} ms`);
  assert.deepEqual(one, { ok: true, value: [true] });
  const many = Array.from({ length: 200 }, () => '=task.all(x, task.exists(y, x == y))');
  assert.match(JSON.stringify(fillTemplate(many, { task })), /1: it takes more than 100000 steps/);
});

test('a template cannot set a prototype', () => {
  const template: unknown = JSON.parse('{"__proto__": {"a": "=input"}}');
  assert.match(JSON.stringify(fillTemplate(template, SCOPE)), /may not have the field __proto__/);
});
