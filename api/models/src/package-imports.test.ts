/** The package runs in a pod, so it loads only zod and Node's HTTP client at first, and TLS on use. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const SOURCES = globSync('**/*.ts', { cwd: import.meta.dirname }).filter(
  (file) => !file.endsWith('.test.ts') && !file.startsWith('testing/'),
);

test('sources import only zod, HTTP and each other, and load the rest lazily', () => {
  assert.ok(SOURCES.length > 20, `only ${SOURCES.length} sources found`);
  const imports = SOURCES.flatMap((file) => {
    const text = readFileSync(join(import.meta.dirname, file), 'utf8');
    return [...text.matchAll(/^(import type|import|export)\b[^;]*? from '([^'.][^']*)'/gm)].map(
      ([, kind = '', from = '']) => `${kind} ${from}`,
    );
  });
  assert.deepEqual([...new Set(imports)].toSorted(), [
    'import node:http',
    'import type node:https',
    'import type node:net',
    'import zod',
  ]);
});
