import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { ToolOutcome } from '../effects/tool-outcome.ts';
import { ModelEnd } from '../loop/ports.ts';
import { anEvent, aCall, BUDGETS } from '../testing/an-event.ts';
import type { EventType } from './event.ts';
import { EVENT_TYPES, JournalEvent } from './event.ts';
import { matcherOf } from './matcher.ts';

type Value = Readonly<Record<string, unknown>>;

/** Values of each kind that a field may have by mistake, at the edges of the bounds too. */
const WRONG: readonly unknown[] = [
  undefined,
  null,
  true,
  -1,
  0,
  1,
  1.5,
  Number.NaN,
  2 ** 53,
  '',
  'x',
  'X9_',
  'x'.repeat(22),
  'x'.repeat(200),
  'x'.repeat(201),
  [],
  [null],
  ['x'],
  Array.from({ length: 65 }, () => 'x'),
  {},
  { run: 'r', call: 'c' },
  { kind: 'cancelled' },
  { kind: 'done', answer: 'x'.repeat(22), more: 1 },
];

/** The value with one field replaced, removed or added, at any depth. */
function* changesOf(value: unknown): Generator<unknown> {
  yield* WRONG;
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) for (const other of changesOf(item)) yield value.with(index, other);
  } else if (typeof value === 'object' && value !== null) {
    yield { ...value, unknown: 1 };
    for (const [key, item] of Object.entries(value)) {
      yield Object.fromEntries(Object.entries(value).filter(([other]) => other !== key));
      for (const other of changesOf(item)) yield { ...value, [key]: other };
    }
  }
}

function agrees(schema: z.ZodType, values: readonly unknown[]): Readonly<{ yes: number; no: number }> {
  const matches = matcherOf(schema);
  const counts = { yes: 0, no: 0 };
  for (const value of values) {
    assert.ok(schema.safeParse(value).success, JSON.stringify(value));
    for (const changed of [value, ...changesOf(value)]) {
      const expected = schema.safeParse(changed).success;
      assert.equal(matches(changed), expected, JSON.stringify(changed));
      counts[expected ? 'yes' : 'no'] += 1;
    }
  }
  return counts;
}

test('a matcher of events agrees with their schema about each event and each change of it', () => {
  const events = EVENT_TYPES.map((type) => anEvent(type as EventType));
  const answered = anEvent('model_answered', { calls: [aCall(), aCall({ effect: null })] });
  const parent = anEvent('run_opened', { parent: { run: 'r0', call: '1.0' }, budgets: { ...BUDGETS, steps: 1 } });
  const { yes, no } = agrees(JournalEvent, [...events, answered, parent]);
  assert.ok(yes > 500 && no > 5_000, `${yes} right ones, ${no} wrong ones`);
});

test('matchers of answers and outcomes agree with their schemas', () => {
  const spent: Value = { usage: { prompt: 1, completion: 2, total: 3 }, moneyMicros: 4 };
  const toolCalls = [{ id: 'call_1', name: 'post', arguments: '{}' }];
  agrees(ModelEnd, [
    { type: 'answer', content: '', toolCalls, ...spent },
    { type: 'failed', code: 'network', retryable: true, ...spent },
  ]);
  agrees(ToolOutcome, [
    { kind: 'ok', text: '' },
    { kind: 'ok', text: '', untrusted: true },
    { kind: 'invalid_input', issues: [{ path: '', expected: 'a text' }] },
    { kind: 'denied', code: 'policy', text: '' },
    { kind: 'timed_out', afterMs: 1 },
    { kind: 'failed', code: 'x', text: '' },
  ]);
});

test('a schema with a form that a matcher does not know is refused when the matcher is made', () => {
  const forms = [
    z.object({ a: z.string() }),
    z.union([z.string(), z.int()]),
    z.string().optional(),
    z.number(),
    z.int().gt(1),
    z.int().lt(3),
    z.email(),
    z.string().transform(Number),
    z.string().refine((text) => text !== ''),
  ];
  for (const form of forms) assert.throws(() => matcherOf<unknown>(form), /does not support/);
});
