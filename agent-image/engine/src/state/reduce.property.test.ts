/** Random events: the reducer never throws, never mutates a state, and keeps its invariants in every reachable state. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EFFECTS, type EventType, type JournalEvent } from '../journal/event.ts';
import { aCall, anEvent, aRef } from '../testing/an-event.ts';
import { diceOf, seedOf, type Dice } from '../testing/dice.ts';
import { decide } from './decide.ts';
import { reduce } from './reduce.ts';
import { type CallState } from './call-state.ts';
import { currentCalls, type RunState } from './run-state.ts';

const STORIES = 400;
const EVENTS = 120;

const TYPES: readonly EventType[] = [
  'run_resumed',
  'stage_opened',
  'stage_closed',
  'context_built',
  'model_asked',
  'model_answered',
  'model_failed',
  'model_failed',
  'parked',
  'tool_intent',
  'tool_intent',
  'tool_settled',
  'tool_unknown',
  'call_parked',
  'permission_asked',
  'permission_answered',
  'permission_expired',
  'budget_spent',
  'budget_warned',
  'budgets_raised',
  'finish_asked',
  'turns_compacted',
  'cancel_asked',
  'interrupted',
  'run_closed',
];

/** Mostly plausible: uses numbers from the state, and sometimes wrong ones. */
function anyEvent(state: RunState, dice: Dice): JournalEvent {
  const { fence, asking } = state;
  const type = dice.chance(0.02) ? dice.of(['cancel_asked', 'interrupted', 'run_closed'] as const) : dice.of(TYPES);
  const rare = ['cancel_asked', 'interrupted', 'run_closed', 'stage_closed'].includes(type) && dice.chance(0.9);
  const chosen = rare ? 'model_asked' : type;
  const call = currentCalls(state).length === 0 ? null : dice.of(currentCalls(state));
  const id = call?.id ?? '1.0';
  const ask = dice.chance(0.9) && chosen === 'model_asked' ? state.turns.length + 1 : asking.ask;
  const common = { fence: chosen === 'run_resumed' ? fence + dice.of([0, 1]) : fence, elapsedMs: dice.of([0, 1, 50]) };
  switch (chosen) {
    case 'model_asked':
      return anEvent(chosen, { ...common, ask, attempt: asking.attempt + 1 });
    case 'model_answered': {
      const calls = EFFECTS.slice(0, dice.of([0, 1, 2, 5])).map((effect, index) =>
        aCall({ id: `${ask}.${index}`, effect: dice.of([effect, ...EFFECTS]) }),
      );
      const usage = { prompt: 3, completion: 4, total: 7 };
      return anEvent(chosen, { ...common, ask, attempt: asking.attempt, calls, hasText: dice.chance(0.8), usage });
    }
    case 'model_failed':
      return anEvent(chosen, { ...common, ask, attempt: asking.attempt });
    case 'tool_intent': {
      const key = call?.effect === 'keyed' ? aRef(dice.chance(0.9) ? id : 'other') : null;
      const attempt = (call?.attempt ?? 0) + dice.of([0, 1, 1, 1]);
      const effect = call?.effect ?? 'read';
      return anEvent(chosen, { ...common, call: id, key, effect, attempt: Math.max(1, attempt) });
    }
    case 'tool_settled':
      return anEvent(chosen, { ...common, call: id, outcome: dice.of(['ok', 'failed', 'denied', 'unknown']) });
    case 'tool_unknown':
      return anEvent(chosen, { ...common, call: id, attempt: Math.max(1, call?.attempt ?? 1) });
    case 'permission_asked':
      return anEvent(chosen, { ...common, call: id, request: `q${id}`, why: dice.of(['policy', 'unknown']) });
    case 'permission_answered':
      return anEvent(chosen, {
        ...common,
        request: `q${id}`,
        answer: dice.of(['allow', 'deny', 'happened', 'repeat']),
      });
    case 'permission_expired':
      return anEvent(chosen, { ...common, request: `q${id}` });
    case 'turns_compacted':
      return anEvent(chosen, { ...common, turns: dice.of([0, 1, 2, state.turns.length, state.turns.length + 1]) });
    case 'run_closed': {
      const outcome = dice.of([
        { kind: 'cancelled' },
        { kind: 'failed', code: 'x', answer: null },
        { kind: 'done', answer: aRef('answer') },
      ] as const);
      return anEvent(chosen, { ...common, outcome });
    }
    default:
      return anEvent(chosen, common);
  }
}

const BEGINS = new Set<EventType>([
  'context_built',
  'model_asked',
  'tool_intent',
  'permission_asked',
  'stage_opened',
  'budget_warned',
  'finish_asked',
  'parked',
]);

function freeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.values(value).forEach(freeze);
  return Object.freeze(value);
}

/** The invariants of each legal move. */
function checkMove(before: RunState, event: JournalEvent, after: RunState): void {
  if (BEGINS.has(event.type)) assert.ok(!before.cancelled && !before.interrupted, `${event.type} began after the end`);
  assert.equal(before.outcome, null, 'a closed run moved');
  assert.ok(after.fence >= before.fence);
  if (event.type === 'tool_intent')
    checkIntent(
      currentCalls(before).find(({ id }) => id === event.call),
      event.attempt,
    );
  for (const [turn, { calls }] of before.turns.entries()) {
    for (const [index, call] of calls.entries()) {
      const next = after.turns[turn]?.calls[index];
      if (call.phase === 'settled') assert.deepEqual(next, call, 'a settled call changed');
    }
  }
}

function checkIntent(call: CallState | undefined, attempt: number): void {
  assert.ok(call !== undefined && attempt === call.attempt + 1, 'an attempt has one intent');
  if (call.effect !== 'once' || call.attempt === 0) return;
  assert.equal(call.question?.answer, 'repeat', "a once call ran again without a person's decision");
}

function checkState(state: RunState): void {
  const commands = decide(state);
  if (state.outcome !== null || state.interrupted || state.parked !== null) assert.deepEqual(commands, []);
  else if (state.cancelled) assert.deepEqual(commands, [{ type: 'close', outcome: { kind: 'cancelled' } }]);
  if (state.outcome?.kind === 'done') assert.ok(state.turns.at(-1)?.hasText, 'done without a word');
}

test(`${STORIES} random sequences of ${EVENTS} events keep the invariants`, (t) => {
  const seed = seedOf();
  t.diagnostic(`SEED=${seed}`);
  const seen = new Map<EventType, number>();
  let refused = 0;
  for (let story = 0; story < STORIES; story += 1) {
    const dice = diceOf(seed + story);
    const first = reduce(null, anEvent('run_opened'));
    let state = first.ok ? freeze(first.state) : assert.fail(first.code);
    for (let index = 0; index < EVENTS; index += 1) {
      const event = freeze(anyEvent(state, dice));
      const next = reduce(state, event);
      if (!next.ok) {
        refused += 1;
        continue;
      }
      checkMove(state, event, next.state);
      checkState(next.state);
      state = freeze(next.state);
      seen.set(event.type, (seen.get(event.type) ?? 0) + 1);
    }
  }
  assert.ok(refused > STORIES, 'the sequences contain illegal moves');
  for (const type of TYPES)
    assert.ok((seen.get(type) ?? 0) > 0, `${type} was never legal, so the test says nothing about it`);
});
