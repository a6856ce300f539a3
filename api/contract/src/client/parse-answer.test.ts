import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { getAgent } from '../routes/agents.ts';
import { createClient, parseAnswer } from './create-client.ts';

const Inner = z.strictObject({ id: z.string() });
const Answer = z.strictObject({
  items: z.array(Inner),
  one: z.union([z.strictObject({ kind: z.literal('a'), inner: Inner }), z.null()]),
  news: z.discriminatedUnion('event', [
    z.strictObject({ event: z.literal('x'), n: z.int() }),
    z.strictObject({ event: z.literal('y') }),
  ]),
});
const KNOWN = { items: [{ id: '1' }, { id: '2' }], one: { kind: 'a', inner: { id: '3' } }, news: { event: 'x', n: 1 } };

test('fields of a newer API are dropped at every depth, also in unions', () => {
  const newer = {
    items: [{ id: '1', more: 1 }, { id: '2' }],
    one: { kind: 'a', inner: { id: '3', deep: { a: 1 } }, extra: [] },
    news: { event: 'x', n: 1, at: 'now' },
    version: 2,
  };
  assert.deepEqual(parseAnswer(Answer, newer), KNOWN);
  assert.deepEqual(parseAnswer(Answer, structuredClone(KNOWN)), KNOWN);
});

test('any other difference is an error, even next to an unknown field', () => {
  const wrong: readonly unknown[] = [
    { ...KNOWN, items: [{ id: 1 }] },
    { ...KNOWN, items: [{ id: 1, more: 1 }] },
    { ...KNOWN, one: { kind: 'b', inner: { id: '3' } } },
    { ...KNOWN, news: { event: 'z' } },
    { items: [], one: null },
    null,
    'text',
  ];
  for (const value of wrong) assert.throws(() => parseAnswer(Answer, structuredClone(value)), z.ZodError);
});

test('a refusal for a reason of a newer API is a refusal, so that no client repeats it as a lost connection', async () => {
  const problem = {
    type: '#new',
    title: 'New',
    status: 429,
    detail: 'Wait an hour.',
    code: 'too_new',
    request_id: 'r1',
  };
  const fetch = async () => Response.json({ ...problem, wait: 3_600 }, { status: 429 });
  const answer = await createClient({ baseUrl: 'http://village.test', fetch }).call(getAgent, {
    params: { agent_id: 'ada' },
  });
  assert.deepEqual(!answer.ok && answer.problem, problem);
});
