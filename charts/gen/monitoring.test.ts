/** Renders what the chart installs for Prometheus and Grafana: rules, monitors and dashboards. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from '@hamlet/test/env/cluster-test';
import { parse } from 'yaml';
import { ROOT } from '../../local/village/paths.ts';
import { IMAGE } from './testing/presets.ts';
import { render, type Manifest } from './testing/render.ts';

const OPERATOR_KINDS = ['PrometheusRule', 'PodMonitor', 'ServiceMonitor'];
const DASHBOARDS = join(ROOT, 'charts/hamlet/files/dashboards');

async function manifests(monitoring: object = {}, models: object = {}): Promise<readonly Manifest[]> {
  const { code, output, manifests: found } = await render({ monitoring, models }, '--namespace', 'meadow');
  assert.equal(code, 0, output);
  return found;
}

interface Rules {
  readonly groups: readonly {
    readonly rules: readonly {
      readonly alert: string;
      readonly annotations: { readonly summary: string; readonly runbook_url?: string };
    }[];
  }[];
}

async function rulesOf(monitoring: object): Promise<Rules> {
  const found = (await manifests(monitoring)).find(({ kind }) => kind === 'PrometheusRule');
  return found?.spec as unknown as Rules;
}

test('a fresh village needs no kind of the Prometheus operator and has no dashboards', async () => {
  const found = await manifests();
  assert.deepEqual(
    found.filter(({ kind, metadata }) => OPERATOR_KINDS.includes(kind) || metadata.name.includes('dashboard')),
    [],
  );
});

test('a value installs the alert rules unchanged as a PrometheusRule', async () => {
  const rules = await rulesOf({ prometheusRule: true });
  assert.deepEqual(rules, parse(readFileSync(join(ROOT, 'charts/hamlet/files/alerts.yaml'), 'utf8')));
});

test('with the address of the runbook, each alert links to its section', async () => {
  const runbookUrl = 'https://docs.example.org/RUNBOOK.md';
  const { groups } = await rulesOf({ prometheusRule: true, runbookUrl });
  const alerts = groups.flatMap(({ rules }) => rules);
  assert.ok(alerts.length > 30);
  for (const { alert, annotations } of alerts)
    assert.equal(annotations.runbook_url, `${runbookUrl}#${alert.toLowerCase()}`);
});

interface Monitor {
  readonly metadata: { readonly labels: Record<string, string> };
  readonly spec: {
    readonly selector: {
      readonly matchLabels: Record<string, string>;
      readonly matchExpressions: readonly { readonly key: string; readonly values: readonly string[] }[];
    };
    readonly podMetricsEndpoints?: readonly object[];
    readonly endpoints?: readonly object[];
  };
}
interface Part {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels: Record<string, string> };
  readonly spec: {
    readonly selector: Record<string, string>;
    readonly publishNotReadyAddresses?: boolean;
    readonly ports: readonly { readonly name: string; readonly targetPort: string }[];
    readonly template?: {
      readonly metadata: { readonly labels: Record<string, string> };
      readonly spec: { readonly containers: readonly { readonly ports?: readonly { readonly name: string }[] }[] };
    };
  };
}

const WATCHED = { enabled: true, interval: '15s', labels: { release: 'prometheus' } };
const VLLM = {
  local: {
    image: IMAGE,
    model: 'org/model',
    fetch: true,
    resources: { requests: { memory: '94Gi' }, limits: { 'nvidia.com/gpu': 1 } },
  },
};

const has = (labels: Record<string, string>, wanted: Record<string, string>): boolean =>
  Object.entries(wanted).every(([key, value]) => labels[key] === value);

function monitorOf(found: readonly Manifest[], wanted: string): Monitor {
  const monitor = found.find(({ kind }) => kind === wanted) ?? assert.fail(`no ${wanted}`);
  return monitor as unknown as Monitor;
}

const isChosen = ({ spec: { selector } }: Monitor, labels: Record<string, string>): boolean =>
  has(labels, selector.matchLabels) &&
  selector.matchExpressions.every(({ key, values }) => values.includes(labels[key] ?? ''));

/** Workloads by name, with the names of the ports of their containers and the labels of their pods. */
const workloadsOf = (found: readonly Manifest[]) =>
  (found as unknown as readonly Part[]).flatMap(({ metadata: { name }, spec }) =>
    spec?.template === undefined
      ? []
      : [
          {
            name,
            labels: spec.template.metadata.labels,
            ports: spec.template.spec.containers.flatMap(({ ports = [] }) => ports.map((port) => port.name)),
          },
        ],
  );

/** The workloads that a PodMonitor chooses, with the port that it reads. */
function chosenByPod(found: readonly Manifest[]): readonly (readonly string[])[] {
  const monitor = monitorOf(found, 'PodMonitor');
  const wanted = monitor.spec.podMetricsEndpoints as readonly { readonly port: string }[];
  return workloadsOf(found)
    .filter(({ labels }) => isChosen(monitor, labels))
    .flatMap(({ name, ports }) => wanted.filter(({ port }) => ports.includes(port)).map(({ port }) => [name, port]))
    .toSorted();
}

