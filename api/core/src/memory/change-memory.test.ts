import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  OBSERVATIONS_MAX,
  PINNED_MAX,
  REPOSITORY_ENTRIES_MAX,
  REPOSITORY_MEMORY_MAX_BYTES,
  type MemoryChange,
} from '@hamlet/contract';
import { bytesOfEntry, changeMemory, isOutside, type KeptEntry, type PlacedChange } from './change-memory.ts';

const ADA = { agentId: 'ada', runId: 'r1', outside: false };
const BOB = { agentId: 'bob', runId: 'r2', outside: false };

const placed = (change: MemoryChange): PlacedChange => {
  if ('memory_id' in change) return change;
  return { ...change, memory_id: change.op === 'add' ? `m-${change.name}` : `m-${change.from}-${change.to}` };
};

/** A memory after changes by several writers, with the results of the last request. */
function after(...steps: readonly (readonly [typeof ADA, ...MemoryChange[]])[]) {
  let entries: readonly KeptEntry[] = [];
  let results: readonly string[] = [];
  for (const [writer, ...changes] of steps) {
    const changed = changeMemory(entries, changes.map(placed), writer);
    const gone = new Set([...changed.forgotten, ...changed.written.map(({ memoryId }) => memoryId)]);
    entries = [...entries.filter(({ memoryId }) => !gone.has(memoryId)), ...changed.written];
    ({ results } = changed);
  }
  return { entries, results };
}

const add = (name: string, ...observations: string[]): MemoryChange => ({
  op: 'add',
  name,
  type: 'thing',
  observations,
});
const forget = (name: string): MemoryChange => ({ op: 'forget', memory_id: `m-${name}` });
const pin = (name: string, pinned = true): MemoryChange => ({ op: 'pin', memory_id: `m-${name}`, pinned });

test('if two agents add to one entry, nothing is lost, the first still owns it, and it is outside text for both', () => {
  const { entries } = after(
    [ADA, add('mill', 'It has a door.')],
    [BOB, add('mill', 'It has a door.', 'The door is blue.')],
  );
  const [mill] = entries;
  assert.deepEqual(mill?.observations, ['It has a door.', 'The door is blue.']);
  assert.deepEqual([mill?.agentId, mill?.runId, mill?.outside], ['ada', 'r2', true]);
});

test('a repeated change changes nothing, not even the writer', () => {
  const first = after([ADA, add('mill', 'a'), { op: 'relate', from: 'mill', to: 'hill', type: 'on' }]);
  const again = changeMemory(
    first.entries,
    [add('mill', 'a'), { op: 'relate' as const, from: 'mill', to: 'hill', type: 'on' }].map(placed),
    { ...BOB, outside: true },
  );
  assert.deepEqual(again, { results: ['done', 'done'], written: [], forgotten: [] });
});

test('only the agent that created an entry can remove from it, delete it or pin it', () => {
  const mill = [ADA, add('mill', 'a', 'b')] as const;
  const drop: MemoryChange = { op: 'drop', memory_id: 'm-mill', observations: ['a'] };
  const refused = after([...mill], [BOB, drop, forget('mill'), pin('mill'), forget('hill')]);
  assert.deepEqual(refused.results, ['not_yours', 'not_yours', 'not_yours', 'no_such_memory']);
  const own = after([...mill], [ADA, drop, pin('mill')]);
  assert.deepEqual([own.entries[0]?.observations, own.entries[0]?.pinned], [['b'], true]);
  assert.deepEqual(after([...mill], [ADA, forget('mill')]).entries, []);
});

test('text of a tainted run is from outside for every reader, other text only for other agents', () => {
  const { entries } = after([ADA, add('mill', 'a')], [{ ...ADA, outside: true }, add('hill', 'b')]);
  const outside = (reader: string) => entries.map((entry) => isOutside(entry, reader));
  assert.deepEqual(
    [outside('ada'), outside('bob')],
    [
      [false, true],
      [true, true],
    ],
  );
});

test('each limit refuses only the change that exceeds it', () => {
  const many = Array.from({ length: REPOSITORY_ENTRIES_MAX }, (_, at) => add(`e${at}`, 'x'));
  const full = after([ADA, ...many], [ADA, add('one-more', 'x'), add('e1', 'y')]);
  assert.deepEqual(full.results, ['memory_full', 'done']);
  const long = 'é'.repeat(4_000);
  assert.deepEqual(after([ADA, add('big', long, `${long}2`, `${long}3`)]).results, ['memory_full']);
  const large = Array.from({ length: 40 }, (_, at) => add(`l${at}`, `${at}${long}`));
  const { entries, results } = after([ADA, ...large]);
  assert.equal(results.at(-1), 'memory_full');
  assert.ok(entries.reduce((sum, entry) => sum + bytesOfEntry(entry), 0) <= REPOSITORY_MEMORY_MAX_BYTES);
  const observations = Array.from({ length: OBSERVATIONS_MAX }, (_, at) => `${at}`);
  assert.deepEqual(after([ADA, add('mill', ...observations)], [ADA, add('mill', 'more')]).results, ['memory_full']);
  const pinned = Array.from({ length: PINNED_MAX + 1 }, (_, at) => `p${at}`);
  const pins = after([ADA, ...pinned.map((name) => add(name, 'x'))], [ADA, ...pinned.map((name) => pin(name))]);
  assert.deepEqual(pins.results.slice(-2), ['done', 'too_many_pins']);
});

test('an entry with the same id but another name stays unchanged', () => {
  const { entries } = after([ADA, add('mill', 'a')]);
  const clash: PlacedChange = {
    op: 'add',
    memory_id: 'm-mill',
    name: 'other',
    type: 'thing',
    observations: ['b'],
  };
  assert.deepEqual(changeMemory(entries, [clash], ADA).results, ['not_yours']);
});
