import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pageKey } from '@hamlet/core';
import { hostOf, linkedParts, unopenedIn } from './opened-pages.ts';

test('opened links are not listed as never opened', () => {
  const opened = new Set([pageKey('https://a.org/x/')]);
  const text = 'From https://a.org/x#part and [b](https://b.org/y), https://b.org/y.';
  assert.deepEqual(unopenedIn(text, opened), ['https://b.org/y']);
  assert.deepEqual(unopenedIn(text, new Set()), ['https://a.org/x#part', 'https://b.org/y']);
  assert.deepEqual(unopenedIn(text, null), [], 'a text without a run has no unopened links');
});

test('a text is split at its links without losing characters', () => {
  const text = 'See [the paper](https://a.org/p), or https://b.org.';
  const parts = linkedParts(text);
  assert.deepEqual(
    parts.map(({ kind }) => kind),
    ['text', 'web', 'text', 'web', 'text'],
  );
  assert.equal(parts.map((part) => part.text).join(''), text);
});

test('a host with look-alike letters is shown in Punycode', () => {
  assert.equal(hostOf('https://аpple.example/x'), 'xn--pple-43d.example');
});
