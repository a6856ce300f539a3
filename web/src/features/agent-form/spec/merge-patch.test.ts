import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mergePatch, patched } from './merge-patch.ts';

/** Examples of RFC 7386, appendix A, that a spec can have. */
const RFC: readonly (readonly [object, object, object])[] = [
  [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
  [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
  [{ a: 'b' }, { a: null }, {}],
  [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
  [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
  [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
  [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
  [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
];

test('a patch changes an object as the RFC says', () => {
  for (const [target, patch, result] of RFC)
    assert.deepEqual(patched({ ...target }, { ...patch }), result, JSON.stringify(patch));
});

test('the patch of two objects turns one into the other, and has only what differs', () => {
  const before = {
    persona: { identity: 'A', personality: 'B' },
    skills: [{ name: 'a' }],
    power: 'Awake',
    model: { name: 'm' },
  };
  const after = {
    persona: { identity: 'A', personality: 'C' },
    skills: [{ name: 'a' }],
    egress: { allow: [{ host: 'x.org' }] },
  };
  const patch = mergePatch(before, after);
  assert.deepEqual(patch, {
    persona: { personality: 'C' },
    power: null,
    model: null,
    egress: { allow: [{ host: 'x.org' }] },
  });
  assert.deepEqual(patched(before, patch), after);
});

test('equal objects need no patch, in any order of their keys', () => {
  assert.deepEqual(mergePatch({ a: { x: 1, y: [2] } }, { a: { y: [2], x: 1 } }), {});
});
