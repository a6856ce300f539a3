/** Renders what the chart installs for Prometheus and Grafana: rules, monitors and dashboards. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from '@hamlet/test/env/cluster-test';
import { parse } from 'yaml';
import { ROOT } from '../../local/village/paths.ts';
import { render, type Manifest } from './testing/render.ts';

const OPERATOR_KINDS = ['PrometheusRule', 'PodMonitor', 'ServiceMonitor'];
const DASHBOARDS = join(ROOT, 'charts/hamlet/files/dashboards');

async function manifests(monitoring: object = {}): Promise<readonly Manifest[]> {
  const { code, output, manifests: found } = await render({ monitoring }, '--namespace', 'meadow');
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

test('a PodMonitor reads the named port of API, broker and operator, with the labels that Prometheus wants', async () => {
  const podMonitor = { enabled: true, interval: '15s', labels: { release: 'prometheus' } };
  const alone = await render({ monitoring: { podMonitor } });
  assert.match(alone.output, /name the namespace of Prometheus in monitoring.scraperNamespaces/);
  const found = await manifests({ podMonitor, scraperNamespaces: ['watch'] });
  const monitor = found.find(({ kind }) => kind === 'PodMonitor');
  assert.partialDeepStrictEqual(monitor, {
    metadata: { labels: { release: 'prometheus', 'app.kubernetes.io/name': 'hamlet' } },
    spec: { podMetricsEndpoints: [{ port: 'metrics', interval: '15s' }] },
  });
  const { selector } = (monitor ?? assert.fail('no PodMonitor')).spec as unknown as {
    selector: { matchLabels: Record<string, string>; matchExpressions: { key: string; values: string[] }[] };
  };
  const [wanted] = selector.matchExpressions;
  const chosen = found.flatMap(({ kind, metadata, spec }) => {
    if (kind !== 'Deployment' && kind !== 'StatefulSet') return [];
    const template = spec.template as unknown as { metadata: { labels: Record<string, string> } };
    const isChosen =
      Object.entries(selector.matchLabels).every(([key, value]) => template.metadata.labels[key] === value) &&
      wanted?.values.includes(template.metadata.labels[wanted.key] ?? '') === true;
    const ports = spec.template.spec.containers.flatMap((container) =>
      (container as unknown as { ports: { name: string }[] }).ports.map(({ name }) => name),
    );
    return isChosen ? [[metadata.name, ports.includes('metrics')]] : [];
  });
  assert.deepEqual(chosen.toSorted(), [
    ['hamlet-api', true],
    ['hamlet-api-more', true],
    ['hamlet-broker', true],
    ['hamlet-operator', true],
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
