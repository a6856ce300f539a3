import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TAINT_SOURCES } from '@hamlet/contract';
import { originLabel } from './permission-labels.ts';

test('every source has words, with the host, server, tool or memory where one is known', () => {
  const words = TAINT_SOURCES.map((source) => originLabel({ source, detail: 'example.org' }));
  assert.equal(new Set(words).size, TAINT_SOURCES.length);
  for (const source of ['tool', 'mcp', 'egress', 'memory'] as const)
    assert.match(originLabel({ source, detail: 'example.org' }), /example\.org/);
});
