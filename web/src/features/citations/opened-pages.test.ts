import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pageKey } from '@hamlet/core';
import { hostOf, unopenedIn } from './opened-pages.ts';

test('opened links are not listed as never opened', () => {
  const opened = new Set([pageKey('https://a.org/x/')]);
  const text = 'From https://a.org/x#part and [b](https://b.org/y), https://b.org/y.';
  assert.deepEqual(unopenedIn(text, opened), ['https://b.org/y']);
  assert.deepEqual(unopenedIn(text, new Set()), ['https://a.org/x#part', 'https://b.org/y']);
  assert.deepEqual(unopenedIn(text, null), [], 'a text without a run has no unopened links');
});

test('a host with look-alike letters is shown in Punycode', () => {
  assert.equal(hostOf('https://аpple.example/x'), 'xn--pple-43d.example');
});
