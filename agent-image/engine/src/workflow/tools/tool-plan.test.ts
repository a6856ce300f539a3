/** ToolPlans: their schema, the fold over settled calls, and the recovery of each step. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ToolOutcome } from '../../effects/tool-outcome.ts';
import { diceOf, seedOf } from '../../testing/dice.ts';
import { ExecutionInput, executionOutput, ExecutionOutput, valueOf } from './execution.ts';
import { nextInPlan, ToolPlan, type Fill, type PlanMove, type SettledCall } from './tool-plan.ts';

/** Replaces `=name` by the result of that name. */
const fill: Fill = (template, results) => {
  const missing = JSON.stringify(template)
    .match(/"=([a-z_]+)"/g)
    ?.find((name) => !(name.slice(2, -1) in results));
  if (missing !== undefined) return { ok: false, message: `no result ${missing}` };
  const value = JSON.parse(JSON.stringify(template), (_key, at: unknown) =>
    typeof at === 'string' && at.startsWith('=') ? results[at.slice(1)] : at,
  );
  return { ok: true, value };
};

type Answer = (input: ExecutionInput) => ToolOutcome;

/** Carries a plan out as a caller does: each output is kept as JSON. */
function carryOut(written: unknown, answer: Answer): Readonly<{ end: PlanMove; inputs: readonly ExecutionInput[] }> {
  const plan = ToolPlan.parse(written);
  const settled: SettledCall[] = [];
  const inputs: ExecutionInput[] = [];
  for (let move = nextInPlan(plan, settled, fill); ; move = nextInPlan(plan, settled, fill)) {
    if (move.kind !== 'call') return { end: move, inputs };
    assert.ok(inputs.length < 1_000, 'the plan ends');
    inputs.push(ExecutionInput.parse(move.input));
    const output = JSON.parse(JSON.stringify(executionOutput(answer(move.input), 2)));
    settled.push({ step: move.input.step, output: ExecutionOutput.parse(output) });
  }
}

const ok = (value: unknown): ToolOutcome => ({
  kind: 'ok',
  text: typeof value === 'string' ? value : JSON.stringify(value),
});
const FAILED: ToolOutcome = { kind: 'failed', code: 'command_failed', text: 'it failed' };

test('steps run in their order, and later ones use the results of earlier ones', () => {
  const plan = [
    { tool_name: 'list', arguments: { path: 'src' }, result_field: 'files' },
    { tool_name: 'count', arguments: { of: '=files', deep: [{ again: '=files' }] }, result_field: 'count' },
    { tool_name: 'say' },
  ];
  const { end, inputs } = carryOut(plan, ({ tool_name: name }) => ok(name === 'list' ? ['a', 'b'] : name));
  assert.deepEqual(inputs[1], {
    step: 2,
    attempt: 1,
    tool_name: 'count',
    arguments: { of: ['a', 'b'], deep: [{ again: ['a', 'b'] }] },
  });
  assert.ok(end.kind === 'done');
  assert.deepEqual(end.output.results, { files: ['a', 'b'], count: 'count' });
  const step = { status: 'ok', code: null, text: null, attempts: 1, duration_ms: 2, mutations: [] };
  assert.deepEqual(
    end.output.steps,
    ['list', 'count', 'say'].map((tool_name) => ({ tool_name, ...step })),
  );
});

test('a failed step ends the plan, is passed over, or is called again', () => {
  const plan = (recovery: object) => [{ tool_name: 'a', ...recovery }, { tool_name: 'b' }];
  const failing: Answer = ({ tool_name: name }) => (name === 'a' ? FAILED : ok('b'));
  const stopped = carryOut(plan({}), failing);
  assert.ok(stopped.end.kind === 'failed' && stopped.inputs.length === 1);
  assert.deepEqual([stopped.end.step, stopped.end.end.code], [1, 'command_failed']);
  const passed = carryOut(plan({ on_error: 'continue', result_field: 'none' }), failing);
  assert.ok(passed.end.kind === 'done' && passed.inputs.length === 2);
  assert.deepEqual(passed.end.output.results, {});
  assert.equal(passed.end.output.steps[0]?.status, 'tool_failed');
  const again = carryOut(plan({ on_error: 'retry', attempts: 4 }), failing);
  assert.deepEqual(
    again.inputs.map(({ attempt }) => attempt),
    [1, 2, 3, 4],
  );
  assert.ok(again.end.kind === 'failed' && again.end.output.steps[0]?.attempts === 4);
  const third = carryOut(plan({ on_error: 'retry' }), ({ attempt, tool_name: name }) =>
    name === 'a' && attempt < 3 ? FAILED : ok(name),
  );
  assert.ok(third.end.kind === 'done');
  assert.deepEqual(
    third.inputs.map(({ tool_name: name, attempt }) => `${name}${attempt}`),
    ['a1', 'a2', 'a3', 'b1'],
  );
});

const OUTCOMES: readonly (readonly [ToolOutcome, string, string | null, number])[] = [
  [ok('x'), 'ok', null, 1],
  [FAILED, 'tool_failed', 'command_failed', 3],
  [{ kind: 'timed_out', afterMs: 5 }, 'tool_failed', 'timed_out', 3],
  [{ kind: 'unavailable', text: 'away' }, 'tool_failed', 'unavailable', 3],
  [{ kind: 'invalid_input', issues: [{ path: 'a', expected: 'a text' }] }, 'tool_failed', 'invalid_input', 1],
  [{ kind: 'denied', code: 'path_outside_root', text: 'no' }, 'permission_denied', 'path_outside_root', 1],
  [{ kind: 'denied', code: 'person', text: 'no' }, 'permission_denied', 'person', 1],
  [{ kind: 'over_budget', code: 'tokens' }, 'engine_error', 'tokens', 1],
  [{ kind: 'unknown', text: 'it may have happened' }, 'engine_error', 'unknown', 1],
];

