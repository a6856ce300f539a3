/** The model servers that the chart runs: their pods, who reaches them, and how the api knows them. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { test } from '@hamlet/test/env/cluster-test';
import { parseModelsConfig, type ModelsConfig } from '@hamlet/models';
import { testFolder } from '@hamlet/test/env/at-end';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { IMAGE, PRESETS, presetFile, presetValues } from './testing/presets.ts';
import { render, type Manifest } from './testing/render.ts';

const GPU = { requests: { memory: '94Gi' }, limits: { 'nvidia.com/gpu': 1 } };
const SERVER = { image: IMAGE, model: 'org/model', fetch: true, resources: GPU };

/** The fields of a server's pod that the tests read. */
interface ServerPod {
  readonly priorityClassName: string;
  readonly affinity: object;
  readonly nodeSelector?: object;
  readonly runtimeClassName?: string;
  readonly resourceClaims?: readonly object[];
  readonly securityContext: object;
  readonly initContainers?: readonly ServerContainer[];
  readonly containers: readonly [ServerContainer];
  readonly volumes: readonly object[];
}
interface ServerContainer {
  readonly name: string;
  readonly image: string;
  readonly command: readonly string[];
  readonly env: readonly { readonly name: string; readonly value?: string }[];
  readonly resources: object;
  readonly startupProbe: { readonly periodSeconds: number; readonly failureThreshold: number; readonly exec?: object };
  readonly volumeMounts: readonly object[];
}

async function rendered(values: object): Promise<readonly Manifest[]> {
  const { code, output, manifests } = await render(values, '--namespace', 'meadow');
  assert.equal(code, 0, output);
  return manifests;
}

async function objectOf<T>(values: object, kind: string, name: string): Promise<T> {
  const found = (await rendered(values)).find((each) => each.kind === kind && each.metadata.name === name);
  assert.ok(found, `${kind} ${name}`);
  return found.spec as unknown as T;
}

interface StatefulSetSpec {
  readonly replicas: number;
  readonly serviceName: string;
  readonly template: { readonly metadata: { readonly labels: object }; readonly spec: ServerPod };
  readonly volumeClaimTemplates?: readonly object[];
}
const serverOf = (values: object, name = 'hamlet-model-local'): Promise<StatefulSetSpec> =>
  objectOf<StatefulSetSpec>(values, 'StatefulSet', name);
const podOf = async (server: object): Promise<ServerPod> =>
  (await serverOf({ models: { vllm: { local: { ...SERVER, ...server } } } })).template.spec;

/** The configuration of models that the api gets, as it reads it; null without one. */
async function configOf(values: object): Promise<ModelsConfig | null> {
  const { text } = await render(values, '--show-only', 'templates/api.yaml');
  const [, value] = /HAMLET_MODELS, value: ("(?:[^"\\]|\\.)*")/.exec(text) ?? [];
  if (value === undefined) return null;
  const parsed = parseModelsConfig(JSON.parse(JSON.parse(value) as string));
  assert.ok(parsed.ok, JSON.stringify(parsed));
  return parsed.config;
}

test('a preset lacks only the image, and the chart refuses an image without a digest', async () => {
  for (const name of PRESETS.filter((each) => each !== 'none')) {
    const { code, output } = await render(presetFile(name));
    assert.notEqual(code, 0, name);
    assert.match(output, /missing property 'image'/, name);
    assert.equal(output.match(/^- /gm)?.length, 1, output);
  }
  const tagged = await render({ models: { vllm: { local: { ...SERVER, image: 'vllm/vllm-openai:v0.25.0' } } } });
  assert.match(tagged.output, /'vllm\/vllm-openai:v0.25.0' does not match pattern/);
});

test('the api knows the server of each preset as a provider of the village, beside those of models.config', async () => {
  assert.equal(await configOf(presetValues('none')), null);
  const one = await configOf(presetValues('spark-one'));
  assert.partialDeepStrictEqual(one?.providers['local'], {
    kind: 'vllm',
    baseUrl: 'http://hamlet-model-local:8000/v1',
    maxInFlight: 8,
    metricsUrls: ['http://hamlet-model-local-0.hamlet-model-local-each:8000/metrics'],
  });
  const routes = one?.routes.map(({ match, model, contextTokens }) => [match, model, contextTokens]);
  assert.deepEqual(routes, [
    ['small', 'Qwen/Qwen3.6-35B-A3B-FP8', 65_536],
    ['large', 'Qwen/Qwen3.6-35B-A3B-FP8', 65_536],
  ]);
  const two = (await configOf(presetValues('spark-two')))?.providers['local'];
  assert.equal(two?.maxInFlight, 16);
  assert.equal(two?.kind === 'vllm' && two.metricsUrls?.length, 2);
  const small = await configOf(presetValues('ollama-small'));
  assert.partialDeepStrictEqual(small?.providers['local'], {
    kind: 'ollama',
    baseUrl: 'http://hamlet-model-local:11434',
  });

  const config = {
    providers: { openai: { kind: 'openai', credential: 'openai-key' } },
    routes: [{ match: 'large', provider: 'openai', model: 'gpt-5' }],
  };
  const both = await configOf({ models: { config, vllm: { local: SERVER } } });
  assert.deepEqual(Object.keys(both?.providers ?? {}).toSorted(), ['local', 'openai']);
  assert.deepEqual(
    both?.routes.map(({ match, provider }) => [match, provider]),
    [
      ['large', 'openai'],
      ['small', 'local'],
      ['large', 'local'],
    ],
    'a route of the configuration precedes that of a server',
  );
});

