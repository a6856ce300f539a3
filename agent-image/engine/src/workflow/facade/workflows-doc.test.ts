/** Compares docs/WORKFLOWS.md with the code: its manifests are valid, and it names every role, edge, merge, category and override. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readManifests } from '../manifest/read-manifests.ts';
import { compilePlan } from '../plan/compile-plan.ts';
import { FAILURE_CATEGORIES } from '../plan/failure.ts';
import { EDGE_TYPES, MERGE_POLICIES, NODE_ROLES } from '../plan/plan.ts';

const ROOT = join(import.meta.dirname, '../../../../..');
const doc = readFileSync(join(ROOT, 'docs/WORKFLOWS.md'), 'utf8');
const [, first = '', ...rest] = doc.split(/^## /m);
const MAX_WORDS = 2_000;

/** The manifests among the code blocks of a text, by the name of the file in their first line. */
const manifestsIn = (text: string): ReadonlyMap<string, string> =>
  new Map(
    [...text.matchAll(/^```yaml\n# ([a-z]+\.yaml)\n(.*?)^```/gms)].map(([, name = '', yaml = '']) => [name, yaml]),
  );

for (const { of, text, pipelines, files } of [
  { of: 'the first workflow', text: first, pipelines: ['default'], files: 2 },
  { of: 'the larger example', text: rest.join(''), pipelines: ['quick', 'full'], files: 7 },
])
  test(`the manifests of ${of} are valid, and compile for each pipeline`, () => {
    const found = manifestsIn(text);
    assert.equal(found.size, files);
    const read = readManifests(found);
    if (!read.ok) assert.fail(JSON.stringify(read.errors));
    for (const pipeline of pipelines) {
      const compiled = compilePlan(read.value, pipeline);
      if (!compiled.ok) assert.fail(JSON.stringify(compiled.errors));
    }
  });

test('docs/WORKFLOWS.md names every role, type of edge, merge and category of failure', () => {
  for (const name of [...NODE_ROLES, ...EDGE_TYPES, ...MERGE_POLICIES, ...FAILURE_CATEGORIES])
    assert.ok(doc.includes(`\`${name}\``), name);
});

test('docs/WORKFLOWS.md stays short', () => {
  assert.ok(doc.split(/\s+/).filter(Boolean).length <= MAX_WORDS);
});
