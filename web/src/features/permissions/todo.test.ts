import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aCallEvent } from '../../client/minds/minds.fixture.ts';
import { afterRunEvent, EMPTY_TRACE } from '../../client/minds/run-trace.ts';
import { traceItems } from '../../client/minds/trace-items.ts';
import { readPlan, todoOf } from './todo.ts';

const calls = (...texts: readonly (string | null)[]) =>
  traceItems(
    texts.reduce(
      (trace, text, index) =>
        afterRunEvent(
          trace,
          aCallEvent(index + 1, 'call_begun', { call_id: `${index}.0`, tool: 'todo', arguments_text: text }),
        ),
      EMPTY_TRACE,
    ),
    [],
  );

test('the newest list of a run is shown, and a list that the tool refuses changes nothing', () => {
  const first = JSON.stringify({ items: [{ text: 'bake', status: 'in_progress' }] });
  const second = JSON.stringify({ items: [{ text: 'bake', status: 'done' }] });
  const wrong = JSON.stringify({ items: [{ text: 'bake', status: 'someday' }] });
  assert.deepEqual(todoOf(calls()), []);
  assert.deepEqual(todoOf(calls(first, null, wrong)), [{ text: 'bake', status: 'in_progress' }]);
  assert.deepEqual(todoOf(calls(first, second)), [{ text: 'bake', status: 'done' }]);
});

test('the plan that a program claims is shown like a list, and a claim that is not a plan changes nothing', () => {
  const claim = (kind: string, status: string) =>
    JSON.stringify({ kind, title: 'Plan', plan: [{ text: 'bake', status }] });
  const [plan, done] = [claim('plan', 'in_progress'), claim('plan', 'completed')];
  const of = (argumentsText: string | null) => readPlan({ tool: 'program.plan', argumentsText });
  assert.deepEqual(of(plan), [{ text: 'bake', status: 'in_progress' }]);
  assert.deepEqual(of(done), [{ text: 'bake', status: 'done' }]);
  for (const text of [null, 'bake', claim('plan', 'someday')]) assert.equal(of(text), null);
  assert.equal(readPlan({ tool: 'program.edit', argumentsText: claim('edit', 'pending') }), null);
});