test('a server without a parser of tool calls has no tools, and no chat model of vLLM makes vectors', async () => {
  const capabilities = async (server: object) =>
    (await configOf({ models: { vllm: { local: { ...SERVER, ...server } } } }))?.capabilities.map(
      ({ tools, embeddings }) => ({ tools, embeddings }),
    );
  assert.deepEqual(await capabilities({}), [{ tools: false, embeddings: false }]);
  assert.deepEqual(await capabilities({ toolCallParser: 'hermes' }), [{ tools: true, embeddings: false }]);
});

test('a server whose model opens its thoughts in the prompt has that in the configuration of the api', async () => {
  const thoughts = async (server: object) =>
    (await configOf({ models: { vllm: { local: { ...SERVER, ...server } } } }))?.capabilities.map(
      (can) => can.thoughts,
    );
  assert.deepEqual(await thoughts({}), [undefined]);
  assert.deepEqual(await thoughts({ thoughts: 'opened' }), ['opened']);
  const { output } = await render({ models: { vllm: { local: { ...SERVER, thoughts: 'closed' } } } });
  assert.match(output, /thoughts': value must be one of '', 'opened'/);
});

test('names that two providers would share, a server without a source of weights, and opened thoughts beside a parser of thoughts are refused with the fix', async () => {
  const refused = async (models: object): Promise<string> => (await render({ models })).output;
  const taken = { providers: { local: { kind: 'scripted' } }, routes: [] };
  assert.match(
    await refused({ config: taken, vllm: { local: SERVER } }),
    /models\.vllm\.local: models\.config has a provider of this name: rename the server/,
  );
  assert.match(
    await refused({ vllm: { local: SERVER }, ollama: { local: SERVER } }),
    /vllm and ollama both have a server of this name: rename one/,
  );
  assert.match(
    await refused({ vllm: { local: { ...SERVER, fetch: false } } }),
    /set fetch to true to download the weights, or weights\.claimName to a volume claim that has them/,
  );
  assert.match(
    await refused({ vllm: { local: { ...SERVER, reasoningParser: 'qwen3', thoughts: 'opened' } } }),
    /models\.vllm\.local: thoughts is for a server without a reasoningParser: leave one of them out/,
  );
  const { memory: _, ...requests } = { cpu: '1', memory: '1Gi' };
  assert.match(
    await refused({ vllm: { local: { ...SERVER, resources: { requests } } } }),
    /missing property 'memory'/,
    'seats must know how much memory it takes',
  );
});

test('a vLLM server starts with the limits of the values, waits up to an hour for its load, and no agent takes its place', async () => {
  const { template, replicas, serviceName } = await serverOf(presetValues('spark-two'));
  const { containers, affinity, priorityClassName, securityContext } = template.spec;
  const [{ command, startupProbe, resources, env }] = containers;
  assert.deepEqual([replicas, serviceName, priorityClassName], [2, 'hamlet-model-local-each', 'hamlet-model-server']);
  assert.partialDeepStrictEqual(template.metadata.labels, { 'hamlet.village/role': 'model-server' });
  assert.deepEqual(command.slice(command.indexOf('vllm')), [
    'vllm',
    'serve',
    'Qwen/Qwen3.6-35B-A3B-FP8',
    '--host=0.0.0.0',
    '--port=8000',
    '--served-model-name=Qwen/Qwen3.6-35B-A3B-FP8',
    '--max-model-len=65536',
    '--max-num-seqs=8',
    '--max-num-batched-tokens=4096',
    '--gpu-memory-utilization=0.70',
    '--enable-auto-tool-choice',
    '--tool-call-parser=qwen3_xml',
    '--reasoning-parser=qwen3',
  ]);
  assert.equal(startupProbe.periodSeconds * startupProbe.failureThreshold, 3_600);
  assert.deepEqual(resources, { requests: { cpu: '2', memory: '94Gi' }, limits: { 'nvidia.com/gpu': 1 } });
  assert.partialDeepStrictEqual(securityContext, { runAsNonRoot: true, runAsUser: 1_000 });
  assert.match(JSON.stringify(affinity), /requiredDuring.*"topologyKey":"kubernetes\.io\/hostname"/);
  assert.equal(env.find(({ name }) => name === 'HF_HUB_OFFLINE')?.value, '0');
});

test('values choose the node, the runtime, a claim of a device, the user, more arguments and weights of a volume', async () => {
  const claimed = { requests: { memory: '94Gi' } };
  const pod = await podOf({
    fetch: false,
    model: '/weights/qwen',
    weights: { claimName: 'weights-of-qwen' },
    resources: claimed,
    resourceClaimTemplateName: 'one-gpu',
    nodeSelector: { 'kubernetes.io/hostname': 'sparky2' },
    runtimeClassName: 'nvidia',
    runAsUser: 0,
    args: ['--kv-cache-dtype=fp8'],
  });
  const [{ command, resources, env, volumeMounts }] = pod.containers;
  assert.deepEqual(pod.nodeSelector, { 'kubernetes.io/hostname': 'sparky2' });
  assert.equal(pod.runtimeClassName, 'nvidia');
  assert.deepEqual(pod.resourceClaims, [{ name: 'gpu', resourceClaimTemplateName: 'one-gpu' }]);
  assert.deepEqual(resources, { ...claimed, claims: [{ name: 'gpu' }] });
  assert.partialDeepStrictEqual(pod.securityContext, { runAsNonRoot: false, runAsUser: 0 });
  assert.deepEqual(
    [command[2], command[5], command.at(-1)],
    ['/weights/qwen', '--served-model-name=qwen', '--kv-cache-dtype=fp8'],
  );
  assert.equal(env.find(({ name }) => name === 'HF_HUB_OFFLINE')?.value, '1');
  assert.deepEqual(volumeMounts[0], { name: 'weights', mountPath: '/weights', readOnly: true });
  assert.deepEqual(pod.volumes.at(-1), {
    name: 'weights',
    persistentVolumeClaim: { claimName: 'weights-of-qwen', readOnly: true },
  });
  const own = await serverOf({ models: { vllm: { local: SERVER } } });
  assert.partialDeepStrictEqual(own.volumeClaimTemplates, [
    { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '100Gi' } } } },
  ]);
});

