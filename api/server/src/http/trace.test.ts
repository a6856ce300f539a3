import assert from 'node:assert/strict';
import { test } from 'node:test';
import { continueTrace, readTraceparent } from './trace.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

test('a header is read as the W3C defines it, and anything else is ignored', () => {
  assert.deepEqual(readTraceparent(`00-${TRACE}-${SPAN}-01`), { traceId: TRACE, spanId: SPAN, isSampled: true });
  assert.equal(readTraceparent(`00-${TRACE}-${SPAN}-02`)?.isSampled, false);
  for (const later of [`cc-${TRACE}-${SPAN}-01`, `cc-${TRACE}-${SPAN}-01-more`])
    assert.equal(readTraceparent(later)?.traceId, TRACE, later);
  for (const wrong of [
    undefined,
    null,
    '',
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}-1`,
    `00-${'0'.repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE}-${SPAN}-01-more`,
    `ff-${TRACE}-${SPAN}-01`,
    `cc-${TRACE}-${SPAN}-01more`,
  ])
    assert.equal(readTraceparent(wrong), null, String(wrong));
});

test("a request gets a span of its own in its caller's trace, with the caller's decision", () => {
  const own = readTraceparent(continueTrace(`00-${TRACE}-${SPAN}-01`, () => false));
  assert.deepEqual([own?.traceId, own?.isSampled], [TRACE, true]);
  assert.notEqual(own?.spanId, SPAN);
  assert.equal(readTraceparent(continueTrace(`00-${TRACE}-${SPAN}-00`, () => true))?.isSampled, false);
});

test('a request without a valid header begins a trace, which is recorded if the sampler says so', () => {
  const seen: string[] = [];
  const begun = readTraceparent(continueTrace('wrong', (traceId) => seen.push(traceId) > 0));
  assert.deepEqual([begun?.isSampled, begun?.traceId], [true, seen[0]]);
  assert.equal(readTraceparent(continueTrace(undefined))?.isSampled, false);
});
