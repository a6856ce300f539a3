import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  OBSERVATIONS_MAX,
  PINNED_MAX,
  REPOSITORY_AUDIENCES_MAX,
  REPOSITORY_ENTRIES_MAX,
  REPOSITORY_MEMORY_MAX_BYTES,
  type MemoryChange,
} from '@hamlet/contract';
import { Seeded, seeds } from '@hamlet/test/env/seeded';
import { audienceKey, mayAllKnow } from './audience.ts';
import { bytesOfEntry, changeMemory, isOutside, type KeptEntry, type PlacedChange } from './change-memory.ts';

const ALONE = { audience: null as readonly string[] | null, present: [] as readonly string[] };
const ADA = { agentId: 'ada', runId: 'r1', outside: false, ...ALONE };
const BOB = { agentId: 'bob', runId: 'r2', outside: false, ...ALONE };
const inSession = (...people: string[]) => ({ ...ADA, audience: people, present: people });

const placed = (change: MemoryChange, audience: readonly string[] | null = null): PlacedChange => {
  if ('memory_id' in change) return change;
  const name = change.op === 'add' ? change.name : `${change.from}-${change.to}`;
  return { ...change, memory_id: ['m', name, ...(audience ?? [])].join('-') };
};

/** A memory after changes by several writers, with the results of the last request. */
function after(...steps: readonly (readonly [typeof ADA, ...MemoryChange[]])[]) {
  let entries: readonly KeptEntry[] = [];
  let results: readonly string[] = [];
  for (const [writer, ...changes] of steps) {
    const asked = changes.map((change) => placed(change, writer.audience));
    const changed = changeMemory(entries, asked, writer);
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
    [add('mill', 'a'), { op: 'relate' as const, from: 'mill', to: 'hill', type: 'on' }].map((change) => placed(change)),
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

test('an addition of a session to an entry of others is an entry for its people, and only visible entries change', () => {
  const [common, noa] = [[ADA, add('mill', 'a')] as const, [inSession('noa'), add('mill', 'of noa')] as const];
  const { entries, results } = after(
    [...common],
    [...noa],
    [inSession('mia'), add('mill', 'a', 'b'), add('mill', 'c'), { op: 'forget', memory_id: 'm-mill-noa' }],
    [inSession('mia', 'noa'), { op: 'pin', memory_id: 'm-mill-mia', pinned: true }, pin('mill')],
  );
  assert.deepEqual(results, ['no_such_memory', 'done']);
  assert.deepEqual(
    entries.map(({ audience, observations, pinned }) => [audience, observations, pinned]).toSorted(),
    [
      [null, ['a'], true],
      [['mia'], ['b', 'c'], false],
      [['noa'], ['of noa'], false],
    ].toSorted(),
  );
});

test('a change that its people know already has no effect; a text that only some of them know still is news for the others', () => {
  const relate: MemoryChange = { op: 'relate', from: 'mill', to: 'hill', type: 'on' };
  const both = after([inSession('mia', 'noa'), add('mill', 'a'), relate]);
  const again = [add('mill', 'a'), add('mill'), relate].map((change) => placed(change, ['mia']));
  assert.deepEqual(changeMemory(both.entries, again, inSession('mia')).written, []);
  const more = after([inSession('mia'), add('mill', 'a')], [inSession('mia', 'noa'), add('mill', 'a')]);
  assert.equal(more.entries.length, 2);
});

test('no sequence of changes gives an entry to people who did not know its text, or changes an audience', () => {
  seeds(3).forEach(changeAtRandom);
});

function changeAtRandom(seed: number): void {
  const people = ['mia', 'noa', 'zoe'];
  const { next: rng } = new Seeded(seed);
  const pick = <T>(of: readonly T[]): T => of[Math.floor(rng() * of.length)] as T;
  const isRight = (holds: boolean): void => assert.ok(holds, `seed ${seed}`);
  /** Each text with each audience for which it was added. */
  const origins = new Set<string>();
  const entries = new Map<string, KeptEntry>();
  for (let step = 0; step < 1_000; step += 1) {
    const present = people.filter(() => rng() < 0.5);
    const writer = { ...pick([ADA, BOB]), audience: present.length === 0 ? null : present, present };
    const id = pick([...entries.keys(), 'm-none']);
    const text = `text ${Math.floor(rng() * 30)}`;
    const change = pick<MemoryChange>([
      add(pick(['mill', 'hill']), text),
      { op: 'drop', memory_id: id, observations: [text] },
      { op: 'pin', memory_id: id, pinned: rng() < 0.5 },
      ...(rng() < 0.2 ? [{ op: 'forget', memory_id: id } as const] : []),
    ]);
    if (change.op === 'add') origins.add(`${text} ${audienceKey(writer.audience)}`);
    const { written, forgotten } = changeMemory([...entries.values()], [placed(change, writer.audience)], writer);
    for (const entry of written) {
      const before = entries.get(entry.memoryId);
      if (before !== undefined) assert.deepEqual(entry.audience, before.audience);
      const key = audienceKey(entry.audience);
      isRight(entry.observations.every((each) => origins.has(`${each} ${key}`)));
      entries.set(entry.memoryId, entry);
    }
    for (const gone of forgotten) {
      isRight(mayAllKnow(entries.get(gone)?.audience ?? null, present));
      entries.delete(gone);
    }
  }
  isRight(entries.size > 5);
}

test('the audiences of a repository are limited; a known one and everybody still have room', () => {
  const groups = Array.from({ length: REPOSITORY_AUDIENCES_MAX }, (_, at) => inSession(`person ${at}`));
  const { entries } = after(...groups.map((writer) => [writer, add('mill', 'a')] as const));
  const resultOf = (writer: typeof ADA) =>
    changeMemory(entries, [placed(add('hill', 'b'), writer.audience)], writer).results;
  assert.deepEqual(resultOf(inSession('one more')), ['memory_full']);
  assert.deepEqual([resultOf(inSession('person 7')), resultOf(ADA)], [['done'], ['done']]);
});
