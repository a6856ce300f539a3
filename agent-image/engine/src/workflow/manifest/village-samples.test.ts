/** The workflows among the samples of the village, as ConfigMaps, are valid manifests. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';
import { compilePlan } from '../plan/compile-plan.ts';
import { readManifests } from './read-manifests.ts';

const SAMPLES = resolve(import.meta.dirname, '../../../../../crds/samples');

test('each sample of a workflow can be read and planned, without a fault', () => {
  const stages = readdirSync(SAMPLES)
    .filter((file) => file.startsWith('manifests-'))
    .map((file) => {
      const { data } = parse(readFileSync(join(SAMPLES, file), 'utf8')) as { data: Readonly<Record<string, string>> };
      const read = readManifests(new Map(Object.entries(data)));
      assert.ok(read.ok, JSON.stringify(read, null, 1));
      const [pipeline] = read.value.pipelines;
      assert.ok(pipeline);
      const plan = compilePlan(read.value, pipeline.id);
      assert.ok(plan.ok);
      return [file, plan.value.stages.map(({ role }) => role).join(' ')];
    });
  assert.deepEqual(Object.fromEntries(stages), {
    'manifests-nightly-report.yaml': 'agent agent merge tool linear',
    'manifests-research.yaml': 'agent tool agent agent tool linear linear',
    'manifests-review.yaml': 'agent agent agent merge agent',
  });
});
