import assert from 'node:assert/strict';
import { test } from 'node:test';
import { merged, patchBetween } from './spec-patch.ts';

/** The cases of RFC 7386, appendix A. */
const RFC: readonly (readonly [target: unknown, patch: unknown, result: unknown])[] = [
  [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
  [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
  [{ a: 'b' }, { a: null }, {}],
  [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
  [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
  [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
  [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
  [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
  [
    ['a', 'b'],
    ['c', 'd'],
    ['c', 'd'],
  ],
  [{ a: 'b' }, ['c'], ['c']],
  [{ a: 'foo' }, null, null],
  [{ a: 'foo' }, 'bar', 'bar'],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [[1, 2], { a: 'b', c: null }, { a: 'b' }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
];
for (const [target, patch, result] of RFC)
  test(`${JSON.stringify(target)} merged with ${JSON.stringify(patch)} is ${JSON.stringify(result)}`, () => {
    assert.deepEqual(merged(target, patch), result);
  });

test('a field named __proto__ is data and changes no prototype', () => {
  const patch = JSON.parse('{"runtime":{"config":{"__proto__":{"polluted":"yes"}}}}') as Record<string, unknown>;
  const after = merged({ runtime: { config: {} } }, patch) as Record<string, unknown>;
  assert.equal(({} as { polluted?: unknown }).polluted, undefined);
  const { spec, paths } = patchBetween({ runtime: { config: {} } }, after);
  assert.deepEqual(paths, ['runtime.config.__proto__.polluted']);
  assert.equal(JSON.stringify(spec), '{"runtime":{"config":{"__proto__":{"polluted":"yes"}}}}');
});

test('a patch has only the differences: removed fields are null, a list is one field, keys may have dots', () => {
  const before = {
    model: { name: 'small', provider: 'ollama' },
    skills: [{ name: 'a', from: 'Image' }],
    runtime: { config: { 'a.b': '1' } },
    persona: { identity: 'Ada', personality: 'Calm' },
  };
  const after = {
    model: { name: 'large', provider: 'ollama' },
    skills: [{ from: 'Image', name: 'a' }],
    runtime: { config: { 'a.b': '2' } },
    tools: { allow: ['read'] },
  };
  assert.deepEqual(patchBetween(before, after), {
    spec: {
      model: { name: 'large' },
      runtime: { config: { 'a.b': '2' } },
      persona: null,
      tools: { allow: ['read'] },
    },
    paths: ['model.name', 'runtime.config.a.b', 'persona.identity', 'persona.personality', 'tools.allow'],
  });
  assert.deepEqual(patchBetween(after, after), { spec: {}, paths: [] });
});

test('a patch between two specs turns the one into the other', () => {
  const specs = [
    {},
    { a: {} },
    { a: { b: 1 } },
    { a: { b: 2, c: [1] } },
    { a: [1] },
    { b: 'x', a: { c: [2, { d: 1 }] } },
  ];
  for (const before of specs)
    for (const after of specs) {
      const { spec, paths } = patchBetween(before, after);
      assert.deepEqual(merged(before, spec), after, `${JSON.stringify(before)} to ${JSON.stringify(after)}`);
      assert.equal(paths.length === 0, JSON.stringify(before) === JSON.stringify(after));
    }
});