test('failure of a tool, denial and error of the engine stay apart, and only the first is called again', () => {
  for (const [outcome, status, code, attempts] of OUTCOMES) {
    const { end, inputs } = carryOut([{ tool_name: 'a', on_error: 'retry' }], () => outcome);
    assert.ok(end.kind !== 'call');
    assert.deepEqual([end.output.steps[0]?.status, end.output.steps[0]?.code], [status, code]);
    assert.equal(inputs.length, attempts, `${outcome.kind} is called ${attempts} times`);
  }
});

test('a spent budget ends a plan that continues after errors; a denial does not', () => {
  const plan = [
    { tool_name: 'a', on_error: 'continue' },
    { tool_name: 'b', on_error: 'continue' },
  ];
  assert.equal(carryOut(plan, () => ({ kind: 'over_budget', code: 'steps' })).inputs.length, 1);
  assert.equal(carryOut(plan, () => ({ kind: 'denied', code: 'policy', text: '' })).inputs.length, 2);
  assert.equal(carryOut(plan, () => ({ kind: 'unknown', text: '' })).inputs.length, 2);
});

test('arguments that cannot be filled fail their step without a call', () => {
  const plan = [
    { tool_name: 'a', on_error: 'continue', result_field: 'gone' },
    { tool_name: 'b', arguments: { of: '=gone' }, on_error: 'continue' },
    { tool_name: 'c', result_field: 'c' },
  ];
  const { end, inputs } = carryOut(plan, ({ tool_name: name }) => (name === 'a' ? FAILED : ok(name)));
  assert.deepEqual(
    inputs.map(({ tool_name: name }) => name),
    ['a', 'c'],
  );
  assert.ok(end.kind === 'done');
  const { status, code, attempts, duration_ms: ms } = end.output.steps[1] ?? assert.fail('a step');
  assert.deepEqual([status, code, attempts, ms], ['engine_error', 'bad_template', 0, null]);
  const stopped = carryOut([{ tool_name: 'b', arguments: { of: '=gone' } }], () => assert.fail('no call'));
  assert.ok(stopped.end.kind === 'failed' && stopped.end.end.code === 'bad_template');
});

test('a plan of strangers is held to its schema', () => {
  const step = { tool_name: 'a' };
  for (const wrong of [
    [],
    {},
    Array.from({ length: 65 }, () => step),
    [{ tool_name: '' }],
    [{ ...step, argument: {} }],
    [{ ...step, arguments: [] }],
    [{ ...step, result_field: 'A-b' }],
    [{ ...step, result_field: '__proto__' }],
    [{ ...step, attempts: 3 }],
    [{ ...step, on_error: 'retry', attempts: 11 }],
    [{ ...step, on_error: 'again' }],
    [
      { ...step, result_field: 'x' },
      { ...step, result_field: 'x' },
    ],
  ])
    assert.equal(ToolPlan.safeParse(wrong).success, false, JSON.stringify(wrong));
  const read = ToolPlan.parse([step]);
  assert.deepEqual(read, [{ tool_name: 'a', arguments: {}, on_error: 'stop' }]);
  assert.deepEqual(ToolPlan.parse(JSON.parse(JSON.stringify(read))), read);
});

test('a result that is a JSON object or list stands for that value', () => {
  assert.deepEqual(valueOf('{"a":1}'), { a: 1 });
  assert.deepEqual(valueOf(' [1]'), [1]);
  for (const text of ['1', '"a"', 'true', '{a}', '', '[cut', 'plain']) assert.equal(valueOf(text), text);
});

test('mutations are read from a result; the plan of a dry run has no mutations', () => {
  const mutation = {
    path: 'a',
    change: 'created',
    bytes_before: null,
    bytes_after: 1,
    sha256_before: null,
    sha256_after: 'a'.repeat(64),
  };
  const of = (value: unknown): unknown => executionOutput(ok(value), null).mutations;
  assert.deepEqual(of({ mutations: [mutation] }), [mutation]);
  assert.deepEqual(of({ planned: true, mutations: [mutation] }), []);
  assert.deepEqual(of({ mutations: [{ ...mutation, path: '' }] }), []);
  assert.deepEqual(of('text'), []);
});

test('random plans end, every call has its step, and the fold gives the same move for the same calls', () => {
  const seed = seedOf();
  const dice = diceOf(seed);
  for (let round = 0; round < 300; round += 1) {
    const plan = Array.from({ length: dice.below(6) + 1 }, (_, at) => ({
      tool_name: `t${at}`,
      result_field: `f${'abcdef'[at]}`,
      arguments: at > 0 && dice.chance(0.5) ? { of: `=f${'abcdef'[dice.below(at)]}` } : {},
      on_error: dice.of(['stop', 'continue', 'retry']),
    }));
    const answers = Array.from({ length: 40 }, () => dice.of(OUTCOMES)[0]);
    let calls = 0;
    const first = carryOut(plan, () => answers[(calls += 1) % answers.length] ?? FAILED);
    calls = 0;
    const second = carryOut(plan, () => answers[(calls += 1) % answers.length] ?? FAILED);
    assert.deepEqual(second, first, `SEED=${seed}`);
    const order = first.inputs.map(({ step, attempt }) => step * 100 + attempt);
    assert.deepEqual(
      order,
      [...new Set(order)].toSorted((a, b) => a - b),
      `SEED=${seed}`,
    );
    assert.ok(first.end.kind !== 'call');
    if (first.end.kind === 'done') assert.equal(first.end.output.steps.length, plan.length);
    else assert.equal(first.end.output.steps.length, first.end.step);
  }
});
