import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shouldSleep, standingOf } from './demotion.ts';
import { DEFAULT_PROFILE } from './profile.ts';
import { explain, rank, recencyOf, type Candidate } from './rank.ts';

const DAY = 86_400_000;
const NOW = 1_000 * DAY;
const ranking = { profile: DEFAULT_PROFILE, now: NOW };
const ROUNDS = 300;

/** A generator with a seed (mulberry32): each failure can be repeated. */
function dice(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const candidate = (roll: () => number, id: string): Candidate => ({
  id,
  words: roll(),
  vector: roll(),
  around: roll() / 2,
  link: roll(),
  at: NOW - roll() * 2_000 * DAY,
  importance: roll(),
  uses: Math.floor(roll() * 20),
  pinned: roll() < 0.2,
  isDormant: roll() < 0.3,
  validTo: null,
  supersededBy: null,
});

const order = (candidates: readonly Candidate[]): readonly string[] =>
  rank(candidates, ranking).map((ranked) => ranked.candidate.id);

for (const seed of [1, 2, 3])
  test(`one better property never ranks lower: newer, more important, more used, pinned, awake (seed ${seed})`, () => {
    const roll = dice(seed);
    for (let round = 0; round < ROUNDS; round += 1) {
      const worse = { ...candidate(roll, 'b'), pinned: false, isDormant: true };
      const better: readonly Partial<Candidate>[] = [
        { at: worse.at + DAY * (1 + roll() * 100) },
        { importance: Math.min(1, worse.importance + 0.01) },
        { uses: worse.uses + 1 },
        { pinned: true },
        { isDormant: false },
        { words: worse.words + 0.01 },
      ];
      for (const change of better)
        assert.deepEqual(order([worse, { ...worse, ...change, id: 'c' }]).at(0), worse.at >= NOW ? 'b' : 'c');
    }
  });

for (const seed of [4, 5])
  test(`a superseded fact ranks below its successor, in chains and in any order of input (seed ${seed})`, () => {
    const roll = dice(seed);
    for (let round = 0; round < ROUNDS; round += 1) {
      const chain = ['a', 'b', 'c', 'd'].map((id, index, ids) => {
        const supersededBy = ids[index + 1] ?? null;
        return { ...candidate(roll, id), supersededBy, validTo: supersededBy === null ? null : NOW - DAY };
      });
      const others = ['x', 'y'].map((id) => candidate(roll, id));
      const mixed = [...chain, ...others].toSorted(() => roll() - 0.5);
      const ids = order(mixed);
      assert.deepEqual(
        ids.filter((id) => id <= 'd'),
        ['d', 'c', 'b', 'a'],
      );
      assert.equal(ids.length, 6);
    }
  });

test('equal candidates stand in the order of their ids, and nothing divides by zero', () => {
  const nothing: Candidate = {
    id: '',
    words: 0,
    vector: 0,
    around: 0,
    link: 0,
    at: NOW,
    importance: 0,
    uses: 0,
    pinned: false,
    isDormant: false,
    validTo: null,
    supersededBy: null,
  };
  const ids = ['m-3', 'm-1', 'm-2'];
  assert.deepEqual(order(ids.map((id) => ({ ...nothing, id }))), ids.toSorted());
  for (const { score } of rank([{ ...nothing, id: 'm', at: NOW + DAY }], ranking)) assert.ok(Number.isFinite(score));
  assert.deepEqual(order([]), []);
  const { parts } = explain({ ...nothing, id: 'm' }, ranking);
  for (const { value, weight, added } of Object.values(parts)) assert.equal(added, value * weight);
});

test('recency is 1 now, a half after the half-life, and falls with each day', () => {
  assert.equal(recencyOf(NOW, NOW, 60), 1);
  assert.equal(recencyOf(NOW - 60 * DAY, NOW, 60), 0.5);
  for (let days = 0; days < 4_000; days += 7)
    assert.ok(recencyOf(NOW - (days + 1) * DAY, NOW, 60) < recencyOf(NOW - days * DAY, NOW, 60));
});

test('age, importance and use decide what becomes dormant; a pinned memory never does', () => {
  const row = { lastSaidAt: NOW, lastUsedAt: null, uses: 0, importance: 0.3, validTo: null, pinned: false };
  const old = { ...row, lastSaidAt: NOW - 300 * DAY };
  const cases = [
    [row, false],
    [old, true],
    [{ ...old, pinned: true }, false],
    [{ ...old, importance: 1 }, false],
    [{ ...old, uses: 20 }, false],
    [{ ...old, lastUsedAt: NOW }, false],
    [{ ...old, importance: 0.8, validTo: NOW - DAY }, true],
  ] as const;
  for (const [memory, expected] of cases) assert.equal(shouldSleep(memory, NOW), expected, JSON.stringify(memory));
  assert.ok(standingOf(old, NOW) < standingOf(row, NOW));
});