/** The workloads behind the Services that a ServiceMonitor chooses, with the port of their containers that it reads. */
function chosenByService(found: readonly Manifest[]): readonly (readonly string[])[] {
  const monitor = monitorOf(found, 'ServiceMonitor');
  const wanted = monitor.spec.endpoints as readonly { readonly port: string }[];
  const services = (found as unknown as readonly Part[]).filter(
    ({ kind, metadata }) => kind === 'Service' && isChosen(monitor, metadata.labels),
  );
  const read = services.flatMap(({ spec }) => {
    assert.equal(spec.publishNotReadyAddresses, true, 'the metrics of a pod that is not ready explain why');
    return spec.ports
      .filter(({ name }) => wanted.some(({ port }) => port === name))
      .flatMap(({ targetPort }) =>
        workloadsOf(found)
          .filter(({ labels, ports }) => has(labels, spec.selector) && ports.includes(targetPort))
          .map(({ name }) => [name, targetPort]),
      );
  });
  return read.toSorted();
}

const OWN = [
  ['hamlet-api', 'metrics'],
  ['hamlet-api-more', 'metrics'],
  ['hamlet-broker', 'metrics'],
  ['hamlet-operator', 'metrics'],
];
const OF_SERVER = ['hamlet-model-local', 'models'];
const KINDS = [
  ['podMonitor', 'PodMonitor', chosenByPod],
  ['serviceMonitor', 'ServiceMonitor', chosenByService],
] as const;

for (const [value, kind, chosen] of KINDS)
  test(`a ${kind} reads API, broker and operator, with the labels that Prometheus wants`, async () => {
    const alone = await render({ monitoring: { [value]: WATCHED } });
    assert.match(alone.output, /name the namespace of Prometheus in monitoring.scraperNamespaces/);
    const monitoring = { [value]: WATCHED, scraperNamespaces: ['watch'] };
    const found = await manifests(monitoring, { vllm: VLLM });
    const { metadata, spec } = monitorOf(found, kind);
    assert.partialDeepStrictEqual(metadata.labels, { release: 'prometheus', 'app.kubernetes.io/name': 'hamlet' });
    assert.deepEqual(spec.podMetricsEndpoints ?? spec.endpoints, [{ port: 'metrics', interval: '15s' }]);
    assert.deepEqual(chosen(found), OWN);
    const withServers = await manifests({ ...monitoring, modelServers: true }, { vllm: VLLM });
    assert.deepEqual(chosen(withServers), [...OWN.slice(0, 3), OF_SERVER, ...OWN.slice(3)]);
  });

test('two monitors would read the same metrics twice, so the chart refuses them', async () => {
  const monitoring = { podMonitor: WATCHED, serviceMonitor: WATCHED, scraperNamespaces: ['watch'] };
  assert.match((await render({ monitoring })).output, /would both read the same metrics: enable one/);
});

test('Prometheus reaches a vLLM server only if a value opens it, and never an Ollama server, which has no metrics', async () => {
  const small = { ...VLLM.local, model: 'qwen3:8b' };
  const openTo = async (monitoring: object): Promise<readonly unknown[]> => {
    const found = await manifests(monitoring, { vllm: VLLM, ollama: { small } });
    return found.flatMap(({ kind, metadata: { name }, spec }) => {
      if (kind !== 'NetworkPolicy' || !name.startsWith('hamlet-model-')) return [];
      const { ingress } = spec as unknown as {
        ingress: readonly { from: readonly object[]; ports: readonly object[] }[];
      };
      return ingress.filter(({ from }) => JSON.stringify(from).includes('watch')).map(({ ports }) => [name, ports]);
    });
  };
  const scraperNamespaces = ['watch'];
  assert.deepEqual(await openTo({ scraperNamespaces }), []);
  assert.deepEqual(await openTo({ modelServers: true }), []);
  assert.deepEqual(await openTo({ scraperNamespaces, modelServers: true }), [
    ['hamlet-model-local', [{ protocol: 'TCP', port: 8_000 }]],
  ]);
});

test("dashboards arrive unchanged, with the labels and the folder of Grafana's sidecar", async () => {
  const found = (await manifests({ dashboards: { enabled: true, labels: { watched: 'yes' } } })).filter(
    ({ metadata }) => metadata.name.startsWith('hamlet-dashboard-'),
  ) as unknown as readonly {
    metadata: { name: string; labels: Record<string, string>; annotations: Record<string, string> };
    data: Record<string, string>;
  }[];
  assert.equal(found.length, readdirSync(DASHBOARDS).length);
  assert.equal(found.length, 4);
  for (const { metadata, data } of found) {
    const name = metadata.name.replace('hamlet-dashboard-', '');
    assert.deepEqual(
      [metadata.labels['grafana_dashboard'], metadata.labels['watched'], metadata.annotations['grafana_folder']],
      ['1', 'yes', 'Hamlet'],
    );
    assert.deepEqual(Object.keys(data), [`hamlet-${name}.json`]);
    const file = readFileSync(join(DASHBOARDS, `${name}.generated.json`), 'utf8');
    assert.equal(data[`hamlet-${name}.json`], file.trim());
  }
});
