/** Renders the chart with helm and checks the settings of models and the image of agents. */
import assert from 'node:assert/strict';
import { test } from '@hamlet/test/env/cluster-test';
import { render } from './testing/render.ts';

const api = async (values: object): Promise<string> => (await render(values, '--show-only', 'templates/api.yaml')).text;

test('by default the api gets neither models nor keys, so the scripted mind answers', async () => {
  assert.doesNotMatch(await api({}), /HAMLET_MODEL|model-keys|hostAliases/);
});

test('subscription sign-in is off by default, and its settings reach the api', async () => {
  assert.doesNotMatch(await api({}), /HAMLET_SUBSCRIPTION/);
  const text = await api({ models: { subscription: { clientId: 'app-1' } } });
  assert.equal(text.match(/HAMLET_SUBSCRIPTION, value: "\{\\"clientId\\":\\"app-1\\"\}"/g)?.length, 2);
});

test('traces are off by default; an endpoint and a ratio reach both Deployments of the api', async () => {
  assert.doesNotMatch(await api({}), /HAMLET_TRACING/);
  const text = await api({ tracing: { endpoint: 'http://collector.monitoring:4318', sampleRatio: 0.25 } });
  assert.equal(text.match(/HAMLET_TRACING_ENDPOINT, value: "http:\/\/collector\.monitoring:4318"/g)?.length, 2);
  assert.equal(text.match(/HAMLET_TRACING_RATIO, value: "0\.25"/g)?.length, 2);
  const { output } = await render({ tracing: { endpoint: 'collector:4318' } });
  assert.match(output, /tracing\/endpoint|tracing\.endpoint/);
});

test('stored credentials are encrypted with a 32-byte key from a Secret that only the api mounts', async () => {
  const { text } = await render();
  const [, first = ''] = /first: (\S+)/.exec(text.slice(text.indexOf('name: hamlet-credential-keys'))) ?? [];
  const key = Buffer.from(Buffer.from(first, 'base64').toString('utf8'), 'base64');
  assert.equal(key.length, 32);
  const manifests = text.split('\n---\n').filter((manifest) => manifest.includes('secretName: hamlet-credential-keys'));
  assert.equal(manifests.length, 2);
  for (const manifest of manifests) assert.match(manifest, /kind: Deployment[\s\S]*name: hamlet-api/);
});

test('both api Deployments get the configuration of models, and mount its keys from a Secret', async () => {
  const config = { providers: { scripted: { kind: 'scripted' } }, routes: [{ match: 'small', provider: 'scripted' }] };
  const hostAliases = [{ ip: '10.0.0.1', hostnames: ['models.example.org'] }];
  const text = await api({ models: { config, keysSecretName: 'keys', textDays: 7 }, api: { hostAliases } });
  assert.equal(text.match(/HAMLET_MODEL_TEXT_DAYS, value: "7"/g)?.length, 2);
  const passed = [...text.matchAll(/HAMLET_MODELS, value: ("(?:[^"\\]|\\.)*")/g)].map(
    ([, value = '']) => JSON.parse(JSON.parse(value) as string) as unknown,
  );
  assert.deepEqual(passed, [config, config]);
  assert.equal(text.match(/HAMLET_MODEL_KEYS_DIR, value: \/etc\/hamlet\/model-keys/g)?.length, 2);
  assert.equal(text.match(/secret: \{ secretName: keys, optional: true \}/g)?.length, 2);
  assert.equal(text.match(/hostnames:\s+- models\.example\.org\s+ip: 10\.0\.0\.1/g)?.length, 2);
});

async function imageOf(...values: readonly string[]): Promise<string | undefined> {
  const flags = ['image.tag=v9', ...values].flatMap((value) => ['--set', value]);
  const only = ['--show-only', 'templates/operator.yaml'];
  const { text } = await render({}, ...only, ...flags);
  return /HAMLET_AGENT_IMAGE, value: (\S+)|HAMLET_AGENT_IMAGE\n\s+value: (\S+)/.exec(text)?.slice(1).find(Boolean);
}

test('agents get the full image by default, the slim one by a value, or any other by its reference', async () => {
  assert.equal(await imageOf(), 'hamlet/agent:v9');
  assert.equal(await imageOf('agentPods.tools=slim'), 'hamlet/agent:v9-slim');
  assert.equal(await imageOf('agentPods.tools=slim', 'images.agent=x/y:z'), 'x/y:z');
});
