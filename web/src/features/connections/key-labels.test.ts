import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KEY_DAYS_MAX } from '@hamlet/contract';
import { keyLabel, lifetimes } from './key-labels.ts';

const NOW = Date.parse('2026-11-30T12:00:00Z');

test('a key says what it may do, when it ends and when it was last used', () => {
  const key = { scopes: ['read', 'work'], expires_at: '2026-12-30T12:00:00Z', last_used_at: null };
  assert.equal(keyLabel(key, NOW), 'read, work · expires in 30 days · never used');
  const used = { ...key, last_used_at: '2026-11-30T11:00:00Z' };
  assert.equal(keyLabel(used, NOW), 'read, work · expires in 30 days · last used 1 h ago');
  const over = { ...used, expires_at: '2026-11-29T12:00:00Z' };
  assert.equal(keyLabel(over, NOW), 'read, work · expired yesterday · last used 1 h ago');
});

test('the form offers no longer life than the API gives', () => {
  assert.equal(lifetimes(KEY_DAYS_MAX).at(-1)?.[0], String(KEY_DAYS_MAX));
  assert.deepEqual(
    lifetimes(30).map(([days]) => days),
    ['7', '30'],
  );
});
