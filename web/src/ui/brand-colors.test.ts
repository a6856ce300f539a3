import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accentColors } from './brand-colors.ts';

test('a color that is readable stays as it is', () => {
  assert.deepEqual(accentColors('#17704e', 'light'), { accent: '#17704e', ink: '#ffffff', soft: '#e5eee7' });
});

test('a color that is too pale for paper becomes darker, and one that is too dark for the night paler', () => {
  assert.equal(accentColors('#ffe000', 'light').accent, '#736500');
  assert.equal(accentColors('#000000', 'dark').accent, '#999999');
  assert.equal(accentColors('#ffe000', 'dark').accent, '#ffe000');
});

test('the ink on the accent is the more readable one', () => {
  assert.equal(accentColors('#ffe000', 'dark').ink, '#06100c');
  assert.equal(accentColors('#102080', 'light').ink, '#ffffff');
});
