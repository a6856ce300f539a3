import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Artifact, Run } from '@hamlet/contract';
import { runsLines } from './runs.ts';

const NOW = Date.parse('2026-11-25T12:10:00Z');
const RUN = '01a20000-0000-7000-8000-000000000001';
const OTHER = '01a20000-0000-7000-8000-000000000002';

const runOf = (run_id: string): Run =>
  ({
    run_id,
    agent_id: 'ada',
    state: 'done',
    schedule: null,
    created_by: { role: 'admin', id: 'x' },
    created_at: '2026-11-25T12:00:00Z',
    attempt: 1,
    summary: 'The test passes',
    error: null,
    prompt: 'Fix it',
  }) as Partial<Run> as Run;
const OPENCODE = { runtime: 'acp', preset: 'opencode', program: 'OpenCode', version: '1.18.33', installed: true };
const artifactOf = (name: string): Artifact => ({ run_id: RUN, name }) as Partial<Artifact> as Artifact;

test('each row names the mind of its run, and lists its deliverables, oldest first and without control characters', () => {
  const lines = runsLines(
    [{ ...runOf(RUN), mind: OPENCODE }, runOf(OTHER)],
    [artifactOf('b\u001b[31m.csv'), artifactOf('fix.patch')],
    NOW,
  );
  const [head, first, second] = lines.split('\n');
  assert.match(head ?? '', /AGENT +MIND +STATE/);
  assert.match(first ?? '', / ada +OpenCode 1\.18\.33 +done /);
  assert.match(second ?? '', / ada +- +done /);
  assert.match(head ?? '', /ATTEMPT +DELIVERED +SUMMARY$/);
  assert.match(first ?? '', /fix\.patch, b.*\.csv +The test passes$/);
  assert.ok(!lines.includes('\u001b'));
  assert.match(second ?? '', / 1 +The test passes$/);
  assert.equal(runsLines([], [], NOW), 'no runs');
  const from = (created_by: Run['created_by']): string => runsLines([{ ...runOf(RUN), created_by }], [], NOW);
  assert.match(from({ role: 'admin', id: 'key ci' }), / done +key ci +10m /);
  assert.match(from({ role: 'member', id: 'account x', name: 'Mia' }), / done +Mia +/);
  assert.match(from({ role: 'member', id: 'account x' }), / done +member +/);
  const veiled = {
    ...runOf(RUN),
    veiled: true as const,
    summary: null,
    prompt: 'This run belongs to a conversation of others.',
  };
  assert.match(runsLines([veiled], [], NOW), / 1 +A private task$/);
});
