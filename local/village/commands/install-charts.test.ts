/** The tiers of the local village leave room for a seat on each node. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';
import { ROOT } from '../paths.ts';
import { localTiers, valuesOf } from './install-charts.ts';

const SECRETS = { adminToken: 'a', memberToken: 'm', adminName: 'admin', adminPassword: 'p' };

test('on nodes with two cores the highest tier gets smaller requests and limits, and no other change', () => {
  const chart = parse(readFileSync(join(ROOT, 'charts/hamlet/values.yaml'), 'utf8')) as {
    readonly entitlements: Readonly<Record<string, { readonly compute: { readonly resources: object } }>>;
  };
  assert.deepEqual(Object.keys(chart.entitlements['tier-2']?.compute.resources ?? {}), ['cpu', 'memory']);
  assert.deepEqual(localTiers(2), {
    entitlements: { 'tier-2': { compute: { resources: { cpu: '1', memory: '1Gi' } } } },
  });
  assert.deepEqual(localTiers(4), {});
});

test('an existing cluster gets the tiers of the chart, and its own storage class', () => {
  const elsewhere = valuesOf({ images: {}, coreNode: undefined, secrets: SECRETS, model: {} });
  assert.equal('entitlements' in elsewhere, false);
  assert.equal('agentPods' in elsewhere, false);
  assert.equal(
    'entitlements' in valuesOf({ images: {}, coreNode: 'sparky1', secrets: SECRETS, model: {}, cores: 2 }),
    true,
  );
});
