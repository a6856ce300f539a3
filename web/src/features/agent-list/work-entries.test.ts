import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Artifact, PurchaseView } from '@hamlet/contract';
import { aPermission, aRun } from '../../client/minds/minds.fixture.ts';
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

test('runs, waits, purchases and deliveries are lines that follow the name of their agent, newest first', () => {
  const texts = workEntries({
    runs: [
      aRun({ run_id: 'a', prompt: 'Bake\nbread' }),
      aRun({ run_id: 'b', state: 'failed', ended_at: '2026-11-23T12:01:00Z', prompt: 'Sell' }),
      aRun({ run_id: 'c', state: 'queued', started_at: null, created_at: '2026-11-23T11:00:00Z', veiled: true }),
    ],
    permissions: [aPermission({ asked_at: '2026-11-23T12:03:00Z' })],
    purchases: [PURCHASE],
    deliveries: [DELIVERED],
  }).map(({ text }) => text);
  assert.deepEqual(texts, [
    'asks for permission: Post on the board',
    'bought the model large for 2.00 ai$',
    'could not finish “Sell”',
    'works on “Bake”',
    'delivered monthly.py, version 2',
    'will work on a private task',
  ]);
});

test('a run that ended differs from one under way', () => {
  const ended_at = '2026-11-23T12:01:00Z';
  const kinds = (['running', 'done', 'failed', 'cancelled'] as const).map((state) => {
    const runs = [aRun({ run_id: state, state, ended_at: state === 'running' ? null : ended_at })];
    return workEntries({ runs, permissions: [], purchases: [], deliveries: [] })[0]?.kind;
  });
  assert.deepEqual(kinds, ['run', 'done', 'failed', 'stopped']);
});

test('a person stops a run, not its agent', () => {
  const runs = [aRun({ state: 'cancelled', ended_at: '2026-11-23T12:01:00Z', prompt: 'Bake' })];
  const [entry] = workEntries({ runs, permissions: [], purchases: [], deliveries: [] });
  assert.equal(entry?.text, 'was stopped during “Bake”');
});

test('a line opens the page that shows more', () => {
  const [run, delivery] = workEntries({ runs: [aRun()], permissions: [], purchases: [], deliveries: [DELIVERED] });
  assert.deepEqual(run?.open, { view: 'runs', run: aRun().run_id });
  assert.deepEqual(delivery?.open, { view: 'runs', run: DELIVERED.run_id });
});

test('a failed run has a kind of its own', () => {
  const runs = [aRun({ state: 'failed', ended_at: AT }), aRun({ run_id: 'b' })];
  const entries = workEntries({ runs, permissions: [], purchases: [], deliveries: [] });
  assert.deepEqual(entries.map(({ kind }) => kind).toSorted(), ['failed', 'run']);
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
