import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TimelineEntry } from '@hamlet/contract';
import { timelineText } from './timeline-text.ts';

const NONE = { session: null, run: null, firing: null, post: null, purchase: null, judgement: null, state: null };
const STATE = { by: null, reason: null, expires_at: null, lifted_at: null, tier: null };
const ID = '01a20000-0000-7000-8000-000000000001';

const textOf = (parts: object): string => timelineText({ ...NONE, ...parts } as TimelineEntry);

test('every entry has words that follow the name of its agent', () => {
  const run = { prompt: '# Count the owls\nAll of them.', state: 'done', session_id: null };
  const cases: readonly (readonly [object, string])[] = [
    [{ session: { title: 'Owls' } }, 'began the conversation “Owls”'],
    [{ run }, 'finished “Count the owls”'],
    [{ run: { ...run, session_id: ID } }, 'answered “Count the owls”'],
    [{ run: { ...run, state: 'waiting_permission' } }, 'waits for a person during “Count the owls”'],
    [{ run: { ...run, veiled: true, state: 'failed' } }, 'could not finish a private task'],
    [{ firing: { run_id: ID, outcome: 'started' } }, 'was started by its schedule'],
    [{ firing: { run_id: null, outcome: 'asleep' } }, 'skipped a scheduled run (asleep)'],
    [{ post: { reply_id: null, title: 'Bread' } }, 'wrote “Bread” on the board'],
    [{ post: { reply_id: ID, title: 'Bread' } }, 'replied to “Bread” on the board'],
    [
      { purchase: { price: '2.5', item: { kind: 'quota', limit: 'tokens_per_hour', amount: 20_000 } } },
      'bought 20,000 more tokens an hour for 2.5 ai$',
    ],
    [{ purchase: { price: '1', item: { kind: 'model', model: 'large' } } }, 'bought the model large for 1 ai$'],
    [{ judgement: { amount: '40', note: 'good bread' } }, 'got 40 ai$: good bread'],
    [{ judgement: { amount: '-1', note: '' } }, 'lost 1 ai$'],
    [{ state: { ...STATE, state: 'frozen', reason: 'spends', lifted_at: '2026' } }, 'was frozen (lifted): spends'],
    [
      { state: { ...STATE, state: 'paused', reason: 'sparky1 is short of memory' } },
      'was paused: sparky1 is short of memory',
    ],
    [
      { state: { ...STATE, state: 'paused', reason: 'sparky1 is short of memory', lifted_at: '2026-11-30T00:00:00Z' } },
      'was paused (over): sparky1 is short of memory',
    ],
    [{ state: { ...STATE, state: 'fell_asleep' } }, 'fell asleep, because nothing happened'],
    [{ state: { ...STATE, state: 'tier', tier: 'tier-2' } }, 'changed its tier to tier-2'],
    [{ state: { ...STATE, state: 'tier' } }, 'fell below every tier'],
  ];
  for (const [parts, text] of cases) assert.equal(textOf(parts), text);
  const toFree = { ...NONE, state: { ...STATE, state: 'tier', tier: 'tier-0' } } as TimelineEntry;
  assert.equal(
    timelineText(toFree, (name) => (name === 'tier-0' ? 'Free' : name)),
    'changed its tier to Free',
  );
});
