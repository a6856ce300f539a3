/** Each alert is quiet in a healthy village, fires in an ill one and ends with the illness, by Prometheus' own promtool. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';
import { testFolder } from '../env/at-end.ts';
import { ALERT_CASES, MINUTES } from './alert-cases.ts';

const RULES = resolve(import.meta.dirname, '../../charts/hamlet/files/alerts.yaml');
const PROMTOOL = process.env['HAMLET_PROMTOOL'] ?? '/usr/bin/promtool';
const LAST_ILL = MINUTES.well + MINUTES.ill - 1;
const folder = testFolder('alert-rules');

interface Rules {
  readonly groups: readonly { readonly rules: readonly { readonly alert: string }[] }[];
}

const names = (rules: Rules): readonly string[] =>
  rules.groups.flatMap(({ rules: own }) => own.map(({ alert }) => alert));

/** The series of an alert, in a namespace of its own. */
const seriesOf = (alert: string): readonly object[] =>
  Object.entries(ALERT_CASES[alert] ?? {}).map(([name, values]) => ({
    series: name.includes('{') ? name.replace('{', `{namespace="${alert}",`) : `${name}{namespace="${alert}"}`,
    values,
  }));

/** `fires`: exactly one alert of this name is firing at this minute. */
const firing = (alert: string, minute: number, fires: boolean): object => ({
  expr: `count(ALERTS{alertname="${alert}",alertstate="firing"})`,
  eval_time: `${minute}m`,
  exp_samples: fires ? [{ labels: '{}', value: 1 }] : [],
});

/** One test of promtool for many alerts, because each test evaluates all rules. */
const testOf = (alerts: readonly string[]): object => ({
  interval: '1m',
  input_series: alerts.flatMap(seriesOf),
  promql_expr_test: alerts.flatMap((alert) => [
    firing(alert, MINUTES.well - 1, false),
    firing(alert, LAST_ILL, true),
    firing(alert, LAST_ILL + MINUTES.wellAgain, false),
  ]),
});

const metricsOf = (alert: string): readonly string[] =>
  Object.keys(ALERT_CASES[alert] ?? {}).map((name) => name.replace(/\{.*/, ''));

/** Alerts on the same metric are in different tests, because a rule with `absent` looks at all namespaces. */
function batches(alerts: readonly string[]): readonly (readonly string[])[] {
  const found: { readonly metrics: Set<string>; readonly alerts: string[] }[] = [];
  for (const alert of alerts) {
    const metrics = metricsOf(alert);
    let batch = found.find((each) => metrics.every((metric) => !each.metrics.has(metric)));
    if (batch === undefined) found.push((batch = { metrics: new Set(), alerts: [] }));
    batch.alerts.push(alert);
    for (const metric of metrics) batch.metrics.add(metric);
  }
  return found.map((batch) => batch.alerts);
}

async function promtool(rulesFile: string, alerts: readonly string[]): Promise<{ code: number; output: string }> {
  const file = join(folder, 'test.yaml');
  const tests = batches(alerts).map(testOf);
  await writeFile(file, JSON.stringify({ rule_files: [rulesFile], evaluation_interval: '1m', tests }));
  return new Promise((done) => {
    execFile(PROMTOOL, ['test', 'rules', file], (error, stdout, stderr) =>
      done({ code: error === null ? 0 : Number(error.code), output: stdout + stderr }),
    );
  });
}

test('each alert has a case, and is quiet, fires and ends', async () => {
  const alerts = names(parse(await readFile(RULES, 'utf8')) as Rules);
  assert.deepEqual(Object.keys(ALERT_CASES).toSorted(), alerts.toSorted());
  const { code, output } = await promtool(RULES, alerts);
  assert.equal(code, 0, output);
});

test('the cases find a rule that never fires and one that always fires', async () => {
  const text = await readFile(RULES, 'utf8');
  for (const [what, expression] of [
    ['never', 'max by (namespace) (hamlet_log_broken) > 9'],
    ['always', 'max by (namespace) (hamlet_log_broken) >= 0'],
  ]) {
    const file = join(folder, `${what}.yaml`);
    await writeFile(file, text.replace('max by (namespace) (hamlet_log_broken) > 0', expression ?? ''));
    const { code, output } = await promtool(file, ['HamletLogBroken']);
    assert.notEqual(code, 0);
    assert.match(output, /HamletLogBroken/);
  }
});
