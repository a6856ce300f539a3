import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isBlank, rowsAt, textAt, textsAt, trimmed, valueAt, withValue } from './edit-spec.ts';

const SPEC = { displayName: 'Ada', persona: { identity: 'A baker.' }, skills: [{ name: 'bake' }, 'odd'], loop: {} };

test('reads parts by their path, and nothing where the spec has another type', () => {
  assert.equal(textAt(SPEC, ['persona', 'identity']), 'A baker.');
  assert.equal(textAt(SPEC, ['persona']), '');
  assert.equal(textAt(SPEC, ['displayName', 'inner']), '');
  assert.deepEqual(rowsAt(SPEC, ['skills']), [{ name: 'bake' }]);
  assert.deepEqual(rowsAt(SPEC, ['persona']), []);
  assert.deepEqual(textsAt(SPEC, ['skills']), ['odd']);
  assert.equal(valueAt(SPEC, ['skills', '0', 'name']), 'bake');
  assert.equal(valueAt(SPEC, ['toString']), undefined);
});

test('writes a part, with parents that are missing', () => {
  const spec = withValue(SPEC, ['model', 'name'], 'qwen3:8b');
  assert.equal(valueAt(spec, ['model', 'name']), 'qwen3:8b');
  assert.deepEqual(withValue(spec, ['model', 'name'], ''), SPEC, 'an emptied field leaves no empty parent');
});

test('an emptied part leaves its siblings, and other empty parts as they were', () => {
  const both = withValue(SPEC, ['persona', 'personality'], 'Calm.');
  assert.deepEqual(withValue(both, ['persona', 'personality'], undefined), SPEC);
  assert.deepEqual(withValue(SPEC, ['displayName'], ''), {
    persona: SPEC.persona,
    skills: SPEC.skills,
    loop: {},
  });
});

test('an empty list stays: an agent without tools differs from one with all of them', () => {
  assert.deepEqual(withValue({}, ['tools', 'allow'], []), { tools: { allow: [] } });
});

test('texts lose the spaces around them, in lists too', () => {
  assert.deepEqual(trimmed({ a: ' x\n', b: [{ c: ' y ' }, ' z'], n: 1, f: false }), {
    a: 'x',
    b: [{ c: 'y' }, 'z'],
    n: 1,
    f: false,
  });
});

test('a row is blank until a person writes into it', () => {
  for (const value of [undefined, '', {}, { name: '', inner: { url: '' } }]) assert.equal(isBlank(value), true);
  for (const value of ['x', 0, false, [], { name: '', from: 'Image' }]) assert.equal(isBlank(value), false);
});
