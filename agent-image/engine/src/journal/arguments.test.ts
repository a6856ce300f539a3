import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canonicalArguments, parseArguments } from './arguments.ts';

const nested = (levels: number): string => `{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;

test('equal arguments have one canonical text, and none loses a digit or a key', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['', '{}'],
    ['{ "b": [{"d": 1, "c": 2}], "a": null }', '{"a":null,"b":[{"c":2,"d":1}]}'],
    ['{"n": 12345678901234567890, "m": 1e3}', '{"m":1000,"n":"12345678901234567890"}'],
    ['{"__proto__": {"b": 1, "a": 2}}', '{"__proto__":{"a":2,"b":1}}'],
    ['[1]', '[1]'],
    ['{"a":', '{"a":'],
  ];
  for (const [written, canonical] of cases) assert.equal(canonicalArguments(written), canonical);
});

test('arguments of too many levels are refused with the limit, and stay as the model wrote them', () => {
  assert.ok(parseArguments(nested(32)).ok);
  for (const levels of [33, 5_000, 200_000]) {
    const parsed = parseArguments(nested(levels));
    assert.match(parsed.ok ? '' : parsed.expected, /32 levels/);
    assert.equal(canonicalArguments(nested(levels)), nested(levels));
  }
});
