/** Runs the conformance suite for every adapter. A new adapter is one entry here. */
import { ModelFault } from '../chat/model-error.ts';
import type { SubscriptionTokens } from './responses/subscription-tokens.ts';
import { CHAT_PROFILES } from './chat-completions/chat-profile.ts';
import { createChatAdapter } from './chat-completions/chat-adapter.ts';
import { createAnthropicAdapter } from './anthropic/anthropic-adapter.ts';
import { createCompletionsAdapter } from './completions/completions-adapter.ts';
import { createOllamaAdapter } from './ollama/ollama-adapter.ts';
import { createSubscriptionAdapter } from './responses/subscription-adapter.ts';
import { conformAdapter } from '../testing/conformance/conform-adapter.ts';
import { TEST_KEY, TOOLS, type AdapterSubject } from '../testing/conformance/bench.ts';
import { ANTHROPIC_WIRE } from '../testing/wires/anthropic-wire.ts';
import { COMPLETIONS_WIRE } from '../testing/wires/completions-wire.ts';
import { RESPONSES_WIRE } from '../testing/wires/responses-wire.ts';
import { OLLAMA_WIRE } from '../testing/wires/ollama-wire.ts';
import { OPENAI_WIRE, OPENROUTER_WIRE, VLLM_WIRE } from '../testing/wires/chat-wire.ts';

const BEARER = { authorization: `Bearer ${TEST_KEY}`, 'content-type': 'application/json' };

const CHAT_BODY = {
  model: 'up-model',
  messages: [
    { role: 'system', content: 'You are Ada.' },
    { role: 'user', content: 'Go to the mill and say hello.' },
    {
      role: 'assistant',
      content: 'I go.',
      tool_calls: [
        { id: 'call_a', type: 'function', function: { name: 'go_to', arguments: '{"place":"mill"}' } },
        { id: 'call_b', type: 'function', function: { name: 'say', arguments: '{"text":"hello"}' } },
      ],
    },
    { role: 'tool', tool_call_id: 'call_a', content: 'You are at the mill.' },
    { role: 'tool', tool_call_id: 'call_b', content: 'Said.' },
    { role: 'user', content: 'Thank you.' },
  ],
  stream: false,
  tools: TOOLS.map((tool) => ({ type: 'function', function: tool })),
  tool_choice: 'auto',
  parallel_tool_calls: true,
  temperature: 0.5,
};

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

/** The servers that share OpenAI's Chat Completions. */
function chatSubject(
  name: 'openai' | 'openrouter' | 'vllm' | 'compatible',
  wire: AdapterSubject['wire'],
  extra: object = { max_tokens: 200 },
): AdapterSubject {
  return {
    name,
    wire,
    open: (url, kit) =>
      createChatAdapter({ provider: name, baseUrl: `${url}/v1`, apiKey: TEST_KEY, profile: CHAT_PROFILES[name] }, kit),
    expects: { path: '/v1/chat/completions', headers: BEARER, body: { ...CHAT_BODY, ...extra } },
    tools: true,
  };
}

const SUBJECTS: readonly AdapterSubject[] = [
  chatSubject('openai', OPENAI_WIRE, { max_completion_tokens: 200 }),
  chatSubject('openrouter', OPENROUTER_WIRE, { max_tokens: 200, usage: { include: true } }),
  chatSubject('vllm', VLLM_WIRE),
  chatSubject('compatible', OPENAI_WIRE),
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
          { role: 'user', content: [{ type: 'text', text: 'Go to the mill and say hello.' }] },
          {
            role: 'assistant',
            content: [
              { type: 'text', text: 'I go.' },
              { type: 'tool_use', id: 'call_a', name: 'go_to', input: { place: 'mill' } },
              { type: 'tool_use', id: 'call_b', name: 'say', input: { text: 'hello' } },
            ],
          },
          {
            role: 'user',
            content: [
              { type: 'tool_result', tool_use_id: 'call_a', content: 'You are at the mill.' },
              { type: 'tool_result', tool_use_id: 'call_b', content: 'Said.' },
              { type: 'text', text: 'Thank you.' },
            ],
          },
        ],
        tools: TOOLS.map(({ parameters, ...tool }) => ({ ...tool, input_schema: parameters })),
        tool_choice: { type: 'auto' },
        temperature: 0.5,
      },
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
          { role: 'user', content: 'Go to the mill and say hello.' },
          {
            role: 'assistant',
            content: 'I go.',
            tool_calls: [
              { function: { name: 'go_to', arguments: { place: 'mill' } } },
              { function: { name: 'say', arguments: { text: 'hello' } } },
            ],
          },
          { role: 'tool', content: 'You are at the mill.', tool_name: 'go_to' },
          { role: 'tool', content: 'Said.', tool_name: 'say' },
          { role: 'user', content: 'Thank you.' },
        ],
        stream: false,
        tools: TOOLS.map((tool) => ({ type: 'function', function: tool })),
        options: { temperature: 0.5, num_predict: 200 },
      },
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
          { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Go to the mill and say hello.' }] },
          { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'I go.' }] },
          { type: 'function_call', call_id: 'call_a', name: 'go_to', arguments: '{"place":"mill"}' },
          { type: 'function_call', call_id: 'call_b', name: 'say', arguments: '{"text":"hello"}' },
          { type: 'function_call_output', call_id: 'call_a', output: 'You are at the mill.' },
          { type: 'function_call_output', call_id: 'call_b', output: 'Said.' },
          { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Thank you.' }] },
        ],
        store: false,
        stream: true,
        tools: TOOLS.map((tool) => ({ type: 'function', ...tool, strict: false })),
        tool_choice: 'auto',
        parallel_tool_calls: true,
      },
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
    tools: false,
  },
];

for (const subject of SUBJECTS) conformAdapter(subject);
