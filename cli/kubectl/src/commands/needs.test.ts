import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Need } from '@hamlet/contract';
import { needsLines } from './needs.ts';

const NOW = Date.parse('2026-11-30T12:00:00Z');
const aNeed = (change: Partial<Need>): Need => ({
  kind: 'question',
  id: 'p1',
  agent_id: 'ada',
  since: '2026-11-30T11:58:00Z',
  line: 'asks you a question',
  link: '/?view=needs',
  remedy: null,
  ...change,
});

test('each need has the command that settles it, or its page', () => {
  const needs = [
    aNeed({}),
    aNeed({
      kind: 'stopped',
      id: 'r1',
      line: 'stopped a task at its limit of steps',
      remedy: { route: 'createRun', label: 'Continue' },
    }),
    aNeed({ kind: 'moderation', agent_id: null, line: 'A flagged text waits', link: '/?view=moderation' }),
  ];
  assert.deepEqual(needsLines(needs, NOW).split('\n'), [
    'AGE   AGENT   NEEDS                                  SETTLE',
    '2m    ada     asks you a question                    kubectl hamlet permissions ada',
    '2m    ada     stopped a task at its limit of steps   kubectl hamlet run r1 continue',
    '2m    -       A flagged text waits                   /?view=moderation',
  ]);
  assert.equal(needsLines([], NOW), 'nothing waits for you');
});

test('a long line is cut, and what an agent wrote moves no cursor', () => {
  const [, line = ''] = needsLines([aNeed({ line: `\u001b[2J${'x'.repeat(200)}` })], NOW).split('\n');
  assert.ok(!line.includes('\u001b') && line.includes('…') && !line.includes('x'.repeat(100)));
});
