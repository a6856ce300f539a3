import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findPrice, findRoute, matchPattern, parseMicros } from './find-route.ts';
import { parseModelsConfig, type ModelsConfig } from './models-config.ts';

const GOOD = {
  providers: {
    openai: { kind: 'openai', credential: 'openai-key' },
    local: { kind: 'vllm', baseUrl: 'http://vllm:8000/v1' },
  },
  routes: [
    { match: 'gpt-*', provider: 'openai', fallbacks: [{ provider: 'local', model: 'gpt-oss-120b' }] },
    { match: 'village/*', provider: 'local', model: 'org/*-instruct', fallbackOn: ['auth'] },
    { match: '*', provider: 'local', model: 'gpt-oss-120b' },
  ],
  prices: {
    currency: 'USD',
    models: [
      { provider: 'openai', model: 'gpt-5*', prompt: '1.25', cachedPrompt: '0.125', completion: '10' },
      { model: '*', prompt: '0', completion: '0.000001' },
    ],
  },
};

function parsed(input: unknown): ModelsConfig {
  const result = parseModelsConfig(input);
  assert.ok(result.ok, JSON.stringify(result));
  return result.config;
}

test('a configuration has defaults, routes and prices', () => {
  const config = parsed(GOOD);
  assert.partialDeepStrictEqual(config.providers['openai'], { baseUrl: 'https://api.openai.com/v1' });
  assert.equal(config.retry.attempts, 3);
  assert.deepEqual(findRoute(config, 'gpt-5')?.targets, [
    { provider: 'openai', model: 'gpt-5' },
    { provider: 'local', model: 'gpt-oss-120b' },
  ]);
  assert.deepEqual(findRoute(config, 'gpt-5')?.fallbackOn, [
    'auth',
    'forbidden',
    'no_such_model',
    'quota',
    'rate',
    'overloaded',
    'unreachable',
    'network',
    'bad_answer',
  ]);
  assert.deepEqual(findRoute(config, 'village/small'), {
    targets: [{ provider: 'local', model: 'org/small-instruct' }],
    fallbackOn: ['auth', 'forbidden'],
    contextTokens: 32_768,
    answerTokens: undefined,
  });
  assert.equal(findRoute({ routes: [] }, 'gpt-5'), null);
  assert.deepEqual(findPrice(config, { provider: 'openai', model: 'gpt-5-mini' }), {
    currency: 'USD',
    promptMicros: 1_250_000n,
    cachedPromptMicros: 125_000n,
    cacheWriteMicros: 1_250_000n,
    completionMicros: 10_000_000n,
  });
  assert.equal(findPrice(config, { provider: 'local', model: 'x' })?.completionMicros, 1n);
  assert.equal(findPrice({ prices: undefined }, { provider: 'local', model: 'x' }), null);
});

test('a pattern may have one star, which matches any text', () => {
  const cases: readonly (readonly [string, string, string | null])[] = [
    ['gpt-*', 'gpt-5', '5'],
    ['gpt-*', 'claude', null],
    ['a*a', 'a', null],
    ['a*a', 'aa', ''],
    ['exact', 'exact', ''],
    ['exact', 'exactly', null],
  ];
  for (const [pattern, name, star] of cases) assert.equal(matchPattern(pattern, name), star, `${pattern} ${name}`);
});

test('decimal texts are converted exactly', () => {
  assert.deepEqual(['0.1', '2.50', '3', '0.000001'].map(parseMicros), [100_000n, 2_500_000n, 3_000_000n, 1n]);
});

const BROKEN: readonly (readonly [string, object, string, RegExp])[] = [
  [
    'an unknown provider',
    { ...GOOD, routes: [{ match: 'a', provider: 'opnai' }] },
    'routes[0].provider',
    /openai, local/,
  ],
  [
    'a fallback with an unknown provider',
    { ...GOOD, routes: [{ match: 'a', provider: 'local', fallbacks: [{ provider: 'x', model: 'm' }] }] },
    'routes[0].fallbacks[0].provider',
    /openai, local/,
  ],
  [
    'an unknown kind',
    { ...GOOD, providers: { a: { kind: 'gemini' } } },
    'providers.a.kind',
    /openai, openrouter, anthropic/,
  ],
  [
    'a key instead of its name',
    { ...GOOD, providers: { a: { kind: 'openai', credential: 'sk-abcdef' } } },
    'providers.a.credential',
    /name of a credential/,
  ],
  [
    'an address with a password',
    { ...GOOD, providers: { a: { kind: 'vllm', baseUrl: 'http://u:p@vllm/v1' } } },
    'providers.a.baseUrl',
    /without user/,
  ],
  [
    'a number as price',
    { ...GOOD, prices: { currency: 'USD', models: [{ model: '*', prompt: 2.5, completion: '1' }] } },
    'prices.models[0].prompt',
    /text with a decimal number, such as "2\.50"/,
  ],
  [
    'too many places',
    { ...GOOD, prices: { currency: 'USD', models: [{ model: '*', prompt: '0.0000001', completion: '1' }] } },
    'prices.models[0].prompt',
    /6 places/,
  ],
  ['two stars', { ...GOOD, routes: [{ match: '*a*', provider: 'local' }] }, 'routes[0].match', /at most one \*/],
  [
    'a star of nothing',
    { ...GOOD, routes: [{ match: 'a', provider: 'local', model: 'b*' }] },
    'routes[0].model',
    /has no counterpart/,
  ],
  [
    'a subscription without its notice',
    { ...GOOD, providers: { a: { kind: 'openai-subscription', credential: 'ada' } } },
    'providers.a.noticeAccepted',
    /SUBSCRIPTION_NOTICE/,
  ],
  [
    'an unknown code',
    { ...GOOD, routes: [{ match: 'a', provider: 'local', fallbackOn: ['cancelled'] }] },
    'routes[0].fallbackOn[0]',
    /auth/,
  ],
];

for (const [title, input, path, message] of BROKEN) {
  test(`an error names the place and the expected form: ${title}`, () => {
    const result = parseModelsConfig(input);
    assert.ok(!result.ok, 'it was accepted');
    const error = result.errors.find((one) => one.path === path);
    assert.ok(error !== undefined, JSON.stringify(result.errors));
    assert.match(error.message, message);
  });
}
