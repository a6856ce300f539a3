import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FeedEntry } from '../app-state.ts';
import type { WorldEvent } from '../world/world-events.ts';
import { agentDetail } from './agent-detail.fixture.ts';
import { entriesOf, MAX_ENTRIES, withEntries } from './activity-feed.ts';

const CAFE = { id: 'cafe', name: 'Café', kind: 'cafe', x: 10, y: 10, slots: [{ x: 11, y: 10 }] };
const CONTEXT = { details: new Map(), landmarks: [CAFE], zones: [], serial: 7, nowMs: 0 };
const ABOUT = { agentId: 'ada', name: 'Ada', tick: 100, at: { x: 11, y: 10 } };
const texts = (...events: readonly WorldEvent[]): string[] => entriesOf(events, CONTEXT).map(({ text }) => text);

test('each event of the world gives a line', () => {
  assert.deepEqual(texts({ ...ABOUT, kind: 'speech', text: 'Hello' }), ['“Hello”']);
  assert.deepEqual(texts({ ...ABOUT, kind: 'power', asleep: true }), ['fell asleep']);
  assert.deepEqual(texts({ ...ABOUT, kind: 'item', item: 'apple' }), ['took an apple']);
  assert.deepEqual(texts({ ...ABOUT, kind: 'item', item: 'wood' }), ['took some wood']);
  assert.deepEqual(texts({ ...ABOUT, kind: 'activity', activity: 'drinking_coffee' }), ['is drinking coffee at Café']);
  assert.deepEqual(texts({ ...ABOUT, kind: 'walk' }), ['is walking to Café']);
});

test('a walk without a landmark and standing around give no line', () => {
  assert.deepEqual(texts({ ...ABOUT, kind: 'walk', at: { x: 50, y: 50 } }), []);
  assert.deepEqual(texts({ ...ABOUT, kind: 'activity', activity: 'idle' }), []);
});

test("the newest event comes first, with the agent's present name", () => {
  const details = new Map([['ada', agentDetail('ada', { display_name: 'Ada L.' })]]);
  const entries = entriesOf(
    [
      { ...ABOUT, kind: 'walk' },
      { ...ABOUT, kind: 'speech', text: 'Hello' },
    ],
    { ...CONTEXT, details },
  );
  assert.deepEqual(
    entries.map(({ id, name, text }) => [id, name, text]),
    [
      ['7-1', 'Ada L.', '“Hello”'],
      ['7-0', 'Ada L.', 'is walking to Café'],
    ],
  );
});

test('a repeated activity is one line until the agent does something else; the list is bounded', () => {
  const line = (id: number, text: string, agentId = 'ada'): FeedEntry => ({
    id: String(id),
    agentId,
    name: agentId,
    text,
    kind: 'activity',
    atMs: id,
  });
  const sitting = [line(1, 'is sitting')];
  assert.equal(withEntries(sitting, [line(2, 'is sitting')]), sitting);
  assert.deepEqual(
    withEntries([line(2, 'is reading'), ...sitting], [line(3, 'is sitting')]).map(({ id }) => id),
    ['3', '2', '1'],
  );
  assert.deepEqual(
    withEntries(sitting, [line(2, 'is sitting', 'bob')]).map(({ id }) => id),
    ['2', '1'],
  );
  assert.equal(
    withEntries(
      Array.from({ length: MAX_ENTRIES }, (_, index) => line(index, `${index}`)),
      [line(99, 'new')],
    ).length,
    MAX_ENTRIES,
  );
});
