import assert from 'node:assert/strict';
import { test } from 'node:test';
import { afterPatch } from '@hamlet/core';
import { mergePatch } from './merge-patch.ts';

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
  assert.deepEqual(afterPatch(before, patch), after);
});

test('equal objects need no patch, in any order of their keys', () => {
  assert.deepEqual(mergePatch({ a: { x: 1, y: [2] } }, { a: { y: [2], x: 1 } }), {});
});