test('only the api reaches a server, which reaches the outside only to fetch its weights', async () => {
  const policy = (server: object): Promise<{ readonly ingress: object; readonly egress: readonly object[] }> =>
    objectOf({ models: { vllm: { local: { ...SERVER, ...server } } } }, 'NetworkPolicy', 'hamlet-model-local');
  const closed = await policy({ fetch: false, weights: { claimName: 'weights' } });
  assert.deepEqual(closed.egress, []);
  assert.deepEqual(closed.ingress, [
    {
      from: [
        {
          podSelector: {
            matchLabels: { 'app.kubernetes.io/name': 'hamlet', 'app.kubernetes.io/component': 'api' },
          },
        },
      ],
      ports: [{ protocol: 'TCP', port: 8_000 }],
    },
  ]);
  const [dns, outside, ...more] = (await policy({})).egress as readonly { readonly ports: object }[];
  assert.deepEqual(more, []);
  assert.match(JSON.stringify(dns), /kube-dns/);
  assert.deepEqual(outside?.ports, [{ protocol: 'TCP', port: 443 }]);
  assert.match(JSON.stringify(outside), /"except":\["10\.0\.0\.0\/8".*"192\.168\.0\.0\/16"\]/);
});

test('Ollama pulls its model before it starts, and is ready after it has loaded the model', async () => {
  const { initContainers = [], containers } = (await serverOf(presetValues('ollama-small'))).template.spec;
  assert.deepEqual(
    initContainers.map(({ name, image }) => [name, image]),
    [['fetch', IMAGE]],
  );
  assert.match(initContainers[0]?.command[2] ?? '', /ollama pull "\$MODEL"/);
  const [{ command, startupProbe, env }] = containers;
  assert.deepEqual(command, ['ollama', 'serve']);
  assert.deepEqual(startupProbe.exec, { command: ['ollama', 'run', 'qwen3:8b', ''] });
  const values = Object.fromEntries(env.map(({ name, value }) => [name, value]));
  assert.partialDeepStrictEqual(values, {
    OLLAMA_CONTEXT_LENGTH: '16384',
    OLLAMA_NUM_PARALLEL: '2',
    MODEL: 'qwen3:8b',
  });
});

test('each start of a server, also after a crash, waits until enough memory of its node is available', async () => {
  const folder = testFolder('meminfo');
  const file = join(folder, 'meminfo');
  const memory = (gib: number): void =>
    writeFileSync(file, `MemTotal:       127600000 kB\nMemAvailable:   ${gib * 1_048_576} kB\nCached: 1 kB\n`);
  writeFileSync(join(folder, 'vllm'), '#!/bin/sh\necho "$0 $1 $2"\n', { mode: 0o755 });
  const { initContainers, containers } = await podOf({ memAvailableGiB: 94 });
  assert.equal(initContainers, undefined);
  memory(93);
  const [shell = 'sh', ...args] = containers[0].command;
  const env = { PATH: [folder, process.env['PATH']].join(delimiter), MEMINFO: file, PAUSE_S: '0.05' };
  const starting = spawn(shell, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(starting, 'close');
  let printed = '';
  starting.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
  await once(starting.stdout, 'data');
  assert.match(printed, /^MemAvailable of the node is 93 GiB, and the model needs 94 GiB: waiting\n/);
  assert.equal(starting.exitCode, null);
  memory(94);
  assert.deepEqual(await ended, [0, null]);
  assert.match(printed, /\/vllm serve org\/model\n$/);
});
