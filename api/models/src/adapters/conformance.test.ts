/** Runs the conformance suite for every adapter. A new adapter is one entry here. */
import { EXTRA_FIELDS, type ExtraField } from '../chat/extra-fields.ts';
import type { ChatRequest } from '../chat/chat-request.ts';
import { ModelFault } from '../chat/model-error.ts';
import type { SubscriptionTokens } from './responses/subscription-tokens.ts';
import { CHAT_PROFILES } from './chat-completions/chat-profile.ts';
import { createChatAdapter } from './chat-completions/chat-adapter.ts';
import { createAnthropicAdapter } from './anthropic/anthropic-adapter.ts';
import { createCompletionsAdapter } from './completions/completions-adapter.ts';
import { createOllamaAdapter } from './ollama/ollama-adapter.ts';
import { createSubscriptionAdapter } from './responses/subscription-adapter.ts';
import { conformAdapter } from '../testing/conformance/conform-adapter.ts';
import { EXTRA, RICH_REQUEST, TEST_KEY, TOOLS, type AdapterSubject } from '../testing/conformance/bench.ts';
import { ANTHROPIC_WIRE } from '../testing/wires/anthropic-wire.ts';
import { COMPLETIONS_WIRE } from '../testing/wires/completions-wire.ts';
import { RESPONSES_WIRE } from '../testing/wires/responses-wire.ts';
import { OLLAMA_WIRE } from '../testing/wires/ollama-wire.ts';
import { OPENAI_WIRE, OPENROUTER_WIRE, VLLM_WIRE } from '../testing/wires/chat-wire.ts';

const BEARER = { authorization: `Bearer ${TEST_KEY}`, 'content-type': 'application/json' };

const chatBody = (thoughts: object) => ({
  model: 'up-model',
  messages: [
    { role: 'system', content: 'You are Ada.' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Go to the mill and say hello.' },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,aGVyb24=' } },
      ],
    },
    {
      role: 'assistant',
      content: 'I go.',
      ...thoughts,
      tool_calls: [
        { id: 'call_a', type: 'function', function: { name: 'go_to', arguments: '{"place":"mill"}' } },
        { id: 'call_b', type: 'function', function: { name: 'say', arguments: '{"text":"hello"}' } },
      ],
    },
    { role: 'tool', tool_call_id: 'call_a', content: 'You are at the mill.' },
    { role: 'tool', tool_call_id: 'call_b', content: 'Said.' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Thank you.' },
        { type: 'image_url', image_url: { url: 'data:image/jpeg;base64,bWlsbA==' } },
      ],
    },
  ],
  stream: false,
  tools: TOOLS.map((tool) => ({ type: 'function', function: tool })),
  tool_choice: 'auto',
  parallel_tool_calls: true,
  temperature: 0.5,
});

function assistantThoughts({ messages }: ChatRequest): unknown {
  return messages.flatMap((message) => (message.role === 'assistant' ? (message.reasoning ?? []) : []));
}

/** A sign-in whose tokens cannot be renewed. */
const SIGNED_IN: SubscriptionTokens = {
  current: async () => ({
    accessToken: TEST_KEY,
    refreshToken: 'refresh-0123456789',
    accountId: 'acc-1',
    expiresAtMs: null,
  }),
  renew: async () => {
    throw new ModelFault('auth', 'the provider no longer accepts the refresh token', { status: 401 });
  },
};

interface ChatExpectation {
  readonly also?: object;
  readonly thoughts?: object;
  readonly lacks?: readonly ExtraField[];
}

/** A subject for a server that speaks OpenAI's Chat Completions. */
function chatSubject(
  name: keyof typeof CHAT_PROFILES,
  wire: AdapterSubject['wire'],
  { also = { max_tokens: 200 }, thoughts = {}, lacks = [] }: ChatExpectation,
): AdapterSubject {
  return {
    name,
    wire,
    open: (url, kit) =>
      createChatAdapter({ provider: name, baseUrl: `${url}/v1`, apiKey: TEST_KEY, profile: CHAT_PROFILES[name] }, kit),
    expects: { path: '/v1/chat/completions', headers: BEARER, body: { ...chatBody(thoughts), ...also } },
    extra: {
      ...Object.fromEntries(
        EXTRA_FIELDS.filter((field) => !lacks.includes(field)).map((field) => [field, { [field]: EXTRA[field] }]),
      ),
      thinking: {},
    },
    tools: true,
  };
}

