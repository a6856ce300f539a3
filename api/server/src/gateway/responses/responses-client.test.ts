/** OpenAI's own client and Codex use the format Responses (`createResponse`) in front of a server with Chat Completions. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OPENAI_WIRE, type ScriptedAnswer } from '@hamlet/models/testing';
import OpenAI, { APIError } from 'openai';
import { agentToken, startPlay } from '../../testing/test-village.ts';
import { testWire, wireModels } from '../testing/wire-models.ts';

const wire = await testWire();
const { play } = await startPlay({ models: wireModels(wire.url) });

const client = new OpenAI({ baseURL: `${play.url}/v1`, apiKey: agentToken('bob'), maxRetries: 0, timeout: 60_000 });

function answerWith(answer: ScriptedAnswer): void {
  wire.add({ expect: { path: '/v1/chat/completions' }, answer: OPENAI_WIRE.stream(answer) });
}

const sent = (): Record<string, unknown> => wire.requests.at(-1)?.body as Record<string, unknown>;

test('a text is answered whole and streamed, with its usage', async () => {
  const usage = { prompt: 40, completion: 9 };
  answerWith({ text: ['Good ', 'day.'], usage });
  const whole = await client.responses.create({ model: 'small', instructions: 'Be short.', input: 'Hello.' });
  assert.deepEqual([whole.output_text, whole.status, whole.model], ['Good day.', 'completed', 'small']);
  assert.partialDeepStrictEqual(whole.usage, { input_tokens: 40, output_tokens: 9, total_tokens: 49 });
  assert.partialDeepStrictEqual(sent()['messages'], [
    { role: 'system', content: 'Be short.' },
    { role: 'user', content: 'Hello.' },
  ]);
  answerWith({ text: ['Good ', 'day.'], usage });
  const stream = client.responses.stream({ model: 'small', input: [{ role: 'user', content: 'Hello.' }] });
  const deltas: string[] = [];
  stream.on('response.output_text.delta', ({ delta }) => void deltas.push(delta));
  const final = await stream.finalResponse();
  assert.deepEqual([deltas, final.output_text], [['Good ', 'day.'], 'Good day.']);
  wire.verify();
});

test('thoughts are items with their seal, and an answer at its limit is incomplete', async () => {
  answerWith({ thought: ['A ', 'greeting.'], text: ['Cut'], finish: 'length' });
  const {
    output,
    status,
    incomplete_details: why,
  } = await client.responses.create({ model: 'small', input: 'Hello.' });
  assert.deepEqual([status, why], ['incomplete', { reason: 'max_output_tokens' }]);
  assert.partialDeepStrictEqual(output[0], {
    type: 'reasoning',
    summary: [{ type: 'summary_text', text: 'A greeting.' }],
    encrypted_content: null,
  });
  assert.deepEqual(output[1]?.type, 'message');
  wire.verify();
});

const parameters = { type: 'object', properties: { cmd: { type: 'string' } }, additionalProperties: false };
const CODEX_TOOLS = [
  { type: 'function', name: 'exec_command', description: 'Runs a command.', strict: false, parameters },
  {
    type: 'custom',
    name: 'apply_patch',
    description: 'Changes files.',
    format: { type: 'grammar', syntax: 'lark', definition: 'start: "*** Begin Patch"' },
  },
  {
    type: 'namespace',
    name: 'mcp__mill__',
    description: 'The mill.',
    tools: [{ type: 'function', name: 'grind', description: 'Grinds.', strict: false, parameters }],
  },
  { type: 'web_search', external_web_access: true },
];
/** The body of Codex 0.171, with shorter texts. */
const CODEX = {
  model: 'small',
  instructions: 'You are Codex.',
  tools: CODEX_TOOLS,
  tool_choice: 'auto',
  parallel_tool_calls: false,
  reasoning: null,
  store: false,
  stream: true,
  include: ['reasoning.encrypted_content'],
  prompt_cache_key: '0199-conversation',
  client_metadata: { 'x-codex-installation-id': 'some' },
};
const FIRST = [
  { type: 'message', role: 'developer', content: [{ type: 'input_text', text: '<permissions>' }] },
  { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Fix the test.' }] },
];

interface Event {
  readonly type: string;
  readonly sequence_number: number;
  readonly output_index?: number;
  readonly delta?: string;
  readonly item?: Readonly<Record<string, unknown>>;
  readonly response?: Readonly<Record<string, unknown>>;
}

async function codex(input: readonly object[]): Promise<readonly Event[]> {
  const response = await fetch(`${play.url}/v1/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${agentToken('bob')}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...CODEX, input }),
  });
  const text = await response.text();
  assert.equal(response.status, 200, text);
  const events = text.split('\n\n').filter((part) => part.startsWith('event: '));
  return events.map((part) => {
    const [, name = '', json = ''] = /^event: (\S+)\ndata: (.*)$/s.exec(part) ?? [];
    const event = JSON.parse(json) as Event;
    assert.equal(event.type, name);
    return event;
  });
}

const doneItems = (events: readonly Event[]) =>
  events
    .filter(({ type }) => type === 'response.output_item.done')
    .toSorted((a, b) => (a.output_index ?? 0) - (b.output_index ?? 0))
    .map(({ item }) => item ?? {});

test('Codex gets calls of its functions, custom tools and namespaces, and sends their outputs back', async () => {
  answerWith({
    text: ['I look.'],
    calls: [
      { id: 'call_a', name: 'exec_command', pieces: ['{"cmd":', '"ls"}'] },
      { id: 'call_b', name: 'apply_patch', pieces: ['{"input":"*** Begin Patch"}'] },
      { id: 'call_c', name: 'mcp__mill__grind', pieces: ['{}'] },
    ],
  });
  const events = await codex(FIRST);
  const tools = sent()['tools'] as readonly { function: { name: string; description: string } }[];
  assert.deepEqual(
    tools.map((tool) => tool.function.name),
    ['exec_command', 'apply_patch', 'mcp__mill__grind'],
  );
  assert.match(tools[1]?.function.description ?? '', /lark.*Begin Patch/);
  assert.deepEqual(
    events.map(({ sequence_number: at }) => at),
    events.map((_, at) => at),
  );
  const order = events.flatMap(({ type, output_index: at }) =>
    /output_item\.(added|done)$/.test(type) ? [`${at} ${type.replace(/.*\./, '')}`] : [],
  );
  assert.deepEqual(
    order,
    [0, 1, 2, 3].flatMap((at) => [`${at} added`, `${at} done`]),
    'an item ends before the next begins',
  );
  const said = (wanted: number) =>
    events.flatMap(({ type, output_index: at, delta }) =>
      type.endsWith('arguments.delta') && at === wanted ? [delta ?? ''] : [],
    );
  assert.deepEqual([said(1).join(''), said(3).join('')], ['{"cmd":"ls"}', '{}'], 'clients join the pieces of a call');
  const items = doneItems(events);
  assert.partialDeepStrictEqual(items, [
    { type: 'message', content: [{ type: 'output_text', text: 'I look.' }] },
    { type: 'function_call', call_id: 'call_a', name: 'exec_command', arguments: '{"cmd":"ls"}' },
    { type: 'custom_tool_call', call_id: 'call_b', name: 'apply_patch', input: '*** Begin Patch' },
    { type: 'function_call', call_id: 'call_c', name: 'grind', namespace: 'mcp__mill__', arguments: '{}' },
  ]);
  const last = events.at(-1);
  assert.equal(last?.type, 'response.completed');
  assert.partialDeepStrictEqual(last.response, { output: items, hamlet: { notes: ['tools_left_out'] } });

  answerWith({ text: ['Done.'] });
  const outputs = [
    { type: 'function_call_output', call_id: 'call_a', output: 'a.txt' },
    { type: 'custom_tool_call_output', call_id: 'call_b', output: [{ type: 'input_text', text: 'patched' }] },
    { type: 'function_call_output', call_id: 'call_c', output: 'ground' },
  ];
  const reasoning = { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm.' }], encrypted_content: null };
  const search = { type: 'web_search_call', status: 'completed', action: { type: 'search' } };
  await codex([...FIRST, reasoning, ...items, ...outputs, search]);
  const messages = sent()['messages'] as readonly Record<string, unknown>[];
  assert.deepEqual(
    messages.map(({ role }) => role),
    ['system', 'user', 'assistant', 'tool', 'tool', 'tool'],
  );
  assert.equal(messages[0]?.['content'], 'You are Codex.\n\n<permissions>');
  assert.partialDeepStrictEqual(messages[2]?.['tool_calls'], [
    { id: 'call_a', function: { name: 'exec_command', arguments: '{"cmd":"ls"}' } },
    { id: 'call_b', function: { name: 'apply_patch', arguments: '{"input":"*** Begin Patch"}' } },
    { id: 'call_c', function: { name: 'mcp__mill__grind', arguments: '{}' } },
  ]);
  wire.verify();
});

test('fields that need stored answers are refused by name, and a failure in a stream has the code that clients act upon', async () => {
  const asked = { model: 'small', input: 'Hello.' };
  for (const field of [{ previous_response_id: 'resp_1' }, { background: true }]) {
    const error = await client.responses.create({ ...asked, ...field, stream: false }).then(
      () => null,
      (thrown: unknown) => thrown,
    );
    assert.ok(error instanceof APIError);
    assert.deepEqual([error.status, error.code, error.param], [400, 'unsupported_field', Object.keys(field)[0]]);
  }
  const whole = OPENAI_WIRE.stream({ text: ['Half'] });
  wire.add({ answer: { ...whole, chunks: whole.chunks.slice(0, 2) } });
  const events = await codex(FIRST);
  const last = events.at(-1);
  assert.equal(last?.type, 'response.failed');
  assert.partialDeepStrictEqual(last.response, { status: 'failed', error: { code: 'model_failed' } });
  wire.verify();
});
