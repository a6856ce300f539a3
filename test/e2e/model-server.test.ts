/**
 * A model server of the chart on a GPU of the local cluster, whose GPUs are simulated, by a fake server with vLLM's wire: it loads, the
 * gateway knows it, its abilities are tested, and an agent answers with it. Figures of nodes and agents come from the real kubelets.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { run } from '../../local/village/command.ts';
import { testFolder } from '../env/at-end.ts';
import { loadVllmImage } from '../env/cluster/vllm-image.ts';
import { until } from '../env/until.ts';
import { applyAgent, deleteAgents, getObject, untilReady, village, type Village } from '../env/village.ts';

const NAME = `gwen-${process.pid}`;
const POD = 'hamlet-model-local-0';
const MODEL = 'fake/mixture-of-experts';
const LOAD_S = 15;
/** Two readings of the kubelets, and an upgrade of the api before them. */
const FIGURES_MS = 120_000;

let place: Village;
const folder = testFolder('model-server');

/** Runs `make up` again with values of the chart, as an owner who adds a model server does. */
async function makeUp(values: string): Promise<void> {
  // This `make` must not inherit the variables of the `make` that runs the tests.
  const env = { MAKEFLAGS: '', MAKEOVERRIDES: '', MAKELEVEL: '' };
  await run('make', ['up', `PORT=${new URL(place.url).port}`, `VALUES=${values}`], { env });
}

before(async () => {
  place = await village();
  const local = {
    image: await loadVllmImage(),
    model: MODEL,
    fetch: true,
    toolCallParser: 'hermes',
    loadMinutes: 5,
    memAvailableGiB: 1,
    args: [`--load-seconds=${LOAD_S}`],
    resources: { requests: { cpu: '50m', memory: '128Mi' }, limits: { memory: '256Mi', 'nvidia.com/gpu': 1 } },
    weights: { size: '1Gi' },
  };
  const file = join(folder, 'values.json');
  writeFileSync(file, JSON.stringify({ models: { vllm: { local } } }));
  await makeUp(file);
  await applyAgent(place, NAME, { displayName: 'Gwen', model: { name: 'small' } });
  await untilReady(place, NAME);
});
after(async () => {
  await deleteAgents(place, [NAME]);
  await makeUp('off');
  await place.tryKubectl(['delete', 'pvc', `weights-${POD}`, '--ignore-not-found']);
});

interface ServerPod {
  readonly spec: { readonly nodeName: string; readonly containers: readonly { readonly resources: object }[] };
  readonly status: {
    readonly conditions: readonly {
      readonly type: string;
      readonly status: string;
      readonly lastTransitionTime: string;
    }[];
    readonly containerStatuses: readonly { readonly state: { readonly running: { readonly startedAt: string } } }[];
  };
}

test('the server gets a GPU of a node, and is ready when it has loaded', async () => {
  const { spec, status } = await until('the model server is ready', async () => {
    const pod = await getObject<ServerPod>(place, 'pod', POD);
    const isReady = pod?.status.conditions.some((each) => each.type === 'Ready' && each.status === 'True');
    return isReady === true ? pod : undefined;
  });
  assert.partialDeepStrictEqual(spec.containers[0]?.resources, { limits: { 'nvidia.com/gpu': '1' } });
  const ready = status.conditions.find(({ type }) => type === 'Ready')?.lastTransitionTime ?? '';
  const started = status.containerStatuses[0]?.state.running.startedAt ?? '';
  assert.ok(Date.parse(ready) - Date.parse(started) >= LOAD_S * 1_000, `${started} to ${ready}`);
});

test('the gateway has it as a provider without a setting, and its abilities are tested once it answers', async () => {
  const provider = await until('the test of the model', async () => {
    const { configured } = await place.admin.listModelCredentials();
    return configured.find(({ name, last_test: last }) => name === 'local' && last?.ok === true);
  });
  assert.equal(provider.kind, 'vllm');
  assert.deepEqual(provider.tested_models, [
    { model: MODEL, stream: true, tools: true, json: true, embeddings: false },
  ]);
});

test('an agent answers a message with it, and admins see what the server does', async () => {
  const { session } = await place.admin.createSession({ agent_id: NAME, title: 'A model of our own' });
  const { session_id } = session;
  await place.admin.sendMessage({ session_id, text: 'Good day, Gwen. How are you?' });
  const answer = await until('the answer', async () => {
    const { messages } = await place.admin.listMessages({ session_id });
    return messages.find(({ author }) => author.role === 'agent')?.text;
  });
  assert.match(answer, /Good day, neighbour\./);
  const { servers } = await place.admin.listModelServers();
  assert.partialDeepStrictEqual(servers, [{ provider: 'local', state: 'serves', running: 0, waiting: 0 }]);
  assert.match(servers[0]?.address ?? '', new RegExp(`//${POD}\\.`));
});

test('real kubelets give the figures of both nodes, of the agent and of the model server', async () => {
  const agent = await until(
    'the rates of the agent',
    async () => {
      const { agents } = await place.admin.listAgentFigures();
      return agents.find(({ agent_id: id, cpu_cores: cores }) => id === NAME && cores !== null);
    },
    { capMs: FIGURES_MS },
  );
  assert.ok(agent.memory_bytes > 0 && agent.disk_bytes > 0, JSON.stringify(agent));
  const { nodes, shortages } = await place.admin.listNodeFigures();
  assert.deepEqual(
    nodes.map(({ name, ready, problem }) => [name, ready, problem]),
    [
      ['sparky1', true, null],
      ['sparky2', true, null],
    ],
  );
  for (const { cpu, memory, disk } of nodes) {
    assert.ok(cpu.cores > 0 && (cpu.used_cores ?? 0) > 0, JSON.stringify(cpu));
    assert.ok((memory.available_bytes ?? 0) > 0 && (disk.available_bytes ?? 0) > 0, JSON.stringify({ memory, disk }));
  }
  const on = (name: string): readonly string[] =>
    nodes.filter(({ users }) => users.some((user) => user.name === name)).map((node) => node.name);
  assert.deepEqual(on(NAME), [agent.node]);
  assert.deepEqual(on(POD), [(await getObject<ServerPod>(place, 'pod', POD))?.spec.nodeName]);
  // The guard judges the kernel's count, which the replica of the api on a node reports; none of the nodes is short.
  assert.ok(nodes.some(({ memory }) => memory.source === 'kernel'));
  assert.deepEqual(shortages, []);
});
