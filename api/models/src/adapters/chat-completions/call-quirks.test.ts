/** Calls of servers that speak Chat Completions in their own way, over HTTP. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { collectAnswer } from '../../chat/fold-answer.ts';
import { answerOf, ASK, call, delta, DONE, named, quirkServer } from '../../testing/quirk-server.ts';
import { eventStream } from '../../testing/wires/wire.ts';

const server = quirkServer();

const MILL = '{"place":"mill"}';
const POND = '{"place":"pond"}';
const END = [delta({}, 'tool_calls'), DONE];

const CALLS: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  ['arguments as an object', [call({ index: 0, id: 'a', function: named({ place: 'mill' }) }), ...END], [MILL]],
  [
    'a long number in arguments as an object',
    [call({ index: 0, id: 'a', function: named({ place: 'N' }) }).replace('"N"', '2512292042121000001'), ...END],
    ['{"place":2512292042121000001}'],
  ],
  [
    'a long number in arguments',
    [call({ index: 0, id: 'a', function: named('{"id":2512292042121000001}') }), ...END],
    ['{"id":2512292042121000001}'],
  ],
  [
    'a NUL and half of a pair in arguments',
    [call({ index: 0, id: 'a', function: named('{"place":"mill\\u0000\\ud83e"}') }), ...END],
    ['{"place":"mill\\u0000\\ud83e"}'],
  ],
  ['no arguments', [call({ index: 0, id: 'a', function: { name: 'go_to' } }), ...END], ['{}']],
  ['arguments null', [call({ index: 0, id: 'a', function: named(null) }), ...END], ['{}']],
  ['the finish reason stop', [call({ index: 0, id: 'a', function: named('') }), delta({}, 'stop'), DONE], ['{}']],
  ['no finish reason', [call({ index: 0, id: 'a', function: named(MILL) }), DONE], [MILL]],
  [
    'two finish reasons',
    [
      call({ index: 0, id: 'a', function: named('{}') }),
      ...END.slice(0, 1),
      delta({ content: '' }, 'tool_calls'),
      DONE,
    ],
    ['{}'],
  ],
  [
    'one id for all',
    [
      call({ index: 0, id: 'go_to', function: named(MILL) }),
      call({ index: 1, id: 'go_to', function: named(POND) }),
      ...END,
    ],
    [MILL, POND],
  ],
  [
    'the name after the arguments',
    [call({ id: 'a', function: { arguments: '{"place":' } }), call({ id: 'a', function: named('"mill"}') }), ...END],
    [MILL],
  ],
  [
    'ids but no numbers',
    [
      call({ id: '0', function: named('{"place":') }),
      call({ id: '0', function: { arguments: '"mill"}' } }),
      call({ id: '1', function: named('{"place":') }),
      call({ function: { arguments: '"pond"}' } }),
      ...END,
    ],
    [MILL, POND],
  ],
  [
    'ids that differ outside of ASCII alone',
    [
      call({ index: 0, id: 'c-ä', function: named(MILL) }),
      call({ index: 1, id: 'c-ö', function: named(POND) }),
      ...END,
    ],
    [MILL, POND],
  ],
  [
    'pieces without a list',
    [
      delta({ tool_calls: { id: 'a', function: named('{"place":') } }),
      delta({ tool_calls: { id: 'a', function: { arguments: '"mill"}' } } }),
      delta({ tool_calls: { id: 'b', function: named(POND) } }),
      ...END,
    ],
    [MILL, POND],
  ],
  ['ids that are numbers', [call({ index: 0, id: 7, function: named(MILL) }), ...END], [MILL]],
  [
    'the form before tool_calls',
    [
      delta({ function_call: { name: 'go_to', arguments: '{"place":' } }),
      delta({ function_call: { arguments: '"mill"}' } }),
      delta({}, 'function_call'),
      DONE,
    ],
    [MILL],
  ],
];

for (const [title, chunks, expected] of CALLS)
  test(`calls are read with ${title}`, async () => {
    const { toolCalls, finish } = answerOf(await server().streamed(...chunks));
    assert.deepEqual(
      toolCalls.map((one) => one.arguments),
      expected,
    );
    assert.deepEqual(
      toolCalls.map(({ name }) => name),
      expected.map(() => 'go_to'),
    );
    const ids = toolCalls.map(({ id }) => id.replaceAll(/[^ -~]/g, '?'));
    assert.equal(new Set(ids).size, expected.length, 'each call has an id of its own');
    assert.equal(finish, 'tool_calls');
    server().wire.verify();
  });

test('a call with the id of an earlier one gets an id of its own', async () => {
  const toolCalls = [{ id: '0', name: 'go_to', arguments: '{}' }];
  const messages = [
    ...ASK.messages,
    { role: 'assistant' as const, content: '', toolCalls },
    { role: 'tool' as const, toolCallId: '0', content: 'There.' },
  ];
  server().wire.add({ answer: eventStream([call({ index: 0, id: '0', function: named(MILL) }), ...END]) });
  const answer = answerOf(await collectAnswer(server().model().stream({ messages })));
  assert.deepEqual(answer.toolCalls, [{ id: 'call_3_0', name: 'go_to', arguments: MILL }]);
});

test("Gemini's signature of a call goes back with the call", async () => {
  const extra_content = { google: { thought_signature: 'c2ln' } };
  const { toolCalls, reasoningItems } = answerOf(
    await server().streamed(call({ index: 0, id: 'a', function: named(MILL), extra_content }), ...END),
  );
  const answer = { role: 'assistant' as const, content: '', toolCalls, reasoning: reasoningItems };
  server().wire.add({ answer: eventStream([call({ index: 0, id: 'b', function: named(POND) }), ...END]) });
  const result = { role: 'tool' as const, toolCallId: 'a', content: 'There.' };
  answerOf(
    await collectAnswer(
      server()
        .model()
        .stream({ messages: [...ASK.messages, answer, result] }),
    ),
  );
  const sent = server().wire.requests.at(-1)?.body as { readonly messages: readonly unknown[] } | undefined;
  assert.deepEqual(sent?.messages[1], {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'a', type: 'function', function: named(MILL), extra_content }],
  });
});

test('the first piece of a call has its name, so that a client can show it', async () => {
  const early = call({ id: 'a', function: { arguments: '{"place":' } });
  server().wire.add({ answer: eventStream([early, call({ id: 'a', function: named('"mill"}') }), ...END]) });
  const pieces = (await Array.fromAsync(server().model().stream(ASK))).filter(({ kind }) => kind === 'tool');
  assert.deepEqual(pieces, [{ kind: 'tool', slot: 0, id: 'a', name: 'go_to', arguments: MILL }]);
});

test('a whole answer is read with arguments as an object, and with one id for all calls', async () => {
  const tool_calls = [
    { id: 'a', type: 'function', function: named({ place: 'mill' }) },
    { id: 'a', type: 'function', function: named(POND) },
  ];
  const { toolCalls, finish } = answerOf(await server().whole({ content: null, tool_calls }, null));
  assert.deepEqual(
    toolCalls.map((one) => one.arguments),
    [MILL, POND],
  );
  assert.deepEqual([new Set(toolCalls.map(({ id }) => id)).size, finish], [2, 'tool_calls']);
});

test('a call that the limit of tokens cut has the finish reason length, and its arguments stay cut', async () => {
  const { toolCalls, finish } = answerOf(
    await server().streamed(call({ index: 0, id: 'a', function: named('{"place":"mi') }), delta({}, 'length'), DONE),
  );
  assert.deepEqual([toolCalls[0]?.arguments, finish], ['{"place":"mi', 'length']);
});