const WORDS = 'The mill is north.';
const SUBJECTS: readonly AdapterSubject[] = [
  chatSubject('openai', OPENAI_WIRE, { also: { max_completion_tokens: 200 }, lacks: ['top_k'] }),
  chatSubject('openrouter', OPENROUTER_WIRE, {
    also: { max_tokens: 200, usage: { include: true } },
    thoughts: { reasoning: WORDS, reasoning_details: [{ type: 'reasoning.encrypted', data: 'ZGV0YWls' }] },
  }),
  chatSubject('vllm', VLLM_WIRE, {
    thoughts: { reasoning_content: WORDS, reasoning: WORDS },
    lacks: ['verbosity', 'service_tier'],
  }),
  chatSubject('compatible', OPENAI_WIRE, { thoughts: { reasoning_content: WORDS } }),
  chatSubject('gateway', OPENAI_WIRE, {
    thoughts: { reasoning_content: WORDS, reasoning_items: assistantThoughts(RICH_REQUEST) },
  }),
  {
    name: 'anthropic',
    wire: ANTHROPIC_WIRE,
    open: (url, kit) => createAnthropicAdapter({ provider: 'anthropic', baseUrl: `${url}/v1`, apiKey: TEST_KEY }, kit),
    expects: {
      path: '/v1/messages',
      headers: { 'x-api-key': TEST_KEY, 'anthropic-version': '2023-06-01' },
      body: {
        model: 'up-model',
        max_tokens: 200,
        stream: false,
        system: [{ type: 'text', text: 'You are Ada.', cache_control: { type: 'ephemeral' } }],
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'Go to the mill and say hello.' },
              { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGVyb24=' } },
            ],
          },
          {
            role: 'assistant',
            content: [
              { type: 'thinking', thinking: 'is ', signature: 'c2lnbmF0dXJl' },
              { type: 'redacted_thinking', data: 'aGlkZGVu' },
              { type: 'text', text: 'I go.' },
              { type: 'tool_use', id: 'call_a', name: 'go_to', input: { place: 'mill' } },
              { type: 'tool_use', id: 'call_b', name: 'say', input: { text: 'hello' } },
            ],
          },
          {
            role: 'user',
            content: [
              { type: 'tool_result', tool_use_id: 'call_a', content: 'You are at the mill.' },
              {
                type: 'tool_result',
                tool_use_id: 'call_b',
                content: [
                  { type: 'text', text: 'Said.' },
                  { type: 'image', source: { type: 'base64', media_type: 'image/jpeg', data: 'bWlsbA==' } },
                ],
              },
              { type: 'text', text: 'Thank you.', cache_control: { type: 'ephemeral' } },
            ],
          },
        ],
        tools: TOOLS.map(({ parameters, ...tool }, at) => ({
          ...tool,
          input_schema: parameters,
          ...(at === TOOLS.length - 1 ? { cache_control: { type: 'ephemeral' } } : {}),
        })),
        tool_choice: { type: 'auto' },
        temperature: 0.5,
      },
    },
    extra: {
      top_p: { top_p: 0.9 },
      top_k: { top_k: 40 },
      thinking: { thinking: EXTRA.thinking },
      reasoning_effort: { output_config: { effort: 'low' } },
      service_tier: { service_tier: 'flex' },
      user: { metadata: { user_id: 'ada' } },
    },
    tools: true,
  },
  {
    name: 'ollama',
    wire: OLLAMA_WIRE,
    open: (url, kit) => createOllamaAdapter({ provider: 'ollama', baseUrl: url, apiKey: TEST_KEY }, kit),
    expects: {
      path: '/api/chat',
      headers: BEARER,
      body: {
        model: 'up-model',
        messages: [
          { role: 'system', content: 'You are Ada.' },
          { role: 'user', content: 'Go to the mill and say hello.', images: ['aGVyb24='] },
          {
            role: 'assistant',
            content: 'I go.',
            thinking: WORDS,
            tool_calls: [
              { function: { name: 'go_to', arguments: { place: 'mill' } } },
              { function: { name: 'say', arguments: { text: 'hello' } } },
            ],
          },
          { role: 'tool', content: 'You are at the mill.', tool_name: 'go_to' },
          { role: 'tool', content: 'Said.', tool_name: 'say' },
          { role: 'user', content: 'Thank you.', images: ['bWlsbA=='] },
        ],
        stream: false,
        truncate: false,
        tools: TOOLS.map((tool) => ({ type: 'function', function: tool })),
        options: { temperature: 0.5, num_predict: 200 },
      },
    },
    extra: {
      top_p: { options: { top_p: 0.9 } },
      top_k: { options: { top_k: 40 } },
      thinking: {},
      presence_penalty: { options: { presence_penalty: 0.1 } },
      frequency_penalty: { options: { frequency_penalty: 0.2 } },
      reasoning_effort: { think: 'low' },
      user: {},
    },
    tools: true,
    callPieces: false,
  },
  {
    name: 'openai-subscription',
    wire: RESPONSES_WIRE,
    open: (baseUrl, kit) =>
      createSubscriptionAdapter({ provider: 'openai-subscription', baseUrl, tokens: SIGNED_IN }, kit),
    expects: {
      path: '/responses',
      headers: { authorization: `Bearer ${TEST_KEY}`, 'chatgpt-account-id': 'acc-1', originator: 'hamlet' },
      body: {
        model: 'up-model',
        instructions: 'You are Ada.',
        input: [
          {
            type: 'message',
            role: 'user',
            content: [
              { type: 'input_text', text: 'Go to the mill and say hello.' },
              { type: 'input_image', image_url: 'data:image/png;base64,aGVyb24=' },
            ],
          },
          {
            type: 'reasoning',
            summary: [{ type: 'summary_text', text: 'north' }],
            encrypted_content: 'c2VhbGVk',
          },
          { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'I go.' }] },
          { type: 'function_call', call_id: 'call_a', name: 'go_to', arguments: '{"place":"mill"}' },
          { type: 'function_call', call_id: 'call_b', name: 'say', arguments: '{"text":"hello"}' },
          { type: 'function_call_output', call_id: 'call_a', output: 'You are at the mill.' },
          {
            type: 'function_call_output',
            call_id: 'call_b',
            output: [
              { type: 'input_text', text: 'Said.' },
              { type: 'input_image', image_url: 'data:image/jpeg;base64,bWlsbA==' },
            ],
          },
          { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Thank you.' }] },
        ],
        store: false,
        include: ['reasoning.encrypted_content'],
        stream: true,
        tools: TOOLS.map((tool) => ({ type: 'function', ...tool, strict: false })),
        tool_choice: 'auto',
        parallel_tool_calls: true,
      },
    },
    extra: {
      thinking: {},
      reasoning_effort: { reasoning: { effort: 'minimal', summary: 'auto' } },
      verbosity: { text: { verbosity: 'low' } },
      service_tier: { service_tier: 'flex' },
      user: {},
    },
    tools: true,
  },
  {
    name: 'completions',
    wire: COMPLETIONS_WIRE,
    open: (url, kit) =>
      createCompletionsAdapter({ provider: 'completions', baseUrl: `${url}/v1`, apiKey: TEST_KEY }, kit),
    expects: {
      path: '/v1/completions',
      headers: BEARER,
      body: {
        model: 'up-model',
        prompt: 'User: Where is the mill?\n\nAssistant:',
        max_tokens: 512,
        stop: ['\nUser:', '\nInstructions:', '\nResult:'],
        stream: false,
      },
    },
    extra: {
      top_p: { top_p: 0.9 },
      top_k: { top_k: 40 },
      thinking: {},
      presence_penalty: { presence_penalty: 0.1 },
      frequency_penalty: { frequency_penalty: 0.2 },
      logit_bias: { logit_bias: EXTRA.logit_bias },
      user: { user: 'ada' },
    },
    tools: false,
  },
];

for (const subject of SUBJECTS) conformAdapter(subject);
