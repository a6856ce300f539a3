import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agentsToPause, judgeNode, type Candidate, type Judgement } from './memory-guard.ts';

const GIB = 2 ** 30;
const LIMITS = { availablePercent: 5, stalledPercent: 10 };
const START = Date.parse('2026-11-30T01:00:00Z');

interface At {
  readonly s: number;
  readonly gib?: number | null;
  readonly stalled?: number | null;
}

/** The states of a node of 120 GiB through readings at these seconds; a `gib` of null stands for a missing reading. */
function through(readings: readonly At[], first: Judgement['state'] = null): readonly string[] {
  let state = first;
  return readings.map(({ s, gib = 60, stalled = null }) => {
    const now = new Date(START + s * 1_000);
    const reading =
      gib === null
        ? undefined
        : {
            at: now.toISOString(),
            totalBytes: 120 * GIB,
            availableBytes: gib * GIB,
            cpuPressure: null,
            memoryPressure: null,
            memoryStalled: stalled,
            ioPressure: null,
            temperatureCelsius: null,
          };
    const judged = judgeNode(state, { node: 'box1', reading, limits: LIMITS, now });
    ({ state } = judged);
    const word = state === null ? 'well' : state.since === null ? 'seen' : 'short';
    return judged.missingBytes === undefined ? word : `${word} -${judged.missingBytes / GIB}`;
  });
}

const SHORT = [
  { s: 0, gib: 5 },
  { s: 15, gib: 5 },
] as const;

test('two readings in a row below the limit make a node short, one does not', () => {
  assert.deepEqual(through([{ s: 0, gib: 6 }, ...SHORT.map(({ s, gib }) => ({ s: s + 15, gib }))]), [
    'well',
    'seen',
    'short -4',
  ]);
  assert.deepEqual(
    through([
      { s: 0, gib: 5 },
      { s: 15, gib: 7 },
      { s: 30, gib: 5 },
    ]),
    ['seen', 'well', 'seen'],
  );
  assert.deepEqual(
    through([
      { s: 0, gib: 5 },
      { s: 0, gib: 5 },
    ]),
    ['seen', 'seen'],
    'the same reading counts once',
  );
});

test('stalls make a node short of which little memory is left, and then one agent waits', () => {
  assert.deepEqual(
    through([
      { s: 0, gib: 11, stalled: 10.5 },
      { s: 15, gib: 11, stalled: 11 },
    ]),
    ['seen', 'short -0'],
  );
  assert.deepEqual(through([{ s: 0, gib: 11, stalled: 10 }]), ['well']);
});

test('an agent that stalls at the limit of its own container makes no other agent wait', () => {
  const thrashing = [0, 15, 75, 135].map((s) => ({ s, gib: 108, stalled: 95 }));
  assert.deepEqual(through(thrashing), ['well', 'well', 'well', 'well']);
  const after = [255, 315].map((s) => ({ s: s + 100, gib: 60, stalled: 95 }));
  assert.deepEqual(through([...SHORT, ...after]).slice(2), ['short', 'well'], 'nor keeps it a node short');
});

test('a step follows a step after a minute, while the node is still short', () => {
  const still = [30, 60, 75, 90, 135].map((s) => ({ s, gib: 5.5 }));
  assert.deepEqual(through([...SHORT, ...still]).slice(2), ['short', 'short', 'short -3.5', 'short', 'short -3.5']);
});

test('a node recovers after a minute well above the limit, five minutes after the last step', () => {
  const between = [60, 330, 600].map((s) => ({ s, gib: 8 }));
  assert.deepEqual(
    through([...SHORT, ...between]).slice(2),
    ['short', 'short', 'short'],
    'between the limits it waits',
  );
  const easy = [30, 90, 300, 314, 315].map((s) => ({ s, gib: 9 }));
  assert.deepEqual(through([...SHORT, ...easy]).slice(2), ['short', 'short', 'short', 'short', 'well']);
  const late = [
    { s: 400, gib: 9 },
    { s: 430, gib: 8 },
    { s: 445, gib: 9 },
    { s: 490, gib: 9 },
    { s: 505, gib: 9 },
  ];
  assert.deepEqual(through([...SHORT, ...late]).slice(2), ['short', 'short', 'short', 'short', 'well']);
});

test('without readings a short node stays so for ten minutes, and one that was only seen is forgotten', () => {
  const unread = [100, 614, 615].map((s) => ({ s, gib: null }));
  assert.deepEqual(through([...SHORT, ...unread]).slice(2), ['short', 'short', 'well']);
  assert.deepEqual(
    through([
      { s: 0, gib: 5 },
      { s: 15, gib: null },
    ]),
    ['seen', 'well'],
  );
});

const agent = (agentId: string, rank: number, hour: number): Candidate => ({
  agentId,
  rank,
  createdAt: `2026-11-30T0${hour}:00:00Z`,
  memoryBytes: GIB,
});

test('the lowest tier waits first, within it the newest, until enough memory is free', () => {
  const all = [agent('old', 0, 1), agent('top', 2, 5), agent('new', 0, 3), agent('mid', 1, 4)];
  assert.deepEqual(agentsToPause(all, 1.5 * GIB), ['new', 'old']);
  assert.deepEqual(agentsToPause(all, 0), ['new'], 'at least one');
  assert.deepEqual(agentsToPause(all, 99 * GIB), ['new', 'old', 'mid', 'top']);
  assert.deepEqual(agentsToPause([], GIB), []);
  const many = Array.from({ length: 20 }, (_, at) => agent(`a${at}`, 0, 1));
  assert.equal(agentsToPause(many, 99 * GIB).length, 8, 'a step is bounded');
});
