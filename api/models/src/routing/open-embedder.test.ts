import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startWireServer, type WireServer } from '../testing/wire-server.ts';
import { OPENAI_WIRE } from '../testing/wires/chat-wire.ts';
import { SYSTEM_PORTS } from '../transport/model-ports.ts';
import { parseModelsConfig } from './models-config.ts';
import { openEmbedder, type Embedder } from './open-embedder.ts';

const KEY = 'sk-embed-0123456789';
let wire: WireServer;
before(async () => {
  wire = await startWireServer();
});
after(() => wire.close());

function open(name: string): Embedder | null {
  const parsed = parseModelsConfig({
    providers: {
      up: { kind: 'openai', baseUrl: `${wire.url}/v1`, credential: 'up' },
      ollama: { kind: 'ollama', baseUrl: `${wire.url}/v1` },
      claude: { kind: 'anthropic', credential: 'up' },
      scripted: { kind: 'scripted' },
    },
    routes: [
      { match: 'vectors', provider: 'up', model: 'embed-3' },
      { match: 'local', provider: 'ollama', model: 'nomic' },
      { match: 'claude', provider: 'claude' },
      { match: 'scripted', provider: 'scripted' },
      { match: 'writer', provider: 'up', model: 'writer-1' },
    ],
    capabilities: [{ provider: 'up', model: 'writer-*', embeddings: false }],
    retry: { attempts: 2, firstDelayMs: 1 },
  });
  assert.ok(parsed.ok);
  const credentials = { key: () => KEY, subscription: () => null };
  return openEmbedder(parsed.config, name, { credentials, ports: SYSTEM_PORTS });
}

const reply = (vectors: readonly (readonly number[])[], usage?: object) => ({
  chunks: [JSON.stringify({ data: vectors.map((embedding, index) => ({ index, embedding })).toReversed(), usage })],
});

test('texts become vectors in their order, with the reported tokens', async () => {
  wire.add({
    expect: {
      path: '/v1/embeddings',
      headers: { authorization: `Bearer ${KEY}` },
      body: { model: 'embed-3', input: ['a', 'b'], dimensions: 2 },
    },
    answer: reply(
      [
        [1, 0],
        [0, 1],
      ],
      { prompt_tokens: 7 },
    ),
  });
  const outcome = await open('vectors')?.embed({ input: ['a', 'b'], dimensions: 2 });
  assert.deepEqual(outcome, {
    ok: true,
    vectors: [
      [1, 0],
      [0, 1],
    ],
    promptTokens: 7,
    estimated: false,
  });
  const bare = { data: [{ embedding: [1, 0] }, { embedding: [0, 1] }], usage: { prompt_tokens: 'x' } };
  wire.add({ answer: { chunks: [JSON.stringify(bare)] } });
  const unnumbered = await open('vectors')?.embed({ input: ['a', 'b'] });
  assert.deepEqual(unnumbered?.ok && unnumbered.vectors, [
    [1, 0],
    [0, 1],
  ]);
  wire.add({ expect: { path: '/v1/embeddings', body: { model: 'nomic' } }, answer: reply([[1]]) });
  assert.partialDeepStrictEqual(await open('local')?.embed({ input: ['twelve chars'] }), {
    promptTokens: 3,
    estimated: true,
  });
  wire.verify();
});

test('an overload is retried, a refused key is not, and messages contain no key', async () => {
  wire.add({ answer: OPENAI_WIRE.errors.overloaded }, { answer: reply([[1]]) });
  assert.equal((await open('vectors')?.embed({ input: ['a'] }))?.ok, true);
  wire.add({ answer: { status: 401, chunks: [JSON.stringify({ error: { message: `bad key ${KEY}` } })] } });
  const refused = await open('vectors')?.embed({ input: ['a'] });
  assert.ok(refused?.ok === false && refused.error.code === 'auth' && !refused.error.message.includes(KEY));
  wire.verify();
});

test('too few vectors, and vectors of different lengths, are bad answers', async () => {
  for (const vectors of [[[1]], [[1], [1, 2]]]) {
    wire.add({ answer: reply(vectors) });
    const outcome = await open('vectors')?.embed({ input: ['a', 'b'] });
    assert.equal(outcome?.ok === false ? outcome.error.code : '', 'bad_answer');
  }
  wire.verify();
});

test('cancelling ends the request', async () => {
  wire.add({ answer: { chunks: ['hold'] } });
  const leaving = new AbortController();
  const asked = open('vectors')?.embed({ input: ['a'], signal: leaving.signal });
  setImmediate(() => leaving.abort());
  const outcome = await asked;
  assert.equal(outcome?.ok === false ? outcome.error.code : '', 'cancelled');
});

test('providers without embeddings and names without a route return null', () => {
  for (const name of ['claude', 'scripted', 'writer', 'none']) assert.equal(open(name), null);
});
