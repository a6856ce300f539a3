import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ResponseBody } from '@hamlet/contract';
import { chatBodyOfResponse, refusalOfResponse } from './chat-body-of-response.ts';

const body = (more: object): ResponseBody => ResponseBody.parse({ model: 'small', ...more });

test('items of the assistant that follow one another are one message, in their order', () => {
  const { messages } = chatBodyOfResponse(
    body({
      input: [
        { role: 'user', content: 'Bake.' },
        { type: 'reasoning', summary: [{ type: 'summary_text', text: 'First heat.' }], encrypted_content: 'sealed' },
        { role: 'assistant', content: 'I heat.' },
        { role: 'assistant', content: [{ type: 'output_text', text: 'I knead.' }] },
        { type: 'function_call', call_id: 'c1', name: 'oven', arguments: '{}' },
        { type: 'function_call_output', call_id: 'c1', output: 'hot' },
        { role: 'assistant', content: 'Done.' },
      ],
    }),
  );
  assert.deepEqual(
    messages.map(({ role }) => role),
    ['user', 'assistant', 'tool', 'assistant'],
  );
  const [, said] = messages;
  assert.deepEqual(said?.reasoning_items, [{ text: 'First heat.', sealed: 'sealed' }]);
  assert.deepEqual(
    said?.tool_calls?.map(({ id }) => id),
    ['c1'],
  );
  assert.deepEqual(Array.isArray(said?.content) && said.content.map(({ text }) => text), [
    'I heat.',
    '\n\n',
    'I knead.',
  ]);
});

test('items of other types are left out in all their shapes, because they stay in the history of a client', () => {
  const { messages } = chatBodyOfResponse(
    body({
      input: [
        { role: 'user', content: 'Bake.' },
        { type: 'tool_search_call', call_id: null, arguments: { query: 'oven' } },
        { type: 'computer_call_output', call_id: 'c1', output: { type: 'computer_screenshot' } },
        {
          type: 'shell_call_output',
          call_id: 'c2',
          output: [{ stdout: 'hot', stderr: '', outcome: { type: 'exit' } }],
        },
        { type: 'additional_tools', role: 'developer', tools: [] },
      ],
    }),
  );
  assert.deepEqual(messages, [{ role: 'user', content: 'Bake.' }]);
});

test('fields that need stored answers, or would be dropped in silence, are refused with their place', () => {
  const cases: readonly (readonly [path: string, more: object])[] = [
    ['body.moderation', { moderation: { model: 'strict', policy: { input: { mode: 'block' } } } }],
    [
      'body.input.1',
      {
        input: [
          { role: 'user', content: 'Bake.' },
          { type: 'item_reference', id: 'msg_1' },
        ],
      },
    ],
  ];
  for (const [path, more] of cases) {
    const refusal = refusalOfResponse(body({ input: 'x', ...more }));
    assert.deepEqual([refusal?.reason, refusal?.errors?.[0]?.path], ['unsupported_field', path]);
  }
});

test('the work of a body grows with its items, and the tools of all namespaces have one limit', () => {
  const items = (count: number) =>
    Array.from({ length: count }, () => ({ role: 'assistant', content: [{ type: 'output_text', text: 'a' }] }));
  const { messages } = chatBodyOfResponse(body({ input: items(2_000) }));
  const [said] = messages;
  assert.deepEqual([messages.length, Array.isArray(said?.content) && said.content.length], [1, 3_999]);
  const tools = (count: number) => [
    {
      type: 'namespace',
      name: 'mcp',
      tools: Array.from({ length: count }, (_, at) => ({ type: 'function', name: `t${at}` })),
    },
    { type: 'function', name: 'other' },
  ];
  assert.equal(refusalOfResponse(body({ input: 'x', tools: tools(1_023) })), null);
  assert.equal(refusalOfResponse(body({ input: 'x', tools: tools(1_024) }))?.reason, 'validation_failed');
});
