import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Run } from '@hamlet/contract';
import { aConfig } from '../testing/a-village.ts';
import { mindOfRun } from './mind-of-run.ts';

const named = (name: string) => ({ ...aConfig(), runtime: { name, named: true, config: { command: 'aider' } } });
const WORKER: NonNullable<Run['worker']> = { parent_run_id: 'p', call_id: '1.0', role: '', depth: 1 };
const WORKFLOW: NonNullable<Run['workflow']> = { manifests: 'a'.repeat(64) };
const STAGE = { stage: 'judge', round: 1, attempt: 1, agent: 'critic' };

test('a run ends with the runtime that began it; only the program of a replaced mind cannot continue', () => {
  const rows: readonly (readonly [now: string, run: Parameters<typeof mindOfRun>[1], taken: string])[] = [
    ['engine', { runtime: null }, 'engine'],
    ['command', { runtime: null }, 'command'],
    ['command', { runtime: 'command' }, 'command'],
    ['command', { runtime: 'engine' }, 'engine'],
    ['acp', { runtime: 'scripted' }, 'scripted'],
    ['command', { runtime: null, worker: WORKER }, 'engine'],
    ['engine', { runtime: 'command' }, 'mind_changed'],
    ['acp', { runtime: 'command' }, 'mind_changed'],
    ['acp', { runtime: null, safe_mode: 'dry_run' }, 'safe_mode_not_kept'],
    ['command', { runtime: 'command', safe_mode: 'analysis_only' }, 'safe_mode_not_kept'],
    ['engine', { runtime: null, safe_mode: 'dry_run' }, 'engine'],
    ['acp', { runtime: null, workflow: WORKFLOW, safe_mode: 'dry_run' }, 'workflow'],
    ['engine', { runtime: 'workflow', workflow: WORKFLOW }, 'workflow'],
    ['command', { runtime: null, worker: { ...WORKER, stage: STAGE } }, 'workflow'],
  ];
  for (const [now, run, taken] of rows) {
    const { config, lost } = mindOfRun(named(now), run);
    assert.equal(lost?.warning.code ?? config.runtime.name, taken, `${now}, ${taken}`);
  }
});

test('a mind that cannot continue names both minds and what a person can do', () => {
  const { lost } = mindOfRun(named('engine'), { runtime: 'acp' });
  assert.equal(lost?.mind.runtime, 'acp', 'the API keeps the mind that began the run');
  assert.match(lost?.warning.message ?? '', /from acp to Hamlet's engine during this work.*give the work again/);
});
