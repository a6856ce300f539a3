import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { NODE } from '../../local/village/paths.ts';
import { coverageIn } from './coverage.ts';
import { testFolder } from '../env/at-end.ts';

test('a place counts as executed if a process reached it, even after types; sources that no process loaded do not', () => {
  const folder = testFolder('coverage');
  const source =
    'interface Size { readonly of: string }\nconst pick = (a: number, size?: Size): boolean => {\n  if (a > 1) return size !== undefined;\n  return a === 0;\n};\nconst unused = (a: number): boolean => a < 5;\npick(0);\n';
  writeFileSync(join(folder, 'pick.ts'), source);
  assert.equal(
    spawnSync(NODE, [join(folder, 'pick.ts')], { env: { ...process.env, NODE_V8_COVERAGE: join(folder, 'reports') } })
      .status,
    0,
  );
  const isRun = coverageIn(join(folder, 'reports'), folder);
  assert.deepEqual(
    ['a > 1', 'size !==', 'a === 0', 'a < 5'].map((text) => isRun('pick.ts', source.indexOf(text))),
    [true, false, true, false],
  );
  assert.equal(isRun('other.ts', 1), false);
});
