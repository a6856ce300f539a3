import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MODEL_SERVERS_MAX, type ConnectedProvider } from '@hamlet/contract';
import { parseModelsConfig, type ModelsConfig } from '@hamlet/models';
import { describedProvider } from '../connections/described-provider.ts';
import { serverTargets } from './server-targets.ts';

function configOf(providers: object): ModelsConfig {
  const parsed = parseModelsConfig({ providers, routes: [] });
  assert.ok(parsed.ok, JSON.stringify(parsed));
  return parsed.config;
}
const connection = (name: string, kind: ConnectedProvider['kind'], url: string) => ({
  name,
  provider: describedProvider({ kind, base_url: url, models: [{ name: 'small' }] }),
});

test('metrics are beside /v1, or where the configuration says for each replica', () => {
  const config = configOf({
    one: { kind: 'vllm', baseUrl: 'http://one:8000/v1/' },
    two: { kind: 'vllm', baseUrl: 'http://two/llm/v1', metricsUrls: ['http://a:1/metrics', 'http://b:1/metrics'] },
    other: { kind: 'compatible', baseUrl: 'http://other:1/v1' },
    proxied: { kind: 'compatible', baseUrl: 'http://proxy:1/v1', metricsUrls: ['http://vllm:1/metrics'] },
    ollama: { kind: 'ollama', baseUrl: 'http://ollama:11434' },
  });
  assert.deepEqual(serverTargets(config, []).configured, [
    { provider: 'one', url: 'http://one:8000/metrics' },
    { provider: 'two', url: 'http://a:1/metrics' },
    { provider: 'two', url: 'http://b:1/metrics' },
    { provider: 'proxied', url: 'http://vllm:1/metrics' },
  ]);
});

test('a connected vLLM server is read unless the configuration has a provider of its name, and the number of servers is limited', () => {
  const config = configOf({ local: { kind: 'vllm', baseUrl: 'http://local:8000/v1' } });
  const connections = [
    connection('local', 'vllm', 'http://hidden:8000/v1'),
    connection('mine', 'vllm', 'http://mine:8000/v1'),
    connection('cloud', 'compatible', 'https://cloud.example.org/v1'),
  ];
  assert.deepEqual(serverTargets(config, connections).connected, [
    { provider: 'mine', url: 'http://mine:8000/metrics' },
  ]);
  const many = Array.from({ length: 100 }, (_, index) => connection(`s${index}`, 'vllm', `http://s${index}/v1`));
  const { configured, connected } = serverTargets(config, many);
  assert.equal(configured.length + connected.length, MODEL_SERVERS_MAX);
});
