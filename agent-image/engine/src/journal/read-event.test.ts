import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aCall, anEvent } from '../testing/an-event.ts';
import { EVENT_TYPES, EVENT_VERSION, type EventType, type JournalEvent } from './event.ts';
import { readEvent } from './read-event.ts';

test('each type of event is read as it was written', () => {
  for (const type of EVENT_TYPES) {
    const event = anEvent(type as EventType);
    assert.deepEqual(readEvent(JSON.parse(JSON.stringify(event))), { ok: true, event });
  }
});

test('an event of a newer version or an unknown type is newer, not damaged', () => {
  for (const fields of [{ v: EVENT_VERSION + 1 }, { type: 'tool_teleported' }]) {
    const result = readEvent({ ...anEvent('interrupted'), ...fields });
    assert.equal(result.ok ? 'read' : result.code, 'journal_newer');
  }
});

test('a wrong or superfluous field is reported as damage, with its path', () => {
  for (const fields of [{ fence: 'x' }, { fence: 0 }, { v: 'one' }, { v: undefined }, { type: 7 }, { more: 1 }]) {
    const result = readEvent({ ...anEvent('interrupted'), ...fields });
    assert.equal(result.ok ? 'read' : result.code, 'journal_damaged');
  }
  const result = readEvent({ ...anEvent('tool_intent'), attempt: 0 });
  assert.match(result.ok ? '' : result.message, /tool_intent is wrong: attempt/);
});

test('an answer of the first version has no words', () => {
  const { words: _, ...old } = JSON.parse(JSON.stringify(anEvent('permission_answered'))) as Record<string, unknown>;
  assert.deepEqual(readEvent({ ...old, v: 1 }), { ok: true, event: anEvent('permission_answered', { words: null }) });
  assert.deepEqual(readEvent({ ...anEvent('interrupted'), v: 1 }), { ok: true, event: anEvent('interrupted') });
  assert.equal(readEvent({ ...anEvent('permission_answered'), words: 'No bread' }).ok, false, 'a reference, no text');
});

test('events of the second version get the fields of the third', () => {
  const old = (event: JournalEvent, ...added: readonly string[]) =>
    Object.fromEntries(Object.entries({ ...event, v: 2 }).filter(([key]) => !added.includes(key)));
  const calls = [aCall()];
  const expected = [
    [anEvent('model_answered', { calls, finish: 'tool_calls' }), 'finish'],
    [anEvent('model_answered'), 'finish'],
    [anEvent('model_failed'), 'retryAfterMs'],
    [anEvent('tool_settled'), 'polls'],
  ] as const;
  for (const [event, added] of expected) assert.deepEqual(readEvent(old(event, added)), { ok: true, event });
  const closed = { ...old(anEvent('run_closed')), outcome: { kind: 'failed', code: 'test' } };
  assert.deepEqual(readEvent(closed), { ok: true, event: anEvent('run_closed') });
  const cancelled = anEvent('run_closed', { outcome: { kind: 'cancelled' } });
  assert.deepEqual(readEvent(old(cancelled)), { ok: true, event: cancelled });
});

test('an older event is converted through each version up to the current one', () => {
  const { elapsedMs: _, ...old } = anEvent('interrupted');
  const steps: number[] = [];
  const upcast = (from: number) => (event: Readonly<Record<string, unknown>>) => {
    steps.push(from);
    return { ...event, v: from + 1, ...(from + 1 === EVENT_VERSION ? { elapsedMs: 0 } : {}) };
  };
  const first = EVENT_VERSION - 2;
  const result = readEvent({ ...old, v: first }, { [first]: upcast(first), [first + 1]: upcast(first + 1) });
  assert.deepEqual(result, { ok: true, event: anEvent('interrupted') });
  assert.deepEqual(steps, [first, first + 1]);
  assert.equal(readEvent({ ...old, v: first }).ok, false);
});
