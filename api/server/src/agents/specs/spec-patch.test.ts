import assert from 'node:assert/strict';
import { test } from 'node:test';
import { afterPatch } from '@hamlet/core';
import { patchBetween } from './spec-patch.ts';

test('a field named __proto__ is data and changes no prototype', () => {
  const patch = JSON.parse('{"runtime":{"config":{"__proto__":{"polluted":"yes"}}}}') as Record<string, unknown>;
  const after = afterPatch({ runtime: { config: {} } }, patch) as Record<string, unknown>;
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
      assert.deepEqual(afterPatch(before, spec), after, `${JSON.stringify(before)} to ${JSON.stringify(after)}`);
      assert.equal(paths.length === 0, JSON.stringify(before) === JSON.stringify(after));
    }
});
