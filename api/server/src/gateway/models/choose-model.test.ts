import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseModelsConfig } from '@hamlet/models';
import { chooseModel } from './choose-model.ts';
import { configuredModels, openCatalog } from './village-models.ts';

const parsed = parseModelsConfig({
  providers: {
    local: { kind: 'ollama' },
    cloud: { kind: 'openai', credential: 'cloud-key' },
    closed: { kind: 'openai', credential: 'none' },
    scripted: { kind: 'scripted' },
  },
  routes: [
    { match: 'small', provider: 'scripted', contextTokens: 4_096 },
    { match: 'medium', provider: 'local', model: 'qwen3:8b', contextTokens: 16_384 },
    { match: 'large', provider: 'cloud', model: 'gpt-5', contextTokens: 200_000 },
    { match: 'secret', provider: 'closed', model: 'x', contextTokens: 500_000 },
    { match: 'base', provider: 'local', model: 'base', contextTokens: 4_096 },
  ],
  capabilities: [{ model: 'base', tools: false }],
});
assert.ok(parsed.ok);
const catalog = openCatalog(configuredModels(parsed.config, (name) => (name === 'none' ? null : 'sk-0123456789')));

type Asked = Parameters<typeof chooseModel>[0]['asked'];

const CASES: readonly (readonly [
  string,
  Asked,
  readonly string[],
  readonly [string, string, boolean] | null,
  RegExp,
])[] = [
  ['no wish', undefined, ['small', 'large'], ['scripted', 'small', true], /^the first of its models/],
  ['one without tools before one with', undefined, ['base', 'large'], ['cloud', 'large', false], /^the first/],
  ['one without tools alone', undefined, ['base'], ['local', 'base', false], /^the first/],
  ['a name of the village', { name: 'large' }, ['small', 'large'], ['cloud', 'large', false], /^named by spec.model$/],
  ["the provider's name", { name: 'qwen3:8b' }, ['small', 'medium'], ['local', 'medium', false], /^named/],
  ['name and provider', { name: 'gpt-5', provider: 'cloud' }, ['large'], ['cloud', 'large', false], /^named/],
  [
    'another provider',
    { name: 'gpt-5', provider: 'local' },
    ['small', 'large'],
    ['cloud', 'large', false],
    /tier-1 does not allow spec.model gpt-5 of local/,
  ],
  [
    'not in the tier',
    { name: 'large' },
    ['small', 'medium'],
    ['local', 'medium', false],
    /tier-1 does not allow spec.model large: this is the best/,
  ],
  ['without its key', { name: 'secret' }, ['small', 'secret'], ['scripted', 'small', true], /does not allow/],
  ['nothing is served', { name: 'large' }, ['unknown'], null, /^$/],
  ['no model in the tier', undefined, [], null, /^$/],
];

for (const [title, asked, models, expected, reason] of CASES)
  test(`the model of an agent: ${title}`, () => {
    const chosen = chooseModel({ agentId: 'ada', asked, tier: 'tier-1', models }, catalog);
    assert.deepEqual(chosen === null ? null : [chosen.provider, chosen.name, chosen.scripted], expected);
    if (chosen?.name === 'medium') assert.equal(chosen.context_tokens, 16_384);
    assert.match(chosen?.reason ?? '', reason);
  });
