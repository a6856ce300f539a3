import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultMap } from '@hamlet/core';
import { chance, choose } from './chance.ts';
import { interestIn, isBedtime, planDay, rankOf, stopAt, VISIT_REASONS } from './day-plan.ts';
import type { Character } from './situation.ts';

const { landmarks } = defaultMap();
const ADA: Character = {
  agentId: 'ada',
  seed: 1,
  persona: 'Ada keeps the workshop and repairs what others break.',
  home: 'home-1',
  tier: 'tier-0',
};
const DAYS = Array.from({ length: 50 }, (_, day) => day);
const GATHERING_MINUTES = [480, 750, 1_110];

test('all agents gather at the same places at the same minutes', () => {
  const gatherings = (character: Character, day: number) =>
    planDay(character, landmarks, day).stops.filter(({ fromMinute }) => GATHERING_MINUTES.includes(fromMinute));
  for (const day of DAYS)
    assert.deepEqual(gatherings(ADA, day), gatherings({ ...ADA, agentId: 'bob', seed: 99, persona: '' }, day));
});

test('a day has at least six places in order of time, each once and none of them a home', () => {
  for (const day of DAYS) {
    const { stops } = planDay(ADA, landmarks, day);
    const ids = stops.map(({ landmarkId }) => landmarkId);
    assert.ok(ids.length >= 6 && new Set(ids).size === ids.length);
    assert.ok(ids.every((id) => landmarks.find(({ landmark_id }) => landmark_id === id)?.kind !== 'home'));
    assert.deepEqual(
      stops,
      stops.toSorted((a, b) => a.fromMinute - b.fromMinute),
    );
  }
});

test('no two stops of a day have the same reason, and the first reason varies from day to day', () => {
  for (const day of DAYS) {
    const reasons = planDay(ADA, landmarks, day).stops.map(({ why }) => why);
    assert.equal(new Set(reasons).size, reasons.length, String(day));
  }
  const first = DAYS.map((day) => planDay(ADA, landmarks, day).stops[0]?.why);
  assert.ok(new Set(first).size > VISIT_REASONS.length / 2);
});

test('a place that a higher tier opens is only for that tier', () => {
  const places = (tier: string | null) =>
    new Set(DAYS.flatMap((day) => planDay({ ...ADA, tier }, landmarks, day).stops.map(({ landmarkId }) => landmarkId)));
  const locked = landmarks.flatMap(({ landmark_id, unlocked_by }) =>
    unlocked_by === undefined ? [] : [{ landmark_id, unlocked_by }],
  );
  assert.ok(locked.length > 0);
  for (const { landmark_id, unlocked_by } of locked) {
    assert.ok(!places('tier-0').has(landmark_id) && !places(null).has(landmark_id) && !places('gold').has(landmark_id));
    assert.ok(places(unlocked_by).has(landmark_id) && places('tier-9').has(landmark_id));
  }
});

test('a persona prefers the places that it mentions', () => {
  const visits = (persona: string) =>
    DAYS.filter((day) =>
      planDay({ ...ADA, persona }, landmarks, day)
        .stops.slice(0, 2)
        .some(({ landmarkId }) => landmarkId === 'workshop'),
    ).length;
  const workshop = landmarks.find(({ landmark_id }) => landmark_id === 'workshop');
  assert.ok(workshop !== undefined);
  assert.ok(interestIn(workshop, ADA.persona) > interestIn(workshop, 'Bob knows everybody.'));
  assert.ok(visits(ADA.persona) > visits('Bob knows everybody.'));
});

test('bedtime spans midnight and does not overlap the day', () => {
  const plan = planDay(ADA, landmarks, 3);
  for (const minute of [0, 200, 330, 1_345, 1_439]) assert.ok(isBedtime(plan, minute));
  for (const minute of [360, 720, 1_300]) assert.ok(!isBedtime(plan, minute));
  assert.equal(stopAt(plan, 0), undefined);
  assert.equal(stopAt(plan, 480)?.fromMinute, 480);
});

test('random numbers are uniform, repeatable, and depend on each word', () => {
  const draws = Array.from({ length: 10_000 }, (_, index) => chance(1, 'ada', index));
  const mean = draws.reduce((sum, draw) => sum + draw, 0) / draws.length;
  assert.ok(Math.abs(mean - 0.5) < 0.02 && draws.every((draw) => draw >= 0 && draw < 1));
  assert.equal(chance(1, 'ada', 5), chance(1, 'ada', 5));
  assert.equal(
    new Set([chance(1, 'ada', 5), chance(2, 'ada', 5), chance(1, 'bob', 5), chance(1, 'ada', 6), chance(1, 'ada5')])
      .size,
    5,
  );
  assert.equal(choose([], 0.5), undefined);
  assert.equal(choose(['a', 'b'], 0.999), 'b');
});

test('the last stop that has begun counts, to the minute', () => {
  const stops = [
    { fromMinute: 400, landmarkId: 'a', why: '' },
    { fromMinute: 500, landmarkId: 'b', why: '' },
  ];
  const plan = { rises: 340, retires: 1_320, stops, errandFrom: 0, errandTo: null };
  assert.deepEqual(
    [399, 400, 499, 500, 1_439].map((minute) => stopAt(plan, minute)?.landmarkId),
    [undefined, 'a', 'a', 'b', 'b'],
  );
  assert.deepEqual(
    [339, 340, 1_319, 1_320].map((minute) => isBedtime(plan, minute)),
    [true, false, false, true],
  );
});

test('no agent stays at one place for more than two village hours plus its shift', () => {
  for (const day of DAYS) {
    const { stops } = planDay(ADA, landmarks, day);
    const longest = Math.max(
      ...stops.slice(1).map(({ fromMinute }, index) => fromMinute - (stops[index]?.fromMinute ?? 0)),
    );
    assert.ok(longest <= 140, `day ${day}: ${longest}`);
  }
});

test('ranks are read from the name of a tier, and a tier opens its own places', () => {
  assert.deepEqual(['tier-0', 'tier-12', 'tier-', 'gold', '', 'xtier-3'].map(rankOf), [0, 12, -1, -1, -1, -1]);
});

test('a village with only homes has no stops and no errand', () => {
  const plan = planDay(
    ADA,
    landmarks.filter(({ kind }) => kind === 'home'),
    1,
  );
  assert.deepEqual([plan.stops, plan.errandTo], [[], null]);
  const one = landmarks.filter(({ kind }) => kind === 'pond');
  assert.equal(
    planDay(ADA, one, 1).errandTo,
    one[0]?.landmark_id,
    'with nothing that wants a delivery, any open place',
  );
});
