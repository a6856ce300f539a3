import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from './paths.ts';

function requiredBy(folder: string): ReadonlyMap<string, string> {
  const text = readFileSync(join(ROOT, folder, 'go.mod'), 'utf8');
  return new Map(
    [...text.matchAll(/^\t([\w./~-]+) (v\S+)(?: \/\/ indirect)?$/gm)].map(([, name = '', version = '']) => [
      name,
      version,
    ]),
  );
}

test('hamlet-cluster and hamlet-kube require the same module versions, so they share compiled packages', () => {
  const [ours, theirs] = [requiredBy('local/cluster'), requiredBy('local/cluster/kube')];
  const shared = [...ours].filter(([name]) => theirs.has(name));
  assert.ok(shared.length > 40, `${shared.length} modules`);
  assert.deepEqual(
    shared.filter(([name, version]) => theirs.get(name) !== version),
    [],
  );
});
