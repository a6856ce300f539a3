import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aCallEvent } from '../../client/minds/minds.fixture.ts';
import { afterRunEvent, EMPTY_TRACE } from '../../client/minds/run-trace.ts';
import { traceItems } from '../../client/minds/trace-items.ts';
import { todoOf } from './todo.ts';

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
