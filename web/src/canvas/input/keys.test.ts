import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keyIntent } from './keys.ts';

const FREE = { writing: false, onMap: true, modified: false };

test('keys move and zoom the map', () => {
  assert.deepEqual(keyIntent('+', FREE), { kind: 'zoom', factor: 1.3 });
  assert.deepEqual(keyIntent('ArrowLeft', FREE), { kind: 'pan', dx: 90, dy: 0 });
  assert.deepEqual(keyIntent('f', FREE), { kind: 'follow' });
  assert.equal(keyIntent('q', FREE), null);
});

test('keys in another element have no command', () => {
  assert.equal(keyIntent('f', { ...FREE, writing: true }), null);
  assert.deepEqual(keyIntent('Escape', { ...FREE, writing: true }), { kind: 'back' });
  assert.equal(keyIntent('f', { ...FREE, modified: true }), null);
  assert.equal(keyIntent('ArrowDown', { ...FREE, onMap: false }), null);
  assert.deepEqual(keyIntent('-', { ...FREE, onMap: false }), { kind: 'zoom', factor: 1 / 1.3 });
});
