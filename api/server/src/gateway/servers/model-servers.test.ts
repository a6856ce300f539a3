/** A village with a fake vLLM server in its configuration: its answers, abilities and metrics. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseModelsConfig, SYSTEM_PORTS, type ModelsConfig } from '@hamlet/models';
import { vllmServer, type WireAnswer } from '@hamlet/models/testing';
import { eventually, startPlay } from '../../testing/test-village.ts';
import { testWire } from '../testing/wire-models.ts';
import { createModelServers } from './model-servers.ts';
import { READ_EVERY_MS } from './server-readings.ts';

const MODEL = 'org/mixture-of-experts';
const vllm = vllmServer({ model: MODEL });
const wire = await testWire([], { otherwise: vllm.answer });
const provider = (url: string) => ({ kind: 'vllm', baseUrl: `${url}/v1` }) as const;
const configOf = (providers: object): ModelsConfig => {
  const parsed = parseModelsConfig({ providers, routes: [] });
  assert.ok(parsed.ok, JSON.stringify(parsed));
  return parsed.config;
};

const models = {
  providers: { local: { ...provider(wire.url), maxInFlight: 8 } },
  routes: [{ match: 'small', provider: 'local', model: MODEL, contextTokens: 32_768 }],
  capabilities: [{ provider: 'local', model: '*', embeddings: false }],
};
// The API reads the metrics when it starts, and then every ten seconds.
Object.assign(vllm.load, { running: 3, waiting: 2, kvCacheUsed: 0.25 });
const { play } = await startPlay({ environment: { HAMLET_MODELS: JSON.stringify(models) } });

/** The servers of a configuration, read at a time that the test sets. */
function watched(providers: object) {
  const clock = { ms: 1_000_000 };
  const servers = createModelServers({ config: configOf(providers), ports: SYSTEM_PORTS }, () => clock.ms);
  return {
    clock,
    read: async () => {
      servers.job.receive(await servers.job.run());
      return servers.list();
    },
  };
}

test('an agent gets the answers of the server of the configuration, a test finds its abilities, and admins see its figures', async () => {
  const { choices } = await play
    .as('bob')
    .completeChat({ model: 'small', messages: [{ role: 'user', content: 'Hello' }] });
  assert.equal(choices[0]?.message.content, 'Good day, neighbour.');
  const { ok, abilities } = await play.admin.testModel({ model: 'small' });
  assert.equal(ok, true);
  assert.deepEqual(
    abilities.filter(({ can }) => can === true).map(({ ability }) => ability),
    ['stream', 'tools', 'json'],
  );
  const [seen] = await eventually('the metrics of the server', async () => {
    const { servers } = await play.admin.listModelServers();
    return servers.length > 0 && servers;
  });
  assert.partialDeepStrictEqual(seen, {
    provider: 'local',
    address: `${wire.url}/metrics`,
    state: 'serves',
    running: 3,
    waiting: 2,
    kv_cache_used: 0.25,
  });
  wire.verify();
});

test('a test names the abilities that vLLM refuses: tools without a parser, vectors of a chat model, and another model', async () => {
  const bare = await testWire([], { otherwise: vllmServer({ model: MODEL, hasToolParser: false }).answer });
  const connection = { kind: 'vllm', base_url: `${bare.url}/v1` } as const;
  const { ok, abilities } = await play.admin.testModel({ connection: { ...connection, model: MODEL } });
  assert.equal(ok, true);
  const found = new Map(abilities.map(({ ability, can, note }) => [ability, { can, note }]));
  assert.equal(found.get('tools')?.can, false);
  assert.match(found.get('tools')?.note ?? '', /requires --enable-auto-tool-choice/);
  assert.equal(found.get('embeddings')?.can, false);
  const { code } = await play.admin.testModel({ connection: { ...connection, model: 'org/another' } });
  assert.equal(code, 'no_such_model');
});

test('two readings give the tokens a second that the server wrote between them', async () => {
  const { clock, read } = watched({ local: provider(wire.url) });
  assert.equal((await read())[0]?.tokens_per_second, null);
  const ask = { model: MODEL, messages: [{ role: 'user', content: 'Hello' }] };
  for (let count = 0; count < 5; count += 1)
    await fetch(`${wire.url}/v1/chat/completions`, { method: 'POST', body: JSON.stringify(ask) });
  clock.ms += READ_EVERY_MS;
  const [second] = await read();
  assert.equal(second?.tokens_per_second, 2, '20 tokens in 10 s');
  assert.ok((second?.prompt_tokens_per_second ?? 0) > 0);
});

test('a server that is off is asked less often, and others beside it are read', async () => {
  const off = await testWire();
  await off.close();
  const { clock, read } = watched({ local: provider(wire.url), off: provider(off.url) });
  const states = async () =>
    (await read()).map((each) => [each.provider, each.state, Date.parse(each.read_at) - 1_000_000]);
  assert.deepEqual(await states(), [
    ['local', 'serves', 0],
    ['off', 'unreachable', 0],
  ]);
  const times: unknown[] = [];
  for (let count = 0; count < 4; count += 1) {
    clock.ms += READ_EVERY_MS;
    times.push((await states())[1]?.[2]);
  }
  assert.deepEqual(times, [10_000, 10_000, 30_000, 30_000]);
});

test('answers that are too long, refused, redirected or of another program count as a server without metrics', async () => {
  const long = { chunks: Array.from({ length: 40 }, () => `# ${'x'.repeat(1 << 15)}\n`) };
  const answers: readonly WireAnswer[] = [
    { chunks: ['<html>Welcome</html>'] },
    { status: 500, chunks: ['vllm:num_requests_running 1'] },
    { status: 302, headers: { location: `${wire.url}/metrics` }, chunks: [] },
    long,
  ];
  for (const answer of answers) {
    const other = await testWire([], { otherwise: () => answer });
    const [server] = await watched({ other: provider(other.url) }).read();
    assert.equal(server?.state, 'no_metrics');
    assert.equal(server.running, null);
  }
});
