import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Artifact, LedgerEntry, PurchaseView, Run, VillageTimelineEntry } from '@hamlet/contract';
import { aRun } from '../../client/minds/minds.fixture.ts';
import { mergedFeed, workEntries } from './work-entries.ts';

const AT = '2026-11-23T12:00:00Z';
const PURCHASE: PurchaseView = {
  purchase_id: '01a20000-0000-7000-8000-00000000000b',
  agent_id: 'bob',
  item: { kind: 'model', model: 'large' },
  price: '2',
  ledger_entry_id: '01a20000-0000-7000-8000-00000000000c',
  auction_id: null,
  starts_at: AT,
  ends_at: AT,
  state: 'active',
  bought_by: { role: 'agent', id: 'agent bob' },
  bought_at: '2026-11-23T12:02:00Z',
};

const DELIVERED: Artifact = {
  artifact_id: '01a20000-0000-7000-8000-00000000000d',
  run_id: '01a20000-0000-7000-8000-00000000000e',
  call_id: '3.0',
  agent_id: 'bob',
  name: 'monthly.py',
  media_type: 'text/x-python',
  bytes: 12,
  sha256: '0'.repeat(64),
  deliverable: 'file',
  version: 2,
  image: false,
  taint: null,
  kept_at: '2026-11-23T11:30:00Z',
  expires_at: '2026-12-23T11:30:00Z',
};

const JUDGED: LedgerEntry = {
  ledger_entry_id: '01a20000-0000-7000-8000-00000000000f',
  agent_id: 'bob',
  amount: '40',
  currency: 'aiDollar',
  reason: 'reward',
  source: 'admin',
  related_post_id: null,
  note: 'good bread',
  timestamp: '2026-11-23T12:04:00Z',
  version: 3,
  balance_after: '140',
};

const NONE = { run: null, delivery: null, purchase: null, judgement: null } as const;

function entryOf(shown: Partial<Pick<VillageTimelineEntry, keyof typeof NONE>>): VillageTimelineEntry {
  return { id: DELIVERED.artifact_id, kind: 'run', agent_id: 'bob', at: AT, ...NONE, ...shown };
}

const ofRuns = (...runs: readonly Partial<Run>[]) => workEntries(runs.map((run) => entryOf({ run: aRun(run) })));

test('runs, waits, judgements, purchases and deliveries are lines that follow the name of their agent, newest first', () => {
  const runs: readonly Partial<Run>[] = [
    { prompt: 'Bake\nbread' },
    { state: 'failed', ended_at: '2026-11-23T12:01:00Z', prompt: 'Sell' },
    { state: 'queued', started_at: null, created_at: '2026-11-23T11:00:00Z', veiled: true },
    { state: 'waiting_permission', started_at: '2026-11-23T12:03:00Z', prompt: 'Ask' },
  ];
  const texts = workEntries([
    ...runs.map((run) => entryOf({ run: aRun(run) })),
    entryOf({ purchase: PURCHASE }),
    entryOf({ delivery: DELIVERED }),
    entryOf({ judgement: JUDGED }),
    entryOf({ judgement: { ...JUDGED, amount: '-1', note: '', timestamp: '2026-11-23T10:00:00Z' } }),
  ]).map(({ text }) => text);
  assert.deepEqual(texts, [
    'got 40.00 ai$: good bread',
    'waits for a person during “Ask”',
    'bought the model large for 2.00 ai$',
    'could not finish “Sell”',
    'works on “Bake”',
    'delivered monthly.py, version 2',
    'will work on a private task',
    'lost 1.00 ai$',
  ]);
});

test('a run that waits or ended differs from one under way', () => {
  const ended_at = '2026-11-23T12:01:00Z';
  const kinds = (['running', 'waiting_permission', 'done', 'failed', 'cancelled'] as const).map(
    (state) => ofRuns({ state, ended_at: state === 'running' ? null : ended_at })[0]?.kind,
  );
  assert.deepEqual(kinds, ['run', 'wait', 'done', 'failed', 'stopped']);
});

test('a person stops a run, not its agent', () => {
  const [entry] = ofRuns({ state: 'cancelled', ended_at: '2026-11-23T12:01:00Z', prompt: 'Bake' });
  assert.equal(entry?.text, 'was stopped during “Bake”');
});

test('a line opens the page that shows more', () => {
  const [run, delivery] = workEntries([entryOf({ run: aRun() }), entryOf({ delivery: DELIVERED })]);
  assert.deepEqual(run?.open, { view: 'runs', run: aRun().run_id });
  assert.deepEqual(delivery?.open, { view: 'runs', run: DELIVERED.run_id });
  assert.deepEqual(ofRuns({ state: 'waiting_permission' })[0]?.open, { view: 'needs' });
});

test('walks never hide the work, and fill the feed where there is none', () => {
  const at = (kind: string, times: readonly number[]) => times.map((atMs) => ({ kind, atMs }));
  const shown = (work: readonly number[], world: readonly number[]) =>
    mergedFeed(at('work', work), at('world', world), 4).map(({ kind, atMs }) => `${kind} ${atMs}`);
  assert.deepEqual(shown([3, 2, 1], [9, 8, 7, 6]), ['world 9', 'world 8', 'work 3', 'work 2']);
  assert.deepEqual(shown([1], [9, 8, 7, 6]), ['world 9', 'world 8', 'world 7', 'work 1']);
  assert.deepEqual(shown([], [9, 8, 7, 6, 5]), ['world 9', 'world 8', 'world 7', 'world 6']);
  assert.deepEqual(shown([5, 4, 3, 2, 1], []), ['work 5', 'work 4', 'work 3', 'work 2']);
});
