/** The API tests the models of its configuration by itself: once they answer, and again after a change. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseModelsConfig, SYSTEM_PORTS } from '@hamlet/models';
import { vllmServer, type WireAnswer } from '@hamlet/models/testing';
import { startPlay } from '../../testing/test-village.ts';
import { configuredModels } from '../models/village-models.ts';
import { testWire } from '../testing/wire-models.ts';
import { createProviderTests } from './provider-tests.ts';

const MODEL = 'org/mixture-of-experts';
const LOADING: WireAnswer = { status: 503, chunks: ['{"error":{"message":"the model loads","code":503}}'] };
let isLoading = true;
let thoughts: readonly string[] | null = null;
const vllm = vllmServer({ model: MODEL, answer: () => thoughts && { text: thoughts } });
const wire = await testWire([], { otherwise: (request) => (isLoading ? LOADING : vllm.answer(request)) });
const spare = await testWire([], { otherwise: vllmServer({ model: MODEL }).answer });
const clock = { lateMs: 0 };

/** The models of a configuration in which `spare` answers when `local` does not. */
function modelsOf(model: string, capabilities: readonly object[] = []) {
  const parsed = parseModelsConfig({
    providers: {
      local: { kind: 'vllm', baseUrl: `${wire.url}/v1` },
      keyed: { kind: 'compatible', baseUrl: `${wire.url}/v1`, credential: 'missing' },
      spare: { kind: 'vllm', baseUrl: `${spare.url}/v1` },
    },
    routes: [
      { match: 'small', provider: 'local', model, fallbacks: [{ provider: 'spare', model: MODEL }] },
      { match: 'also-small', provider: 'local', model },
      { match: 'keyed', provider: 'keyed' },
      { match: 'any-*', provider: 'spare' },
    ],
    capabilities,
    retry: { attempts: 1 },
  });
  assert.ok(parsed.ok, JSON.stringify(parsed));
  const ports = { ...SYSTEM_PORTS, nowMs: () => Date.now() + clock.lateMs };
  return { ...configuredModels(parsed.config, () => null), ports };
}

const { village, play } = await startPlay({ models: modelsOf(MODEL) });
const db = village.openDb();
const open = { signal: new AbortController().signal, refusal: () => null, close: () => undefined };
const monotonicMs = (): number => performance.now();

/** Runs the job once. Returns the number of requests that reach the server. */
async function runJob(models = modelsOf(MODEL)): Promise<number> {
  const before = wire.requests.length;
  await createProviderTests({ db, models, brakes: { open: () => open }, monotonicMs }).job.run();
  return wire.requests.length - before;
}

const shown = async () => {
  const { configured } = await play.admin.listModelCredentials();
  return configured.find(({ name }) => name === 'local');
};
const acts = async (): Promise<readonly unknown[]> => {
  const { records } = await play.admin.listAudit({ actor: 'provider-tests' });
  return records.map(({ action, object }) => [action, object]);
};

test('a server that loads its model is asked after pauses that double, and no act says that it was tested', async () => {
  assert.equal((await shown())?.last_test, null);
  assert.ok((await runJob()) > 0);
  assert.partialDeepStrictEqual((await shown())?.last_test, { ok: false, code: 'overloaded' });
  const asked: boolean[] = [];
  for (const lateMs of [0, 19_000, 21_000, 60_000, 62_000, 100_000]) {
    clock.lateMs = lateMs;
    asked.push((await runJob()) > 0);
  }
  // The clock of Postgres does not move, so the pauses of 20, 40 and 80 s all begin at 0.
  assert.deepEqual(asked, [false, false, true, true, false, true]);
  assert.deepEqual(await acts(), []);
  const answers = spare.requests.filter(({ method }) => method === 'POST');
  assert.deepEqual(answers, [], 'a fallback says nothing about the provider');
});

test('the first answer of a configured model is the test of its abilities, which is kept, shown and not repeated', async () => {
  isLoading = false;
  clock.lateMs = 3_600_000;
  assert.ok((await runJob()) > 0);
  const local = await shown();
  assert.partialDeepStrictEqual(local?.last_test, { ok: true, code: null });
  assert.deepEqual(local?.tested_models, [{ model: MODEL, stream: true, tools: true, json: true, embeddings: false }]);
  assert.deepEqual(await acts(), [['models.test', 'small']]);
  clock.lateMs *= 1_000;
  assert.equal(await runJob(), 0);
});

test('a failure that the server reports ends the attempts', async () => {
  assert.ok((await runJob(modelsOf('org/another'))) > 0);
  assert.equal(await runJob(modelsOf('org/another')), 0);
  assert.equal((await shown())?.tested_models.length, 1, 'the village shows tests of its own configuration alone');
});

test('a test by an admin is kept too; without an answer, the known abilities stay and the API asks again later', async () => {
  isLoading = true;
  clock.lateMs = 0;
  assert.equal((await play.admin.testModel({ model: 'small' })).provider, 'spare');
  assert.equal((await shown())?.last_test?.ok, true, 'the fallback answered');
  assert.equal((await play.admin.testModel({ model: 'also-small' })).code, 'overloaded');
  const local = await shown();
  assert.deepEqual([local?.last_test?.code, local?.tested_models.length], ['overloaded', 1]);
  isLoading = false;
  thoughts = ['A question.\n</think>\n\nYes.'];
  clock.lateMs = 21_000;
  assert.ok((await runJob()) > 0);
  const last = (await shown())?.last_test;
  assert.equal(last?.ok, true);
  assert.match(last.message ?? '', /^Thoughts of the model are a part of its answers.*reasoning parser/);
  assert.equal(await runJob(), 0);
  const opened = [{ provider: 'local', model: MODEL, thoughts: 'opened' }];
  assert.ok((await runJob(modelsOf(MODEL, opened))) > 0, 'with the setting, the API tests the model again');
});
